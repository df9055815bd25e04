"""Passive joint forces: dampers, dry friction, springs."""

from __future__ import annotations

from typing import Any

from sixd.algorithms.algorithm import algorithm
from sixd.model.tree import Tree
from sixd.ops import sign
from sixd.spatial import Vector

__all__ = ["passive_forces", "spring_energy"]


@algorithm
def passive_forces(tree: Tree, q: Any, qd: Any) -> Any:
    """The forces that dampers, dry friction and springs exert at the joints:

    -d qd - f sign(qd) - k (q - rest), with the difference taken as the joint takes it. They act beside the motors: the
    motor delivers tau - passive.
    """
    tau = tree.output()
    for i, _ in tree.outward():
        stretch = tree.joint(i).difference(tree.rest(i), q[i])
        resistance = zip(tree.damping(i), tree.friction(i), tree.stiffness(i), qd[i], stretch, strict=True)
        tau[i] = Vector(-(d * v + f * sign(v) + k * x) for d, f, k, v, x in resistance)
    return tau


@algorithm
def spring_energy(tree: Tree, q: Any) -> Any:
    """The energy stored in the joint springs, sum 1/2 k (q - rest)^2; J."""
    V = tree.cell(0.0)
    for i, _ in tree.outward():
        stretch = tree.joint(i).difference(tree.rest(i), q[i])
        for k, x in zip(tree.stiffness(i), stretch, strict=True):
            V.now = V.now + 0.5 * k * x * x
    return V.now
