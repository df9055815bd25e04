"""Second derivatives of the dynamics of a robot."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, ExternalForces, JointForces, Position, Tensor3, Velocity
from sixd.compiler.derivatives import jacobian
from sixd.ir import TooLargeError
from sixd.model.tree import MatrixOutput, TensorOutput, Tree
from sixd.robot.derivatives import DerivativeMethods
from sixd.robot.evaluator import BODY, NAMED, Method
from sixd.robot.external_forces import Forces
from sixd.robot.geometry import GeometryMethods

__all__ = [
    "ForwardDynamicsSecondDerivatives",
    "InverseDynamicsSecondDerivatives",
    "SecondDerivativeMethods",
    "SecondDerivatives",
    "rnea_derivatives_by_state",
]

Array = NDArray[Any]
#: The most operations that second derivatives may have, by estimate. Talos has 420,000, which run from a tape.
LARGEST = 1_000_000
#: The most nodes of one kernel of those of forward dynamics. An arm with seven joints has 66,000, compiled in seconds.
LARGEST_FORWARD = 100_000
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


class SecondDerivatives(NamedTuple):
    """Second derivatives by two positions, a position and a velocity, two velocities, a position and the last argument
    (an acceleration or a force): those of result i by entries j and k.
    """

    dq_dq: Tensor3
    dq_dqd: Tensor3
    dqd_dqd: Tensor3
    dq_dlast: Tensor3


@algorithm(rolled=False)
def rnea_second_derivatives(
    tree: Tree, q: Position, qd: Velocity, qdd: Acceleration, f_ext: ExternalForces = None
) -> SecondDerivatives:
    """The second derivatives of ID(q, qd, qdd). Those by q are automatic derivatives of the analytic first ones."""
    forces = None if f_ext.values is None else [f_ext.values[k : k + 6] for k in range(0, len(f_ext.values), 6)]
    by_q = _BY_POSITION(tree.model, q.values, qd.values, qdd.values, forces)
    Gamma, dH = algorithms.christoffel(tree, q), algorithms.mass_matrix_derivative(tree, q)
    found = SecondDerivatives(*(tree.tensor_output(3) for _ in range(4)))
    for i, j, k in product(range(tree.model.nv), repeat=3):
        found.dq_dq.add((i, j, k), 0.5 * (by_q[0][i, j, k] + by_q[0][i, k, j]))
        found.dq_dqd.add((i, j, k), by_q[1][i, k, j])
        # C qd = sum Gamma_jki qd_j qd_k in row i: its second derivative by qd is Gamma_jki + Gamma_kji.
        found.dqd_dqd.add((i, j, k), Gamma[j, k, i] + Gamma[k, j, i])
        found.dq_dlast.add((i, j, k), dH[i, k, j])
    return found


@algorithm(rolled=False)
def aba_second_derivatives(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None
) -> SecondDerivatives:
    """The second derivatives of FD(q, qd, tau): H FD_xy = -(ID_xy + (dH/dx) FD_y + (dH/dy) FD_x)."""
    qdd = tree.velocities(algorithms.aba(tree, q, qd, tau, f_ext))
    first = algorithms.aba_derivatives(tree, q, qd, tau, f_ext)
    d = rnea_second_derivatives(tree, q, qd, qdd, f_ext)
    found = SecondDerivatives(*(tree.tensor_output(3) for _ in range(4)))
    H_inv, every = first.dtau.rows, range(tree.model.nv)

    def moved(i: int, j: int, k: int, by: MatrixOutput) -> Any:
        """Row i of dH/dq_j times column k of a first derivative."""
        return sum((d.dq_dlast[i, j, m] * by.rows[m][k] for m in every), 0.0)

    def put(output: TensorOutput, places: set[tuple[int, int]], sides: list[Any]) -> None:
        """Write -H^-1 times a right-hand side to places [j, k] of an output."""
        for i in every:
            x = -sum((h * side for h, side in zip(H_inv[i], sides, strict=True)), 0.0)
            for place in places:
                output.add((i, *place), x)

    for j, k in product(every, repeat=2):
        put(found.dq_dqd, {(j, k)}, [d.dq_dqd[i, j, k] + moved(i, j, k, first.dqd) for i in every])
        put(found.dq_dlast, {(j, k)}, [moved(i, j, k, first.dtau) for i in every])
    for j, k in combinations_with_replacement(every, 2):
        sides = [d.dq_dq[i, j, k] + moved(i, j, k, first.dq) + moved(i, k, j, first.dq) for i in every]
        put(found.dq_dq, {(j, k), (k, j)}, sides)
        put(found.dqd_dqd, {(j, k), (k, j)}, [d.dqd_dqd[i, j, k] for i in every])
    return found


#: The keys of the two methods, as `Evaluated._direct` has them.
_INVERSE, _FORWARD = (rnea_second_derivatives, "direct"), (aba_second_derivatives, "direct")
NAMED[rnea_second_derivatives] = InverseDynamicsSecondDerivatives
NAMED[aba_second_derivatives] = ForwardDynamicsSecondDerivatives


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
        if f_ext is None:
            return (self._code.get(_INVERSE) or self._second())(q, qd, qdd)
        return self._second({"f_ext": (self.n_bodies, 6)})(q, qd, qdd, self._forces_by_body(q, f_ext, BODY))

    def forward_dynamics_second_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces = None
    ) -> ForwardDynamicsSecondDerivatives:
        """The second derivatives of forward dynamics, a named tuple of arrays (..., nv, nv, nv).

        ID(q, qd, FD(q, qd, tau)) = tau, differentiated twice: H FD_xy = -(ID_xy + (dH/dx) FD_y + (dH/dy) FD_x), where
        dH/dx is zero unless x is q. The parts of inverse dynamics are taken at qdd = FD(q, qd, tau). Those by q are in
        the tangent space, as in `inverse_dynamics_second_derivatives`.
        """
        if f_ext is None and not self.may_be_singular:
            method = self._code.get(_FORWARD)
            if method is not None:
                return method(q, qd, tau)
        self._refuse_if_too_large()
        method = self._direct(aba_second_derivatives, LARGEST_FORWARD)
        if method is not None and f_ext is None and not self.may_be_singular:
            return method(q, qd, tau)
        return self._second_by_parts(q, qd, tau, f_ext)

    def _second(self, shapes: dict[str, tuple[int, ...]] | None = None) -> Method:
        """The method of the second derivatives of inverse dynamics; raises if its code would be too large."""
        self._refuse_if_too_large()
        method = self._direct(rnea_second_derivatives, inf, shapes)
        assert method is not None  # without a limit there is code
        return method

    def _second_by_parts(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces
    ) -> ForwardDynamicsSecondDerivatives:
        """The same put together in NumPy: for robots that are too large for one kernel, and with external forces."""
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
