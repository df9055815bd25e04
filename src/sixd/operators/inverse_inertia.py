"""The inverse of a rigid body's inertia, which gives the acceleration that a force makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from sixd.errors import SpatialTypeError
from sixd.ops import Scalar, divide
from sixd.spatial import Force, Forces, Inertia, Matrix, Motion, Motions, Vector, inverse
from sixd.spatial.linear import cross, matrix_of, symmetric, upper, vector_of
from sixd.spatial.value import Value, named, need_kind, need_number, need_size, put

__all__ = ["InverseInertia"]


class InverseInertia(Value):
    """I^-1 of a body with 1/m, centre of mass c and the inverse J of its rotational inertia about c.

    I^-1 (n, f) = (w, f / m + c x w) with w = J (n - c x f). A body without mass, or without inertia about an axis, has
    none: its numbers are infinite or NaN.
    """

    __slots__ = ("J", "c", "per_mass")
    per_mass: Scalar
    c: Vector
    J: Matrix

    def __init__(self, per_mass: Scalar, c: Any, J: Any) -> None:
        need_number(self, "give 1/m to", per_mass)
        put(self, "per_mass", per_mass)
        put(self, "c", vector_of(c, 3, "a centre of mass"))
        put(self, "J", matrix_of(J, 3, "the inverse of a rotational inertia"))

    @classmethod
    def of(cls, inertia: Inertia) -> InverseInertia:
        need_kind(inertia, Inertia, "an InverseInertia")
        return cls(divide(1.0, inertia.m), inertia.com, inverse(inertia.I_com))

    @classmethod
    def from_components(cls, c: Sequence[Scalar]) -> InverseInertia:
        need_size(c, 10, "an InverseInertia")
        return cls(c[0], Vector(c[1:4]), symmetric(c[4:10]))

    @classmethod
    def _size(cls, nv: int) -> int:
        return 10

    def components(self) -> list[Scalar]:
        return [self.per_mass, *self.c, *upper(self.J)]

    @overload
    def __matmul__(self, other: Force) -> Motion: ...
    @overload
    def __matmul__(self, other: Forces) -> Motions: ...
    def __matmul__(self, other: Force | Forces) -> Motion | Motions:
        """The acceleration that a force gives the body at rest."""
        if isinstance(other, Forces):
            return Motions(self @ column for column in other)
        if not isinstance(other, Force):
            raise SpatialTypeError(f"an InverseInertia acts on a Force, not on {named(other)}")
        w = self.J @ (other.ang - cross(self.c, other.lin))
        return Motion(w, other.lin * self.per_mass + cross(self.c, w))

    def __repr__(self) -> str:
        return f"InverseInertia(per_mass={self.per_mass}, c={list(self.c)}, J={upper(self.J)})"
