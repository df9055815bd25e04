"""Joint forces of a closed robot with a choice of actuated joints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.errors import ModelError
from sixd.robot.closed.bounded import least_norm_within
from sixd.robot.closed.dofs import dofs_of, warn_of_undetermined
from sixd.robot.closed.dynamics import ClosedDynamicsMethods
from sixd.robot.dynamics import DIRECT
from sixd.robot.evaluator import BODY, EXPRESSIONS, NAMED
from sixd.robot.external_forces import Forces

__all__ = ["ActuationMethods", "ClosedInverseDynamics"]

Array = NDArray[Any]
#: Directions that actuators move less than this, relative to the one that they move most, count as not moved.
WEAK = 1e-9


class ClosedInverseDynamics(NamedTuple):
    """The joint forces of a closed robot for a motion."""

    #: (..., nv); zero at joints that are not actuated.
    tau: Array
    #: The joint forces that are missing, (..., nv): with them the motion would be exact. Zero if the actuators suffice.
    residual: Array


NAMED[algorithms.constrained_actuator_forces] = ClosedInverseDynamics


class ActuationMethods(ClosedDynamicsMethods):
    """The method of a closed robot about the joint forces for a motion."""

    def inverse_dynamics(  # type: ignore[override]
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        f_ext: Forces = None,
        passive: bool = False,
        expressed_in: str = BODY,
        *,
        actuated: Any = None,
        bounds: Any = None,
    ) -> ClosedInverseDynamics:
        """Forces tau of the ``actuated`` joints, by name or number (default: all), that produce the accelerations qdd.

        tau + L^T lambda = H qdd + C, FO00 (15), (19), where lambda is what it has to be. q, qd and qdd should keep the
        constraints; see `project`.

        - As many actuated degrees of freedom as the robot has: tau is unique, tau = G^T (H qdd + C), where G maps their
          velocities to all. Samples in which they do not determine the motion are NaN, with a warning; `SingularError`
          if all are.
        - Fewer, or not those that are needed: the accelerations come as near to qdd as they can, in the metric of the
          mass matrix; ``residual`` are the forces that are missing.
        - More: of all forces that do it, those with the least sum of squares.

        ``bounds`` limits the forces: one number or (nv,), or "effort" for the limits of the model. With bounds that are
        too narrow there is a residual. With bounds, or more than 24 rows, the equations are solved by LAPACK, sample by
        sample. ``f_ext``, ``passive`` and ``expressed_in`` as for a robot without constraints.
        """
        given.choice(expressed_in, "expressed_in", EXPRESSIONS)
        dofs = self._actuated(actuated)
        how = {"actuated": dofs, "passive": given.flag(passive, "passive")}
        if bounds is None and len(dofs) == len(self._found_independent):
            more = self._more(q, f_ext, expressed_in, None)
            code = self._straight(algorithms.constrained_inverse_dynamics, DIRECT, more, how)
            if code is not None:
                tau = code(q, qd, qdd, *more.values())
                warn_of_undetermined(self, tau, 1, (q, qd, qdd, *more.values()), dofs)
                return ClosedInverseDynamics(tau, tau - tau)  # zero, or NaN where there is no answer
        elif bounds is None:
            more = self._more(q, f_ext, expressed_in, None)
            code = self._straight(algorithms.constrained_actuator_forces, DIRECT, more, how)
            if code is not None:
                found: ClosedInverseDynamics = code(q, qd, qdd, *more.values())
                return found
        needed = self.tree.inverse_dynamics(q, qd, qdd, f_ext, passive, expressed_in)
        return self._least_squares(np.asarray(self._array("q", q), dtype=float), needed, dofs, self._bounds(bounds))

    # ---- inside

    def _actuated(self, names: Any) -> tuple[int, ...]:
        if names is None:
            return tuple(range(self.nv))
        found = dofs_of(self, names, "actuated")
        if not found:
            raise ModelError("actuated names no joint; None stands for all")
        return found

    def _bounds(self, bounds: Any) -> Array | None:
        if bounds is None:
            return None
        if isinstance(bounds, str):
            given.choice(bounds, "bounds", ("effort",))
            return np.asarray(self.effort_limit)
        one = not isinstance(bounds, Iterable) or getattr(bounds, "shape", 1) == ()
        found = np.array(given.numbers((bounds,) * self.nv if one else bounds, "bounds", self.nv))
        if not (found >= 0.0).all():
            raise ModelError(f"bounds of joint forces must not be negative or NaN: {found}")
        return found

    def _least_squares(
        self, q: Array, needed: Array, dofs: tuple[int, ...], bounds: Array | None
    ) -> ClosedInverseDynamics:
        """tau with the least |G^T (B tau - needed)|, and of these the smallest; G^T H G = 1, L G = 0."""
        known = np.isfinite(q).all(axis=-1, keepdims=True)
        q = np.where(known, q, self.neutral())
        L, inverse = self._scaled(q)
        _, s, Vh = np.linalg.svd(L)
        free = np.arange(self.nv) >= np.asarray(self._rank(s))[..., None]
        G = (inverse @ np.swapaxes(Vh, -1, -2)) * free[..., None, :]
        A, b = np.swapaxes(G, -1, -2)[..., :, list(dofs)], (np.swapaxes(G, -1, -2) @ needed[..., None])[..., 0]
        if bounds is None:
            forces = (np.linalg.pinv(A, rcond=WEAK) @ b[..., None])[..., 0]
        else:
            forces = least_norm_within(A, b, bounds[list(dofs)])
        missing = b - (A @ forces[..., None])[..., 0]
        tau = np.zeros(b.shape)
        tau[..., list(dofs)] = forces
        H = self._code[algorithms.crba](q)
        residual = (H @ (G @ missing[..., None]))[..., 0]
        size = np.abs(tau).max(axis=-1, keepdims=True)
        small = np.abs(residual).max(axis=-1, keepdims=True) <= algorithms.ROUNDING * size
        known = known & np.isfinite(needed).all(axis=-1, keepdims=True)
        return ClosedInverseDynamics(np.where(known, tau, np.nan), np.where(known & small, 0.0, residual))
