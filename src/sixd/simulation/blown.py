"""Why a sample of a simulation left the finite numbers: which forces, and which joint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.compiler.parameters import with_parameters
from sixd.simulation.setup import Setup
from sixd.simulation.system import System

__all__ = ["fastest_joint", "guilty_sources"]

Array = NDArray[Any]


def fastest_joint(setup: Setup, qd: Array) -> str:
    """The name of the joint with the largest velocity, of those that are finite."""
    fastest = int(np.nanargmax(np.abs(qd))) if np.isfinite(qd).any() else 0
    return next(j.name for j in setup.robot.joints if j.v.start <= fastest < j.v.stop)


def guilty_sources(setup: Setup, given: Mapping[str, Array], t: float, q: Array, qd: Array) -> str:
    """The sources whose forces are not finite at a state, by name; ``given`` has what one sample is given there."""
    step, numbers = setup.step, {name: given[name] for name in setup.parameters}
    model = with_parameters(setup.robot, numbers) if numbers else setup.robot
    inputs = {name: given[name] for name in dict(step.inputs)}
    system = System(model, list(given["tau"]), step.controller, step.elements, inputs)
    with np.errstate(all="ignore"):
        moment = system.moment(np.float64(t), list(q), list(qd))
        found = [[*part.tau, *(x for f in part.bodies for x in f.components())] for part in system.loads(moment)]
    finite = [np.isfinite(np.array(x, dtype=float)).all() for x in found]
    return ", ".join(name for name, fine in zip(setup.sources, finite, strict=False) if not fine)
