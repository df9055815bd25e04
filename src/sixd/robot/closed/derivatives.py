"""How the dynamics of a closed robot change with its state."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.constrained_dynamics import factors_at, moving_forces, stabilised_bias
from sixd.algorithms.declared import ExternalForces, JointForces, Position, Velocity
from sixd.algorithms.guarded import dot
from sixd.compiler.choice import kernel
from sixd.compiler.derivatives import jacobian
from sixd.compiler.request import without_methods
from sixd.errors import ArgumentError
from sixd.model import ModelTree
from sixd.model.tree import MatrixOutput, Tree
from sixd.robot.closed.actuation import ActuationMethods
from sixd.robot.derivatives import ForwardDynamicsDerivatives, InverseDynamicsDerivatives, Linearization, discrete
from sixd.robot.dynamics import DIRECT
from sixd.robot.evaluator import BODY, NAMED
from sixd.robot.external_forces import Forces
from sixd.runtime.batches import as_batch
from sixd.spatial import Matrix

__all__ = ["ClosedDerivativeMethods", "constrained_derivatives", "constraint_velocity_derivative"]

Array = NDArray[Any]


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


def _response(model: Any, q: Any, u: Any, c: Any) -> Any:
    """x with H x = u + L^T lambda and L x = c."""
    tree = ModelTree(model)
    return factors_at(tree, tree.positions(q)).solve(c, u).x


def _velocities(model: Any, q: Any, qd: Any) -> Any:
    """L qd."""
    return algorithms.constraint_jacobian(model, q) @ qd


_ID = algorithms.rnea_derivatives
_FORCES_BY_Q = jacobian(_forces, "q", tangent=True)
_VIOLATION = jacobian(_violation, ("q", "qd"), tangent=True)
_INVERSE = jacobian(algorithms.constrained_inverse_dynamics, ("q", "qd", "qdd"), tangent=True)
_VELOCITIES_BY_Q = jacobian(_velocities, "q", tangent=True)


class ConstrainedDerivatives(NamedTuple):
    """The derivatives of qdd = FD(q, qd, tau) with constraints, each nv x nv: row i is that of qdd_i."""

    dq: MatrixOutput
    dqd: MatrixOutput
    dtau: MatrixOutput


@algorithm(rolled=False)
def constrained_derivatives(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None
) -> ConstrainedDerivatives:
    """The derivatives of forward dynamics with constraints, FO00 (20), by q (in the tangent space), qd and tau.

    H qdd + C = tau + L^T lambda and L qdd = c hold for all states, so a change of the state changes qdd and lambda by

        H dqdd - L^T dlambda = -d ID + d(L^T lambda) + dtau,    L dqdd = -d(L qdd - c)

    where all on the right is taken at fixed qdd and lambda. The matrix is that of forward dynamics, factorised once.
    """
    model, n = tree.model, range(tree.model.nv)
    system = factors_at(tree, q)
    c = stabilised_bias(tree, q, qd, None, system.L)
    qdd, multipliers = system.solve(c, moving_forces(tree, q, qd, tau, f_ext))
    d = algorithms.rnea_derivatives(tree, q, qd, tree.velocities(qdd), f_ext)
    of_forces = _FORCES_BY_Q(model, q.values, multipliers)
    by_q, by_qd = _VIOLATION(model, q.values, qd.values, qdd)
    still = [0.0] * len(by_q)
    found = ConstrainedDerivatives(*(tree.matrix_output() for _ in range(3)))
    for k in n:
        changes = (
            ([-x for x in by_q[:, k]], [of_forces[i, k] - d.dq.rows[i][k] for i in n]),
            ([-x for x in by_qd[:, k]], [-d.dqd.rows[i][k] for i in n]),
            (still, [float(i == k) for i in n]),
        )
        for matrix, (b, u) in zip(found, changes, strict=True):
            for i, x in enumerate(system.solve(b, u).x):
                matrix.rows[i][k] = x
    return found


@algorithm(rolled=False)
def constraint_velocity_derivative(tree: Tree, q: Position, qd: Velocity) -> Matrix:
    """d(L qd)/dq, (rows, nv), in the tangent space: how a step of position disturbs the constraints on velocities."""
    return Matrix(_VELOCITIES_BY_Q(tree.model, q.values, qd.values).tolist())


NAMED[constrained_derivatives] = ForwardDynamicsDerivatives


class ClosedDerivativeMethods(ActuationMethods):
    """Methods of a closed robot about derivatives."""

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces = None
    ) -> ForwardDynamicsDerivatives:
        """The derivatives of forward dynamics with constraints by q, qd and tau, a named tuple of arrays (..., nv, nv).

        ``dq`` is in the tangent space, as that of a robot without constraints. The state need not move along the
        constraints: all nv directions count, as in `forward_dynamics` itself. `linearize` has those that keep them.
        Robots that are too large for one kernel of it take several, one of them on a batch of all directions.
        """
        more = self._more(q, f_ext, BODY, None)
        code = self._direct(constrained_derivatives, DIRECT, self._shapes(more))
        if code is not None:
            return code(q, qd, tau, *more.values())
        return self._by_columns(q, qd, tau, more)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, f_ext: Forces = None, *, actuated: Any = None
    ) -> InverseDynamicsDerivatives:
        """The derivatives of the forces of ``actuated`` joints, by name, by q, qd and qdd, arrays (..., nv, nv).

        There must be as many actuated degrees of freedom as the robot has, so that the forces are unique; by default
        those of `independent`. Rows of other joints are zero. These are automatic derivatives of
        `sixd.algorithms.constrained_inverse_dynamics`, recorded and compiled on the first call. ``dq`` is in the
        tangent space; all nv directions count, as in `forward_dynamics_derivatives`.
        """
        dofs = tuple(self._free_at(q)) if actuated is None else self._actuated(actuated)
        needed = len(self._found_independent)
        if len(dofs) != needed:
            raise ArgumentError(
                f"actuated names {len(dofs)} degrees of freedom, but {self.name or 'this robot'} has {needed}: the "
                "forces are unique, and have derivatives, only with as many"
            )
        model = without_methods(self)
        if f_ext is None:
            return InverseDynamicsDerivatives(*kernel(_INVERSE, model, actuated=dofs)(q, qd, qdd))
        code = kernel(_INVERSE, model, {"f_ext": (self.n_bodies, 6)}, actuated=dofs)
        return InverseDynamicsDerivatives(*code(q, qd, qdd, self._forces_by_body(q, f_ext, BODY)))

    def linearize(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Forces = None,
        dt: float | None = None,
        *,
        passive: bool = False,
        independent: Any = None,
    ) -> Linearization:
        """A and B of the motion near a state, in independent coordinates: dx/dt = A x + B u, A (..., 2 m, 2 m).

        The m freedoms of the closed robot are those of ``independent`` joints, by name; by default the degrees of
        freedom that `independent` finds at q, at the first position of a batch. x = (y, z): y is the way of these in
        the tangent space, z the difference of their velocities; all others follow through the constraints, e = K y and
        d = K z + N y with L K = 0 and L N = -d(L qd)/dq K. u (nv) are joint forces. ``dt`` gives the discrete system,
        as in `Robot.linearize`, and ``passive`` lets springs, dampers and friction act. The system is put together in
        NumPy.
        """
        free = list(self._independent(independent)) if independent is not None else self._free_at(q)
        d = self._with_passive(q, qd, tau, f_ext, given.flag(passive, "passive"))
        T = self._code[algorithms.tangent_rate](q, qd)
        K, N = self._followers(q, qd, free)
        above_y, below_y = T @ K + N, d.dq @ K + d.dqd @ N
        above, below = np.concatenate([above_y, K], axis=-1), np.concatenate([below_y, d.dqd @ K], axis=-1)
        A = np.concatenate([above[..., free, :], below[..., free, :]], axis=-2)
        B = d.dtau[..., free, :]
        B = np.concatenate([np.zeros_like(B), B], axis=-2)
        if dt is None:
            return Linearization(A, B)
        if not 0.0 < given.number(dt, "dt") < inf:
            raise ArgumentError(f"dt must be a time step, longer than zero, not {dt}")
        return Linearization(*discrete(A, B, dt))

    def _by_columns(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, more: dict[str, Array]
    ) -> ForwardDynamicsDerivatives:
        """`constrained_derivatives` with a sample of a batch for each column of the results."""
        q, qd, tau = (self._array(name, x) for name, x in (("q", q), ("qd", qd), ("tau", tau)))
        model, n, forced = without_methods(self), self.nv, more.values()
        qdd = self._whole(algorithms.constrained_forward_dynamics, more)(q, qd, tau, *forced)
        multipliers, _ = self._whole(algorithms.constraint_multipliers, more)(q, qd, tau, *forced)
        of_bodies = self.tree._forced(_ID) if more else self.tree._code[_ID]
        by_q, by_qd, _ = of_bodies(q, qd, qdd, *forced)
        of_forces = kernel(_FORCES_BY_Q, model, {"multipliers": (self.n_rows,)})(q, multipliers)
        rows_by_q, rows_by_qd = kernel(_VIOLATION, model)(q, qd, qdd)
        u = np.concatenate(np.broadcast_arrays(of_forces - by_q, -by_qd, np.eye(n)), axis=-1)
        c = np.concatenate([-rows_by_q, -rows_by_qd, np.zeros_like(rows_by_q)], axis=-1)
        solve = kernel(_response, model, {"u": (n,), "c": (self.n_rows,)})
        x = solve(q[..., None, :], np.swapaxes(u, -1, -2), np.swapaxes(c, -1, -2))
        return ForwardDynamicsDerivatives(*np.split(np.swapaxes(x, -1, -2), 3, axis=-1))

    def _free_at(self, q: ArrayLike) -> list[int]:
        """The independent degrees of freedom that are found at the first position of a batch."""
        return list(self.independent(as_batch("q", q, (self.nq,), f"nq of {self.name}").reshape(-1, self.nq)[0]))

    def _followers(self, q: ArrayLike, qd: ArrayLike, free: list[int]) -> tuple[Array, Array]:
        """K and N, (..., nv, m): how all degrees of freedom follow the independent ones."""
        L = self._code[algorithms.constraint_jacobian](q)
        rest = [k for k in range(self.nv) if k not in free]
        solve = np.linalg.pinv(L[..., rest])
        K = np.zeros((*L.shape[:-2], self.nv, len(free)))
        K[..., free, :] = np.eye(len(free))
        K[..., rest, :] = -solve @ L[..., free]
        N = np.zeros(K.shape)
        N[..., rest, :] = -solve @ (self._code[constraint_velocity_derivative](q, qd) @ K)
        return K, N
