"""How the functions of a round run: compiled, one kernel for each form of step, or in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from sixd.compiler.compile import compile
from sixd.compiler.kernel import Kernel
from sixd.joints import Revolute
from sixd.model import Model
from sixd.model.build import ModelBuilder
from sixd.parallel.closing import Closing

__all__ = ["CODES", "Runner"]

#: f(model, *arrays, ...) of one place, on rows of numbers; the model is not looked at.
Function: TypeAlias = Callable[..., Any]
Runner: TypeAlias = Callable[..., Any]


def in_numpy(function: Function, closing: Closing | None, **arrays: Any) -> Any:
    """The function itself, on arrays of places."""
    form = {} if closing is None else {"closing": closing}
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays.values()))
    found = function(None, **arrays, **form)
    if isinstance(found, tuple):
        return tuple(np.broadcast_to(x, (*lead, x.shape[-1])) for x in found)
    return np.broadcast_to(found, (*lead, found.shape[-1]))


def by_kernel(function: Function, closing: Closing | None, **arrays: Any) -> Any:
    """The function compiled, for the sizes of these arrays."""
    shapes = tuple((name, (x.shape[-1],)) for name, x in arrays.items())
    return _kernel(function, closing, shapes)(*arrays.values())


@lru_cache(1024)
def _kernel(function: Function, closing: Closing | None, shapes: tuple[tuple[str, tuple[int, ...]], ...]) -> Kernel:
    form: dict[str, Any] = {} if closing is None else {"closing": closing}
    return compile(function, _any_model(), shapes=dict(shapes), **form)


@lru_cache(1)
def _any_model() -> Model:
    """A model, since kernels belong to one. These functions do not look at it, so their code serves all robots."""
    builder = ModelBuilder("any")
    builder.link("base")
    builder.body("body", parent="base", joint=Revolute(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    return builder.build()


CODES: dict[str, Runner] = {"kernels": by_kernel, "numpy": in_numpy}
