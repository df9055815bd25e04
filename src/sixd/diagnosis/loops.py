"""The self-audit of a closed robot: do the constraints, their Jacobian, their forces and accelerations agree?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.algorithms.configuration import integrate
from sixd.diagnosis.audit import ROUNDING, Report
from sixd.diagnosis.linter import Finding
from sixd.dual import derivatives, duals
from sixd.model import Model
from sixd.ops import unstack

__all__ = ["with_loops", "without_assembly"]

Array = NDArray[Any]
#: The law whose disagreement depends on ranks: what a row that counts as dependent may leave, relative.
RANKS = 1e-4


def with_loops(report: Report, model: Model, q: Array, qd: Array, tau: Array, redundant: Mapping[str, int]) -> Report:
    """The report on the tree of a closed model, and what there is to say of its constraints.

    q (K, nq) keep the constraints; qd and tau (K, nv) are any; ``redundant`` are the rows that could be left out.
    """
    laws = _laws(model, q, qd, tau)
    findings = [
        *report.findings,
        *_redundant_rows(redundant),
        *(
            Finding("error", "audit", "the algorithms", f"disagree by {error:.2g} (relative) on: {what}")
            for what, (error, bound) in laws.items()
            if not error <= bound
        ),
    ]
    disagreement = {f"{what}, open tree": error for what, error in report.disagreement.items()}
    disagreement |= {what: error for what, (error, _) in laws.items()}
    return replace(report, findings=tuple(findings), disagreement=disagreement)


def without_assembly(report: Report, why: str) -> Report:
    """The report on a closed model for which no position was found that keeps the constraints."""
    finding = Finding("error", "no-assembly", "the constraints", why)
    skipped = (*report.skipped, "constraints: no position keeps them")
    return replace(report, findings=(*report.findings, finding), skipped=skipped)


def _redundant_rows(redundant: Mapping[str, int]) -> list[Finding]:
    """A note for each constraint some rows of which depend on others."""
    return [
        Finding(
            "note",
            "redundant-rows",
            f"constraint {name!r}",
            f"{number} of its rows depend{'s' * (number == 1)} on others, so the motion does not tell all its forces",
        )
        for name, number in redundant.items()
    ]


def _laws(model: Model, q: Array, qd: Array, tau: Array) -> dict[str, tuple[float, float]]:
    """For each law the largest relative disagreement at states (K, ...), and the bound that rounding sets."""
    K = len(q)
    L = np.broadcast_to(algorithms.constraint_jacobian(model, q), (K, model.n_rows, model.nv))
    holonomic = [row for c in model.constraint_list for row in c.holonomic]
    where = integrate(model, unstack(q), duals([0.0] * model.nv, unstack(qd)))
    rate = derivatives(algorithms.constraint_error(model, where))[..., holonomic]
    size = np.einsum("kij,kj->ki", np.abs(L), np.abs(qd))
    found = {
        "dphi/dt = L qd (constraint error, its Jacobian)": (
            np.einsum("kij,kj->ki", L, qd)[:, holonomic] - rate,
            size,
            ROUNDING,
        )
    }
    rest = np.zeros(qd.shape)
    qdd = np.broadcast_to(algorithms.constrained_forward_dynamics(model, q, rest, tau), qd.shape)
    lam = np.asarray(algorithms.constraint_multipliers(model, q, rest, tau).multipliers)
    held = np.einsum("kij,ki->kj", L, np.broadcast_to(lam, (K, model.n_rows)))
    needed = np.broadcast_to(algorithms.rnea(model, q, rest, qdd), qd.shape)
    conditioning = max(1.0, 1e-3 * float(np.linalg.cond(algorithms.crba(model, q)).max()))
    scale = np.abs(tau) + np.abs(held) + np.abs(needed)
    what = "tau + L' lambda = H qdd + C (constrained dynamics, rnea)"
    found[what] = (tau + held - needed, scale, ROUNDING * conditioning)
    size = np.einsum("kij,kj->ki", np.abs(L), np.abs(qdd))
    found["L qdd = 0 at rest (constrained dynamics)"] = (np.einsum("kij,kj->ki", L, qdd), size, RANKS)
    return {
        what: (float(np.abs(off).max() / (np.abs(size).max() or 1.0)), bound)
        for what, (off, size, bound) in found.items()
    }
