"""Set points of controllers: constants, or inputs of a simulation by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from sixd import given
from sixd.errors import ShapeError
from sixd.model import Model
from sixd.ops import Scalar, unstack
from sixd.simulation.moment import Moment
from sixd.simulation.parts import Amounts, Names, amounts, joints_of

__all__ = ["Target", "driven", "shapes_of", "target", "value_of"]

#: A set point: the name of an input, one number for all entries, or all numbers.
Target: TypeAlias = str | Amounts


def target(value: Any, what: str) -> str | float | tuple[float, ...]:
    """A set point, checked: the name of an input, one finite number, or several."""
    return given.name(value, what) if isinstance(value, str) else amounts(value, what)


def shapes_of(model: Model, q: Target | None = None, *velocities: Target) -> dict[str, tuple[int, ...]]:
    """The inputs among set points of the position and of velocities or accelerations, with their shapes."""
    found: dict[str, tuple[int, ...]] = {q: (model.nq,)} if isinstance(q, str) else {}
    for name in velocities:
        if isinstance(name, str) and found.setdefault(name, (model.nv,)) != (model.nv,):
            raise ShapeError(
                f"the input {name!r} cannot be both a position of {model.nq} numbers and a velocity of {model.nv}: "
                "name two inputs"
            )
    return found


def value_of(moment: Moment, value: Target, n: int, what: str) -> Sequence[Scalar]:
    """The n numbers of a set point at this moment."""
    if isinstance(value, str):
        return unstack(moment.inputs[value])
    if isinstance(value, Sequence):
        if len(value) != n:
            raise ShapeError(f"{what} needs {n} numbers for this robot, not {len(value)}")
        return value
    return [value] * n


def driven(moment: Moment, joints: Names, tau: Sequence[Scalar]) -> Sequence[Scalar]:
    """The joint forces, without those of joints that are not among these."""
    found: list[Scalar] = [0.0] * moment.model.nv
    for joint in joints_of(moment.model, joints):
        found[joint.v] = tau[joint.v]
    return found
