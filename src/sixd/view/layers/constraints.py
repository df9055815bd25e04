"""Constraints: a mark on each of the two frames that one ties; where it is kept, the marks of its origins meet."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sixd.constraints import Constraint, Loop
from sixd.joints import Joint
from sixd.view.layers.axes import axes_of
from sixd.view.layers.layer import Context, Item, Layer
from sixd.view.meshes.mesh import Color
from sixd.view.shapes import Shape, box, cylinder, pose_along, sphere

__all__ = ["CONSTRAINTS"]

#: On frame a, seen through; on frame b, solid.
OUTER: Color = (0.86, 0.12, 0.48, 0.45)
INNER: Color = (0.86, 0.12, 0.48, 1.0)


def _constraints(context: Context) -> Iterator[Item]:
    """On frame a the joint that closes the loop, on frame b a smaller mark within; couplings of joints have none."""
    for constraint in context.model.constraint_list:
        if not constraint.frames:
            continue
        a, b = (context.model.frame(name) for name in constraint.frames)
        place = np.array(a.offset.pose(), dtype=float) @ np.array(constraint.offset.pose(), dtype=float)
        shape, turned = _mark(constraint, 0.024 * context.length)
        yield Item(a.body, shape, place @ turned, OUTER)
        shape, turned = _mark(constraint, 0.016 * context.length)
        yield Item(b.body, shape, np.array(b.offset.pose(), dtype=float) @ turned, INNER)


def _mark(constraint: Constraint, size: float) -> tuple[Shape, NDArray[np.float64]]:
    """A pin about the axis of a joint that turns, a box along one that slides, a ball for others, a cube for welds."""
    joint = constraint.joint if isinstance(constraint, Loop) else None
    if isinstance(joint, Joint) and joint.nv == 1 and axes_of(joint):
        axis = axes_of(joint)[0]
        shape = cylinder(0.8 * size, 2.6 * size) if axis.turns else box(1.2 * size, 1.2 * size, 3.0 * size)
        return shape, pose_along(np.zeros(3), axis.direction)
    if constraint.rows == 6:
        return box(1.5 * size, 1.5 * size, 1.5 * size), np.eye(4)
    return sphere(size), np.eye(4)


CONSTRAINTS = Layer("constraints", "constraints", _constraints)
