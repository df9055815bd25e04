"""Arguments of simulations that are differentiated, as arrays with the samples as first axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.compiler.rollout import by_sample
from sixd.errors import ArgumentError, ChoiceError, ShapeError
from sixd.runtime.arguments import common_lead, real_numbers
from sixd.runtime.batches import as_batch

__all__ = ["Arguments", "by_name", "by_step", "per_step"]

Array = NDArray[Any]


class Arguments(NamedTuple):
    """The arguments of a call: the batch axes that they had, the number of steps, and the arrays by name."""

    lead: tuple[int, ...]
    steps: int
    arrays: dict[str, Array]

    @classmethod
    def of(cls, steps: int, values: Mapping[str, Any], cores: Mapping[str, tuple[int, ...]]) -> Arguments:
        """Values by name, with the shapes that they have for one sample."""
        arrays = {name: as_batch(name, x, cores[name]).astype(float) for name, x in values.items()}
        lead = common_lead({name: x.shape[: x.ndim - len(cores[name])] for name, x in arrays.items()})
        return cls(lead, steps, {name: by_sample(x, cores[name], lead) for name, x in arrays.items()})

    @property
    def samples(self) -> int:
        return len(self.arrays["q0"])

    def shaped(self, x: Array) -> Array:
        """An array with the batch axes of the arguments in place of the samples."""
        return x.reshape((*self.lead, *x.shape[1:]))


def per_step(name: str, value: Any, size: int, what: str) -> tuple[Array, int]:
    """Numbers for each step, (..., T, size), and T."""
    array = as_batch(name, value, (size,), what).astype(float)
    if array.ndim < 2 or not array.shape[-2]:
        raise ShapeError(f"{name} has shape {array.shape}, but (..., steps, {size}) is needed, of at least one step")
    return array, array.shape[-2]


def by_name(title: str, values: Any, known: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Values by name; what is no mapping, or has unknown names, is refused."""
    if values is not None and not isinstance(values, Mapping):
        raise ArgumentError(f"{title} maps names to arrays, not {given.described(values)}")
    for name in values or ():
        if name not in known:
            listed = ", ".join(map(repr, known)) or "none"
            raise ChoiceError(f"{title} names {name!r}, but the {what} are: {listed}")
    return dict(values or {})


def by_step(title: str, value: Any, core: tuple[int, ...], steps: int) -> tuple[Array, int]:
    """An input as (..., steps, *core), and how many values it has along the axis of steps: 0 if it is one (*core)."""
    array = real_numbers(title, value)
    batch = array.ndim - len(core)
    if batch < 0 or array.shape[batch:] != core or (batch and array.shape[batch - 1] not in (1, steps)):
        wanted = ", ".join(map(str, core))
        raise ShapeError(
            f"{title} has shape {array.shape}, but ({wanted}) is needed for a constant, or (..., {steps}, {wanted}) "
            f"for {steps} steps"
        )
    values = array.shape[batch - 1] if batch else 0
    array = array if batch else array[None]
    return np.broadcast_to(array, (*array.shape[: array.ndim - len(core) - 1], steps, *core)), values
