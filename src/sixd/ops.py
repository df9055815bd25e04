"""The one door from the algebra to numbers.

The algebra, the joints and the algorithms are written for *any number*: a Python float, a NumPy array (every entry
a sample), an array of another library, an ``mpmath`` number, a symbolic or traced scalar. Operators (``+ - * @``)
come from the numbers themselves; what is not an operator goes through this module. Integers count as the floats of
the same value: no array of integers comes out of it.

A kind of number is described by its `Rules`, found from its type. Floats, NumPy and mpmath numbers and arrays that
follow the array API standard are known; `register` adds others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from sixd.errors import ArgumentError, ShapeError
from sixd.given import described
from sixd.samples import Samples
from sixd.tabulated import Tabulated

__all__ = [
    "Rules",
    "Scalar",
    "Tabulated",
    "Wrapper",
    "absolute",
    "arctan2",
    "bits",
    "cos",
    "divide",
    "doubt",
    "floor",
    "leveller",
    "look",
    "pick",
    "register",
    "sign",
    "sin",
    "sqrt",
    "stack",
    "unstack",
    "where",
]

#: A number of any kind: float, array of samples, mpmath number, traced scalar.
Scalar: TypeAlias = Any


class Wrapper:
    """The base of numbers that are made of other numbers, of any kind: where they meet, the wrapper does the work."""

    __slots__ = ()


def _no_floor(x: Scalar) -> Scalar:
    raise ArgumentError(f"numbers of type {type(x).__qualname__} cannot be rounded down: give their Rules a floor")


def _no_pick(table: Tabulated, place: Scalar) -> Scalar:
    raise ArgumentError(f"numbers of type {type(place).__qualname__} are no places in a table: give their Rules a pick")


@dataclass(frozen=True)
class Rules:
    """What one kind of number can do beyond its operators.

    ``stack`` makes the array of `stack` out of numbers of which some are of this kind; without it the array is one
    of objects. ``floor`` and ``pick`` are needed by code that looks into tables.
    """

    sin: Callable[[Scalar], Scalar]
    cos: Callable[[Scalar], Scalar]
    sqrt: Callable[[Scalar], Scalar]
    arctan2: Callable[[Scalar, Scalar], Scalar]
    absolute: Callable[[Scalar], Scalar]
    divide: Callable[[Scalar, Scalar], Scalar]
    where: Callable[[Scalar, Scalar, Scalar], Scalar]
    bits: Callable[[], int] = lambda: 53
    stack: Callable[[Sequence[Scalar], tuple[int, ...]], Any] | None = None
    floor: Callable[[Scalar], Scalar] = _no_floor
    pick: Callable[[Tabulated, Scalar], Scalar] = _no_pick


def _float_or_nan(function: Callable[[float], float]) -> Callable[[float], float]:
    """IEEE behaviour for a function of `math`: NaN where `math` would raise."""

    def of(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return math.nan

    return of


def _divide_floats(a: float, b: float) -> float:
    """IEEE division: x/0 is infinite, 0/0 is NaN, nothing raises."""
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


FLOAT = Rules(
    sin=_float_or_nan(math.sin),
    cos=_float_or_nan(math.cos),
    sqrt=_float_or_nan(math.sqrt),
    arctan2=math.atan2,
    absolute=abs,
    divide=_divide_floats,
    where=lambda condition, a, b: a if condition else b,
    floor=lambda x: float(np.floor(x)),
    pick=Tabulated.at,
)


def _divide_arrays(a: Any, b: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(a, b)


def _as_given(result: Any, *numbers: Any) -> Any:
    """The result as samples if it was made of such: these functions of NumPy forget it."""
    return result.view(Samples) if any(isinstance(x, Samples) for x in numbers) else result


def _where_arrays(condition: Any, a: Any, b: Any) -> Any:
    return _as_given(np.where(condition, a, b), condition, a, b)


def _pick_arrays(table: Tabulated, place: Any) -> Any:
    return _as_given(np.asarray(table.at(place)), place)


NUMPY = Rules(
    np.sin, np.cos, np.sqrt, np.arctan2, np.abs, _divide_arrays, _where_arrays, floor=np.floor, pick=_pick_arrays
)

_RULES: dict[type, Rules] = {
    float: FLOAT,
    int: FLOAT,
    bool: FLOAT,
    np.bool_: FLOAT,
    np.ndarray: NUMPY,
    np.floating: NUMPY,
    np.integer: NUMPY,
}


def register(kind: type, rules: Rules) -> None:
    """Teach the algebra a new kind of number: ``rules`` apply to ``kind`` and its subclasses."""
    _RULES[kind] = rules
    _rules_of_type.cache_clear()


@cache
def _rules_of_type(kind: Any) -> Rules:
    for base in kind.__mro__:
        if base in _RULES:
            return _RULES[base]
    if kind.__module__.split(".")[0] == "mpmath":
        return _mpmath_rules()
    raise ArgumentError(
        f"sixd.ops knows no rules for numbers of type {kind.__module__}.{kind.__qualname__}; "
        "add them with sixd.ops.register(type, Rules(...))"
    )


def _mpmath_rules() -> Rules:
    import mpmath

    def divide(a: Scalar, b: Scalar) -> Scalar:
        return a / b if b != 0 else mpmath.sign(a) * mpmath.inf

    return Rules(
        sin=mpmath.sin,
        cos=mpmath.cos,
        sqrt=mpmath.sqrt,
        arctan2=mpmath.atan2,
        absolute=abs,
        divide=divide,
        where=lambda condition, a, b: a if condition else b,
        bits=lambda: int(mpmath.mp.prec),
        floor=mpmath.floor,
        pick=lambda table, place: mpmath.mpf(table.at(float(mpmath.floor(place)))),
    )


@cache
def _array_api_rules(xp: Any) -> Rules:
    """The array API standard, with Python numbers taken for arrays of the type that they meet."""

    def arrays(values: Sequence[Scalar]) -> list[Any]:
        own = [x for x in values if not isinstance(x, float | int)]
        if len(own) == len(values):
            return own
        dtype = xp.result_type(*own) if own else None
        return [xp.asarray(float(x), dtype=dtype) if isinstance(x, float | int) else x for x in values]

    def stack(values: Sequence[Scalar], shape: tuple[int, ...]) -> Any:
        flat = xp.stack(xp.broadcast_arrays(*arrays(values)), axis=-1)
        return xp.reshape(flat, (*flat.shape[:-1], *shape))

    def pick(table: Tabulated, place: Scalar) -> Any:
        numbers = xp.asarray(table.array.ravel(), dtype=place.dtype)
        known = xp.where(xp.isnan(place), xp.asarray(0.0, dtype=place.dtype), place)
        whole = xp.astype(xp.floor(xp.clip(known, 0.0, table.array.size - 1.0)), xp.int64)
        found = xp.reshape(xp.take(numbers, xp.reshape(whole, (-1,)), axis=0), place.shape)
        return xp.where(xp.isnan(place), place, found)

    return Rules(
        sin=xp.sin,
        cos=xp.cos,
        sqrt=xp.sqrt,
        arctan2=lambda y, x: xp.atan2(*arrays((y, x))),
        absolute=xp.abs,
        divide=lambda a, b: a / b,
        where=lambda condition, a, b: xp.where(condition, *arrays((a, b))),
        stack=stack,
        floor=xp.floor,
        pick=pick,
    )


def _rules(x: Scalar) -> Rules:
    kind = type(x)
    if kind is float:
        return FLOAT
    if kind not in _RULES and _is_standard(x):
        return _array_api_rules(x.__array_namespace__())
    return _rules_of_type(kind)  # type: ignore[arg-type]


def _is_standard(x: Any) -> bool:
    """An array of another library that follows the array API standard."""
    return hasattr(x, "__array_namespace__") and not isinstance(x, np.ndarray | np.generic)


def _richest(*numbers: Scalar) -> Rules:
    """The rules for numbers that meet: a float joins arrays, both join any other kind, and all join a wrapper."""
    best = FLOAT
    for x in numbers:
        rules = _rules(x)
        if isinstance(x, Wrapper):
            return rules
        if rules is not FLOAT and (best is FLOAT or best is NUMPY):
            best = rules
    return best


def sin(x: Scalar) -> Scalar:
    """Sine of an angle in radians."""
    return _rules(x).sin(x)


def cos(x: Scalar) -> Scalar:
    """Cosine of an angle in radians."""
    return _rules(x).cos(x)


def sqrt(x: Scalar) -> Scalar:
    """Square root; NaN for a negative number."""
    return _rules(x).sqrt(x)


def absolute(x: Scalar) -> Scalar:
    """|x|."""
    return _rules(x).absolute(x)


def arctan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of the point (x, y), in (-pi, pi]."""
    return _richest(y, x).arctan2(y, x)


def divide(a: Scalar, b: Scalar) -> Scalar:
    """a / b by the rules of IEEE 754: no exception, infinity or NaN where b is zero."""
    return _richest(a, b).divide(a, b)


def where(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """a where the condition holds, else b. Both are computed: a select, not a branch."""
    return _richest(condition, a, b).where(condition, a, b)


def floor(x: Scalar) -> Scalar:
    """The largest whole number that is not above x. Its derivative is zero."""
    return _rules(x).floor(x)


def pick(table: Tabulated, place: Scalar) -> Scalar:
    """The number of a table at a place, 0 for the first one, in C order. Its derivative by the place is zero.

    The place is rounded down; one beyond an end is the end. NaN has no place: the number there is NaN.
    """
    if not isinstance(table, Tabulated):
        raise ArgumentError(f"pick looks into a sixd.ops.Tabulated, not into {described(table)}")
    return _rules(place).pick(table, place)


def bits(x: Scalar) -> int:
    """How many binary digits a number of this kind carries: what decides the length of a series. At least 53."""
    return _rules(x).bits()


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1, and NaN for NaN."""
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, x))


def powered(x: Scalar, power: Any) -> Scalar | None:
    """A whole power of x, by squaring, or its square root; None for all other powers."""
    if not isinstance(power, float | int | np.floating | np.integer):
        return None
    if power == 0.5:
        return sqrt(x)
    if not float(power).is_integer():
        return None
    result: Scalar = 1.0
    for digit in f"{abs(int(power)):b}":
        result = result * result * (x if digit == "1" else 1.0)
    return result if power >= 0 else divide(1.0, result)


def doubt(numbers: Iterable[Scalar]) -> Scalar:
    """The sum of 0 x: zero where all numbers are finite, NaN where one is infinite or NaN, sample by sample."""
    total: Scalar = 0.0
    for x in numbers:
        total = total + 0.0 * x
    return total


def look(x: Scalar) -> Any:
    """The value of a number as a float or an array of floats, for checks; None if it has none to look at.

    Floats, NumPy's arrays and mpmath numbers have one; recorded, symbolic and dual numbers have not. Arrays of other
    libraries, which may be on another device, are not looked at.
    """
    if isinstance(x, float | int):
        return x
    if isinstance(x, np.ndarray | np.generic):
        return x if x.dtype.kind in "fiub" else None
    if type(x).__module__.partition(".")[0] == "mpmath":
        return float(x.real) if x.imag == 0 else None
    return None


#: (limit, factor): above a limit, its factor brings a size back near 1. The inner two serve single precision, in which
#: the outer ones are infinite and never met. Fourth powers of what comes out, as derivatives have them, are in range.
_LEVELS = ((2.0**637, 2.0**-850), (2.0**212, 2.0**-425), (2.0**75, 2.0**-100), (2.0**25, 2.0**-50))


def leveller(size: Scalar) -> Scalar:
    """A power of two that brings a positive number near 1, as far as that keeps its square in range; 1 if it is there.

    Products with it are exact. It is constant from limit to limit, so it has no derivative.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        factor = size * 0.0 + 1.0
        for limit, small in reversed(_LEVELS):
            factor = where(size > limit, small, where(size < 1.0 / limit, 1.0 / small, factor))
    return factor


def stack(values: Sequence[Scalar], shape: Sequence[int] | None = None) -> Any:
    """Scalars to an array: their own (batch) shape first, then ``shape`` (default: one axis for all of them).

    Floats give a float64 array, arrays of samples give an array with the samples in front, arrays of another library
    an array of that library, other numbers an array of objects.
    """
    shape = (len(values),) if shape is None else tuple(shape)
    if all(isinstance(v, float | int | np.ndarray | np.generic) for v in values):
        arrays = [v for v in values if isinstance(v, np.ndarray | np.generic)]
        dtype = np.result_type(*(_float_type(v.dtype) for v in arrays)) if arrays else np.dtype(float)
        lead = np.broadcast_shapes(*(v.shape for v in arrays))
        out = np.empty((*lead, len(values)), dtype=dtype)
        for k, v in enumerate(values):
            out[..., k] = v
        return _as_given(out.reshape(*lead, *shape), *arrays)
    for v in values:
        if (own := _own_stack(v)) is not None:
            return own(values, shape)
    out = np.empty(len(values), dtype=object)
    for k, v in enumerate(values):
        out[k] = v
    return out.reshape(shape)


def _own_stack(x: Scalar) -> Callable[[Sequence[Scalar], tuple[int, ...]], Any] | None:
    try:
        return _rules(x).stack
    except TypeError:  # an unknown kind of number can be kept in an array of objects
        return None


def _float_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Integers and truth values become float64; floats of every size (and objects) stay."""
    return np.dtype(float) if dtype.kind in "iub" else dtype


def unstack(array: Any, rank: int = 1) -> list[Scalar]:
    """An array to scalars: the last ``rank`` axes are taken apart, in C order; axes before them stay as samples.

    A float array with no other axes gives Python floats. Lists of scalars (of lists, for rank 2) give their entries
    as they are; an array of another library gives arrays of that library.
    """
    if isinstance(array, list | tuple):
        if not any(isinstance(x, list | tuple) for x in array) and rank == 1:
            return [_float_samples(_need_number(x)) for x in array]
        if _depth(array) == rank:
            return [_need_number(x) for x in _leaves(array)]
    if not _is_standard(array):
        array = _as_array(array)
    if array.ndim < rank:
        raise ShapeError(f"an array needs {rank} axes to be taken apart, found the shape {tuple(array.shape)}")
    if isinstance(array, np.ndarray) and array.dtype.kind not in "biufcO":
        raise ArgumentError(f"an array of numbers is needed, not one of type {array.dtype}")
    if array.ndim == rank and isinstance(array, np.ndarray):
        values = array.ravel().tolist()
        return [float(v) if isinstance(v, int) else _need_number(v) for v in values]
    lead, core = array.shape[: array.ndim - rank], array.shape[array.ndim - rank :]
    if isinstance(array, np.ndarray):
        flat = _float_samples(array).reshape(*lead, math.prod(core))
    else:
        xp = array.__array_namespace__()
        flat = xp.reshape(array, (*lead, math.prod(core)))
        if xp.isdtype(flat.dtype, ("bool", "integral")):
            flat = xp.astype(flat, xp.asarray(0.0).dtype)
    return [flat[..., k] for k in range(math.prod(core))]


#: What is never a number, whatever kinds of numbers there may be.
_NO_NUMBERS = (str, bytes, dict, set, type(None))


def _need_number(x: Any) -> Scalar:
    if isinstance(x, _NO_NUMBERS):
        raise ArgumentError(f"a number is needed, not {described(x)}")
    return x


def _depth(x: Any) -> int:
    return 1 + max(map(_depth, x), default=0) if isinstance(x, list | tuple) else 0


def _leaves(rows: Sequence[Any]) -> list[Scalar]:
    """The entries of a list of lists of one length."""
    if len({len(row) if isinstance(row, list | tuple) else -1 for row in rows}) != 1:
        raise ShapeError("the rows of a nested list need one length")
    return [x for row in rows for x in (_leaves(row) if _depth(row) > 1 else row)]


def _float_samples(x: Scalar) -> Scalar:
    """Integers and truth values in arrays as floats, and NumPy's single numbers as Python's."""
    if isinstance(x, np.float64 | np.integer | np.bool_):
        return float(x)
    return x.astype(float) if isinstance(x, np.ndarray) and x.dtype.kind in "iub" else x


def _as_array(x: Any) -> Any:
    try:
        return x if isinstance(x, Samples) else np.asarray(x)
    except ValueError as error:
        raise ShapeError(f"not an array: {error}") from None
