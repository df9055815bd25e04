"""The dynamics of a robot: forces, accelerations, the mass matrix."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.compiler.compile import LARGE
from sixd.errors import ChoiceError
from sixd.process.forks import cached_property
from sixd.robot.evaluator import BODY, EXPRESSIONS, fill
from sixd.robot.external_forces import Forced, Forces
from sixd.robot.later import solve_later, without_singular_later
from sixd.robot.singular import may_be_singular, without_singular
from sixd.runtime.arguments import is_lazy
from sixd.runtime.batches import as_batch

__all__ = ["DynamicsMethods", "check_expression", "solve"]

Array = NDArray[Any]
#: The default methods.
ABA, CRBA = "aba", "crba"
#: Algorithms that cannot be rolled run as unrolled code of at most this many nodes, if they are the best way to their
#: result; others of at most `LARGE`.
DIRECT = 60_000
_FORWARD = {
    "aba": algorithms.aba,
    "crba": algorithms.forward_dynamics_crba,
    "naive": algorithms.forward_dynamics_naive,
}
_MASS = {
    "crba": algorithms.crba,
    "naive": algorithms.mass_matrix_naive,
    "energy": algorithms.mass_matrix_from_energy,
}
#: Of an array (..., bodies, 6), all bodies but the base.
_WITHOUT_BASE = (..., slice(1, None), slice(None))
#: The keys of two methods: the inverse mass matrix in unrolled code, and RNEA with external forces.
_INVERSE, _RNEA_WITH_FORCES = (algorithms.inverse_mass_matrix, "direct"), (algorithms.rnea, "f_ext")


class DynamicsMethods(Forced):
    """Methods of a robot about forces and accelerations."""

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        f_ext: Forces = None,
        passive: bool = False,
        expressed_in: str = BODY,
        *,
        out: Array | None = None,
    ) -> Array:
        """The joint forces tau that produce the accelerations qdd, (..., nv): tau = H qdd + C.

        The recursive Newton-Euler algorithm (F10b Fig. 5). ``f_ext`` maps names of frames to forces (..., 6), moment
        first, that act on the robot at that frame. ``expressed_in`` says what their coordinates are: the frame's own
        ("body"), those of the world at its origin ("world", FDSV (15)), or the world's axes at the frame's origin
        ("aligned"). With ``passive``, the forces of springs, dampers and friction are subtracted: the result is then
        what the motors must deliver.
        """
        if f_ext is None:
            check_expression(expressed_in)
            tau = self._code[algorithms.rnea](q, qd, qdd, out=out)
        else:
            code = self._code.get(_RNEA_WITH_FORCES) or self._forced(algorithms.rnea)
            tau = code(q, qd, qdd, self._forces_by_body(q, f_ext, expressed_in), out=out)
        if passive is not False and given.flag(passive, "passive"):
            tau -= self.passive_forces(q, qd)
        return tau

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Forces = None,
        method: str = ABA,
        passive: bool = False,
        expressed_in: str = BODY,
        *,
        out: Array | None = None,
    ) -> Array:
        """The accelerations qdd that the joint forces tau produce, (..., nv).

        ``method``: "aba", the articulated-body algorithm (F10b Fig. 9); "crba", the mass matrix and its sparse factors
        (F10b (36)); "naive", from inverse dynamics alone (FDSV). For robots that are too large for unrolled code of the
        last two, these solve H qdd = tau - C by LAPACK. ``f_ext`` and ``expressed_in`` as in `inverse_dynamics`. With
        ``passive``, springs, dampers and friction act in addition to tau. If a joint moves no inertia, the mass matrix
        is singular: such samples are NaN, with a warning, and if all samples are, `SingularError` is raised.
        """
        if passive is not False and given.flag(passive, "passive"):
            tau = as_batch("tau", tau, (self.nv,), "nv of this robot") + self.passive_forces(q, qd)
        if method is not ABA and given.choice(method, "method", _FORWARD) != ABA:
            qdd = self._forward_by_mass_matrix(method, q, qd, tau, f_ext, expressed_in, out)
        elif f_ext is None:
            check_expression(expressed_in)
            qdd = self._code[algorithms.aba](q, qd, tau, out=out)
        else:
            qdd = self._forced(algorithms.aba)(q, qd, tau, self._forces_by_body(q, f_ext, expressed_in), out=out)
        return self._without_singular(q, qdd, 1, out) if self.may_be_singular else qdd

    def mass_matrix(self, q: ArrayLike, method: str = CRBA, *, out: Array | None = None) -> Array:
        """H(q), (..., nv, nv), of tau = H qdd + C and T = 1/2 qd^T H qd (F10b (36), (38)).

        ``method``: "crba", the composite-rigid-body algorithm (F10b Fig. 7); "naive", column by column from inverse
        dynamics at rest (FO00 3.2; FDSV (11)); "energy", from the kinetic energy (F10b (38)). For robots that are too
        large for unrolled code of the last two, these run inverse dynamics, or the kinetic energy, for all columns as a
        batch.
        """
        if method is CRBA or given.choice(method, "method", _MASS) == CRBA:
            return self._code[algorithms.crba](q, out=out)
        algorithm = _MASS[method]
        fixed = {"qd": None} if method == "naive" else {}
        direct = self._direct(algorithm, LARGE, **fixed)
        if direct is not None:
            return direct(q, out=out)
        q = as_batch("q", q, (self.nq,), f"nq of {self.name or 'this robot'}")
        H = self._mass_matrix_naive(q) if method == "naive" else self._mass_matrix_from_energy(q)
        return H if out is None else fill(out, H)

    def inverse_mass_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """H(q)^-1, (..., nv, nv), computed directly.

        For robots that are too large for unrolled code of that, column i is what forward dynamics without gravity, at
        rest, gives for a unit force at degree of freedom i.
        """
        direct = self._code.get(_INVERSE) or self._direct(algorithms.inverse_mass_matrix, DIRECT)
        if direct is not None:
            H_inv = direct(q, out=out)
        else:
            q = as_batch("q", q, (self.nq,), f"nq of {self.name or 'this robot'}")
            unit, rest = np.eye(self.nv, dtype=q.dtype), np.zeros(self.nv, dtype=q.dtype)
            columns = self._weightless._code[algorithms.aba](q[..., None, :], rest, unit)
            H_inv = 0.5 * (columns + np.swapaxes(columns, -1, -2))
            H_inv = H_inv if out is None else fill(out, H_inv)
        return self._without_singular(q, H_inv, 2, out) if self.may_be_singular else H_inv

    def bias_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        f_ext: Forces = None,
        expressed_in: str = BODY,
        *,
        out: Array | None = None,
    ) -> Array:
        """C(q, qd), (..., nv): what inverse dynamics gives at zero acceleration (F10b (37)).

        ``f_ext`` and ``expressed_in`` as in `inverse_dynamics`.
        """
        if f_ext is None:
            check_expression(expressed_in)
            return self._code[algorithms.bias_forces](q, qd, out=out)
        return self._forced(algorithms.bias_forces)(q, qd, self._forces_by_body(q, f_ext, expressed_in), out=out)

    def gravity_forces(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The joint forces that hold the robot still, (..., nv): the gradient of the potential energy."""
        return self._code[algorithms.gravity_forces](q, out=out)

    def passive_forces(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """The forces that springs, dampers and dry friction exert at the joints, (..., nv)."""
        return self._code[algorithms.passive_forces](q, qd, out=out)

    def joint_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        f_ext: Forces = None,
        expressed_in: str = BODY,
        *,
        out: Array | None = None,
    ) -> Array:
        """The whole force that each joint transmits to its successor body, (..., N, 6), in successor coordinates.

        It is what bearings are designed for; F10b (12). ``f_ext`` as in `inverse_dynamics`; ``expressed_in`` concerns
        f_ext only, not the result.
        """
        if f_ext is not None:
            by_body = self._forces_by_body(q, f_ext, expressed_in)
            forces = self._forced(algorithms.joint_forces)(q, qd, qdd, by_body)
        elif expressed_in is BODY or given.choice(expressed_in, "expressed_in", EXPRESSIONS) == BODY:
            forces = self._code[algorithms.joint_forces](q, qd, qdd)
        else:
            raise ChoiceError(
                f"expressed_in={expressed_in!r} says what coordinates f_ext has, and there is no f_ext; the result is "
                "in the coordinates of each joint's successor"
            )
        forces = forces[_WITHOUT_BASE]
        return forces if out is None else fill(out, forces)

    @cached_property
    def may_be_singular(self) -> bool:
        """Whether the mass matrix could be singular somewhere, as far as the data of the robot tell.

        It cannot if every body has a definite inertia and every joint's axes stay independent, or if every joint has a
        rotor and no inertia is negative.
        """
        return may_be_singular(self)

    # ---- inside

    @cached_property
    def _weightless(self) -> DynamicsMethods:
        """This robot without gravity."""
        return self.with_gravity((0.0, 0.0, 0.0))

    def _forward_by_mass_matrix(
        self,
        method: str,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Forces,
        expressed_in: str,
        out: Array | None,
    ) -> Array:
        algorithm, limit = _FORWARD[method], DIRECT if method == "crba" else LARGE
        if f_ext is None:
            check_expression(expressed_in)
            direct = self._direct(algorithm, limit)
            if direct is not None:
                return direct(q, qd, tau, out=out)
        else:
            direct = self._direct(algorithm, limit, shapes={"f_ext": (self.n_bodies, 6)})
            if direct is not None:
                return direct(q, qd, tau, self._forces_by_body(q, f_ext, expressed_in), out=out)
        H = self.mass_matrix(q, method)
        C = self.bias_forces(q, qd, f_ext, expressed_in)
        b = as_batch("tau", tau, (self.nv,), f"nv of {self.name or 'this robot'}") - C
        qdd = solve(H, b[..., None])[..., 0]
        return qdd if out is None else fill(out, qdd)

    def _mass_matrix_naive(self, q: Array) -> Array:
        """Column i is ID(q, 0, e_i) - ID(q, 0, 0): FO00 3.2; FDSV (11)."""
        rest, unit = np.zeros(self.nv, dtype=q.dtype), np.eye(self.nv, dtype=q.dtype)
        inverse_dynamics = self._code[algorithms.rnea]
        columns = inverse_dynamics(q[..., None, :], rest, unit) - inverse_dynamics(q, rest, rest)[..., None, :]
        return np.swapaxes(columns, -1, -2)

    def _mass_matrix_from_energy(self, q: Array) -> Array:
        """H_ij = T(e_i + e_j) - T(e_i) - T(e_j), since T = 1/2 qd^T H qd: F10b (38)."""
        unit = np.eye(self.nv, dtype=q.dtype)
        energy = self._code[algorithms.kinetic_energy]
        single = energy(q[..., None, :], unit)
        both = energy(q[..., None, None, :], unit[:, None, :] + unit)
        return both - single[..., :, None] - single[..., None, :]

    def _without_singular(self, q: ArrayLike, result: Array, rank: int, out: Array | None) -> Array:
        """A result that needs H^-1, with NaN for singular samples; an error if all are."""
        if is_lazy(result):
            return without_singular_later(self._without_singular, as_batch("q", q, (self.nq,)), result, rank)
        q = np.asarray(q, dtype=float)  # in single precision, pivots that should be zero are not small enough
        known = without_singular(self, q, self._code[algorithms.relative_pivots](q), result, rank)
        return known if out is None or known is out else fill(out, known)


def check_expression(expressed_in: str) -> None:
    """Raise if external forces cannot be expressed so."""
    if expressed_in is not BODY:
        given.choice(expressed_in, "expressed_in", EXPRESSIONS)


def solve(H: Array, B: Array) -> Array:
    """H^-1 B for each sample, B (..., n, m); NaN where H is singular or not finite."""
    if is_lazy(H) or is_lazy(B):
        return solve_later(solve, H, B)
    lead = np.broadcast_shapes(H.shape[:-2], B.shape[:-2])
    H, B = np.broadcast_to(H, (*lead, *H.shape[-2:])), np.broadcast_to(B, (*lead, *B.shape[-2:]))
    try:
        return np.linalg.solve(H, B)
    except np.linalg.LinAlgError:  # LAPACK says that some sample is singular, not which
        found = np.full(B.shape, np.nan, dtype=B.dtype)
        for sample in np.ndindex(lead):
            with suppress(np.linalg.LinAlgError):
                found[sample] = np.linalg.solve(H[sample], B[sample])
        return found
