"""The geometry of a robot's mass matrix: Christoffel symbols and curvature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.algorithms.brackets import rotor_symbols, structure_constants
from sixd.model import ModelTree
from sixd.model.configuration import neutral
from sixd.process.forks import cached_property
from sixd.robot.curvature_by_parts import curvature_by_parts, sectional_by_parts
from sixd.robot.dynamics import DIRECT, DynamicsMethods
from sixd.robot.evaluator import Method, fill
from sixd.runtime.arguments import by_chunk, is_lazy
from sixd.runtime.batches import as_batch

__all__ = ["GeometryMethods"]

Array = NDArray[Any]
#: The keys of methods in unrolled code, as `Evaluated._direct` has them.
_CHRISTOFFEL, _DERIVATIVE, _CURVATURE, _SCALAR, _SECTIONAL = (
    (algorithm, "direct")
    for algorithm in (
        algorithms.christoffel,
        algorithms.mass_matrix_derivative,
        algorithms.curvature,
        algorithms.scalar_curvature,
        algorithms.sectional_curvature,
    )
)


class GeometryMethods(DynamicsMethods):
    """Methods of a robot about the metric that its kinetic energy makes: indices are those of PBP95."""

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """C(q, qd), (..., nv, nv), with entries [k, j] = sum_i Gamma_ijk qd_i: C qd are the forces of velocity.

        dH/dt = C + C^T, so dH/dt - 2 C is skew. `christoffel` says what Gamma is.
        """
        return self._code[algorithms.coriolis_matrix](q, qd, out=out)

    def christoffel(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Gamma_ijk, (..., nv, nv, nv): the Christoffel symbols of the first kind of the mass matrix, PBP95 (52).

        The forces of velocity are sum_ij Gamma_ijk qd_i qd_j. For joints with quaternions, whose qd is not dq/dt, they
        are those of the velocities qd: dH_jk along i is Gamma_ijk + Gamma_ikj as ever, but Gamma_ijk - Gamma_jik is not
        zero: it is what the bracket of the velocities i and j gives (`sixd.algorithms.christoffel`).

        For robots that are too large for unrolled code, this is the Coriolis matrix of each unit velocity.
        """
        direct = self._code.get(_CHRISTOFFEL) or self._direct(algorithms.christoffel, DIRECT)
        if direct is not None:
            return direct(q, out=out)
        Gamma = np.swapaxes(self._coriolis_of_units(q), -1, -2)
        return Gamma if out is None else fill(out, Gamma)

    def mass_matrix_derivative(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """dH_ij / dq_k, (..., nv, nv, nv), in the tangent space: along degree of freedom k, as `integrate` steps.

        For robots that are too large for unrolled code, this is C + C^T of each unit velocity.
        """
        direct = self._code.get(_DERIVATIVE) or self._direct(algorithms.mass_matrix_derivative, DIRECT)
        if direct is not None:
            return direct(q, out=out)
        C = self._coriolis_of_units(q)
        dH = np.moveaxis(C + np.swapaxes(C, -1, -2), -3, -1)
        return dH if out is None else fill(out, dH)

    def curvature(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """R_ijkl, (..., nv, nv, nv, nv): the Riemannian curvature tensor of the mass matrix, PBP95 (66).

        It is zero where, in suitable coordinates, the mass matrix is constant. R_ijkl = -R_jikl = -R_ijlk = R_klij.

        From 16 degrees of freedom on, it is made from Christoffel symbols and derivatives of inverse dynamics in NumPy,
        state by state: milliseconds to tenths of a second each. Beyond 100 degrees of freedom one tensor would take a
        gigabyte and more, which is refused: `sectional_curvature` has no such limit.
        """
        direct = self._code.get(_CURVATURE) or self._geometric(algorithms.curvature)
        if direct is not None:
            R = direct(q, out=out)
            return self._without_singular(q, R, 4, out) if self.may_be_singular else R
        q = as_batch("q", q, (self.nq,), f"nq of {self.name or 'this robot'}")
        R = self._by_parts(curvature_by_parts, [q], (self.nv,) * 4)
        return R if out is None else fill(out, R)

    def scalar_curvature(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """sum R_ijkl H^-1_ik H^-1_jl, (...): twice the sum of the sectional curvatures of an orthonormal basis' planes.

        From 16 degrees of freedom on, it is made from `curvature`, with the same limit.
        """
        direct = self._code.get(_SCALAR) or self._geometric(algorithms.scalar_curvature)
        if direct is not None:
            total = direct(q, out=out)
            return self._without_singular(q, total, 0, out) if self.may_be_singular else total
        R, H_inv = self.curvature(q), self.inverse_mass_matrix(q)
        total = np.einsum("...ijkl,...ik,...jl->...", R, H_inv, H_inv)
        return total if out is None else fill(out, total)

    def sectional_curvature(self, q: ArrayLike, u: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """The curvature of the plane of two velocities, (...): sum R_ijkl u_i v_j u_k v_l / (|u|^2 |v|^2 - (u . v)^2).

        Lengths and products are measured by H.
        It depends on the plane of u and v alone, and is NaN if they are parallel. For robots that are too large for
        unrolled code, it is made from Coriolis matrices and derivatives of inverse dynamics, for a batch at once.
        """
        direct = self._code.get(_SECTIONAL) or self._geometric(algorithms.sectional_curvature)
        if direct is not None:
            K = direct(q, u, v, out=out)
            return self._without_singular(q, K, 0, out) if self.may_be_singular else K
        q = as_batch("q", q, (self.nq,), f"nq of {self.name or 'this robot'}")
        u, v = (as_batch(n, x, (self.nv,), f"nv of {self.name or 'this robot'}") for n, x in (("u", u), ("v", v)))
        K = self._by_parts(sectional_by_parts, [q, u, v], ())
        return K if out is None else fill(out, K)

    # ---- inside

    def _geometric(self, algorithm: Any) -> Method | None:
        """The method of an algorithm of curvature in unrolled code; None if that is too large and there is another way.

        The other way takes it that the structure constants do not depend on q.
        """
        if not self._has_constant_brackets:
            return self._code[algorithm]
        entries = self.nv ** (4 if algorithm is not algorithms.sectional_curvature else 1)
        return self._direct(algorithm, DIRECT) if entries <= DIRECT else None

    def _by_parts(self, function: Callable[..., Array], arrays: Sequence[Array], result: tuple[int, ...]) -> Array:
        """A function of this robot and arrays whose result has this shape for one state; later, if one is of Dask."""
        if any(map(is_lazy, arrays)):
            return by_chunk(partial(function, self), arrays, [a.shape[-1:] for a in arrays], [result])
        return function(self, *arrays)

    @cached_property
    def _has_constant_brackets(self) -> bool:
        return all(joint.type.has_rates or joint.type.constant_subspace for joint in self.joints)

    @cached_property
    def _structure(self) -> Array:
        """The structure constants of a robot for which they do not depend on q, (nv, nv, nv)."""
        tree = ModelTree(self)
        return np.reshape(structure_constants(tree, tree.positions(neutral(self))).values, (self.nv,) * 3)

    @cached_property
    def _rotor_symbols(self) -> Array:
        """What rotors add to the Christoffel symbols of such a robot, (nv, nv, nv)."""
        tree = ModelTree(self)
        return np.reshape(rotor_symbols(tree, tree.positions(neutral(self))).values, (self.nv,) * 3)

    def _coriolis_of_units(self, q: ArrayLike) -> Array:
        """C(q, e_i) for each degree of freedom i: Gamma_ijk is its entry [i, k, j]."""
        q = as_batch("q", q, (self.nq,), f"nq of {self.name or 'this robot'}")
        return self._code[algorithms.coriolis_matrix](q[..., None, :], np.eye(self.nv, dtype=q.dtype))
