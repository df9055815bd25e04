"""The notation of FDSV, which is Featherstone's of 1987, for readers of older papers.

Motions are (angular, linear), as here. Forces are (force, moment), the other way round. So one 6x6 matrix moves both to
other coordinates, one cross product serves both, inertias have their rows exchanged, and the scalar product needs a
"spatial transpose".
"""

from __future__ import annotations

from sixd.spatial.force import Force
from sixd.spatial.inertia import Inertia
from sixd.spatial.linear import Matrix, Vector, cross, vector_of
from sixd.spatial.value import need_kind

__all__ = ["force_vector", "inertia_matrix", "spatial_cross", "spatial_transpose"]


def force_vector(f: Force) -> Vector:
    """A force in the older order: (force, moment)."""
    need_kind(f, Force, "a force in the older order")
    return Vector([*f.lin, *f.ang])


def spatial_transpose(a: Vector) -> Vector:
    """a^S of FDSV (41): (a, a_O)^S = (a_O, a), so that s^S f is the power of a force f on a motion s."""
    values = vector_of(a, 6, "a spatial vector").entries
    return Vector([*values[3:], *values[:3]])


def inertia_matrix(inertia: Inertia) -> Matrix:
    """FDSV (39), [M c x^T, M; I + c x M c x^T, c x M]: from a motion to a momentum in the older order of forces."""
    need_kind(inertia, Inertia, "an inertia in the older order")
    rows = inertia.matrix().rows
    return Matrix([*rows[3:], *rows[:3]])


def spatial_cross(a: Vector, b: Vector) -> Vector:
    """FDSV (40), (a x b, a x b_O + a_O x b), for a motion or a force b in the older order."""
    left, right = (vector_of(x, 6, "a spatial vector").entries for x in (a, b))
    a1, a2, b1, b2 = Vector(left[:3]), Vector(left[3:]), Vector(right[:3]), Vector(right[3:])
    return Vector([*cross(a1, b1), *(cross(a1, b2) + cross(a2, b1))])
