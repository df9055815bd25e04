"""Methods of robots on arrays of Dask: they are computed later, chunk by chunk, as kernels are.

What is wrong with the numbers, such as a zero quaternion, shows when a chunk is computed; what is wrong with shapes and
types shows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.runtime.arguments import by_chunk

__all__ = ["run_later", "without_singular_later"]

Array = NDArray[Any]
Run = Callable[[dict[str, Array]], Any]


def run_later(run: Run, arguments: Mapping[str, Array], positions: Mapping[str, Array]) -> Any:
    """``run`` on arguments of which some are arrays of Dask: an array of Dask, or a tuple of them.

    It is tried on one state, which tells the shapes of results: zeros, and these positions.
    """
    shapes = {name: a.shape[-2:] if name == "f_ext" else a.shape[-1:] for name, a in arguments.items()}
    one = run({name: np.zeros(shape) for name, shape in shapes.items()} | dict(positions))
    results = [part.shape for part in (one if isinstance(one, tuple) else (one,))]
    later = partial(_run_chunk, run, list(arguments))
    return by_chunk(later, list(arguments.values()), list(shapes.values()), results)


def _run_chunk(run: Run, names: Sequence[str], *arrays: Array) -> Any:
    return run(dict(zip(names, arrays, strict=True)))


def without_singular_later(without: Callable[..., Array], q: Array, result: Array, rank: int) -> Array:
    """``without(q, result, rank)``, which makes singular samples NaN, on arrays of Dask.

    That all samples are singular is an error in each chunk of its own.
    """
    core = result.shape[result.ndim - rank :]
    return by_chunk(partial(without, rank=rank), [q, result], [q.shape[-1:], core], [core])
