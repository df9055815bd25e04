"""Passive joint forces: dampers, dry friction, springs."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Number, Position, Velocity
from sixd.model.tree import Output, Tree
from sixd.ops import sign
from sixd.spatial import Vector

__all__ = ["passive_forces", "spring_energy"]


@algorithm
def passive_forces(tree: Tree, q: Position, qd: Velocity) -> Output:
    """The forces that dampers, dry friction and springs exert at the joints:

    -d qd - f sign(qd) - J^T k x, where x is the way from the rest position to q as the joint takes it and J its rate
    per velocity: the springs pull down the gradient of `spring_energy`. Passive forces act beside the motors, which
    deliver tau - passive.
    """
    tau = tree.output()
    for i, _ in tree.outward():
        joint, rest = tree.joint(i), tree.rest(i)
        x = joint.difference(rest, q[i])
        spring = Vector(k * s for k, s in zip(tree.stiffness(i), x, strict=True))
        pull = joint.difference_jacobian(rest, q[i]).T @ spring
        drag = Vector(d * v + f * sign(v) for d, f, v in zip(tree.damping(i), tree.friction(i), qd[i], strict=True))
        tau[i] = -(pull + drag)
    return tau


@algorithm
def spring_energy(tree: Tree, q: Position) -> Number:
    """The energy stored in the joint springs, sum 1/2 k (q - rest)^2; J."""
    V = tree.cell(0.0)
    for i, _ in tree.outward():
        stretch = tree.joint(i).difference(tree.rest(i), q[i])
        for k, x in zip(tree.stiffness(i), stretch, strict=True):
            V.now = V.now + 0.5 * k * x * x
    return V.now
