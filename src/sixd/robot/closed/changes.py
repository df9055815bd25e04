"""How accelerations of a closed robot change with its state: algorithms, on the factors of forward dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sixd import algorithms
from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_dynamics import factors_at, moving_forces, stabilised_bias
from sixd.algorithms.declared import ExternalForces, JointForces, Option, Position, Velocity
from sixd.algorithms.guarded import dot
from sixd.compiler.derivatives import jacobian
from sixd.model import ModelTree
from sixd.model.tree import MatrixOutput, Tree
from sixd.ops import Scalar
from sixd.spatial import Matrix

__all__ = [
    "FORCES_BY_Q",
    "INVERSE",
    "VIOLATION",
    "constrained_derivatives",
    "constrained_linearization",
    "response",
]

Rows = list[list[Scalar]]


def _forces(model: Any, q: Any, multipliers: Any) -> Any:
    """L^T lambda."""
    return algorithms.constraint_jacobian(model, q).T @ multipliers


def _violation(model: Any, q: Any, qd: Any, qdd: Any) -> Any:
    """L qdd - c, with Baumgarte's terms in c."""
    tree = ModelTree(model)
    at, speed = tree.positions(q), tree.velocities(qd)
    L = algorithms.constraint_jacobian(tree, at).rows
    c = stabilised_bias(tree, at, speed, None, L)
    return [dot(row, qdd) - right for row, right in zip(L, c, strict=True)]


def response(model: Any, q: Any, u: Any, c: Any) -> Any:
    """x with H x = u + L^T lambda and L x = c."""
    tree = ModelTree(model)
    return factors_at(tree, tree.positions(q)).solve(c, u).x


def _velocities(model: Any, q: Any, qd: Any) -> Any:
    """L qd."""
    return algorithms.constraint_jacobian(model, q) @ qd


#: The derivatives of L^T lambda at fixed lambda, and of L qdd - c at fixed qdd.
FORCES_BY_Q = jacobian(_forces, "q", tangent=True)
VIOLATION = jacobian(_violation, ("q", "qd"), tangent=True)
_VELOCITIES_BY_Q = jacobian(_velocities, "q", tangent=True)
_PASSIVE = jacobian(algorithms.passive_forces, ("q", "qd"), tangent=True)
#: The derivatives of inverse dynamics with as many motors as there are freedoms.
INVERSE = jacobian(algorithms.constrained_inverse_dynamics, ("q", "qd", "qdd"), tangent=True)


class Changes:
    """What a small change of the state does to qdd, at a state of a robot with constraints.

    H qdd + C = tau + L^T lambda and L qdd = c hold for all states, so a change of the state changes qdd and lambda by

        H dqdd - L^T dlambda = -d ID + d(L^T lambda) + dtau,    L dqdd = -d(L qdd - c)

    where all on the right is taken at fixed qdd and lambda. The matrix is that of forward dynamics, factorised once.
    """

    def __init__(
        self, tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces, passive: bool
    ) -> None:
        n = range(tree.model.nv)
        self.system, u = factors_at(tree, q), moving_forces(tree, q, qd, tau, f_ext)
        if passive:
            forces = algorithms.passive_forces(tree, q, qd).values
            u = [a + b for a, b in zip(u, forces, strict=True)]
        qdd, multipliers = self.system.solve(stabilised_bias(tree, q, qd, None, self.system.L), u)
        d = algorithms.rnea_derivatives(tree, q, qd, tree.velocities(qdd), f_ext)
        held = FORCES_BY_Q(tree.model, q.values, multipliers)
        #: The right-hand sides, for a change of q (in the tangent space) and of qd: rows of u, and of c.
        self.u_by_q: Rows = [[held[i, k] - d.dq.rows[i][k] for k in n] for i in n]
        self.u_by_qd: Rows = [[-d.dqd.rows[i][k] for k in n] for i in n]
        self.c_by_q, self.c_by_qd = ((-x).tolist() for x in VIOLATION(tree.model, q.values, qd.values, qdd))
        if passive:
            for rows, more in zip((self.u_by_q, self.u_by_qd), _PASSIVE(tree.model, q.values, qd.values), strict=True):
                for row, add in zip(rows, more.tolist(), strict=True):
                    row[:] = [a + b for a, b in zip(row, add, strict=True)]

    def along(self, dq: Sequence[Scalar], dqd: Sequence[Scalar]) -> list[Scalar]:
        """The change of qdd that changes of q and qd make."""
        c, u = (
            [dot(a, dq) + dot(b, dqd) for a, b in zip(by_q, by_qd, strict=True)]
            for by_q, by_qd in ((self.c_by_q, self.c_by_qd), (self.u_by_q, self.u_by_qd))
        )
        return self.system.solve(c, u).x

    def by_force(self, k: int) -> list[Scalar]:
        """The change of qdd that a unit force at degree of freedom k makes."""
        unit = [float(i == k) for i in range(len(self.u_by_q))]
        return self.system.solve([0.0] * len(self.c_by_q), unit).x


class ConstrainedDerivatives(NamedTuple):
    """The derivatives of qdd = FD(q, qd, tau) with constraints, each nv x nv: row i is that of qdd_i."""

    dq: MatrixOutput
    dqd: MatrixOutput
    dtau: MatrixOutput


@algorithm(rolled=False)
def constrained_derivatives(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None
) -> ConstrainedDerivatives:
    """The derivatives of forward dynamics with constraints, FO00 (20), by q (in the tangent space), qd and tau."""
    changes, n = Changes(tree, q, qd, tau, f_ext, passive=False), range(tree.model.nv)
    found = ConstrainedDerivatives(*(tree.matrix_output() for _ in range(3)))
    nothing = [0.0 for _ in n]
    for k in n:
        unit = [float(i == k) for i in n]
        columns = changes.along(unit, nothing), changes.along(nothing, unit), changes.by_force(k)
        for matrix, column in zip(found, columns, strict=True):
            for i, x in enumerate(column):
                matrix.rows[i][k] = x
    return found


class ConstrainedLinearization(NamedTuple):
    """dx/dt = A x + B u in m independent coordinates: A is 2 m x 2 m, B is 2 m x nv."""

    A: Matrix
    B: Matrix


@algorithm(rolled=False)
def constrained_linearization(
    tree: Tree,
    q: Position,
    qd: Velocity,
    tau: JointForces,
    f_ext: ExternalForces = None,
    independent: Option[tuple[int, ...]] = (),
    passive: Option[bool] = False,
) -> ConstrainedLinearization:
    """A and B of dx/dt = A x + B u near a state, for x = (y, z): the way of ``independent`` degrees of freedom in the
    tangent space, and the difference of their velocities.

    All others follow: e = K y and d = K z + N y with L K = 0 and L N = -d(L qd)/dq K. With the rows of the independent
    degrees of freedom,

        dy/dt = (T K + N) y + K z,    dz/dt = (FD_q K + FD_qd N) y + FD_qd K z + FD_tau u,

    where T is `tangent_rate`. NaN where the independent coordinates do not determine the others.
    """
    changes = Changes(tree, q, qd, tau, f_ext, passive)
    y = algorithms.Independent(tree, changes.system, independent)
    K, free, still = y.columns, y.numbers, [0.0] * tree.model.nv
    T = algorithms.tangent_rate(tree, q, qd).rows
    by_q = _VELOCITIES_BY_Q(tree.model, q.values, qd.values).tolist()
    N = [y.follow([-dot(row, column) for row in by_q]) for column in K]
    columns = [changes.along(e, d) for e, d in [*zip(K, N, strict=True), *((still, column) for column in K)]]
    above = [[*(dot(T[i], e) + d[i] for e, d in zip(K, N, strict=True)), *(float(i == j) for j in free)] for i in free]
    below = [[column[i] for column in columns] for i in free]
    # FD_tau = W is symmetric: its row of a degree of freedom is what a unit force there does.
    B: Rows = [[0.0] * tree.model.nv for _ in free] + y.W
    A, B = ([[x + y.doubt for x in row] for row in rows] for rows in (above + below, B))
    return ConstrainedLinearization(Matrix(A), Matrix(B))
