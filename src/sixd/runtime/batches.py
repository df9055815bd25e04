"""Running an algorithm in Python over a batch of states: shapes, broadcasting, precision.

Every scalar of the algorithm is an array of samples, so its Python code runs once for each chunk of states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ArgumentError, ShapeError
from sixd.given import described
from sixd.runtime.arguments import common_lead, is_lazy, plain
from sixd.runtime.results import as_array

__all__ = ["as_batch", "by_sample", "evaluate"]

#: Samples worked on together: large enough to hide the cost of Python, small enough to stay in cache.
CHUNK = 2048

Array = NDArray[Any]


def as_batch(name: str, value: Any, core: tuple[int, ...], meaning: str = "") -> Array:
    """An argument as an array of floats whose last axes have the shape ``core``; a Dask array stays one.

    ``meaning`` tells in errors what the last axis is.
    """
    try:
        array = value if is_lazy(value) else np.asarray(plain(name, value))
    except ArgumentError:
        raise
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be an array of numbers, not {described(value)}") from None
    if array.dtype.kind not in "biuf":
        other = "; for numbers of other kinds call sixd.algorithms" if array.dtype.kind in "Oc" else ""
        raise ShapeError(f"{name} must be an array of real floats, not {described(value)}{other}")
    if array.dtype != np.float32:
        array = array.astype(np.float64, copy=False)
    if array.ndim < len(core) or array.shape[array.ndim - len(core) :] != core:
        wanted = ", ".join(["...", *map(str, core)])
        tail = f": {meaning}" if meaning else ""
        raise ShapeError(f"{name} has shape {array.shape}, but ({wanted}) is needed{tail}")
    return array


def by_sample(result: Any, rank: int) -> Array:
    """The result of an algorithm for a batch as an array (..., *core), where core has ``rank`` axes.

    A pose is a 4x4 matrix, an inertia 6x6. A list, and values by body (a tuple, None for no value), are stacked.
    """
    if isinstance(result, tuple | list):
        each = [np.asarray(np.nan) if value is None else by_sample(value, rank - 1) for value in result]
        return np.stack(np.broadcast_arrays(*each), axis=-rank)
    return np.asarray(as_array(result))


def evaluate(
    function: Callable[..., Any], arguments: dict[str, tuple[Array, int]], out_rank: int | tuple[int, ...]
) -> Any:
    """Call ``function`` on every state of a batch.

    ``arguments`` gives each array with the rank of one state's value; the axes before it are broadcast. The function
    gets arrays (samples, *core), or (*core) for a single state. It returns one array or a tuple of them; ``out_rank``
    is the number of axes that each has for one state.
    """
    lead = common_lead({name: array.shape[: array.ndim - rank] for name, (array, rank) in arguments.items()})
    bad = _not_finite(arguments.values(), lead)
    dtype = np.result_type(*(array.dtype for array, _ in arguments.values()))
    several = isinstance(out_rank, tuple)
    ranks: tuple[int, ...] = out_rank if isinstance(out_rank, tuple) else (out_rank,)

    count = prod(lead)
    if count == 1:  # one state runs on plain floats, several times faster than on arrays of one sample
        one = {name: array.reshape(array.shape[array.ndim - rank :]) for name, (array, rank) in arguments.items()}
        with np.errstate(all="ignore"):
            result = function(**one)
        parts = [np.asarray(part, dtype=dtype) for part in (result if several else (result,))]
        return _finish([part.reshape(lead + part.shape) for part in parts], bad, several)

    flat = {
        name: np.broadcast_to(array, lead + array.shape[array.ndim - rank :]).reshape(
            count, *array.shape[array.ndim - rank :]
        )
        for name, (array, rank) in arguments.items()
    }
    outputs: list[Array | None] = [None] * len(ranks)
    with np.errstate(all="ignore"):
        # An empty batch still runs once, on one state of zeros, to learn the shape of the result.
        for start in range(0, count, CHUNK) if count else (0,):
            part = {
                name: array[start : start + CHUNK] if count else np.zeros((1, *array.shape[1:]), array.dtype)
                for name, array in flat.items()
            }
            size = len(next(iter(part.values())))
            result = function(**part)
            for k, (values, rank) in enumerate(zip(result if several else (result,), ranks, strict=True)):
                values = np.asarray(values)
                core = values.shape[values.ndim - rank :]
                if outputs[k] is None:
                    outputs[k] = np.empty((count, *core), dtype=dtype)
                if count:
                    outputs[k][start : start + size] = values  # type: ignore[index]
    return _finish([out.reshape(*lead, *out.shape[1:]) for out in outputs if out is not None], bad, several)


def _not_finite(arguments: Iterable[tuple[Array, int]], lead: tuple[int, ...]) -> Array:
    """Which samples have an argument that is NaN or infinite."""
    bad = np.zeros(lead, dtype=bool)
    for array, rank in arguments:
        bad |= ~np.isfinite(array).all(axis=tuple(range(array.ndim - rank, array.ndim)))
    return bad


def _finish(results: list[Array], bad: Array, several: bool) -> Any:
    """The results, with NaN in bad samples, as kernels do it. A result without axes is returned as a number."""
    if bad.any():
        results = [np.array(result) for result in results]
        for result in results:
            result[bad] = np.nan
    results = [result[()] for result in results]
    return tuple(results) if several else results[0]
