"""What every type of the algebra has in common: values never change, are equal by content, and refuse nonsense."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from sixd.errors import ShapeError, SpatialTypeError
from sixd.given import described, whole
from sixd.ops import Scalar

__all__ = ["Value", "count_of", "mapped", "named", "need_count", "need_kind", "need_number", "need_size", "put"]

#: How constructors set their attributes: ``put(self, "m", m)``.
put = object.__setattr__


def named(x: object) -> str:
    """The type of x with its article, as errors name it; types of many (Motions) have none."""
    return _with_article(type(x).__name__)


def _with_article(name: str) -> str:
    if name[-1] == "s":
        return name
    return f"an {name}" if name[0] in "AEIOUaeio" else f"a {name}"


def _refuse(verb: str, swapped: bool = False) -> Callable[[Any, Any], Any]:
    def operation(self: Value, other: Any) -> NoReturn:
        left, right = (other, self) if swapped else (self, other)
        raise SpatialTypeError(f"cannot {verb.format(named(left), named(right))}")

    return operation


class Value:
    """A value of the algebra, with its numbers in `components`. An operation that its type does not define is refused.

    ``sum`` works where ``+`` does: the 0 it starts from may stand on the left.
    """

    __slots__ = ()
    __array_ufunc__ = None  # NumPy arrays on the left leave the operation to us

    def components(self) -> list[Scalar]:
        """The numbers that make the value, in a fixed order."""
        raise NotImplementedError

    @classmethod
    def size(cls, nv: int = 1) -> int:
        """How many numbers a value has; where it has some for each velocity of a joint, nv is the number of these."""
        return cls._size(need_count(nv, "the number of velocities"))

    @classmethod
    def _size(cls, nv: int) -> int:
        raise NotImplementedError

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"cannot set {name!r} of {named(self)}: values never change; make a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"cannot delete {name!r} of {named(self)}: values never change; make a new one")

    def __setstate__(self, state: Any) -> None:
        """From a pickle, by the constructor: its arguments are the attributes, and it checks them."""
        names = _names(type(self))
        parts = state[1] if isinstance(state, tuple) and len(state) == 2 else None
        if not isinstance(parts, dict) or parts.keys() != names:
            needed = ", ".join(sorted(names))
            raise SpatialTypeError(f"this pickled {type(self).__name__} is damaged: it needs {needed}")
        type(self).__init__(self, **parts)

    def __eq__(self, other: object) -> bool:
        """The same type and the same numbers; NaN equals nothing."""
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs = self.components(), other.components()
        _need_single(self, mine)
        _need_single(self, theirs)
        same_shape = len(mine) == len(theirs) and getattr(self, "shape", None) == getattr(other, "shape", None)
        return same_shape and all(x == y for x, y in zip(mine, theirs, strict=True))

    def __hash__(self) -> int:
        numbers = self.components()
        _need_single(self, numbers)
        return hash((type(self), *numbers))

    __add__ = _refuse("add {} and {}")
    __sub__ = _refuse("subtract: {} - {}")
    __mul__ = _refuse("multiply {} by {}")
    __truediv__ = _refuse("divide {} by {}")
    __matmul__ = _refuse("form {} @ {}")
    __rsub__ = _refuse("subtract: {} - {}", swapped=True)
    __rmul__ = _refuse("multiply {} by {}", swapped=True)
    __rtruediv__ = _refuse("divide {} by {}", swapped=True)
    __rmatmul__ = _refuse("form {} @ {}", swapped=True)

    def __radd__(self, other: Any) -> Any:
        if type(other) is int and other == 0 and type(self).__add__ is not Value.__add__:
            return self
        raise SpatialTypeError(f"cannot add {named(other)} and {named(self)}")


def mapped(part: Any, change: Callable[[Scalar], Scalar]) -> Any:
    """A value, or a part of one, with ``change`` of each number in its place."""
    if isinstance(part, Value):
        return type(part)(**{name: mapped(getattr(part, name), change) for name in _names(type(part))})
    return tuple(mapped(x, change) for x in part) if isinstance(part, tuple) else change(part)


def _names(kind: type[Value]) -> set[str]:
    """The attributes of a type of values. Its constructor takes them by these names."""
    return {name for base in kind.__mro__ for name in getattr(base, "__slots__", ())}


def _need_single(value: Value, numbers: Sequence[Scalar]) -> None:
    """Samples are equal or not one by one: a batch as a whole has no answer."""
    if any(getattr(x, "shape", ()) for x in numbers):
        raise SpatialTypeError(f"{named(value)} of many samples has no equality or hash; compare .array() instead")


_NOT_NUMBERS = (Value, str, bytes, list, tuple, dict, set, type(None))
#: They have a length, but are no lists of numbers.
_NOT_LISTS = (str, bytes, dict, set)


def need_kind(x: object, kind: type, what: str) -> None:
    """What an operation takes, where that is one type of the algebra."""
    if not isinstance(x, kind):
        raise SpatialTypeError(f"{what} takes {_with_article(kind.__name__)}, not {named(x)}")


def need_number(value: Value, verb: str, scalar: Scalar) -> None:
    """Multiplication and division take any kind of number, but only numbers."""
    if type(scalar) is not float and isinstance(scalar, _NOT_NUMBERS):
        raise SpatialTypeError(f"cannot {verb} {named(value)} by {named(scalar)}")


def need_count(n: Any, what: str, least: int = 0) -> int:
    """A whole number that is not too small, nor larger than any that computers count to."""
    found = n if type(n) is int else whole(n)
    if found is None or not least <= found <= sys.maxsize:
        raise ShapeError(f"{what} must be a whole number of at least {least}, not {described(n)}")
    return found


def count_of(numbers: Any, what: str) -> int:
    """How many numbers there are to make something of. Each is taken as it is, for it may be of any kind."""
    if not isinstance(numbers, _NOT_LISTS):
        try:
            return len(numbers)
        except TypeError:
            pass
    raise SpatialTypeError(f"{what} needs a list of numbers, not {named(numbers)}")


def need_size(numbers: Any, needed: int, what: str) -> None:
    found = count_of(numbers, what)
    if found != needed:
        raise ShapeError(f"{what} needs {needed} numbers, found {found}")
