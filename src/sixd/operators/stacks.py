"""Vectors of a whole tree: the motions, the forces or the joint vectors of all bodies, one below the other.

They are the elements of M^6N and F^6N of FO00 3.5. Each body's part is in the coordinates of that body, and bodies
count from 1: ``a[i]`` is the part of body i.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Any, ClassVar, Self

from sixd.errors import ArgumentError, OutOfRangeError, ShapeError, SpatialTypeError
from sixd.given import described, whole
from sixd.ops import Scalar, stack, unstack
from sixd.spatial import Force, Motion, Vector
from sixd.spatial.value import Value, named, need_count, put

__all__ = ["ForceStack", "JointStack", "MotionStack", "Space", "Stack"]


def listed(x: Any, what: str) -> tuple[Any, ...]:
    """A list or tuple; ``what`` names it if it is none."""
    if not isinstance(x, list | tuple):
        raise ArgumentError(f"{what} must be a list, not {described(x)}")
    return tuple(x)


class Stack(Value):
    """The parts of all bodies, of one kind."""

    __slots__ = ("values",)
    #: What the part of a body is.
    kind: ClassVar[type[Any]]
    values: tuple[Any, ...]

    def __init__(self, values: Iterable[Any]) -> None:
        if not isinstance(values, Iterable):
            raise SpatialTypeError(f"a {type(self).__name__} holds a {self.kind.__name__} by body, not {named(values)}")
        put(self, "values", tuple(values))
        for value in self.values:
            if not isinstance(value, self.kind):
                raise SpatialTypeError(
                    f"a {type(self).__name__} holds a {self.kind.__name__} by body, not {named(value)}"
                )

    @classmethod
    def _size(cls, nv: int) -> int:
        return 6 * nv

    def components(self) -> list[Scalar]:
        return [x for value in self.values for x in value.components()]

    def array(self) -> Any:
        """As an array (..., total)."""
        return stack(self.components())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array() if dtype is None else self.array().astype(dtype)

    def __len__(self) -> int:
        """The number of bodies."""
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __getitem__(self, i: int) -> Any:
        """The part of body i, counted from 1."""
        number = whole(i)
        if number is None or not 1 <= number <= len(self.values):
            raise OutOfRangeError(f"bodies count from 1 to {len(self.values)}; there is no {described(i)}")
        return self.values[number - 1]

    def _same(self, other: Any, verb: str) -> None:
        if type(other) is not type(self):
            raise SpatialTypeError(f"cannot {verb} {named(self)} and {named(other)}")
        if len(other) != len(self):
            raise ShapeError(f"cannot {verb} the vectors of {len(self)} and of {len(other)} bodies")

    def __add__(self, other: Self) -> Self:
        self._same(other, "add")
        return type(self)(x + y for x, y in zip(self.values, other.values, strict=True))

    def __sub__(self, other: Self) -> Self:
        self._same(other, "subtract")
        return type(self)(x - y for x, y in zip(self.values, other.values, strict=True))

    def __neg__(self) -> Self:
        return type(self)(-x for x in self.values)

    def __mul__(self, scalar: Scalar) -> Self:
        return type(self)(x * scalar for x in self.values)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.values)})"


class MotionStack(Stack):
    """Motions of all bodies, in M^6N: velocities v, accelerations a."""

    __slots__ = ()
    kind = Motion

    def dot(self, f: ForceStack) -> Scalar:
        """The scalar product m . f, the sum over the bodies."""
        if not isinstance(f, ForceStack) or len(f) != len(self):
            raise SpatialTypeError(
                f"the scalar product pairs motions with forces of the same bodies, not with {named(f)}"
            )
        return reduce(add, [m.dot(x) for m, x in zip(self.values, f.values, strict=True)])


class ForceStack(Stack):
    """Forces on all bodies, in F^6N."""

    __slots__ = ()
    kind = Force


class JointStack(Stack):
    """A vector for each joint: qd, qdd, tau, or the coefficients beta of constraint forces."""

    __slots__ = ()
    kind = Vector

    @classmethod
    def _size(cls, nv: int) -> int:
        return nv


_DUAL = {MotionStack: ForceStack, ForceStack: MotionStack, JointStack: JointStack}


@dataclass(frozen=True)
class Space:
    """A space of stacks: their kind, and how many numbers each body's part has."""

    kind: type[Stack]
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.kind, type) or self.kind not in _DUAL:
            raise SpatialTypeError(
                f"a Space is one of MotionStack, ForceStack or JointStack, not of {described(self.kind)}"
            )
        sizes = listed(self.sizes, "the sizes of the parts of a Space")
        object.__setattr__(self, "sizes", tuple(need_count(n, "the size of a part") for n in sizes))

    @classmethod
    def motions(cls, n: int) -> Space:
        """M^6N of n bodies."""
        return cls(MotionStack, (6,) * need_count(n, "the number of bodies"))

    @classmethod
    def forces(cls, n: int) -> Space:
        """F^6N of n bodies."""
        return cls(ForceStack, (6,) * need_count(n, "the number of bodies"))

    @property
    def dual(self) -> Space:
        """The space that pairs with this one to scalars: forces with motions."""
        return Space(_DUAL[self.kind], self.sizes)

    @property
    def dimension(self) -> int:
        return sum(self.sizes)

    def of(self, numbers: Sequence[Scalar]) -> Stack:
        """The stack with these numbers, an array (..., dimension) or a list."""
        values = unstack(numbers)
        if len(values) != self.dimension:
            raise ShapeError(f"{self} has {self.dimension} dimensions, not {len(values)}")
        ends = accumulate(self.sizes)
        parts = (values[end - size : end] for size, end in zip(self.sizes, ends, strict=True))
        return self.kind(self.kind.kind.from_components(part) for part in parts)

    def units(self) -> Iterator[Stack]:
        """The unit vectors of the space."""
        n = self.dimension
        return (self.of([1.0 if j == k else 0.0 for j in range(n)]) for k in range(n))

    def need(self, x: Any) -> None:
        """Raises unless x is of this space."""
        if type(x) is not self.kind:
            raise SpatialTypeError(f"this operator acts on a {self.kind.__name__}, not on {named(x)}")
        found = tuple(len(part.components()) for part in x.values)
        if found != self.sizes:
            raise ShapeError(f"this operator acts on parts of {list(self.sizes)} numbers, not of {list(found)}")

    def __str__(self) -> str:
        return f"the space of a {self.kind.__name__} of {len(self.sizes)} bodies"
