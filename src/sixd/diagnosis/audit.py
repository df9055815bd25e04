"""The self-audit: do the algorithms agree with each other on this very model?"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.algorithms.configuration import integrate
from sixd.compiler.choice import chooser
from sixd.diagnosis.linter import Finding, find
from sixd.dual import derivatives, duals
from sixd.errors import ArgumentError, ChoiceError
from sixd.ir import TooLargeError
from sixd.model import Model
from sixd.model.configuration import neutral, random, random_generator
from sixd.ops import unstack

__all__ = ["SINGULAR", "Report", "audit", "data_findings", "null_motions", "report"]

Array = NDArray[Any]
#: Relative disagreement that is still rounding, before conditioning.
ROUNDING = 1e-11
#: Up to this many bodies, and pairs of a body and one that carries it, all is compared, by the algorithms in Python: a
#: Code without loops is compiled for a large model up to this many nodes: a second or so.
NODES = 5_000
#: second or so a state. Larger models are compared by machine code, and what has none with loops is left out.
BODIES, PAIRS = 150, 2_000
#: Up to this many bodies derivatives are compared: they run on dual numbers, in Python.
DERIVATIVES = 300
#: The share of its inertia below which a pivot of the mass matrix is zero but for rounding.
SINGULAR = 1e-13


@dataclass(frozen=True)
class Report:
    """What `Robot.check` found: findings on the data, and how far the algorithms disagree on random states."""

    name: str
    findings: tuple[Finding, ...]
    #: What was compared, and the largest relative disagreement seen.
    disagreement: dict[str, float]
    #: What could not be compared, and why.
    skipped: tuple[str, ...] = ()

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
        lines += [f"  not compared: {what}" for what in self.skipped]
        return "\n".join(lines)

    __repr__ = __str__


def report(model: Model, states: int = 5, seed: int = 0) -> Report:
    """The linter's findings, what the reader warned of, the state of the mass matrix and the self-audit of a model."""
    if isinstance(states, bool) or not isinstance(states, int | np.integer):
        raise ArgumentError(f"states must be an integer, the number of random states, not {states!r}")
    if states < 1:
        raise ChoiceError(f"states must be at least 1, not {states}")
    findings = data_findings(model)
    if not model.nv:
        return Report(model.name, tuple(findings), {})
    rng = random_generator(seed)
    q = random(model, rng, (states,), limits=False)
    qd, qdd = rng.normal(size=(2, states, model.nv))
    with np.errstate(all="ignore"):
        everywhere = [len(null_motions(model, x)) for x in q]
        regular = np.array(everywhere) == 0
        findings += _singular(model, everywhere)
        disagreement, bounds, left_out = audit(model, q, qd, qdd, regular)
    skipped: tuple[str, ...] = ()
    if not regular.all():
        skipped = (f"forward dynamics in {(~regular).sum()} of {states} states: singular there",)
    skipped += tuple(f"{what}: {why}" for what, why in left_out.items())
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
    return Report(model.name, tuple(findings), disagreement, skipped)


def data_findings(model: Model) -> list[Finding]:
    """What the reader of the description warned of, and the linter's findings on the data."""
    # What the reader of a file said of a link or joint, with its line, is not said again; of what the builder said,
    # the linter says more.
    told = {_named(w.message) for w in model.warnings if w.line is not None}
    found = [f for f in find(model) if _named(f.subject) not in told]
    again = {_named(f.subject) for f in found}
    read = [w for w in model.warnings if w.line is not None or _named(w.message) not in again]
    return [Finding("warning", "description", _line(w), w.message) for w in read] + found


def _named(text: str) -> str:
    """The link, body or joint that a message begins with: of "link 'a': ...", 'a' in its quotes."""
    return text.partition(": ")[0].partition(" ")[2]


def _line(warning: Any) -> str:
    return f"line {warning.line}" if warning.line is not None else "the description"


def null_motions(model: Model, q: Array) -> list[Array]:
    """The joint velocities that move no inertia at one position, each (nv,), scaled to a largest entry of 1.

    They span the null space of the mass matrix, which is scaled to ones on its diagonal first.
    """
    H = np.asarray(_run(algorithms.crba, model, q), dtype=float)
    if not np.isfinite(H).all():
        return []
    diagonal = np.abs(np.diagonal(H))
    scale = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    scaled = H / np.outer(scale, scale)
    if _is_definite(scaled - 20 * SINGULAR * np.eye(len(H))):
        return []
    values, vectors = np.linalg.eigh(scaled)
    null = [vectors[:, k] / scale for k in np.flatnonzero(np.abs(values) <= 10 * SINGULAR)]
    return [v / v[np.abs(v).argmax()] for v in null]


def _is_definite(H: Array) -> bool:
    """Whether a symmetric matrix is positive definite: some ten times faster than its eigenvalues."""
    try:
        np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        return False
    return True


def _is_large(model: Model) -> bool:
    depth = [0] * (model.n_bodies + 1)
    for i in range(1, model.n_bodies + 1):
        depth[i] = depth[model.parent[i]] + 1
    return model.n_bodies > BODIES or sum(depth) > PAIRS


def _run(function: Any, model: Model, *state: Array, needed: bool = True) -> Any:
    """A result of an algorithm: in Python, or by machine code where the model is large.

    Where there is none for a large model, what is not ``needed`` is None.
    """
    large, kernel = _is_large(model), None
    if large:
        with suppress(TooLargeError):
            kernel = chooser(function, model, {}, {})(NODES)
    if kernel is not None:
        return kernel(*state)
    return function(model, *state) if needed or not large else None


def _singular(model: Model, everywhere: list[int]) -> list[Finding]:
    owner = [""] * model.nv
    for joint in model.joints:
        if joint.mimic is None:
            owner[joint.v] = [joint.name] * joint.type.nv
    found = []
    here = null_motions(model, neutral(model))
    where = "everywhere" if all(everywhere) else "at the neutral position"
    for v in here:
        parts = [(owner[k], v[k]) for k in np.argsort(-np.abs(v)) if abs(v[k]) > 1e-6]
        motion = " ".join(f"{x:+.3g} {name!r}" for name, x in parts[:4]).removeprefix("+1 ")
        found.append(
            Finding(
                "error" if all(everywhere) else "warning",
                "singular-mass-matrix",
                f"joint {parts[0][0]!r}",
                f"the mass matrix is singular {where}: the motion {motion} moves no inertia",
                "give the bodies that it moves mass and inertia, give the joint a rotor inertia, or lock it",
            )
        )
    return found


def audit(
    model: Model, q: Array, qd: Array, qdd: Array, regular: Array
) -> tuple[dict[str, float], dict[str, float], dict[str, str]]:
    """Compare the algorithms with each other: {what: largest relative disagreement}, and the bounds rounding sets.

    Third is what was left out, and why. States (K, nq), (K, nv); forward dynamics is compared where ``regular`` (K,).
    """
    errors: dict[str, float] = {}
    bounds: dict[str, float] = {}
    left_out: dict[str, str] = {}
    size = f"{model.n_bodies} bodies"

    def compare(what: str, found: Any, wanted: Any, scale: Any = None, conditioning: float = 1.0) -> None:
        if found is None:
            left_out[what] = f"takes long for {size}"
            return
        norm = np.abs(wanted).max() if scale is None else np.abs(scale).max()
        errors[what] = float(np.abs(np.asarray(found) - wanted).max() / (norm or 1.0))
        bounds[what] = ROUNDING * conditioning

    K, n = qd.shape
    tau = np.broadcast_to(_run(algorithms.rnea, model, q, qd, qdd), (K, n))
    C = np.broadcast_to(_run(algorithms.bias_forces, model, q, qd), (K, n))
    H = np.broadcast_to(_run(algorithms.crba, model, q), (K, n, n))
    compare("tau = H qdd + C (rnea, crba)", np.einsum("kij,kj->ki", H, qdd) + C, tau)
    energy = np.broadcast_to(_run(algorithms.kinetic_energy, model, q, qd), (K,))
    compare("T = 1/2 qd' H qd (energy, crba)", 0.5 * np.einsum("ki,kij,kj->k", qd, H, qd), energy)
    if regular.any():
        some = q[regular], qd[regular], tau[regular]
        extremes = np.abs(np.linalg.eigvalsh(np.where(np.isfinite(H[regular]), H[regular], 1.0)))
        conditioning = max(1.0, 1e-3 * float((extremes.max(axis=1) / extremes.min(axis=1)).max()))
        for name, run in (("aba", algorithms.aba), ("crba", algorithms.forward_dynamics_crba)):
            found = _run(run, model, *some, needed=name == "aba")
            compare(f"forward after inverse dynamics ({name}, rnea)", found, qdd[regular], None, conditioning)
        inverse = _run(algorithms.inverse_mass_matrix, model, q[regular], needed=False)
        one = None if inverse is None else inverse @ H[regular]
        compare("inverse mass matrix (aba, crba)", one, np.eye(n), None, conditioning)
    if model.n_bodies > DERIVATIVES:
        left_out["rates of energy and momentum, velocities of all tips"] = f"take long for {size}"
        return errors, bounds, left_out
    for what, found, wanted, scale in _derivative_laws(model, q, qd, qdd, tau):
        compare(what, found, wanted, scale)
    return errors, bounds, left_out


def _derivative_laws(model: Model, q: Array, qd: Array, qdd: Array, tau: Array) -> list[tuple[str, Any, Any, Any]]:
    """Energy rate, momentum rate and the Jacobians of all tips at states (K, ...), by dual numbers along the motion."""
    where = integrate(model, unstack(q), duals([0.0] * model.nv, unstack(qd)))
    speed = duals(unstack(qd), unstack(qdd))
    energy = [algorithms.kinetic_energy(model, where, speed), algorithms.potential_energy(model, where)]
    rate = np.broadcast_to(derivatives(energy).sum(axis=-1), (len(q),))
    h = derivatives(algorithms.momentum(model, where, speed).components())
    base = algorithms.joint_forces(model, q, qd, qdd)[0].array()
    weight = model.mass * np.array(model.gravity)
    com = algorithms.center_of_mass(model, q) if model.mass else np.zeros(3)
    gravity = np.concatenate(np.broadcast_arrays(np.cross(com, weight), weight), axis=-1)
    laws = [
        ("power = energy rate (rnea, energy)", rate, (tau * qd).sum(axis=-1), np.abs(tau * qd).sum(axis=-1)),
        ("momentum rate = force (momentum, rnea)", h, base + gravity, np.abs(base) + np.abs(gravity)),
    ]
    off = size = 0.0
    for tip in (i for i in range(1, model.n_bodies + 1) if not model.children[i]):
        J = algorithms.jacobian(model, q, tip, None, "aligned")
        w, v = np.split(np.einsum("...ij,...j->...i", J, qd), 2, axis=-1)
        R, X = algorithms.pose(model, q, tip).E.T.array(), algorithms.pose(model, where, tip)
        turning = derivatives(X.E.T.components()).reshape(-1, 3, 3)
        off = max(off, np.abs(np.cross(w[..., None], R, axis=-2) - turning).max())
        off = max(off, np.abs(v - derivatives(X.r.components())).max())
        size = max(size, np.einsum("...ij,...j->...i", np.abs(J), np.abs(qd)).max())
    laws.append(("velocities of all tips (Jacobian, pose)", off, 0.0, size))
    return laws
