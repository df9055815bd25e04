"""External forces as users give them, by frame name, and as algorithms take them, by body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.errors import ShapeError
from sixd.ops import doubt
from sixd.runtime.arguments import by_chunk, common_lead, is_lazy
from sixd.runtime.batches import as_batch
from sixd.spatial import Force

__all__ = ["Forces", "force_arrays", "forces_by_body"]

Array = NDArray[Any]
#: ``f_ext``: forces (..., 6) by the name of the frame they act on.
Forces = Mapping[str, ArrayLike] | None


def force_arrays(forces: Any) -> dict[str, Array]:
    """The array (..., 6) of each frame."""
    if not isinstance(forces, Mapping):
        raise ShapeError("f_ext must map frame names to forces (..., 6), such as {'hand': [0, 0, 0, 0, 0, -9.81]}")
    return {name: as_batch(f"f_ext[{name!r}]", f, (6,), "moment, then force") for name, f in forces.items()}


def forces_by_body(forces: Any, place: Callable[[str], Mapping[str, Any]], n_bodies: int) -> Array:
    """Forces in frame coordinates as forces (..., N, 6) in body coordinates.

    On the base they do nothing, but a sample in which one is not finite is NaN there too.

    ``place`` gives the body that carries a frame, and the frame's offset on it.
    """
    arrays = force_arrays(forces)
    if any(map(is_lazy, arrays.values())):
        later = partial(_of_chunk, list(arrays), {name: place(name) for name in arrays}, n_bodies)
        return by_chunk(later, list(arrays.values()), [(6,)] * len(arrays), [(n_bodies, 6)])
    lead = common_lead({name: a.shape[:-1] for name, a in arrays.items()}, "f_ext")
    total = np.zeros((*lead, n_bodies, 6), np.result_type(np.float32, *(a.dtype for a in arrays.values())))
    for name, array in arrays.items():
        where = place(name)
        with np.errstate(invalid="ignore"):
            if where["body"]:
                total[..., where["body"] - 1, :] += (where["offset"].inv @ Force.from_array(array)).array()
            elif n_bodies:
                total[..., 0, :] += doubt(np.moveaxis(array, -1, 0))[..., None]
    return total


def _of_chunk(names: list[str], places: dict[str, Mapping[str, Any]], n_bodies: int, *arrays: Array) -> Array:
    """`forces_by_body` of a chunk of the arrays of each frame."""
    return forces_by_body(dict(zip(names, arrays, strict=True)), places.__getitem__, n_bodies)
