"""Derivatives of an algorithm along velocities of joints, by dual numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sixd.dual import moving, rates
from sixd.model import JointView
from sixd.model.tree import Output, Positions, TensorOutput, Tree, Velocities
from sixd.ops import Scalar
from sixd.spatial import Vector

__all__ = ["Speeds", "derivative_along", "independent", "speeds_of"]

T = TypeVar("T", Output, TensorOutput)
#: Joints that move, each with its velocity.
Speeds = Sequence[tuple[JointView, Vector]]


def independent(tree: Tree) -> list[JointView]:
    """The joints that have coordinates of their own, in the order of these."""
    return [joint for joint in tree.model.joints if joint.mimic is None]


def speeds_of(tree: Tree, velocity: Velocities) -> Speeds:
    """A velocity as that of each joint."""
    return [(joint, Vector(velocity.values[joint.v])) for joint in independent(tree)]


def derivative_along(function: Callable[..., T], tree: Tree, q: Positions, speeds: Speeds, *arguments: Any) -> T:
    """d/dt of ``function(tree, q, *arguments)`` at t = 0: q moves as `integrate` steps, the arguments are constant."""
    values: list[Scalar] = list(q.values)
    rest: list[Scalar] = [x for argument in arguments for x in argument.values]
    steps, level = moving([x for _, speed in speeds for x in speed], beside=[*values, *rest])
    for joint, speed in speeds:
        step, steps = steps[: len(speed)], steps[len(speed) :]
        values[joint.q] = joint.type.integrate(Vector(values[joint.q]), Vector(step)).entries
    moved = function(tree, tree.positions(values), *arguments)
    moved.values = rates(moved.values, level)
    return moved
