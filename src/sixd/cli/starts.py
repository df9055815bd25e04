"""Positions and velocities in words of the command line, of robots with loops too: what is named leads the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sixd.cli.builtin import Subject
from sixd.cli.states import is_random, state_part
from sixd.errors import AssemblyError, ModelError
from sixd.robot import ClosedRobot

__all__ = ["acceleration_of", "open_loop", "position_of", "state_of", "velocity_of"]

Array = NDArray[np.float64]
State = dict[str, Array]
#: How far a velocity may be from what was asked for, relative.
ROUNDING = 1e-9
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
    q = state_part(subject.robot, "q", words, seed, size, option, subject.q)
    closed = subject.closed
    if closed is None or not _names(words):
        return q
    moved = [j.name for j in closed.joints if j.mimic is None and not np.array_equal(q[j.q], subject.q[j.q])]
    try:
        return closed.assemble(q, fixed=moved)
    except AssemblyError as error:
        what = f"no position of {closed.name} was found that keeps its constraints with {', '.join(moved)} there"
        raise ModelError(f"--{option}: {what}; the nearest one is off by {error.error:.3g} (rad or m)") from None


def velocity_of(
    subject: Subject, q: Array, words: Sequence[str] | None, seed: int, size: tuple[int, ...] = ()
) -> Array:
    """The velocity (nv,) at the position q (nq,), or random ones (*size, nv); None stands for the subject's own.

    In a robot with loops it is the nearest one that keeps the constraints, and joints given by name=value move so.
    Numbers for all are taken as they are.
    """
    closed, own = subject.closed, subject.qd
    if closed is None:
        return own if words is None else state_part(subject.robot, "qd", words, seed, size)
    if own.any() and not np.array_equal(q, subject.q):
        own = closed.project(q, own)[1]
    if words is None:
        return own
    qd = state_part(closed, "qd", words, seed, size, rest=own)
    if is_random(words):
        return closed.project(q, qd)[1]
    return _led(closed, q, own, qd, "qd") if _names(words) else qd


def acceleration_of(subject: Subject, q: Array, qd: Array, words: Sequence[str] | None, seed: int) -> Array:
    """The acceleration (nv,) at a state; None stands for zero, or what comes nearest to it in a robot with loops.

    As `velocity_of`: what is named leads the rest, numbers for all are taken as they are.
    """
    closed, still = subject.closed, np.zeros(subject.robot.nv)
    if closed is None:
        return still if words is None else state_part(subject.robot, "qdd", words, seed)
    own = closed.project(q, qd, still)[2]
    if words is None:
        return own
    qdd = state_part(closed, "qdd", words, seed, rest=own)
    if is_random(words):
        return closed.project(q, qd, qdd)[2]
    return _led(closed, q, own, qdd, "qdd") if _names(words) else qdd


def state_of(subject: Subject, words: Mapping[str, Sequence[str] | None], needs: Sequence[str], seed: int) -> State:
    """The parts of one state that are needed; what is not given is the subject's own, or zero."""
    state: State = {"q": position_of(subject, words.get("q"), seed)}
    if "qd" in needs:
        state["qd"] = velocity_of(subject, state["q"], words.get("qd"), seed)
    if "qdd" in needs:
        state["qdd"] = acceleration_of(subject, state["q"], state["qd"], words.get("qdd"), seed)
    if "tau" in needs:
        state["tau"] = state_part(subject.robot, "tau", words.get("tau") or ["zero"], seed)
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


def _names(words: Sequence[str]) -> bool:
    return any("=" in word for word in words)


def _led(closed: ClosedRobot, q: Array, own: Array, wanted: Array, option: str) -> Array:
    """The velocity or acceleration nearest to ``own`` that keeps the constraints and has the entries of ``wanted``.

    Others that keep them are own + F^T y, with F H F^T = 1; y is the smallest one with F_k^T y = (wanted - own)_k.
    """
    k = np.flatnonzero(wanted != own)
    F = closed.mobility(q).freedoms
    A, change = F[:, k].T, wanted[k] - own[k]
    y = np.linalg.pinv(A, rcond=ROUNDING) @ change
    if (np.abs(A @ y - change) > ROUNDING * np.abs(change).max(initial=1.0)).any():
        raise ModelError(
            f"--{option}: the constraints of {closed.name} do not let these coordinates move so together; it has "
            f"{len(F)} freedom{'s' * (len(F) != 1)} here, so name at most as many"
        )
    return np.asarray(own + F.T @ y)
