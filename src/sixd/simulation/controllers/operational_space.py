"""Operational-space control of a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from sixd import algorithms, given
from sixd.algorithms.operational_space import TASKS
from sixd.errors import ShapeError
from sixd.lie import so3
from sixd.model import Frame, Model
from sixd.ops import Scalar, unstack
from sixd.simulation.controllers.controller import Controller, register
from sixd.simulation.controllers.targets import driven
from sixd.simulation.moment import Moment
from sixd.simulation.parts import Names, amount, joint_names, settle
from sixd.spatial import Force, Matrix, Transform, Vector

__all__ = ["OperationalSpaceControl"]

#: A set point of a frame: the name of an input, a position (3 numbers) or a pose (4 x 4).
Goal: TypeAlias = str | Sequence[float] | Sequence[Sequence[float]]


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
    these. Only ``joints`` get forces, by default all but those with six freedoms.
    """

    name = "operational_space"
    frame: str
    kp: float
    kd: float
    kind: str = "position"
    target: Goal = "x_target"
    velocity: str | Sequence[float] | None = None
    null_damping: float = 0.0
    joints: Names = None

    def __post_init__(self) -> None:
        given.name(self.frame, "frame")
        given.choice(self.kind, "kind", ("position", "pose"))
        for item in ("kp", "kd", "null_damping"):
            settle(self, **{item: amount(getattr(self, item), item, 0.0)})
        n = 3 if self.kind == "position" else 6
        settle(self, target=_goal(self.target, self.kind))
        if self.velocity is not None and not isinstance(self.velocity, str):
            settle(self, velocity=given.finite(self.velocity, "velocity", n))
        settle(self, joints=joint_names(self.joints, "joints"))

    def inputs(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        position = self.kind == "position"
        found: dict[str, tuple[int, ...]] = {}
        if isinstance(self.target, str):
            found[self.target] = (3,) if position else (4, 4)
        if isinstance(self.velocity, str):
            found[self.velocity] = (3,) if position else (6,)
        return found

    def torque(self, moment: Moment) -> Sequence[Scalar]:
        tree, frame, rows = moment.tree, moment.frame(self.frame), TASKS[self.kind]
        place = frame.body, frame.offset, "aligned"
        Lambda, mu, p = algorithms.operational_space(tree, moment.q, moment.qd, *place, self.kind)
        v = algorithms.velocity(tree, moment.q, moment.qd, *place).components()[rows]
        e, wanted = self._error(moment, frame), self._velocity(moment, len(v))
        a = Vector(self.kp * x + self.kd * (w - y) for x, w, y in zip(e, wanted, v, strict=True))
        f = Lambda @ a + mu + p
        tau = list(algorithms.frame_forces(tree, moment.q, _force(f), *place).values)
        if self.null_damping:
            tau = [x + y for x, y in zip(tau, self._damped(moment, place, Lambda, Vector(v)), strict=True)]
        return driven(moment, self.joints, tau)

    def _damped(self, moment: Moment, place: Any, Lambda: Matrix, v: Vector) -> list[Scalar]:
        """N^T (-k_n H qd) = -k_n (H qd - J^T Lambda J qd): momentum, without the frame's share of it."""
        tree = moment.tree
        H = algorithms.crba(tree, moment.q).rows
        momentum = [_sum(h * x for h, x in zip(row, moment.qd, strict=True)) for row in H]
        share = algorithms.frame_forces(tree, moment.q, _force(Lambda @ v), *place).values
        return [self.null_damping * (b - a) for a, b in zip(momentum, share, strict=True)]

    def _error(self, moment: Moment, frame: Frame) -> list[Scalar]:
        """The way to the target, in base axes: a rotation vector, for a pose, then a difference of positions."""
        X = algorithms.pose(moment.tree, moment.q, frame.body, frame.offset)
        found: Any = moment.inputs[self.target] if isinstance(self.target, str) else self.target
        if self.kind == "position":
            return list(Vector(unstack(found)) - X.r)
        rows = Matrix.from_components(unstack(found, rank=2), 4).rows
        turn = so3.log(Matrix(row[:3] for row in rows[:3]) @ X.E)
        return [*turn, *(Vector(row[3] for row in rows[:3]) - X.r)]

    def _velocity(self, moment: Moment, n: int) -> Sequence[Scalar]:
        if self.velocity is None:
            return [0.0] * n
        return unstack(moment.inputs[self.velocity]) if isinstance(self.velocity, str) else self.velocity

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        frame = model.frames[-1].name
        return [
            cls(frame, 100.0, 20.0, velocity="xd_target", null_damping=2.0),
            cls(frame, 25.0, 10.0, kind="pose", target=Transform.translation((0.3, 0.2, 0.4)).pose()),
        ]


def _goal(value: Any, kind: str) -> str | tuple[float, ...] | tuple[tuple[float, ...], ...]:
    """A target, checked: the name of an input, a position, or a pose as nested tuples."""
    if isinstance(value, str):
        return given.name(value, "target")
    if kind == "position":
        return given.finite(value, "target", 3)
    entries = unstack(value, rank=2)
    if len(entries) != 16:
        raise ShapeError(f"target is a pose (4, 4), but it has {len(entries)} numbers")
    given.finite(entries, "target", 16)
    Transform.from_pose(value)  # refuses what is no pose
    return tuple(tuple(entries[k : k + 4]) for k in range(0, 16, 4))


def _force(f: Vector) -> Force:
    """A force at a frame: three numbers are without a moment."""
    return Force(Vector.zero(), f) if len(f) == 3 else Force.from_components(list(f))


def _sum(terms: Any) -> Scalar:
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total
