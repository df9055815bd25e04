"""Methods of robots on Dask arrays: they are computed later, chunk by chunk, as kernels are.

Mistakes in the numbers, such as a zero quaternion, are found when a chunk is computed; mistakes in shapes and types are
found at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from sixd.runtime.arguments import by_chunk

__all__ = ["run_later", "solve_later", "without_singular_later"]

Array = NDArray[Any]


def run_later(method: Callable[..., Any], arrays: Sequence[Array], state: Sequence[Array]) -> Any:
    """A method on arrays of which some are Dask arrays: a Dask array, or a tuple of them.

    The shapes of the results are found by a call for one ``state``.
    """
    one = method(*state)
    results = [part.shape for part in (one if isinstance(one, tuple) else (one,))]
    return by_chunk(method, arrays, [x.shape for x in state], results)


def solve_later(solve: Callable[[Array, Array], Array], H: Array, B: Array) -> Array:
    """``solve(H, B)``, where one of them is a Dask array."""
    n, m = B.shape[-2:]
    return by_chunk(solve, [H, B], [(n, n), (n, m)], [(n, m)])


def without_singular_later(without: Callable[..., Array], q: Array, result: Array, rank: int) -> Array:
    """``without(q, result, rank, None)``, which makes singular samples NaN, on Dask arrays.

    If all samples of one chunk are singular, that is an error.
    """
    core = result.shape[result.ndim - rank :]
    return by_chunk(partial(without, rank=rank, out=None), [q, result], [q.shape[-1:], core], [core])
