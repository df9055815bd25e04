"""Some of the states in which the samples of a run begin, at which it is looked whether its steps are short enough."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.compiler.parameters import parameters
from sixd.runtime.arguments import common_lead
from sixd.simulation.numbers import numbers_of_samples
from sixd.simulation.setup import Setup

__all__ = ["Starts", "starts_of"]

Array = NDArray[Any]
#: At most so many samples of a batch are looked at.
MOST = 32


class Starts(NamedTuple):
    """States of S samples, (S, nq) and (S, nv), with inputs and parameters by name, (S, *shape)."""

    q: Array
    qd: Array
    inputs: Mapping[str, Array]
    numbers: Mapping[str, Array]


def starts_of(setup: Setup, q: Array, qd: Array) -> Starts:
    """All samples of a batch (..., nq), (..., nv), or `MOST` of them, spread evenly from the first to the last."""
    inputs = {}
    cores: dict[str, tuple[int, ...]] = {"q": (setup.robot.nq,), "qd": (setup.robot.nv,)}
    for name, core in setup.step.inputs:
        x, cores[name] = setup.given[name], core
        if name in setup.stepped:  # the value of the first step, if there is one
            axis = x.ndim - len(core) - 1
            x = np.take(x, 0, axis) if x.shape[axis] else np.zeros((*x.shape[:axis], *core))
        inputs[name] = x
    numbers = numbers_of_samples(setup)
    cores |= {name: parameters(setup.robot, name).shape for name in numbers}
    arrays = {"q": q, "qd": qd, **inputs, **numbers}
    lead = common_lead({name: x.shape[: x.ndim - len(cores[name])] for name, x in arrays.items()})
    samples = prod(lead)
    which = np.unique(np.linspace(0, samples - 1, min(samples, MOST)).astype(int))
    some = {k: np.broadcast_to(x, lead + cores[k]).reshape(samples, *cores[k])[which] for k, x in arrays.items()}
    return Starts(some["q"], some["qd"], {k: some[k] for k in inputs}, {k: some[k] for k in numbers})
