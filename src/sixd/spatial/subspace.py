"""Ordered sets of motion or force vectors: the 6 x n matrices S of joints and U = I^A S of algorithms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from sixd.errors import ShapeError, SpatialTypeError
from sixd.ops import Scalar, stack
from sixd.spatial.force import Force
from sixd.spatial.linear import Matrix, Vector
from sixd.spatial.motion import Motion
from sixd.spatial.value import Value, count_of, named, need_number, put
from sixd.spatial.vector import Quantity

if TYPE_CHECKING:
    from sixd.spatial.transform import Transform

__all__ = ["Forces", "Motions"]

V = TypeVar("V", Motion, Force)


class Columns(Quantity, Generic[V]):
    """n spatial vectors of one kind, side by side: a 6 x n matrix that knows its space."""

    __slots__ = ("columns",)
    kind: type[V]
    columns: tuple[V, ...]

    def __init__(self, columns: Iterable[V]) -> None:
        if not isinstance(columns, Iterable):
            raise SpatialTypeError(f"{type(self).__name__} holds {self.kind.__name__}, not {named(columns)}")
        put(self, "columns", tuple(columns))
        for column in self.columns:
            if not isinstance(column, self.kind):
                raise SpatialTypeError(f"{type(self).__name__} holds {self.kind.__name__}, not {type(column).__name__}")

    @classmethod
    def from_components(cls, c: Sequence[Scalar]) -> Self:
        found = count_of(c, cls.__name__)
        if found % 6:
            raise ShapeError(f"{cls.__name__} need 6 numbers each, found {found}")
        return cls(cls.kind.from_components(c[k : k + 6]) for k in range(0, found, 6))

    @classmethod
    def _size(cls, nv: int) -> int:
        return 6 * nv

    def components(self) -> list[Scalar]:
        return [x for column in self.columns for x in column.components()]

    def array(self) -> Any:
        """As an array (..., 6, n)."""
        rows = zip(*(column.components() for column in self.columns), strict=True)
        return stack([x for row in rows for x in row], (6, len(self.columns)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array() if dtype is None else self.array().astype(dtype)

    def __iter__(self) -> Iterator[V]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, k: int) -> V:
        return self.columns[k]

    @property
    def T(self) -> Rows[V]:
        """The transpose, which pairs with vectors of the other space."""
        return Rows(self.columns)

    @overload
    def __matmul__(self, other: Vector) -> V: ...
    @overload
    def __matmul__(self, other: Matrix) -> Self: ...
    def __matmul__(self, other: Vector | Matrix) -> V | Self:
        """S q (a spatial vector) or S A (n' spatial vectors)."""
        if isinstance(other, Matrix):
            return type(self)(self @ column for column in other.columns())
        if not isinstance(other, Vector):
            raise SpatialTypeError(f"{type(self).__name__} combine by a Vector or a Matrix, not by {named(other)}")
        return reduce(add, [column * x for column, x in zip(self.columns, other.entries, strict=True)])

    def _same(self, other: object, verb: str) -> None:
        if type(other) is not type(self):
            raise SpatialTypeError(f"cannot {verb} {type(self).__name__} and {named(other)}")

    def __add__(self, other: Self) -> Self:
        self._same(other, "add")
        return type(self)(x + y for x, y in zip(self.columns, other.columns, strict=True))

    def __sub__(self, other: Self) -> Self:
        self._same(other, "subtract")
        return type(self)(x - y for x, y in zip(self.columns, other.columns, strict=True))

    def __neg__(self) -> Self:
        return type(self)(-x for x in self.columns)

    def __mul__(self, scalar: Scalar) -> Self:
        need_number(self, "multiply", scalar)
        return type(self)(x * scalar for x in self.columns)

    __rmul__ = __mul__

    def __truediv__(self, scalar: Scalar) -> Self:
        need_number(self, "divide", scalar)
        return type(self)(x / scalar for x in self.columns)

    def _transformed(self, X: Transform) -> Self:
        return type(self)(column._transformed(X) for column in self.columns)

    def _transformed_back(self, X: Transform) -> Self:
        return type(self)(column._transformed_back(X) for column in self.columns)

    def _crossed_by(self, v: Motion) -> Self:
        return type(self)(column._crossed_by(v) for column in self.columns)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.columns)})"


class Motions(Columns[Motion]):
    """Motion vectors: a joint's motion subspace S (F10a (31), F10b (5)), a Jacobian (F10b (21))."""

    __slots__ = ()
    kind = Motion


class Forces(Columns[Force]):
    """Force vectors, such as U = I^A S."""

    __slots__ = ()
    kind = Force


class Rows(Value, Generic[V]):
    """The transpose of `Columns`: S^T f is the vector of scalar products (F10a (34), F10b (6))."""

    __slots__ = ("columns",)
    columns: tuple[Any, ...]

    def __init__(self, columns: tuple[V, ...]) -> None:
        put(self, "columns", columns)

    def components(self) -> list[Scalar]:
        return [x for column in self.columns for x in column.components()]

    @classmethod
    def _size(cls, nv: int) -> int:
        return 6 * nv

    @overload
    def __matmul__(self, other: Motion | Force) -> Vector: ...
    @overload
    def __matmul__(self, other: Motions | Forces) -> Matrix: ...
    def __matmul__(self, other: Any) -> Vector | Matrix:
        if isinstance(other, Columns):
            return Matrix([x.dot(y) for y in other.columns] for x in self.columns)
        return Vector([x.dot(other) for x in self.columns])

    def __repr__(self) -> str:
        return f"Rows({list(self.columns)})"
