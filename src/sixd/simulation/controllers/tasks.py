"""What controllers of a frame share: set points in space, the way to them, and damping of what is left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, TypeAlias

from sixd import algorithms, given
from sixd.algorithms.operational_space import OperationalSpace
from sixd.algorithms.tasks import TASKS
from sixd.errors import ShapeError
from sixd.lie import so3
from sixd.model import Frame
from sixd.ops import Scalar, unstack
from sixd.simulation.controllers.dynamics import base_acceleration
from sixd.simulation.moment import Moment
from sixd.spatial import Force, Matrix, Transform, Vector

__all__ = [
    "Goal",
    "Rates",
    "equations_of",
    "force_at",
    "goal",
    "goal_shape",
    "null_damping",
    "rates",
    "size_of",
    "trouble_of",
    "value_of",
    "way_to",
]

#: A set point of a frame: the name of an input, a position (3 numbers) or a pose (4 x 4).
Goal: TypeAlias = str | Sequence[float] | Sequence[Sequence[float]]
#: A velocity, an acceleration or a force of a frame: the name of an input, numbers, or None for zero.
Rates: TypeAlias = str | Sequence[float] | None


def size_of(kind: str) -> int:
    """How many directions a task of this kind has."""
    return len(range(6)[TASKS[kind]])


def goal(value: Any, kind: str) -> str | tuple[float, ...] | tuple[tuple[float, ...], ...]:
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


def goal_shape(kind: str) -> tuple[int, ...]:
    """The shape of a target of this kind."""
    return (3,) if kind == "position" else (4, 4)


def rates(value: Any, what: str, kind: str) -> str | tuple[float, ...] | None:
    """A velocity, acceleration or force, checked."""
    if value is None:
        return None
    return given.name(value, what) if isinstance(value, str) else given.finite(value, what, size_of(kind))


def value_of(moment: Moment, value: Rates, n: int) -> Vector:
    """The n numbers of a velocity, acceleration or force at this moment."""
    if value is None:
        return Vector.zero(n)
    return Vector(unstack(moment.inputs[value]) if isinstance(value, str) else value)


def way_to(moment: Moment, frame: Frame, target: Goal, kind: str) -> Vector:
    """The way to the target, in base axes: a rotation vector, for a pose, then a difference of positions."""
    X = algorithms.pose(moment.tree, moment.q, frame.body, frame.offset)
    found: Any = moment.inputs[target] if isinstance(target, str) else target
    if kind == "position":
        return Vector(unstack(found)) - X.r
    rows = Matrix.from_components(unstack(found, rank=2), 4).rows
    turn = so3.log(Matrix(row[:3] for row in rows[:3]) @ X.E)
    return Vector([*turn, *(Vector(row[3] for row in rows[:3]) - X.r)])


def equations_of(moment: Moment, frame: Frame, kind: str) -> OperationalSpace:
    """Lambda, mu and p of a frame in base axes: with constraints, and p with what a base that moves does to it."""
    tree, place = moment.tree, (frame.body, frame.offset, "aligned")
    if moment.model.closures:
        named = [frame.name], "aligned", kind
        found = algorithms.constrained_operational_space(tree, moment.q, moment.qd, *named)
    else:
        found = algorithms.operational_space(tree, moment.q, moment.qd, *place, kind)
    carried = base_acceleration(moment)
    if carried is None:
        return found
    moved = Vector(algorithms.velocity(tree, moment.q, carried, *place).components()[TASKS[kind]])
    return found._replace(p=found.p - found.Lambda @ moved)


def trouble_of(moment: Moment, frame: Frame, kind: str) -> str:
    """That a frame is at a singular position, if it is, in words for errors."""
    if all(isfinite(float(x)) for x in equations_of(moment, frame, kind).Lambda.components()):
        return ""
    return (
        f"frame {frame.name!r} cannot move in all {size_of(kind)} directions of kind {kind!r}, because the position is "
        "singular. Start elsewhere, lead the motion around it, or take a kind with fewer directions"
    )


def force_at(f: Vector) -> Force:
    """A force at a frame: three numbers are without a moment."""
    return Force(Vector.zero(), f) if len(f) == 3 else Force.from_components(list(f))


def null_damping(moment: Moment, place: Any, Lambda: Matrix, v: Vector, k: float) -> list[Scalar]:
    """N^T (-k H qd) = -k (H qd - J^T Lambda J qd): momentum, without the frame's share of it."""
    tree = moment.tree
    H = algorithms.crba(tree, moment.q).rows
    momentum = [_sum(h * x for h, x in zip(row, moment.qd, strict=True)) for row in H]
    share = algorithms.frame_forces(tree, moment.q, force_at(Lambda @ v), *place).values
    return [k * (b - a) for a, b in zip(momentum, share, strict=True)]


def _sum(terms: Iterable[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total
