"""Operational-space control of a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from sixd import algorithms, given
from sixd.algorithms.tasks import TASKS
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.controllers.controller import Controller, register
from sixd.simulation.controllers.dynamics import realised
from sixd.simulation.controllers.tasks import (
    Goal,
    Rates,
    equations_of,
    force_at,
    goal,
    goal_shape,
    null_damping,
    rates,
    size_of,
    trouble_of,
    value_of,
    way_to,
)
from sixd.simulation.moment import Moment
from sixd.simulation.parts import Names, amount, joint_names, settle
from sixd.spatial import Transform, Vector

__all__ = ["OperationalSpaceControl"]


@register
@dataclass(frozen=True)
class OperationalSpaceControl(Controller):
    """Control of a frame in space, after Khatib (1987): tau = J^T (Lambda a + mu + p) + N^T (-k_n H qd).

    a = k_p e + k_d (x'* - x') is the acceleration that the frame is to have; e leads to the ``target``: a difference of
    positions and, for ``kind`` "pose", the rotation vector between attitudes, all in the axes of the base, in which the
    target is given, a position (3 numbers, m) or a pose (4, 4). ``target`` and ``velocity`` (x'*; n numbers, angular
    first, zero by default) may be names of inputs. ``kp`` is k_p, 1/s^2, and ``kd`` k_d, 1/s.

    N^T = 1 - J^T Lambda J H^-1 takes what moves the frame out of a damping of the other motions, ``null_damping`` (k_n,
    1/s). At a singular position Lambda does not exist and the forces are NaN; a kind with fewer directions has fewer of
    these. Only ``joints`` get forces, by default all but those with six freedoms; in a closed robot they do what all
    would do, as far as they can. p knows of a base that moves.
    """

    name = "operational_space"
    frame: str
    kp: float
    kd: float
    kind: str = "position"
    target: Goal = "x_target"
    velocity: Rates = None
    null_damping: float = 0.0
    joints: Names = None

    def __post_init__(self) -> None:
        given.name(self.frame, "frame")
        given.choice(self.kind, "kind", ("position", "pose"))
        for item in ("kp", "kd", "null_damping"):
            settle(self, **{item: amount(getattr(self, item), item, 0.0)})
        settle(self, target=goal(self.target, self.kind), velocity=rates(self.velocity, "velocity", self.kind))
        settle(self, joints=joint_names(self.joints, "joints"))

    def inputs(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        if isinstance(self.target, str):
            found[self.target] = goal_shape(self.kind)
        if isinstance(self.velocity, str):
            found[self.velocity] = (size_of(self.kind),)
        return found

    def trouble(self, moment: Moment) -> str:
        return trouble_of(moment, moment.frame(self.frame), self.kind)

    def torque(self, moment: Moment) -> Sequence[Scalar]:
        tree, frame, rows = moment.tree, moment.frame(self.frame), TASKS[self.kind]
        place = frame.body, frame.offset, "aligned"
        Lambda, mu, p = equations_of(moment, frame, self.kind)
        v = Vector(algorithms.velocity(tree, moment.q, moment.qd, *place).components()[rows])
        e, wanted = way_to(moment, frame, self.target, self.kind), value_of(moment, self.velocity, len(v))
        f = Lambda @ (self.kp * e + self.kd * (wanted - v)) + mu + p
        tau = list(algorithms.frame_forces(tree, moment.q, force_at(f), *place).values)
        if self.null_damping:
            damped = null_damping(moment, place, Lambda, v, self.null_damping)
            tau = [x + y for x, y in zip(tau, damped, strict=True)]
        return realised(moment, self.joints, tau)

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        frame = model.frames[-1].name
        return [
            cls(frame, 100.0, 20.0, velocity="xd_target", null_damping=2.0),
            cls(frame, 25.0, 10.0, kind="pose", target=Transform.translation((0.3, 0.2, 0.4)).pose()),
        ]
