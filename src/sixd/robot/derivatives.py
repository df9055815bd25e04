"""How the dynamics of a robot change with its state."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.compiler.choice import kernel
from sixd.compiler.derivatives import jacobian
from sixd.compiler.request import without_methods
from sixd.errors import ArgumentError
from sixd.process.forks import cached_property, importing
from sixd.robot.dynamics import DynamicsMethods, solve
from sixd.robot.evaluator import BODY, NAMED
from sixd.robot.external_forces import Forces
from sixd.runtime.arguments import by_chunk, is_lazy
from sixd.runtime.batches import as_batch

__all__ = [
    "DerivativeMethods",
    "ForwardDynamicsDerivatives",
    "InverseDynamicsDerivatives",
    "Linearization",
    "MomentumDerivatives",
    "MotionDerivatives",
    "discrete",
]

Array = NDArray[Any]
#: Derivatives of forward dynamics run as unrolled code if products with L^-1, where H = L^T D L, take at most this many
#: operations. Talos has 40,000, and its code is compiled in ten seconds.
LARGEST = 80_000
#: The derivatives of the forces of springs, dampers and friction by q, in the tangent space, and by qd.
_PASSIVE = jacobian(algorithms.passive_forces, ("q", "qd"), tangent=True)


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


class MotionDerivatives(NamedTuple):
    """Derivatives of the velocity and acceleration of a frame, each (..., 6, nv)."""

    velocity_dq: Array
    acceleration_dq: Array
    acceleration_dqd: Array


class MomentumDerivatives(NamedTuple):
    """Derivatives of the momentum of a robot and of its rate, each (..., 6, nv)."""

    momentum_dq: Array
    rate_dq: Array
    rate_dqd: Array


class Linearization(NamedTuple):
    """dx/dt = A x + B u, or x' = A x + B u after a time step, for small differences x = (e, d) and u from a motion.

    e (nv) is the way from q in the tangent space, `difference(q, q')`; d (nv) is the difference of velocities, u (nv)
    that of joint forces. A is (..., 2 nv, 2 nv), B is (..., 2 nv, nv).
    """

    A: Array
    B: Array


NAMED[algorithms.rnea_derivatives] = InverseDynamicsDerivatives
NAMED[algorithms.aba_derivatives] = ForwardDynamicsDerivatives
NAMED[algorithms.motion_derivatives] = MotionDerivatives
NAMED[algorithms.momentum_derivatives] = MomentumDerivatives
NAMED[algorithms.linearization] = Linearization


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
            return self._code[algorithms.rnea_derivatives](q, qd, qdd)
        return self._forced(algorithms.rnea_derivatives)(q, qd, qdd, self._forces_by_body(q, f_ext, BODY))

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces = None
    ) -> ForwardDynamicsDerivatives:
        """The derivatives of forward dynamics by q, qd and tau, a named tuple of arrays (..., nv, nv).

        d FD = -H^-1 d ID. ``dq`` and ``f_ext`` as in `inverse_dynamics_derivatives`; ``dtau`` is the inverse of the
        mass matrix. For robots that are too large for unrolled code of that, H is factorised by LAPACK. Where the mass
        matrix is singular, results are NaN, as those of `forward_dynamics`.
        """
        if self._is_too_large:
            found = self._forward_by_lapack(q, qd, tau, f_ext)
        elif f_ext is None:
            found = self._code[algorithms.aba_derivatives](q, qd, tau)
        else:
            found = self._forced(algorithms.aba_derivatives)(q, qd, tau, self._forces_by_body(q, f_ext, BODY))
        if not self.may_be_singular:
            return found
        return ForwardDynamicsDerivatives(*(self._without_singular(q, part, 2, None) for part in found))

    def motion_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, frame: str, expressed_in: str = BODY
    ) -> MotionDerivatives:
        """The derivatives of a frame's `velocity` and spatial `acceleration` by q and qd, arrays (..., 6, nv).

        Those of the velocity by qd and of the acceleration by qdd are the `jacobian`. ``dq`` is in the tangent space,
        as in `inverse_dynamics_derivatives`; ``expressed_in`` as in `velocity`. (The pose itself moves by the Jacobian,
        too: pose(q (+) v) = pose(q) exp(J v) to first order, with J in "body".)
        """
        return self._at(algorithms.motion_derivatives, frame, expressed_in)(q, qd, qdd)

    def jacobian_derivative(self, q: ArrayLike, frame: str, expressed_in: str = BODY) -> Array:
        """The derivative of `jacobian` by q, (..., 6, nv, nv): the last axis is that of q, in the tangent space."""
        return self._at(algorithms.jacobian_derivative, frame, expressed_in)(q)

    def momentum_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, about: str = "origin"
    ) -> MomentumDerivatives:
        """The derivatives of `momentum` and of its rate by q and qd, arrays (..., 6, nv).

        That of the momentum by qd, and of its rate by qdd, is the `momentum_matrix`. The rate is that which the motion
        has, gravity left out. ``about`` the world's "origin", or "com", the centre of mass, both in world axes.
        """
        key = algorithms.momentum_derivatives, about
        method = self._code.find(key)
        if method is None:
            given.choice(about, "about", ("origin", "com"))
            method = self._code.add(key, algorithms.momentum_derivatives, {"about": about})
        return method(q, qd, qdd)

    def linearize(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Forces = None,
        dt: float | None = None,
        *,
        passive: bool = False,
    ) -> Linearization:
        """A and B of the equations of motion near a state, or near every state of a trajectory: a named tuple.

        dx/dt = A x + B u for x = (e, d), where e = difference(q, q') is in the tangent space, and u is the difference
        of the joint forces: A = [[T, 1], [d FD/dq, d FD/dqd]], B = [[0], [H^-1]]. T is zero but for joints that turn by
        quaternions and move, where it is minus the Lie bracket with qd: `sixd.algorithms.tangent_rate`.

        With ``dt`` the result is discrete, exact for a u that is constant over the time step: x' = A x + B u. That
        needs SciPy. ``f_ext`` as in `forward_dynamics_derivatives`. With ``passive``, springs, dampers and friction act
        in addition to tau.
        """
        if passive is not False and given.flag(passive, "passive"):
            found = self._linearized_by_parts(q, qd, tau, f_ext, passive=True)
        elif self._is_too_large or self.may_be_singular:
            found = self._linearized_by_parts(q, qd, tau, f_ext)
        elif f_ext is None:
            found = self._code[algorithms.linearization](q, qd, tau)
        else:
            found = self._forced(algorithms.linearization)(q, qd, tau, self._forces_by_body(q, f_ext, BODY))
        if dt is None:
            return found
        if not 0.0 < given.number(dt, "dt") < inf:
            raise ArgumentError(f"dt must be a time step, longer than zero, not {dt}")
        return Linearization(*discrete(*found, dt))

    @cached_property
    def _is_too_large(self) -> bool:
        """Whether unrolled code of the derivatives of forward dynamics would take too long to compile."""
        return 4 * self.nv * sum(self._depths) > LARGEST

    @cached_property
    def _depths(self) -> list[int]:
        """How many degrees of freedom are on the way from the base to each."""
        depths: list[int] = []
        for parent in self.dof_parent:
            depths.append(0 if parent < 0 else depths[parent] + 1)
        return depths

    def _linearized_by_parts(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces, passive: bool = False
    ) -> Linearization:
        """A and B put together in NumPy: for robots that are too large for one kernel, whose H may be singular, or on
        which springs, dampers and friction act.
        """
        d = self._with_passive(q, qd, tau, f_ext, passive)
        T = self._code[algorithms.tangent_rate](q, qd)
        shape, dtype = d.dq.shape, d.dq.dtype
        T, one = np.broadcast_to(T, shape), np.broadcast_to(np.eye(self.nv, dtype=dtype), shape)
        above, below = np.concatenate([T, one], axis=-1), np.concatenate([d.dq, d.dqd], axis=-1)
        B = np.concatenate([np.zeros(shape, dtype), d.dtau], axis=-2)
        return Linearization(np.concatenate([above, below], axis=-2), B)

    def _with_passive(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces, passive: bool
    ) -> ForwardDynamicsDerivatives:
        """The derivatives of forward dynamics, with ``passive`` under springs, dampers and friction, too."""
        if not passive:
            return self.forward_dynamics_derivatives(q, qd, tau, f_ext)
        tau = as_batch("tau", tau, (self.nv,), "nv of this robot") + self.passive_forces(q, qd)
        d = self.forward_dynamics_derivatives(q, qd, tau, f_ext)
        dq, dqd = kernel(_PASSIVE, without_methods(self), {})(q, qd)
        return d._replace(dq=d.dq + d.dtau @ dq, dqd=d.dqd + d.dtau @ dqd)

    def _forward_by_lapack(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces
    ) -> ForwardDynamicsDerivatives:
        d = self.inverse_dynamics_derivatives(q, qd, self.forward_dynamics(q, qd, tau, f_ext), f_ext)
        unit = np.broadcast_to(np.eye(self.nv, dtype=d.dqdd.dtype), d.dqdd.shape)
        x, n = solve(d.dqdd, np.concatenate([-d.dq, -d.dqd, unit], axis=-1)), self.nv
        return ForwardDynamicsDerivatives(x[..., :n], x[..., n : 2 * n], x[..., 2 * n :])


def discrete(A: Array, B: Array, dt: float) -> tuple[Array, Array]:
    """The linear system after a time step in which u is constant: exp([[A, B], [0, 0]] dt) = [[A', B'], [0, 1]]."""
    cores = [A.shape[-2:], B.shape[-2:]]
    if is_lazy(A):
        return by_chunk(partial(discrete, dt=dt), [A, B], cores, cores)
    with importing:
        try:
            from scipy.linalg import expm
        except ImportError:
            raise ArgumentError("linearize(..., dt=...) needs SciPy: pip install 'sixd[control]'") from None
    n, m = cores[1]
    M = np.zeros((*B.shape[:-2], n + m, n + m), B.dtype)
    M[..., :n, :n], M[..., :n, n:] = A * dt, B * dt
    step = expm(M)
    return step[..., :n, :n], step[..., :n, n:]
