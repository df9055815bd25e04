"""Positions and velocities in words of the command line, of robots with loops too: what is named leads the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sixd.cli.builtin import Subject
from sixd.cli.states import Part, state_part
from sixd.errors import AssemblyError, ModelError
from sixd.robot import ClosedRobot
from sixd.tables.fields import coordinate_names

__all__ = [
    "acceleration_of",
    "is_broken",
    "open_loop",
    "open_rates",
    "position_of",
    "state_of",
    "velocity_of",
]

Array = NDArray[np.float64]
State = dict[str, Array]
#: How far a velocity may be from what was asked for, relative.
ROUNDING = 1e-9
#: Coordinates that keep no more than this part of the mobility that they have in the open tree do not move.
BLOCKED = 1e-12
#: Beyond this error, rad or m, a position does not keep the constraints.
OPEN = 1e-6


def position_of(
    subject: Subject, words: Sequence[str] | None, seed: int, size: tuple[int, ...] = (), option: str = "q"
) -> Array:
    """The position (nq,), or random ones (*size, nq); None stands for the subject's own.

    In a robot with loops, joints given by name=value are held there, and the others are moved until the constraints
    are kept. Numbers for all are taken as they are.
    """
    if words is None:
        return subject.q
    part = state_part(subject.robot, "q", words, seed, size, option, subject.q)
    closed = subject.closed
    if closed is None or not part.named:
        return part.values
    held = [j.name for j in closed.joints if j.mimic is None and {*range(closed.nq)[j.q]} & {*part.named}]
    try:
        return closed.assemble(part.values, fixed=held)
    except AssemblyError as error:
        what = f"no position of {closed.name} was found that keeps its constraints with {', '.join(held)} there"
        fewer = "; name fewer, and the others follow" if len(held) > 1 else ""
        raise ModelError(f"--{option}: {what}; the nearest one is off by {error.error:.3g} (rad or m){fewer}") from None


def velocity_of(subject: Subject, q: Array, part: Part | None) -> Array:
    """The velocities (..., nv) at positions q (..., nq); None stands for the subject's own.

    In a robot with loops they are the nearest ones that keep the constraints, and joints given by name=value move so.
    Numbers for all are taken as they are.
    """
    closed, own = subject.closed, subject.qd
    if closed is None:
        return own if part is None else part.values
    if own.any() and not np.array_equal(q, subject.q):
        own = closed.project(q, own)[1]
    if part is None:
        return own
    if part.random:
        return closed.project(q, part.values)[1]
    return _led(closed, q, own, part, "qd") if part.named else part.values


def acceleration_of(subject: Subject, q: Array, qd: Array, part: Part | None) -> Array:
    """The accelerations (..., nv) at states; None stands for zero, or what comes nearest to it in a robot with loops.

    As `velocity_of`: what is named leads the rest, numbers for all are taken as they are.
    """
    closed, still = subject.closed, np.zeros(subject.robot.nv)
    if closed is None:
        return still if part is None else part.values
    if part is not None and part.random:
        return closed.project(q, qd, part.values)[2]
    if part is not None and not part.named:
        return part.values
    own = closed.project(q, qd, still)[2]
    return own if part is None else _led(closed, q, own, part, "qdd")


def state_of(subject: Subject, known: Mapping[str, Array], given: Mapping[str, Part], needs: Sequence[str]) -> State:
    """The parts of states that are needed: those that are known, q (..., nq) among them, and those given in words.

    What is in neither is the subject's own, or zero.
    """
    state: State = dict(known)
    if "qd" in needs and "qd" not in state:
        state["qd"] = velocity_of(subject, state["q"], given.get("qd"))
    if "qdd" in needs and "qdd" not in state:
        state["qdd"] = acceleration_of(subject, state["q"], state["qd"], given.get("qdd"))
    if "tau" in needs and "tau" not in state:
        state["tau"] = given["tau"].values if "tau" in given else np.zeros(subject.robot.nv)
    return {name: state[name] for name in needs}


def open_loop(subject: Subject, q: Array) -> str:
    """What is wrong with positions (..., nq) that do not keep the constraints of a robot with loops; "" if nothing."""
    if (closed := subject.closed) is None:
        return ""
    error = np.abs(closed.constraint_error(q)).reshape(-1, closed.n_rows).max(axis=0)
    if not error.max() > OPEN:
        return ""
    row = int(error.argmax())
    worst = next(c.constraint.name for c in closed.closures if c.rows.start <= row < c.rows.stop)
    what = f"--q does not keep constraint {worst!r}: it is off by {error.max():.3g} (rad or m)"
    return f"{what}; give some joints by name=value, and the others follow"


def _breaks(subject: Subject, state: State) -> dict[str, Array]:
    """By how much q, qd and qdd of states with q (..., nq) break the constraints of a robot with loops, (...) each.

    q by the largest error of a constraint; qd and qdd by the way to the nearest ones that keep the constraints, over
    their size where that is above one. Parts that a state does not have are left out.
    """
    closed = subject.closed
    if closed is None or "q" not in state:
        return {}
    found = {"q": np.abs(closed.constraint_error(state["q"])).max(axis=-1)}
    if "qd" in state:
        q = np.where((found["q"] <= OPEN)[..., None], state["q"], subject.q)  # others are told by q
        near = closed.project(q, state["qd"], state.get("qdd", np.zeros(closed.nv)))
        for name, nearest in zip(("qd", "qdd"), near[1:], strict=True):
            if name in state:
                size = np.maximum(1.0, np.abs(state[name]).max(axis=-1))
                found[name] = np.abs(nearest - state[name]).max(axis=-1) / size
    return found


def is_broken(subject: Subject, state: State) -> Array:
    """Which of some states, (...), do not keep the constraints of a robot with loops."""
    faults = [error > OPEN for error in _breaks(subject, state).values()]
    return np.asarray(np.logical_or.reduce(np.broadcast_arrays(*faults)))


def open_rates(subject: Subject, state: State) -> str:
    """What is wrong with a velocity or an acceleration that does not keep the constraints; "" if nothing."""
    found = _breaks(subject, state)
    for name in ("qd", "qdd"):
        if found.get(name, 0.0) > OPEN:
            what = f"--{name} does not keep the constraints: the nearest that does differs by {found[name]:.0%}"
            return f"{what}; give some joints by name=value, and the others follow"
    return ""


def _led(closed: ClosedRobot, q: Array, own: Array, part: Part, option: str) -> Array:
    """The velocities or accelerations nearest to ``own`` that keep the constraints and have what is named, (..., nv).

    Row i of W, (..., k, nv), is the velocity that an impulse of one at the i-th named coordinate gives the robot at
    rest. In the metric of the mass matrix, the nearest are own + W^T mu with W_k mu = (wanted - own)_k. W_k is measured
    by the roots of what it would be in the open tree, so that its eigenvalues are from 0, blocked, to 1, free.
    """
    k = list(part.named)
    free = closed.tree.inverse_mass_matrix(q)[..., k, :]
    W = closed.impulse(q[..., None, :], free).qd
    size = np.sqrt(np.diagonal(free[..., k], axis1=-2, axis2=-1))
    S = W[..., k] / (size[..., :, None] * size[..., None, :])
    finite = np.isfinite(S).all(axis=(-2, -1), keepdims=True)  # a position that is not finite has NaN in W
    w, V = np.linalg.eigh(np.where(finite, S, 0.0))
    inverse = np.divide(1.0, w, out=np.zeros_like(w), where=w > BLOCKED)
    change = part.values[k] - own[..., k]
    mu = np.einsum("...ij,...j,...lj,...l->...i", V, inverse, V, change / size) / size
    found = own + np.einsum("...i,...ij->...j", mu, W)
    off = np.abs(found[..., k] - part.values[k]) > ROUNDING * np.abs(change).max(axis=-1, keepdims=True, initial=1.0)
    if (bad := np.flatnonzero(off.any(axis=-1))).size:
        names = [coordinate_names(closed, positions=False)[i] for i in k]
        dof = closed.mobility(np.broadcast_to(q, (*off.shape[:-1], closed.nq)).reshape(-1, closed.nq)[bad[0]]).dof
        where = "here" if off.ndim == 1 else f"in state {bad[0]} of {off.size // len(k)}, counted from 0"
        fewer = "name at most as many" if len(k) > dof else "name others, or give other values"
        raise ModelError(
            f"--{option}: the constraints of {closed.name} do not let {', '.join(names)} move so"
            f"{' together' * (len(k) > 1)}; it has {dof} freedom{'s' * (dof != 1)} {where}: {fewer}"
        )
    return np.asarray(found)
