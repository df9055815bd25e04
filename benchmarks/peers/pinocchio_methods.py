"""Pinocchio's calls from Python that do what a method of a robot does and are none of the nine algorithms."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.measure import CHECKED, Contestant, call
from benchmarks.peers.pinocchio_python import LIBRARY, PinocchioPython
from sixd.layouts import linear_first

__all__ = ["FORCE", "pinocchio_methods"]

Array = Any

#: A force on the tip: moment and force in its coordinates.
FORCE = np.arange(6.0)

#: Expressions by the names of methods. What comes before a semicolon is done first. Poses and velocities are objects of
#: its own: as arrays they would cost it more.
CALLS = {
    "gravity_forces": "pin.computeGeneralizedGravity(model, data, q)",
    "pose": "pin.forwardKinematics(model, data, q); data.oMi[tip]",
    "velocity": "pin.forwardKinematics(model, data, q, v); pin.getVelocity(model, data, tip, LOCAL)",
    "integrate": "pin.integrate(model, q, v)",
    "inverse_dynamics, a force": "pin.rnea(model, data, q, v, a, force)",
}


def pinocchio_methods(python: PinocchioPython) -> dict[str, Contestant]:
    """The calls, each with the results of the first states in sixd's layout."""
    translated = python.translated
    force = pin.StdVec_Force()
    for k in range(translated.model.njoints):
        force.append(pin.Force(linear_first(FORCE)) if k == translated.tip else pin.Force.Zero())
    names = {**python.names, "pin": pin, "force": force, "LOCAL": pin.ReferenceFrame.LOCAL}
    layout, q = translated.layout, translated.specimen.states(CHECKED)["q"]
    ours: dict[str, Callable[[list[Any]], Array]] = {
        "gravity_forces": lambda x: layout.tau_from(q, x),
        "pose": lambda x: np.array([place.homogeneous for place in x]),
        "velocity": lambda x: linear_first([twist.vector for twist in x]),
        "integrate": layout.q_from,
        "inverse_dynamics, a force": lambda x: layout.tau_from(q, x),
    }

    def results(method: str) -> Array:
        first, _, last = CALLS[method].rpartition(";")
        found = []
        for position, v, a in zip(*translated.states(CHECKED), strict=True):
            known = {**names, "q": position, "v": v, "a": a}
            exec(first, known)
            found.append(copy(eval(last.strip(), known)))  # it may be a part of the workspace
        return ours[method](found)

    return {
        method: Contestant(LIBRARY, "", 1, call(statement, 1, **names), lambda method=method: results(method))  # type: ignore[misc]
        for method, statement in CALLS.items()
    }
