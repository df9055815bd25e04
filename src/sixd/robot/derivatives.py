"""How the dynamics of a robot change with its state."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.robot.dynamics import DynamicsMethods, solve
from sixd.robot.evaluator import BODY
from sixd.robot.external_forces import Forces

__all__ = ["DerivativeMethods", "ForwardDynamicsDerivatives", "InverseDynamicsDerivatives"]

Array = NDArray[Any]
#: Derivatives of forward dynamics run as unrolled code of at most this many nodes: Talos has half of it.
LARGEST = 250_000
#: The key of the method that runs this code.
_FORWARD = algorithms.aba_derivatives, "direct"


class InverseDynamicsDerivatives(NamedTuple):
    """The derivatives of tau = ID(q, qd, qdd), each (..., nv, nv): row i is that of tau_i."""

    dq: Array
    dqd: Array
    dqdd: Array


class ForwardDynamicsDerivatives(NamedTuple):
    """The derivatives of qdd = FD(q, qd, tau), each (..., nv, nv): row i is that of qdd_i."""

    dq: Array
    dqd: Array
    dtau: Array


class DerivativeMethods(DynamicsMethods):
    """Methods of a robot about derivatives."""

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, f_ext: Forces = None
    ) -> InverseDynamicsDerivatives:
        """The derivatives of inverse dynamics by q, qd and qdd, a named tuple of arrays (..., nv, nv).

        ``dq`` is in the tangent space: column k is the derivative along entry k of qd, as `integrate` takes it.
        ``dqdd`` is the mass matrix. ``f_ext`` maps names of frames to forces (..., 6) in the frame's own coordinates,
        as in `inverse_dynamics`; they turn with the frame. Computed analytically, in O(N d) for a tree of depth d.
        """
        if f_ext is None:
            return InverseDynamicsDerivatives(*self._code[algorithms.rnea_derivatives](q, qd, qdd))
        method = self._forced(algorithms.rnea_derivatives)
        return InverseDynamicsDerivatives(*method(q, qd, qdd, self._forces_by_body(q, f_ext, BODY)))

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces = None
    ) -> ForwardDynamicsDerivatives:
        """The derivatives of forward dynamics by q, qd and tau, a named tuple of arrays (..., nv, nv).

        d FD = -H^-1 d ID. ``dq`` and ``f_ext`` as in `inverse_dynamics_derivatives`; ``dtau`` is the inverse of the
        mass matrix. For robots that are too large for unrolled code of that, H is factorised by LAPACK. Where the mass
        matrix is singular, results are NaN, as those of `forward_dynamics`.
        """
        if f_ext is None:
            direct = self._code.get(_FORWARD) or self._direct(algorithms.aba_derivatives, LARGEST)
            found = direct(q, qd, tau) if direct is not None else self._forward_by_lapack(q, qd, tau, None)
        else:
            direct = self._direct(algorithms.aba_derivatives, LARGEST, {"f_ext": (self.n_bodies, 6)})
            if direct is not None:
                found = direct(q, qd, tau, self._forces_by_body(q, f_ext, BODY))
            else:
                found = self._forward_by_lapack(q, qd, tau, f_ext)
        if self.may_be_singular:
            found = tuple(self._without_singular(q, part, 2, None) for part in found)
        return ForwardDynamicsDerivatives(*found)

    def _forward_by_lapack(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces) -> tuple[Array, ...]:
        d = self.inverse_dynamics_derivatives(q, qd, self.forward_dynamics(q, qd, tau, f_ext), f_ext)
        unit = np.broadcast_to(np.eye(self.nv, dtype=d.dqdd.dtype), d.dqdd.shape)
        x, n = solve(d.dqdd, np.concatenate([-d.dq, -d.dqd, unit], axis=-1)), self.nv
        return x[..., :n], x[..., n : 2 * n], x[..., 2 * n :]
