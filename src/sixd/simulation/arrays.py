"""What is given to a simulation, for each sample of its batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.compiler.parameters import parameters
from sixd.compiler.rollout import by_sample
from sixd.errors import ArgumentError, ShapeError
from sixd.runtime.arguments import common_lead
from sixd.simulation.setup import Setup

__all__ = ["arrays_of", "batch_of"]

Array = NDArray[Any]


def batch_of(setup: Setup, start: Mapping[str, Array]) -> tuple[int, ...]:
    """The batch axes of a run: those of its start, of what is given for each step, and of parameters."""
    leads = {name: x.shape[:-1] for name, x in start.items()}
    for name in setup.stepped:
        array = setup.given[name]
        leads[name] = array.shape[: array.ndim - len(_core(setup, name)) - 1]
    for name, x in setup.parameters.items():
        leads[name] = x.shape[: x.ndim - parameters(setup.robot, name).ndim]
    return common_lead(leads)


def arrays_of(setup: Setup, lead: tuple[int, ...], steps: int, resumed: bool = False) -> dict[str, Array]:
    """Joint forces, inputs and parameters by name, (samples, *shape), or (samples, steps, *shape) by step.

    A run that was ``resumed`` and has so many steps in all may end before what has a value for each step does.
    """
    found = {}
    for name, array in setup.given.items():
        if name in setup.stepped:
            found[name] = _by_step(setup, name, array, lead, steps, resumed)
        else:
            found[name] = by_sample(array, _core(setup, name), lead)
    numbers = {name: (x, parameters(setup.robot, name).shape) for name, x in setup.parameters.items()}
    return found | {name: by_sample(x, core, lead) for name, (x, core) in numbers.items()}


def _core(setup: Setup, name: str) -> tuple[int, ...]:
    """The shape of one value of what is given by name."""
    return dict(setup.step.inputs).get(name, (setup.robot.nv,))


def _by_step(setup: Setup, name: str, array: Array, lead: tuple[int, ...], steps: int, resumed: bool) -> Array:
    core = _core(setup, name)
    own = array.shape[: array.ndim - len(core) - 1]
    number = array.shape[len(own)]
    title = "control" if name == "tau" else f"inputs[{name!r}]"
    if resumed and number not in (1, steps):
        if number < steps:
            raise ArgumentError(
                f"{title} has values for {number} steps, and the run would go on to step {steps}: simulate anew with "
                "a value for each"
            )
        array = np.take(array, range(steps), axis=len(own))
    elif number not in (1, steps):
        wanted = ", ".join(map(str, core))
        raise ShapeError(
            f"{title} has shape {array.shape}: {number} values along the axis of steps, but there are {steps} "
            f"steps; give one value for each, (..., {steps}, {wanted}), or one for all, (..., 1, {wanted})"
        )
    whole = np.broadcast_to(array, (*own, steps, *core))
    return by_sample(whole, (steps, *core), lead)
