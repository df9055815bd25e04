"""What motion and force vectors have in common: two 3-vectors and the operations of a vector space.

Everything that tells the two spaces apart is in ``motion.py`` and ``force.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from sixd.errors import SpatialTypeError
from sixd.ops import Scalar, divide, stack, unstack
from sixd.spatial.linear import Vector, vector_of
from sixd.spatial.value import Value, named, need_kind, need_number, need_size, put

if TYPE_CHECKING:
    from sixd.spatial.motion import Motion
    from sixd.spatial.transform import Transform

__all__ = ["Quantity", "SpatialVector"]


class Quantity(Value):
    """A physical quantity that has coordinates in a frame: it can be transformed, and it changes with its frame.

    The rule of each quantity stands with the quantity, in the methods that begin with an underscore: `Transform` and
    `Motion.cross` only ask for it.
    """

    __slots__ = ()

    def transformed(self, X: Transform) -> Self:
        """X @ self: the same quantity in B coordinates, where X is B <- A and self is in A coordinates.

        For a motion X m, F10a (11): (E w, E (v - r x w)). For a force X* f, F10a (12): (E (n - r x f), E f). For an
        inertia X* I X^-1, F10a (26).
        """
        from sixd.spatial.transform import Transform

        need_kind(X, Transform, "a change of coordinates")
        return self._transformed(X)

    def transformed_back(self, X: Transform) -> Self:
        """X.inv @ self: the same quantity in A coordinates, where X is B <- A and self is in B coordinates.

        For a motion X^-1 m: (E^T w, E^T v + r x E^T w). For a force X^T f: (E^T n + r x E^T f, E^T f). For an inertia
        X^T I X.
        """
        from sixd.spatial.transform import Transform

        need_kind(X, Transform, "a change of coordinates")
        return self._transformed_back(X)

    def crossed_by(self, v: Motion) -> Self:
        """v x self: the rate of change of this quantity when it is fixed in a body of velocity v.

        For a motion v x m, F10a (17). For a force v x* f, F10a (18). For an inertia v x* I - I v x, F10a (27).
        """
        from sixd.spatial.motion import Motion

        need_kind(v, Motion, "the cross product")
        return self._crossed_by(v)

    def _transformed(self, X: Transform) -> Self:
        raise SpatialTypeError(f"{named(self)} cannot be transformed")

    def _transformed_back(self, X: Transform) -> Self:
        raise SpatialTypeError(f"{named(self)} cannot be transformed")

    def _crossed_by(self, v: Motion) -> Self:
        raise SpatialTypeError(f"the cross product of a Motion with {named(self)} has no meaning")


class SpatialVector(Quantity):
    """A 6-D vector in Plücker coordinates, angular part first (F10a (10))."""

    __slots__ = ("ang", "lin")
    ang: Vector
    lin: Vector

    def __init__(self, ang: Vector | Sequence[Scalar], lin: Vector | Sequence[Scalar]) -> None:
        if not isinstance(ang, Vector) or len(ang.entries) != 3:
            ang = vector_of(ang, 3, f"the angular part of {named(self)}")
        if not isinstance(lin, Vector) or len(lin.entries) != 3:
            lin = vector_of(lin, 3, f"the linear part of {named(self)}")
        put(self, "ang", ang)
        put(self, "lin", lin)

    @classmethod
    def zero(cls) -> Self:
        return cls(Vector.zero(), Vector.zero())

    @classmethod
    def from_components(cls, c: Sequence[Scalar]) -> Self:
        need_size(c, 6, f"a {cls.__name__}")
        return cls(Vector(c[:3]), Vector(c[3:6]))

    @classmethod
    def from_array(cls, array: Any) -> Self:
        """From an array (..., 6)."""
        if isinstance(array, cls):
            return array
        if isinstance(array, Value) and not isinstance(array, Vector):
            raise SpatialTypeError(f"cannot make a {cls.__name__} from {named(array)}: they live in different spaces")
        return cls.from_components(list(array) if isinstance(array, Vector) else unstack(array))

    @classmethod
    def _size(cls, nv: int) -> int:
        return 6

    def components(self) -> list[Scalar]:
        return [*self.ang, *self.lin]

    def array(self) -> Any:
        """As an array (..., 6)."""
        return stack(self.components())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array() if dtype is None else self.array().astype(dtype)

    def _same(self, other: object, verb: str) -> None:
        if type(other) is not type(self):
            raise SpatialTypeError(f"cannot {verb} {named(self)} and {named(other)}: they live in different spaces")

    def __add__(self, other: Self) -> Self:
        self._same(other, "add")
        return type(self)(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Self) -> Self:
        self._same(other, "subtract")
        return type(self)(self.ang - other.ang, self.lin - other.lin)

    def __neg__(self) -> Self:
        return type(self)(-self.ang, -self.lin)

    def __mul__(self, scalar: Scalar) -> Self:
        if isinstance(scalar, Value):
            raise SpatialTypeError(
                f"cannot multiply {named(self)} by {named(scalar)}; "
                "for power use motion.dot(force), for products v.cross(...), for coordinates X @ m"
            )
        return type(self)(self.ang * scalar, self.lin * scalar)

    __rmul__ = __mul__

    def __truediv__(self, scalar: Scalar) -> Self:
        need_number(self, "divide", scalar)
        return type(self)(
            Vector([divide(x, scalar) for x in self.ang]),
            Vector([divide(x, scalar) for x in self.lin]),
        )

    def __matmul__(self, other: Any) -> Any:
        raise SpatialTypeError(f"cannot form {named(self)} @ {named(other)}; for power use motion.dot(force)")

    def __repr__(self) -> str:
        return f"{type(self).__name__}(ang={list(self.ang)}, lin={list(self.lin)})"
