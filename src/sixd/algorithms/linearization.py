"""The equations of motion near a state, to first order."""

from __future__ import annotations

from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import ExternalForces, JointForces, Position, Velocity
from sixd.algorithms.forward_dynamics_derivatives import aba_derivatives
from sixd.algorithms.tangent_rate import tangent_rate
from sixd.model.tree import Tree
from sixd.spatial import Matrix

__all__ = ["Linearization", "linearization"]


class Linearization(NamedTuple):
    """dx/dt = A x + B u: A is 2 nv x 2 nv, B is 2 nv x nv."""

    A: Matrix
    B: Matrix


@algorithm(rolled=False)
def linearization(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None
) -> Linearization:
    """A = [[T, 1], [d FD/dq, d FD/dqd]] and B = [[0], [H^-1]], of dx/dt = A x + B u for small x = (e, d) and u.

    e = difference(q, q') is the way to a neighbouring position, in the tangent space; d is the difference of the
    velocities, u that of the joint forces. T is `tangent_rate`, the rest is `aba_derivatives`.
    """
    d, T, n = aba_derivatives(tree, q, qd, tau, f_ext), tangent_rate(tree, q, qd), tree.model.nv
    above = [[*row, *(float(i == j) for j in range(n))] for i, row in enumerate(T.rows)]
    below = [[*by_q, *by_qd] for by_q, by_qd in zip(d.dq.rows, d.dqd.rows, strict=True)]
    return Linearization(Matrix(above + below), Matrix([[0.0] * n for _ in range(n)] + d.dtau.rows))
