"""Hybrid control of a frame: motion in some directions, force in the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from sixd import algorithms, given
from sixd.algorithms.tasks import TASKS
from sixd.errors import ArgumentError, ChoiceError, PoseError
from sixd.model import Frame, Model
from sixd.ops import Scalar, unstack
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
from sixd.simulation.forces.element import ForceElement
from sixd.simulation.forces.point_spring import PointSpring
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.parts import Names, amount, joint_names, settle
from sixd.spatial import Matrix, Transform, Vector

__all__ = ["HybridForceControl"]

#: Axes of space as the columns of a rotation matrix, or the name of an input.
Axes: TypeAlias = str | Sequence[Sequence[float]] | None


@register
@dataclass(frozen=True)
class HybridForceControl(Controller):
    """Motion and force control of a frame, after Khatib (1987): tau = J^T F + N^T (-k_n H qd), with

    F = Lambda (M a - k_v S x') + S (f* + k_f (f* - f)) + M f + mu + p.

    S selects the directions in which force is controlled, and M = 1 - S those of motion. ``force_along`` names axes
    among "xyz", and for ``kind`` "pose" ``moment_about`` too; the axes are the columns of ``axes`` (3, 3), by default
    those of the base. f* is ``force`` (n numbers, N, for a pose moments first, in base axes): what the frame is to
    exert on its surroundings. a = x''* + k_p e + k_d (x'* - x') is as in `OperationalSpaceControl`, with ``target``,
    ``velocity`` and ``acceleration`` of the frame.

    f is what the frame does exert: minus the forces of ``sensor``, a force element, such as one of
    ``contacts.elements()``, on the body of the frame. With a sensor, k_f is ``force_gain``, and friction along the
    surface is cancelled by M f; without one, f* alone presses, and M f is left out. ``force_damping`` (k_v, 1/s) slows
    down the motion along S. ``null_damping``, ``joints`` and singular positions as in `OperationalSpaceControl`.
    ``target``, ``velocity``, ``acceleration``, ``force`` and ``axes`` may be names of inputs.
    """

    name = "hybrid_force"
    frame: str
    kp: float
    kd: float
    force_along: str
    force: Rates
    kind: str = "position"
    target: Goal = "x_target"
    velocity: Rates = None
    acceleration: Rates = None
    moment_about: str = ""
    axes: Axes = None
    sensor: ForceElement | None = None
    force_gain: float = 0.0
    force_damping: float = 0.0
    null_damping: float = 0.0
    joints: Names = None

    def __post_init__(self) -> None:
        given.name(self.frame, "frame")
        given.choice(self.kind, "kind", ("position", "pose"))
        for item in ("kp", "kd", "force_gain", "force_damping", "null_damping"):
            settle(self, **{item: amount(getattr(self, item), item, 0.0)})
        settle(self, target=goal(self.target, self.kind))
        for item in ("velocity", "acceleration", "force"):
            settle(self, **{item: rates(getattr(self, item), item, self.kind)})
        settle(self, axes=_axes(self.axes), joints=joint_names(self.joints, "joints"))
        settle(self, force_along=_letters(self.force_along, "force_along"))
        settle(self, moment_about=_letters(self.moment_about, "moment_about"))
        if self.moment_about and self.kind == "position":
            raise ChoiceError("moment_about is for kind='pose': the kind 'position' has no moments")
        if self.sensor is not None and not isinstance(self.sensor, ForceElement):
            raise ArgumentError(
                f"sensor must be a force element, such as contacts.elements()[0], not {given.described(self.sensor)}"
            )
        if self.sensor is None and self.force_gain:
            raise ChoiceError("force_gain needs a sensor: the force element that presses on the frame")

    def inputs(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        n = (size_of(self.kind),)
        shapes = {"target": goal_shape(self.kind), "velocity": n, "acceleration": n, "force": n, "axes": (3, 3)}
        named = {getattr(self, item): shape for item, shape in shapes.items() if isinstance(getattr(self, item), str)}
        return {**(self.sensor.inputs(model) if self.sensor is not None else {}), **named}

    def trouble(self, moment: Moment) -> str:
        return trouble_of(moment, moment.frame(self.frame), self.kind)

    def torque(self, moment: Moment) -> Sequence[Scalar]:
        tree, frame, rows = moment.tree, moment.frame(self.frame), TASKS[self.kind]
        place = frame.body, frame.offset, "aligned"
        Lambda, mu, p = equations_of(moment, frame, self.kind)
        v = Vector(algorithms.velocity(tree, moment.q, moment.qd, *place).components()[rows])
        n, e = len(v), way_to(moment, frame, self.target, self.kind)
        velocity, acceleration, force = (value_of(moment, x, n) for x in (self.velocity, self.acceleration, self.force))
        S = self._selection(moment)
        M = Matrix.identity(n) - S
        a = acceleration + self.kp * e + self.kd * (velocity - v)
        pushed = S @ force
        if self.sensor is not None:
            f = self._measured(moment, self.sensor, frame)
            pushed = pushed + self.force_gain * (S @ (force - f)) + M @ f
        F = Lambda @ (M @ a - self.force_damping * (S @ v)) + pushed + mu + p
        tau = list(algorithms.frame_forces(tree, moment.q, force_at(F), *place).values)
        if self.null_damping:
            damped = null_damping(moment, place, Lambda, v, self.null_damping)
            tau = [x + y for x, y in zip(tau, damped, strict=True)]
        return realised(moment, self.joints, tau)

    def _selection(self, moment: Moment) -> Matrix:
        """S, the projection on the directions of force, in base axes: R diag R^T, for a pose that of moments first."""
        R = Matrix.identity()
        if self.axes is not None:
            found: Any = moment.inputs[self.axes] if isinstance(self.axes, str) else self.axes
            R = Matrix.from_components(unstack(found, rank=2), 3)
        along, about = (
            R @ Matrix.diagonal([1.0 if axis in letters else 0.0 for axis in "xyz"]) @ R.T
            for letters in (self.force_along, self.moment_about)
        )
        if self.kind == "position":
            return along
        none = (0.0,) * 3
        return Matrix([*((*row, *none) for row in about.rows), *((*none, *row) for row in along.rows)])

    def _measured(self, moment: Moment, sensor: ForceElement, frame: Frame) -> Vector:
        """The force that the frame exerts on its surroundings, in base axes at its origin."""
        loads = Loads(moment.model)
        sensor.apply(moment, loads)
        X = algorithms.pose(moment.tree, moment.q, frame.body, frame.offset)
        found = Transform(X.E.T, Vector.zero()) @ (frame.offset @ loads.bodies[frame.body])
        return -Vector(found.components()[TASKS[self.kind]])

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        frame = model.frames[-1].name
        spring = PointSpring(frame, (0.1, 0.2, 0.3), 50.0)
        return [
            cls(frame, 100.0, 20.0, "z", (0.0, 0.0, -5.0), velocity="xd_target", null_damping=2.0),
            cls(
                *(frame, 25.0, 10.0, "x", "f_target"),
                kind="pose",
                target=Transform.translation((0.3, 0.2, 0.4)).pose(),
                moment_about="yz",
                axes=((0.8, -0.6, 0.0), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0)),
                sensor=spring,
                force_gain=2.0,
                force_damping=5.0,
            ),
        ]


def _letters(value: Any, what: str) -> str:
    """Axes by their letters."""
    if not isinstance(value, str) or not set(value) <= set("xyz") or len(set(value)) != len(value):
        raise ChoiceError(f"{what} must be some of the letters of 'xyz', each once, not {given.described(value)}")
    return value


def _axes(value: Any) -> str | tuple[tuple[float, ...], ...] | None:
    """Axes, checked: the name of an input, or a rotation matrix as nested tuples."""
    if value is None:
        return None
    if isinstance(value, str):
        return given.name(value, "axes")
    entries = given.finite(unstack(value, rank=2), "axes", 9)
    R = Matrix.from_components(entries, 3)
    error = (R.T @ R - Matrix.identity()).components()
    if max(map(abs, error)) > 1e-6:
        raise PoseError("axes must be three perpendicular unit vectors, the columns of a matrix (3, 3)")
    return tuple(tuple(entries[k : k + 3]) for k in range(0, 9, 3))
