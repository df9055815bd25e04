"""Conversion of what users give as arrays.

NumPy makes an array of almost anything, even if the meaning of the numbers is lost: degrees would be taken for radians,
masked entries for valid ones. Such arguments are refused. Labels (pandas, xarray) are ignored: entries are taken by
position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ArgumentError, ShapeError
from sixd.given import described
from sixd.ir import Port
from sixd.samples import Samples

__all__ = [
    "by_chunk",
    "common_lead",
    "explain_types",
    "is_lazy",
    "plain",
    "plain_arguments",
    "real_numbers",
    "run_lazily",
    "shape_of",
]


def plain(name: str, value: Any) -> Any:
    """An argument without its labels; `ArgumentError` if it has masked entries or units."""
    if type(value) is np.ndarray or not hasattr(value, "__array_ufunc__"):  # a list, a number
        return value
    if np.ma.isMaskedArray(value):
        if np.ma.is_masked(value):
            raise ArgumentError(
                f"{name} has masked entries, which have no value: give {name}.filled(np.nan), and the results of those "
                "samples are NaN"
            )
        return value.data
    if isinstance(value, np.matrix | Samples) or _is_of(value, "pandas") or _is_of(value, "xarray"):
        return np.asarray(value)
    if hasattr(value, "unit") or hasattr(value, "units"):
        raise ArgumentError(f"{name} has units: give its numbers alone, in SI units and radians")
    return value


def shape_of(name: str, value: Any) -> tuple[int, ...]:
    """The shape of what is to become an array; `ShapeError` if its rows have different lengths."""
    try:
        return np.shape(value)
    except ValueError:
        raise ShapeError(f"{name} must be an array of numbers, not {described(value)}") from None


def real_numbers(name: str, value: Any) -> NDArray[np.float64]:
    """An argument as an array of float64; refused unless it has real numbers."""
    try:
        array = np.asarray(plain(name, value))
    except (ValueError, OverflowError):
        raise ShapeError(f"{name} must be an array of numbers, not {described(value)}") from None
    if array.dtype.kind not in "biuf":
        raise ArgumentError(f"{name} must be an array of real numbers, not {described(value)}")
    return array.astype(np.float64)


def common_lead(leads: Mapping[str, tuple[int, ...]], of: str = "the arguments") -> tuple[int, ...]:
    """The batch axes to which arguments broadcast. ``leads`` gives the batch axes of each argument by name."""
    try:
        return np.broadcast_shapes(*leads.values())
    except ValueError:
        shapes = ", ".join(f"{name} {shape}" for name, shape in leads.items())
        raise ShapeError(f"the batch axes of {of} do not broadcast: {shapes}") from None


def plain_arguments(ports: Sequence[Port], arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments of a kernel, each as `plain` gives it. Arrays for results, which follow, stay as they are."""
    inputs = (plain(port.name, array) for port, array in zip(ports, arrays, strict=False))
    return (*inputs, *arrays[len(ports) :])


def is_lazy(value: Any) -> bool:
    """Whether a value is a Dask array, which is computed later and in chunks."""
    return type(value) is not np.ndarray and hasattr(value, "__array_ufunc__") and _is_of(value, "dask")


def run_lazily(kernel: Any, arrays: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """A kernel on Dask arrays.

    The types of its results are said in advance. Dask would find them by a call with arrays of other shapes, which
    fails.
    """
    wrong = sorted(set(options) - {"allow_rechunk", "meta", "vectorize"})
    if wrong:
        raise ArgumentError(f"on arrays of Dask a kernel has no option {wrong[0]!r}: its results are new arrays")
    cores, results = ([port.shape for port in side] for side in (kernel.inputs, kernel.outputs))
    try:
        return by_chunk(kernel, arrays, cores, results, **options)
    except ValueError as error:
        raise ShapeError(f"{kernel.__name__}: {error}") from None


def by_chunk(
    function: Callable[..., Any],
    arrays: Sequence[Any],
    cores: Sequence[tuple[int, ...]],
    results: Sequence[tuple[int, ...]],
    **options: Any,
) -> Any:
    """A function on Dask arrays, to be computed later and chunk by chunk: a Dask array, or a tuple of them.

    For one state the arguments have the shapes ``cores``, the results the shapes ``results``. Results are float32 if
    all arrays fit in it, else float64.
    """
    from dask.array import apply_gufunc

    kind = np.result_type(*(array if hasattr(array, "dtype") else np.asarray(array) for array in arrays))
    dtype = np.float32 if np.can_cast(kind, np.float32) else np.float64
    inputs, outputs = (",".join(f"({','.join(map(str, shape))})" for shape in side) for side in (cores, results))
    sizes = {str(n): n for shape in (*cores, *results) for n in shape}
    dtypes = dtype if len(results) == 1 else [dtype] * len(results)
    known = {"output_dtypes": dtypes, "output_sizes": sizes, "allow_rechunk": True}  # a sample must be in one chunk
    return apply_gufunc(function, f"{inputs}->{outputs}", *arrays, **{**known, **options})


def explain_types(ports: Sequence[Port], arrays: Sequence[Any]) -> None:
    """Raise an error that names the argument, if one is not an array of real numbers that NumPy can use."""
    for port, array in zip(ports, arrays, strict=False):
        own = getattr(type(array), "__array_ufunc__", np.ndarray.__array_ufunc__)
        if own is not np.ndarray.__array_ufunc__:
            raise ArgumentError(
                f"{port.name} is a {type(array).__module__}.{type(array).__name__}, which does not support functions "
                "like this one: give its numbers as a NumPy array"
            )
        kind = np.asarray(array).dtype
        if not np.can_cast(kind, np.float64):
            raise ArgumentError(f"{port.name} has numbers of type {kind}, but float64 or what fits in it is needed")


def _is_of(value: Any, package: str) -> bool:
    """Whether the type of a value, or a base class of it, is defined in a package. The package is not imported."""
    return any(kind.__module__.partition(".")[0] == package for kind in type(value).__mro__)
