"""Forward dynamics of a closed robot and the forces of its constraints."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.errors import ArgumentError, ModelError
from sixd.robot.closed import lapack
from sixd.robot.closed.constraints import Targets
from sixd.robot.closed.dofs import dofs_of
from sixd.robot.closed.mobility import MobilityMethods
from sixd.robot.dynamics import DIRECT
from sixd.robot.evaluator import BODY, EXPRESSIONS, Method, fill
from sixd.robot.external_forces import Forces
from sixd.runtime.batches import as_batch

__all__ = ["STRAIGHT", "ClosedDynamicsMethods", "ConstraintForces"]

Array = NDArray[Any]
AUTO = "auto"
#: Robots with more rows than this have straight code of "auto" and "articulated" only; other methods are by LAPACK.
STRAIGHT = algorithms.FEW_ROWS
#: The algorithm of each method, and the largest program that is made of it.
_METHODS: dict[str, tuple[Any, float]] = {
    AUTO: (algorithms.constrained_forward_dynamics, inf),
    "schur": (algorithms.constrained_forward_dynamics, DIRECT),
    "kkt": (algorithms.constrained_forward_dynamics_kkt, DIRECT // 3),
    "nullspace": (algorithms.constrained_forward_dynamics_nullspace, DIRECT // 3),
    "embedding": (algorithms.constrained_forward_dynamics_embedding, DIRECT // 3),
    "articulated": (algorithms.constrained_forward_dynamics_articulated, inf),
}
_AUTO = (algorithms.constrained_forward_dynamics, "direct")


class ConstraintForces(NamedTuple):
    """The forces by which the constraints of a robot act, tau_c = L^T multipliers: FO00 (19)."""

    #: lambda, (..., rows). If rows are redundant, of all forces that have the same effect those with the least sum of
    #: squares.
    multipliers: Array
    #: For each constraint, the spatial force (..., 6) on its frame b, moment first, in coordinates of that frame; the
    #: opposite acts on frame a. Constraints on joints have none.
    forces: dict[str, Array]
    #: How many rows are independent, (...).
    rank: Array
    #: For each row, whether its multiplier could be another without a change of motion, (..., rows).
    ambiguous: Array


class ClosedDynamicsMethods(MobilityMethods):
    """Methods of a closed robot about accelerations and forces."""

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Forces = None,
        method: str = AUTO,
        passive: bool = False,
        expressed_in: str = BODY,
        *,
        targets: Targets = None,
        independent: Any = None,
        out: Array | None = None,
    ) -> Array:
        """The accelerations qdd that the joint forces tau produce while the constraints hold, (..., nv): FO00 3.4.

        ``method``: "schur", the Schur complement (21) on the sparse factors of the mass matrix; "kkt", all equations at
        once (20); "nullspace", the null space of L (22), by elimination on L itself; "embedding", in ``independent``
        degrees of freedom: names of joints, or None for those that `independent` finds; "articulated", each loop within
        the articulated-body recursion, O(N) where loops are local. "auto" is "schur" up to 24 rows and "articulated"
        beyond. Rows that depend on others are left out, by each sample for itself and by the same rule in all methods;
        see ``rank_tolerance`` of `sixd.Constraint`. "embedding" is NaN where its coordinates do not tell the motion.

        Where there are more than 24 rows, or straight code would be too large, "schur", "kkt", "nullspace" and
        "embedding" are solved by LAPACK from kernels of the tree: sample by sample, and slower.

        q and qd should keep the constraints (`assemble`, `project`); what they are off is not corrected, unless
        constraints have a ``stabilisation``. ``f_ext``, ``passive`` and ``expressed_in`` as for a robot without
        constraints; ``targets`` are prescribed motions. If a joint moves no inertia, `SingularError` is raised.
        """
        plain = f_ext is None and targets is None and independent is None and passive is False
        if plain and method is AUTO and expressed_in is BODY:
            code = self._code.get(_AUTO)
            if code is not None and not self.may_be_singular:
                return code(q, qd, tau, out=out)
        chosen = given.choice(method, "method", tuple(_METHODS))
        if independent is not None and chosen != "embedding":
            raise ArgumentError(f"independent is for method='embedding', not for {method!r}")
        given.choice(expressed_in, "expressed_in", EXPRESSIONS)
        if given.flag(passive, "passive"):
            tau = as_batch("tau", tau, (self.nv,), "nv of this robot") + self.passive_forces(q, qd)
        algorithm, limit = _METHODS[chosen]
        fixed = {"independent": self._independent(independent)} if chosen == "embedding" else {}
        more = self._more(q, f_ext, expressed_in, targets)
        direct = self._straight(algorithm, limit, more, fixed)
        if direct is not None:
            qdd = direct(q, qd, tau, *more.values(), out=out)
        else:
            by = lapack.METHODS.get(chosen) or partial(lapack.by_embedding, independent=fixed["independent"])
            qdd = lapack.solved(by, self._dense(q, qd, tau, more))
            qdd = qdd if out is None else fill(out, qdd)
        return self._without_singular(q, qdd, 1, out) if self.may_be_singular else qdd

    def constraint_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Forces = None,
        passive: bool = False,
        expressed_in: str = BODY,
        *,
        targets: Targets = None,
    ) -> ConstraintForces:
        """The forces in the constraints while joint forces tau act: FO00 (19), (21).

        If rows are redundant, the constraints share forces in ways that the motion does not tell: ``ambiguous`` marks
        the rows that are concerned, and the smallest forces are given. Arguments as in `forward_dynamics`. With more
        than 24 rows, what is ambiguous is found by NumPy.
        """
        given.choice(expressed_in, "expressed_in", EXPRESSIONS)
        if given.flag(passive, "passive"):
            tau = as_batch("tau", tau, (self.nv,), "nv of this robot") + self.passive_forces(q, qd)
        more = self._more(q, f_ext, expressed_in, targets)
        direct = self._straight(algorithms.constraint_forces, DIRECT, more, {})
        if direct is not None:
            lam, forces, rank, ambiguous = direct(q, qd, tau, *more.values())
        else:
            lam, rank = self._whole(algorithms.constraint_multipliers, more)(q, qd, tau, *more.values())
            spare = self._left_null_space(q)
            lam = lam - (spare @ (np.swapaxes(spare, -1, -2) @ lam[..., None]))[..., 0]
            ambiguous = np.broadcast_to(np.linalg.norm(spare, axis=-1) > 1e-6, lam.shape)
            forces = self._forces_on_frames(q, lam)
        by_name = {c.constraint.name: forces[..., c.number, :] for c in self.closures if c.constraint.frames}
        return ConstraintForces(lam, by_name, rank, ambiguous.astype(bool))

    # ---- inside

    def _more(self, q: ArrayLike, f_ext: Forces, expressed_in: str, targets: Targets) -> dict[str, Array]:
        """External forces by body and targets by row, as far as there are any."""
        more = {} if f_ext is None else {"f_ext": self._forces_by_body(q, f_ext, expressed_in)}
        goals = self._target_array(targets)
        return more if goals is None else {**more, "targets": goals}

    def _straight(self, algorithm: Any, limit: float, more: dict[str, Array], fixed: dict[str, Any]) -> Method | None:
        """The method of an algorithm in straight code; None if that would be too large."""
        if limit == inf:
            return self._whole(algorithm, more)
        if self.n_rows > STRAIGHT:
            return None
        return self._direct(algorithm, limit, self._shapes(more), fixed)

    def _dense(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, more: dict[str, Array]) -> lapack.Dense:
        """The equations of a batch, from kernels of the tree."""
        q, qd, tau = (self._array(name, x) for name, x in (("q", q), ("qd", qd), ("tau", tau)))
        goals = more.get("targets")
        H = self._code[algorithms.crba](q)
        f_ext = more.get("f_ext")
        if f_ext is None:
            C = self._code[algorithms.bias_forces](q, qd)
        else:
            C = self._forced(algorithms.bias_forces)(q, qd, f_ext)
        L, c = self.constraint_jacobian(q), self._bias(q, qd, goals)
        for k in self.closures:
            alpha, beta = k.constraint.stabilisation
            if alpha or beta:
                wanted = 0.0 if goals is None or not k.constraint.driven else goals[..., k.targets, 1]
                rate = (L[..., k.rows, :] @ qd[..., None])[..., 0] - wanted
                phi = self._error(q, goals)[..., k.rows]
                c[..., k.rows] = c[..., k.rows] - 2.0 * alpha * rate - beta * beta * phi
        lead = np.broadcast_shapes(H.shape[:-2], C.shape[:-1], tau.shape[:-1], c.shape[:-1])
        return lapack.Dense(
            np.broadcast_to(H, (*lead, *H.shape[-2:])),
            np.broadcast_to(tau - C, (*lead, self.nv)),
            np.broadcast_to(L, (*lead, *L.shape[-2:])),
            np.broadcast_to(c, (*lead, self.n_rows)),
            np.broadcast_to(self._ranks(q).tolerances, (*lead, self.n_rows)),
        )

    def _forces_on_frames(self, q: ArrayLike, lam: Array) -> Array:
        """T lambda for each constraint, (..., constraints, 6)."""
        forces = lam[..., :, None] * self._subspaces(q)
        return np.stack([forces[..., c.rows, :].sum(axis=-2) for c in self.closures], axis=-2)

    def _independent(self, names: Any) -> tuple[int, ...]:
        """Independent degrees of freedom: those of joints with these names, these numbers, or those that are found."""
        if names is None:
            return self._found_independent
        dofs = dofs_of(self, names, "independent")
        needed = len(self._found_independent)
        if len(dofs) != needed:
            raise ModelError(
                f"independent names {len(dofs)} degrees of freedom, but {self.name or 'this robot'} has {needed}; "
                f"for example {self.independent()}"
            )
        return dofs
