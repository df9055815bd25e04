"""What is given to a simulation, for each sample of its batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.compiler.parameters import parameters
from sixd.compiler.rollout import by_sample
from sixd.errors import ShapeError
from sixd.runtime.arguments import common_lead
from sixd.simulation.setup import Setup

__all__ = ["arrays_of", "batch_of"]

Array = NDArray[Any]


def batch_of(setup: Setup, start: Mapping[str, Array]) -> tuple[int, ...]:
    """The batch axes of a run: those of its start, of what is given for each step, and of parameters."""
    leads = {name: x.shape[:-1] for name, x in start.items()}
    for name in setup.stepped:
        array = (setup.given or {})[name]
        leads[name] = array.shape[: array.ndim - len(_core(setup, name)) - 1]
    for name, x in setup.parameters.items():
        leads[name] = x.shape[: x.ndim - parameters(setup.robot, name).ndim]
    return common_lead(leads)


def arrays_of(setup: Setup, lead: tuple[int, ...], steps: int) -> dict[str, Array]:
    """Joint forces, inputs and parameters by name, (samples, *shape), or (samples, steps, *shape) by step."""
    found = {name: _per_sample(setup, name, array, lead, steps) for name, array in (setup.given or {}).items()}
    numbers = {name: (x, parameters(setup.robot, name).shape) for name, x in setup.parameters.items()}
    return found | {name: by_sample(x, core, lead) for name, (x, core) in numbers.items()}


def _core(setup: Setup, name: str) -> tuple[int, ...]:
    """The shape of one value of what is given by name."""
    return dict(setup.step.inputs).get(name, (setup.robot.nv,))


def _per_sample(setup: Setup, name: str, array: Array, lead: tuple[int, ...], steps: int) -> Array:
    core = _core(setup, name)
    if name not in setup.stepped:
        return by_sample(array, core, lead)
    number = array.shape[array.ndim - len(core) - 1]
    if number not in (1, steps):
        title = "control" if name == "tau" else f"inputs[{name!r}]"
        wanted = ", ".join(map(str, core))
        raise ShapeError(
            f"{title} has shape {array.shape}: {number} values along the axis of steps, but there are {steps} "
            f"steps; give one value for each, (..., {steps}, {wanted}), or one for all, (..., 1, {wanted})"
        )
    whole = np.broadcast_to(array, (*array.shape[: array.ndim - len(core) - 1], steps, *core))
    return by_sample(whole, (steps, *core), lead)
