"""What motion and force vectors have in common: two 3-vectors and the operations of a vector space.

Everything that tells the two spaces apart is in ``motion.py`` and ``force.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from sixd.errors import SpatialTypeError
from sixd.ops import Scalar, stack, unstack
from sixd.spatial.linear import Vector

if TYPE_CHECKING:
    from sixd.spatial.motion import Motion
    from sixd.spatial.transform import Transform

__all__ = ["Quantity", "SpatialVector"]


class Quantity:
    """A physical quantity that has coordinates in a frame: it can be transformed, and it changes with its frame.

    The rule of each quantity stands with the quantity: `Transform` and `Motion.cross` only ask for it.
    """

    __slots__ = ()
    __array_ufunc__ = None

    def transformed(self, X: Transform) -> Self:
        """X @ self: the same quantity in B coordinates, where X is B <- A and self is in A coordinates."""
        raise SpatialTypeError(f"a {type(self).__name__} cannot be transformed")

    def transformed_back(self, X: Transform) -> Self:
        """X.inv @ self: the same quantity in A coordinates, where X is B <- A and self is in B coordinates."""
        raise SpatialTypeError(f"a {type(self).__name__} cannot be transformed")

    def crossed_by(self, v: Motion) -> Self:
        """v x self: the rate of change of this quantity when it is fixed in a body of velocity v."""
        raise SpatialTypeError(f"the cross product of a Motion with a {type(self).__name__} has no meaning")


class SpatialVector(Quantity):
    """A 6-D vector in Plücker coordinates, angular part first (F10a (10))."""

    __slots__ = ("ang", "lin")
    ang: Vector
    lin: Vector

    def __init__(self, ang: Vector | Sequence[Scalar], lin: Vector | Sequence[Scalar]) -> None:
        self.ang, self.lin = Vector.from_array(ang), Vector.from_array(lin)

    @classmethod
    def zero(cls) -> Self:
        return cls(Vector.zero(), Vector.zero())

    @classmethod
    def from_components(cls, c: Sequence[Scalar]) -> Self:
        return cls(Vector(c[:3]), Vector(c[3:6]))

    @classmethod
    def from_array(cls, array: Any) -> Self:
        """From an array (..., 6)."""
        return array if isinstance(array, cls) else cls.from_components(unstack(array))

    @classmethod
    def size(cls, nv: int = 1) -> int:
        """How many numbers a value has."""
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
            raise SpatialTypeError(
                f"cannot {verb} a {type(self).__name__} and a {type(other).__name__}: they live in different spaces"
            )

    def __add__(self, other: Self) -> Self:
        self._same(other, "add")
        return type(self)(self.ang + other.ang, self.lin + other.lin)

    def __sub__(self, other: Self) -> Self:
        self._same(other, "subtract")
        return type(self)(self.ang - other.ang, self.lin - other.lin)

    def __neg__(self) -> Self:
        return type(self)(-self.ang, -self.lin)

    def __mul__(self, scalar: Scalar) -> Self:
        if isinstance(scalar, Quantity | Vector):
            raise SpatialTypeError(
                f"cannot multiply a {type(self).__name__} by a {type(scalar).__name__}; "
                "for power use motion.dot(force), for products v.cross(...)"
            )
        return type(self)(self.ang * scalar, self.lin * scalar)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"{type(self).__name__}(ang={list(self.ang)}, lin={list(self.lin)})"
