"""Second derivatives of the dynamics of a robot."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.compiler.choice import kernel
from sixd.compiler.derivatives import jacobian
from sixd.compiler.request import without_methods
from sixd.ir import TooLargeError
from sixd.robot.derivatives import DerivativeMethods
from sixd.robot.evaluator import BODY
from sixd.robot.external_forces import Forces
from sixd.robot.geometry import GeometryMethods

__all__ = [
    "ForwardDynamicsSecondDerivatives",
    "InverseDynamicsSecondDerivatives",
    "SecondDerivativeMethods",
    "rnea_derivatives_by_state",
]

Array = NDArray[Any]
#: The most operations that code of second derivatives may have, by estimate. Talos has 420,000, compiled in a minute.
LARGEST = 1_000_000
#: Their number over the sum of the squares of the numbers of freedoms on the way to each: 115 to 250 on several robots.
_PER_SQUARE = 150


class InverseDynamicsSecondDerivatives(NamedTuple):
    """The second derivatives of tau = ID(q, qd, qdd), (..., nv, nv, nv): entry [i, j, k] of ``dq_dqd`` is that of tau_i
    by q_j and qd_k. ``dq_dqdd`` holds the derivatives of the mass matrix; all others are zero.
    """

    dq_dq: Array
    dq_dqd: Array
    dqd_dqd: Array
    dq_dqdd: Array


class ForwardDynamicsSecondDerivatives(NamedTuple):
    """The second derivatives of qdd = FD(q, qd, tau), (..., nv, nv, nv): entry [i, j, k] of ``dq_dqd`` is that of qdd_i
    by q_j and qd_k. ``dq_dtau`` holds the derivatives of H^-1; all others are zero.
    """

    dq_dq: Array
    dq_dqd: Array
    dqd_dqd: Array
    dq_dtau: Array


def rnea_derivatives_by_state(model: Any, q: Any, qd: Any, qdd: Any, f_ext: Any = None) -> tuple[Any, Any]:
    """d ID / dq and d ID / dqd."""
    return algorithms.rnea_derivatives(model, q, qd, qdd, f_ext)[:2]


_BY_POSITION = jacobian(rnea_derivatives_by_state, "q", tangent=True)


class SecondDerivativeMethods(DerivativeMethods, GeometryMethods):
    """Methods of a robot about second derivatives."""

    def inverse_dynamics_second_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, f_ext: Forces = None
    ) -> InverseDynamicsSecondDerivatives:
        """The second derivatives of inverse dynamics, a named tuple of arrays (..., nv, nv, nv).

        Those by q are in the tangent space: ID(q (+) v) = ID(q) + dq v + 1/2 v^T dq_dq v + ... for small v, where
        q (+) v is `integrate(q, v)`, so ``dq_dq`` is symmetric in its last two axes, as is ``dqd_dqd``. Those by q are
        automatic derivatives of the analytic first ones, recorded and compiled on the first call: in seconds for an
        arm, in a minute for a humanoid. Robots that are larger still are refused. The others are the `christoffel`
        symbols and the `mass_matrix_derivative`. ``f_ext`` as in `inverse_dynamics_derivatives`.
        """
        self._refuse_if_too_large()
        model, state = without_methods(self), (q, qd, qdd)
        if f_ext is None:
            by_q = kernel(_BY_POSITION, model)(*state)
        else:
            forces = self._forces_by_body(q, f_ext, BODY)
            by_q = kernel(_BY_POSITION, model, {"f_ext": (self.n_bodies, 6)})(*state, forces)
        dq_dq, dqd_dq = by_q
        # C qd = sum Gamma_ijk qd_i qd_j in row k: its second derivative by qd is Gamma_ijk + Gamma_jik.
        Gamma = np.broadcast_to(np.moveaxis(self.christoffel(q), -1, -3), dq_dq.shape)
        dH_dq = np.broadcast_to(np.swapaxes(self.mass_matrix_derivative(q), -1, -2), dq_dq.shape)
        return InverseDynamicsSecondDerivatives(
            _symmetric(dq_dq), np.swapaxes(dqd_dq, -1, -2), 2.0 * _symmetric(Gamma), dH_dq
        )

    def forward_dynamics_second_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces = None
    ) -> ForwardDynamicsSecondDerivatives:
        """The second derivatives of forward dynamics, a named tuple of arrays (..., nv, nv, nv).

        ID(q, qd, FD(q, qd, tau)) = tau, differentiated twice: H FD_xy = -(ID_xy + (dH/dx) FD_y + (dH/dy) FD_x), where
        dH/dx is zero unless x is q. The parts of inverse dynamics are taken at qdd = FD(q, qd, tau). Those by q are in
        the tangent space, as in `inverse_dynamics_second_derivatives`.
        """
        self._refuse_if_too_large()
        qdd = self.forward_dynamics(q, qd, tau, f_ext)
        first = self.forward_dynamics_derivatives(q, qd, tau, f_ext)
        d = self.inverse_dynamics_second_derivatives(q, qd, qdd, f_ext)
        H_inv = first.dtau

        def through(B: Array) -> Array:
            """-H^-1 B, for each pair of the last two axes of B."""
            n = B.shape[-1]
            return -(H_inv @ B.reshape(*B.shape[:-2], n * n)).reshape(B.shape)

        # [i, j, k] of the products: the derivative of row i of H along q_j, times column k of a first derivative.
        of_q, of_qd, of_tau = (
            np.einsum("...ijl,...lk->...ijk", d.dq_dqdd, x) for x in (first.dq, first.dqd, first.dtau)
        )
        dq_dq = through(d.dq_dq + of_q + np.swapaxes(of_q, -1, -2))
        return ForwardDynamicsSecondDerivatives(dq_dq, through(d.dq_dqd + of_qd), through(d.dqd_dqd), through(of_tau))

    def _refuse_if_too_large(self) -> None:
        size = _PER_SQUARE * sum((1 + depth) ** 2 for depth in self._depths)
        if size > LARGEST:
            raise TooLargeError(
                f"the second derivatives of {self.name or 'this robot'} would take some {size:,} operations, too many "
                "to compile; those along one direction do not: sixd.compile(sixd.jvp(sixd.algorithms.rnea_derivatives, "
                "'q', tangent=True), robot)"
            )


def _symmetric(x: Array) -> Array:
    """The part that is symmetric in the last two axes."""
    return 0.5 * (x + np.swapaxes(x, -1, -2))
