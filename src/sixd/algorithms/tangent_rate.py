"""How small differences between two motions of a robot grow."""

from __future__ import annotations

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Position, Velocity
from sixd.model.tree import MatrixOutput, Tree

__all__ = ["tangent_rate"]


@algorithm(rolled="uncoupled")
def tangent_rate(tree: Tree, q: Position, qd: Velocity) -> MatrixOutput:
    """A, nv x nv, with de/dt = A e + d, to first order, for the way e = difference(q, q') to a neighbouring motion.

    The robot moves with qd, the neighbour with qd + d. A is zero for joints whose qd is dq/dt. For the others it is
    minus the Lie bracket with qd: spherical joints have -(qd x), free ones -ad of the body's velocity, PBP95 (6).
    """
    A = tree.matrix_output()
    for i, _ in tree.outward():
        if not tree.is_coupled or _has_coordinates(tree, i):
            A[i, i] = tree.joint(i).tangent_rate(q[i], qd[i])
    return A


def _has_coordinates(tree: Tree, i: int) -> bool:
    """Whether a joint has coordinates of its own: it mimics no other."""
    joint = tree.model.body_list[i].joint
    return joint is not None and joint.mimic is None
