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

__all__ = ["CODES", "Runner"]

#: f(model, *arrays, ...) of one place, on rows of numbers; the model is not looked at.
Function: TypeAlias = Callable[..., Any]
Runner: TypeAlias = Callable[..., Any]


def in_numpy(function: Function, form: Any, **arrays: Any) -> Any:
    """The function itself, on arrays of places."""
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays.values()))
    found = function(None, **arrays, **_options(form))
    if isinstance(found, tuple):
        return tuple(np.broadcast_to(x, (*lead, x.shape[-1])) for x in found)
    return np.broadcast_to(found, (*lead, found.shape[-1]))


def by_kernel(function: Function, form: Any, **arrays: Any) -> Any:
    """The function compiled, for the sizes of these arrays."""
    shapes = tuple((name, (x.shape[-1],)) for name, x in arrays.items())
    kernel = _kernel(function, form, shapes)
    return kernel(*(arrays[port.name] for port in kernel.inputs))


@lru_cache(1024)
def _kernel(function: Function, form: Any, shapes: tuple[tuple[str, tuple[int, ...]], ...]) -> Kernel:
    return compile(function, _any_model(), shapes=dict(shapes), **_options(form))


def _options(form: Any) -> dict[str, Any]:
    """The form of a step, or the forms of two, as the functions take them."""
    if form is None:
        return {}
    return dict(zip(("form", "next_form"), form, strict=True)) if isinstance(form, tuple) else {"form": form}


@lru_cache(1)
def _any_model() -> Model:
    """A model, since kernels belong to one. These functions do not look at it, so their code serves all robots."""
    builder = ModelBuilder("any")
    builder.link("base")
    builder.body("body", parent="base", joint=Revolute(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    return builder.build()


CODES: dict[str, Runner] = {"kernels": by_kernel, "numpy": in_numpy}
