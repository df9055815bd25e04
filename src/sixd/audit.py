"""The self-audit: do the algorithms agree with each other on this very model?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.dual import derivatives, duals
from sixd.model import Model
from sixd.model.check import Finding, find
from sixd.model.configuration import integrate, neutral, random

__all__ = ["Report", "audit", "report"]

Array = NDArray[Any]
#: Relative disagreement that is still rounding, before conditioning.
ROUNDING = 1e-11


@dataclass(frozen=True)
class Report:
    """What `Robot.check` found: findings on the data, and how far the algorithms disagree on random states."""

    name: str
    findings: tuple[Finding, ...]
    #: What was compared, and the largest relative disagreement seen.
    disagreement: dict[str, float]

    @property
    def ok(self) -> bool:
        """Nothing found that makes results wrong."""
        return not any(f.severity == "error" for f in self.findings)

    def __str__(self) -> str:
        lines = [f"{self.name or 'robot'}: {len(self.findings) or 'no'} finding{'s' * (len(self.findings) != 1)}"]
        lines += [f"  {f}" for f in self.findings]
        if self.disagreement:
            lines.append("largest relative disagreement on random states:")
            lines += [f"  {what:<58} {error:.1e}" for what, error in self.disagreement.items()]
        return "\n".join(lines)

    __repr__ = __str__


def report(model: Model, states: int = 5, seed: int = 0) -> Report:
    """The linter's findings, the state of the mass matrix and the self-audit of a model."""
    findings = find(model)
    if model.nv:
        findings += _singular(model)
    singular = any(f.code in ("massless-tip", "singular-mass-matrix") for f in findings)
    disagreement, bounds = audit(model, states, seed, forward=not singular) if model.nv else ({}, {})
    for what, error in disagreement.items():
        if not error <= bounds[what]:
            findings.append(
                Finding(
                    "error",
                    "audit",
                    "the algorithms",
                    f"disagree by {error:.2g} (relative) on: {what}",
                    "numbers of very different size in the model make results this inexact",
                )
            )
    return Report(model.name, tuple(findings), disagreement)


def _singular(model: Model) -> list[Finding]:
    ratio, joint = smallest_inertia(model, neutral(model))
    if ratio > 1e-12:
        return []
    return [
        Finding(
            "error",
            "singular-mass-matrix",
            f"joint {joint!r}",
            f"the mass matrix at the neutral position is singular (smallest relative eigenvalue {ratio:.1e})",
            "a motion of this joint moves no inertia: give the bodies it carries mass, or lock it",
        )
    ]


def smallest_inertia(model: Model, q: Array) -> tuple[Any, Any]:
    """The smallest eigenvalue of the mass matrix scaled to ones on its diagonal, and the joint it belongs to most.

    Zero (to rounding) means that some motion moves no inertia. For q (..., nq) both results have shape (...).
    """
    H = np.asarray(algorithms.crba(model, q), dtype=float)
    diagonal = np.abs(np.diagonal(H, axis1=-2, axis2=-1))
    scale = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    scaled = H / (scale[..., :, None] * scale[..., None, :])
    finite = np.isfinite(scaled).all(axis=(-2, -1), keepdims=True)
    values, vectors = np.linalg.eigh(np.where(finite, scaled, np.eye(model.nv)))
    which = np.abs(values).argmin(axis=-1)
    ratio = np.take_along_axis(np.abs(values), which[..., None], axis=-1)[..., 0]
    vector = np.take_along_axis(vectors, which[..., None, None], axis=-1)[..., 0]
    owner = np.empty(model.nv, dtype=object)
    for joint in model.joints:
        if joint.mimic is None:
            owner[joint.v] = joint.name
    joints = owner[np.abs(vector / scale).argmax(axis=-1)]
    return ratio, joints


def audit(
    model: Model, states: int = 5, seed: int = 0, forward: bool = True
) -> tuple[dict[str, float], dict[str, float]]:
    """Compare the algorithms with each other: {what: largest relative disagreement}, and the bounds rounding sets."""
    rng = np.random.default_rng(seed)
    q = random(model, rng, (states,), limits=False)
    qd, qdd = rng.normal(size=(2, states, model.nv))
    errors: dict[str, float] = {}
    bounds: dict[str, float] = {}

    def compare(what: str, found: Any, wanted: Any, scale: Any = None, conditioning: float = 1.0) -> None:
        size = np.abs(wanted).max() if scale is None else np.abs(scale).max()
        errors[what] = float(np.abs(np.asarray(found) - wanted).max() / (size or 1.0))
        bounds[what] = ROUNDING * conditioning

    tau = algorithms.rnea(model, q, qd, qdd)
    H, C = (
        np.broadcast_to(algorithms.crba(model, q), (states, model.nv, model.nv)),
        algorithms.bias_forces(model, q, qd),
    )
    tau, C = (np.broadcast_to(x, (states, model.nv)) for x in (tau, C))
    compare("tau = H qdd + C (rnea, crba)", np.einsum("kij,kj->ki", H, qdd) + C, tau)
    energy = np.broadcast_to(algorithms.kinetic_energy(model, q, qd), (states,))
    compare("T = 1/2 qd' H qd (energy, crba)", 0.5 * np.einsum("ki,kij,kj->k", qd, H, qd), energy)
    if forward:
        conditioning = max(1.0, float(np.linalg.cond(H).max()) * 1e-3)
        compare(
            "forward after inverse dynamics (aba, rnea)", algorithms.aba(model, q, qd, tau), qdd, None, conditioning
        )
    for what, found, wanted, scale in _derivative_laws(model, q[0], qd[0], qdd[0]):
        compare(what, found, wanted, scale)
    return errors, bounds


def _derivative_laws(model: Model, q: Array, qd: Array, qdd: Array) -> list[tuple[str, Any, Any, Any]]:
    """Energy rate, momentum rate and Jacobians, by dual numbers along the motion."""
    where = integrate(model, q.tolist(), duals([0.0] * model.nv, qd.tolist()))
    speed = duals(qd.tolist(), qdd.tolist())
    tau = algorithms.rnea(model, q, qd, qdd)
    rate = derivatives(
        [algorithms.kinetic_energy(model, where, speed), algorithms.potential_energy(model, where)]
    ).sum()
    h = derivatives(algorithms.momentum(model, where, speed).components())
    base = algorithms.joint_forces(model, q, qd, qdd)[0].array()
    weight = model.mass * np.array(model.gravity)
    gravity = (
        np.concatenate([np.cross(algorithms.center_of_mass(model, q), weight), weight]) if model.mass else base * 0.0
    )
    laws = [
        ("power = energy rate (rnea, energy)", rate, tau @ qd, np.abs(tau) @ np.abs(qd)),
        ("momentum rate = force (momentum, rnea)", h, base + gravity, np.abs(base) + np.abs(gravity)),
    ]
    tip: Callable[[Any], Any] = lambda x: algorithms.pose(model, x, model.n_bodies)  # noqa: E731
    position_rate = derivatives(tip(where).r.components())
    J = algorithms.jacobian(model, q, model.n_bodies, None, "aligned")
    laws.append(
        ("velocity of the last body (Jacobian, pose)", J[3:] @ qd, position_rate, np.abs(J[3:]) @ np.abs(qd) + 1.0)
    )
    return laws
