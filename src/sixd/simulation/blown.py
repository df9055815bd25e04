"""Why a sample of a simulation could not go on: which forces, and which joint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.compiler.parameters import with_parameters
from sixd.diagnosis.audit import SINGULAR
from sixd.model.configuration import neutral
from sixd.robot.singular import idle_joint, remedy_for
from sixd.simulation.numbers import evaluate, numbers_of_samples
from sixd.simulation.setup import Setup
from sixd.simulation.system import System

__all__ = ["cause_of", "fastest_joint", "jumping_source"]

Array = NDArray[Any]
#: A joint moves no inertia where its pivot is below this share of what it is elsewhere, at so many places on the way
#: from a state, of at most so many rad or m.
IDLE, LOOKS, WAY = 1e-4, 33, 0.5
#: Forces jump that differ by this share of their size between states that differ by less than the second number, rad or
#: m and rad/s or m/s.
JUMP, SAME = 1e-2, 1e-5


def cause_of(setup: Setup, given: Mapping[str, Array], t: float, q: Array, qd: Array, ahead: float) -> str:
    """Why a sample cannot go on from a state; empty if that is not known. ``given`` has what it is given there.

    That is a source of forces that are not finite, or a joint that moves no inertia there or on the way ``ahead``, s.
    """
    guilty = guilty_sources(setup, given, t, q, qd)
    if guilty:
        return f"the forces of {guilty} are not finite there{_trouble(setup, given, t, q, qd)}"
    return _idle(setup, given, q, qd, ahead)


def _trouble(setup: Setup, given: Mapping[str, Array], t: float, q: Array, qd: Array) -> str:
    """What the controller finds wrong with the position, if it does."""
    controller = setup.step.controller
    if controller is None:
        return ""
    with np.errstate(all="ignore"):
        found = controller.trouble(_system(setup, given).moment(np.float64(t), list(q), list(qd)))
    return f": {found}" if found else ""


def _idle(setup: Setup, given: Mapping[str, Array], q: Array, qd: Array, ahead: float) -> str:
    """The joint that moves no inertia at a position or a little ahead of it, where the mass matrix is singular."""
    robot, numbers = setup.robot, {name: given[name][None] for name in numbers_of_samples(setup)}
    if not (numbers or robot.may_be_singular):
        return ""
    fastest = float(np.abs(qd).max(initial=0.0))
    times = np.linspace(0.0, min(ahead, WAY / fastest) if fastest > 0.0 else 0.0, LOOKS)
    places = np.concatenate([neutral(robot)[None], np.asarray(robot.integrate(q, times[:, None] * qd))])
    with np.errstate(all="ignore"):
        pivots = evaluate(robot, algorithms.relative_pivots, numbers, places)
    least = np.maximum(IDLE * pivots.max(axis=0), SINGULAR)
    if (pivots[1:] > least).all():
        return ""
    joint = idle_joint(robot, pivots[1:].min(axis=0), least)
    return (
        f"the mass matrix is singular there, because a motion of joint {joint!r} moves no inertia. "
        f"{remedy_for(robot, joint, pivots[0])}"
    )


def jumping_source(setup: Setup, given: Mapping[str, Array], t: float, q: Array, qd: Array, qdd: Array) -> str:
    """The source whose forces jump close to a state, on the way from or to it, and at which joint; or nothing."""
    fastest = max(float(np.abs(x).max(initial=0.0)) for x in (qd, qdd))
    if not 0.0 < fastest < np.inf:
        return ""
    times = np.geomspace(1e-8, 1.0, LOOKS) * SAME / fastest
    times = np.concatenate([-times, times])[:, None]
    places, speeds = np.asarray(setup.robot.integrate(q, times * qd)), qd + times * qdd
    system = _system(setup, given)
    with np.errstate(all="ignore"):
        moments = [system.moment(np.float64(t), list(a), list(b)) for a, b in zip(places, speeds, strict=True)]
        each = [[system.joint_forces(m, [part]) for part in system.loads(m)] for m in moments]
    forces = np.array(each, dtype=float)  # (S, sources, nv)
    jumps = np.ptp(forces, axis=0) / np.maximum(np.abs(forces).max(axis=0), 1e-300)
    source, k = np.unravel_index(int(np.argmax(jumps)), jumps.shape)
    if not jumps[source, k] > JUMP:
        return ""
    joint = next(j.name for j in setup.robot.joints if j.v.start <= k < j.v.stop)
    return f"the forces of {setup.sources[source]} jump there, at joint {joint!r}"


def fastest_joint(setup: Setup, qd: Array) -> str:
    """The name of the joint with the largest velocity, of those that are finite."""
    fastest = int(np.nanargmax(np.abs(qd))) if np.isfinite(qd).any() else 0
    return next(j.name for j in setup.robot.joints if j.v.start <= fastest < j.v.stop)


def guilty_sources(setup: Setup, given: Mapping[str, Array], t: float, q: Array, qd: Array) -> str:
    """The sources whose forces are not finite at a state, by name; ``given`` has what one sample is given there."""
    system = _system(setup, given)
    with np.errstate(all="ignore"):
        moment = system.moment(np.float64(t), list(q), list(qd))
        found = [[*part.tau, *(x for f in part.bodies for x in f.components())] for part in system.loads(moment)]
    finite = [np.isfinite(np.array(x, dtype=float)).all() for x in found]
    return ", ".join(name for name, fine in zip(setup.sources, finite, strict=False) if not fine)


def _system(setup: Setup, given: Mapping[str, Array]) -> System:
    """The equations of motion of one sample, on plain numbers."""
    step, numbers = setup.step, {name: given[name] for name in setup.parameters}
    model = with_parameters(setup.robot, numbers) if numbers else setup.robot
    inputs = {name: given[name] for name in dict(step.inputs)}
    return System(model, list(given["tau"]), step.controller, step.elements, inputs)
