"""What follows from states of a robot whose numbers differ from sample to sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.compiler.choice import kernel
from sixd.compiler.parameters import named_parameters, parameters
from sixd.robot import Robot
from sixd.simulation.setup import Setup

__all__ = ["evaluate", "numbers_of_records", "numbers_of_samples"]

Array = NDArray[Any]


def numbers_of_samples(setup: Setup) -> dict[str, Array]:
    """The parameters of samples by name, (..., *shape), in the order in which kernels take them."""
    return {name: setup.parameters[name] for name in named_parameters(tuple(setup.parameters))}


def numbers_of_records(setup: Setup) -> dict[str, Array]:
    """The same with an axis for time, (..., 1, *shape)."""
    robot = setup.robot
    return {k: np.expand_dims(x, x.ndim - parameters(robot, k).ndim) for k, x in numbers_of_samples(setup).items()}


def evaluate(robot: Robot, algorithm: Any, numbers: Mapping[str, Array], *states: Any) -> Array:
    """An algorithm at states (..., n), for a robot with these numbers, whose batch axes are those of the states."""
    if not numbers:
        return np.asarray(robot._code[algorithm](*states))
    return np.asarray(kernel(algorithm, robot, parameters=tuple(numbers))(*states, *numbers.values()))
