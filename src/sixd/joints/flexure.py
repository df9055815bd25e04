"""Flexure: what bends. A pose that is a polynomial of any number of coordinates; beams and bushings are made of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import new_class
from typing import Any, Self

from sixd import given
from sixd.errors import ModelError
from sixd.joints.contract import Joint, units
from sixd.ops import Scalar, divide
from sixd.spatial import Matrix, Motion, Motions, Transform, Vector

__all__ = ["Flexure", "flexure_type"]

#: Half the range of random coordinates: deflections are small.
_EXTENT = 0.1
#: More coordinates than that make no useful joint: there is a second derivative for each pair of them.
_MOST = 64


class Flexure(Joint):
    """q: n coordinates. Six numbers, a small rotation theta and a displacement r, are quadratic in them:

    y(q) = (theta, r) = sum_j Y_j q_j + 1/2 sum_jk Y_jk q_j q_k.

    The successor is displaced by r, in predecessor coordinates, and turned by the rotation with the Rodrigues vector
    c = theta/2: its angle is 2 atan(|theta|/2), which is |theta| up to the third order. So the joint is exact to the
    second order in q for any deflection field, has no singularity and needs no trigonometry. qd is dq/dt.

    With E the rotation and a_j, b_j the derivatives of theta and r along q_j, the columns of S are
    (a_j - c x a_j) / (1 + c.c) and E b_j.

    There is one class for each n, a subclass of this one: `flexure_type`.
    """

    __slots__ = ()
    constant_subspace, full_rank = False, False

    def __new__(cls, first: Any = (), second: Any = None) -> Self:
        """A joint of the class for as many coordinates as ``first`` has rows."""
        kind = cls if hasattr(cls, "nv") else flexure_type(len(_rows_of(first)))
        return object.__new__(kind)  # type: ignore[return-value]

    def __init__(self, first: Any, second: Any = None) -> None:
        """The flexure with these small motions, six numbers each: a rotation, rad, then a displacement, m.

        ``first`` (n, 6) holds Y_j, the motion per unit of each coordinate: the columns of S at rest. ``second``
        (n, n, 6) holds Y_jk, the second derivatives, symmetric in j and k; None stands for zero.
        """
        rows = _rows_of(first)
        if len(rows) != self.nv:
            raise ModelError(f"a {self.name} joint has {self.nv} coordinates, with six numbers for each: {len(rows)}")
        curved = _curvature_of(second, self.nv)
        self._parameters = tuple(x for row in (*rows, *curved) for x in row)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Directions that are independent, as far as there are six, and some curvature."""
        first = [[1.0 if (j - k) % 6 == 0 else 0.1 * (j - k) / (1 + j + k) for k in range(6)] for j in range(cls.nv)]
        second = [[0.05 * (1 + k + row % 3) * (-1) ** row for k in range(6)] for row in range(_pairs(cls.nv))]
        return [cls.from_parameters([x for row in (*first, *second) for x in row])]

    def _check_parameters(self) -> None:
        if len(self._parameters) != 6 * (self.nv + _pairs(self.nv)):
            raise ModelError(f"a {self.name} joint does not have {len(self._parameters)} parameters")

    def _polynomial(self, q: Vector) -> tuple[list[list[Scalar]], list[Scalar]]:
        """The derivatives of y along each coordinate, and y itself: six numbers each."""
        rows = self._rows()
        slopes, y = [], [0.0] * 6
        for j, qj in enumerate(q):
            bend = [_sum(rows[_place(self.nv, j, k)][c] * qk for k, qk in enumerate(q)) for c in range(6)]
            slopes.append([x + dx for x, dx in zip(rows[j], bend, strict=True)])
            y = [total + qj * (x + 0.5 * dx) for total, x, dx in zip(y, rows[j], bend, strict=True)]
        return slopes, y

    def _rows(self) -> list[tuple[Scalar, ...]]:
        """Y_j for each coordinate, then Y_jk for each pair."""
        return [self._parameters[k : k + 6] for k in range(0, len(self._parameters), 6)]

    def transform(self, q: Vector) -> Transform:
        _, y = self._polynomial(q)
        return Transform(_rotation(_half(y)), Vector(y[3:]))

    def subspace(self, q: Vector) -> Motions:
        slopes, y = self._polynomial(q)
        c = _half(y)
        E, s = _rotation(c), divide(1.0, 1.0 + c @ c)
        return Motions(Motion(_turning(c, s, Vector(x[:3])), E @ Vector(x[3:])) for x in slopes)

    def subspace_rate(self, q: Vector, qd: Vector) -> Motions:
        return self._second(q, list(units(self.nv)), [qd])

    def subspace_derivative(self, q: Vector, x: Vector) -> Motions:
        return self._second(q, [x], list(units(self.nv)))

    def bias(self, q: Vector, qd: Vector) -> Motion:
        return self._second(q, [qd], [qd])[0]

    def _second(self, q: Vector, along: list[Vector], by: list[Vector]) -> Motions:
        """The derivatives of S x by q in direction z, for all x of ``along`` and z of ``by``.

        With a, b the derivatives of theta and r along x, omega and v the motion S x, and those with ' along z:
        d omega = s (a_xz - c x a_xz + a x a'/2) - s (c.a') omega and dv = -omega' x v + E b_xz.
        """
        slopes, y = self._polynomial(q)
        c = _half(y)
        E, s = _rotation(c), divide(1.0, 1.0 + c @ c)
        angular, linear = (Matrix([row[part] for row in slopes]).T for part in (slice(3), slice(3, 6)))
        columns = []
        for x in along:
            a, v = angular @ x, E @ (linear @ x)
            omega = _turning(c, s, a)
            for z in by:
                da = angular @ z
                curved = self._curved(x, z)
                turned = _turning(c, s, Vector(curved[:3])) + a.cross(da) * (0.5 * s) - omega * (s * (c @ da))
                columns.append(Motion(turned, E @ Vector(curved[3:]) - _turning(c, s, da).cross(v)))
        return Motions(columns)

    def _curved(self, x: Vector, z: Vector) -> list[Scalar]:
        """sum_jk Y_jk x_j z_k."""
        rows = self._rows()
        weights = [(rows[_place(self.nv, j, k)], xj * zk) for j, xj in enumerate(x) for k, zk in enumerate(z)]
        return [_sum(row[c] * w for row, w in weights) for c in range(6)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def flexure_type(n: int) -> type[Flexure]:
    """The joint type of flexures with n coordinates."""
    n = given.count(n, "the number of coordinates of a flexure")
    if n > _MOST:
        raise ModelError(f"a flexure has at most {_MOST} coordinates, not {n}")
    return _TYPES.get(n) or _TYPES.setdefault(n, _made(n))


def _made(n: int) -> type[Flexure]:
    """The class of flexures with n coordinates. It is in no list of joint types: there is no end of them."""
    content: dict[str, Any] = {
        "__slots__": (),
        "__module__": __name__,
        "__doc__": f"A flexure with {n} coordinates: see `Flexure`.",
        "name": f"flexure-{n}",
        "nq": n,
        "nv": n,
        "extent": (_EXTENT,) * n,
        "full_rank": False,
    }
    return new_class(f"Flexure{n}", (Flexure,), {"listed": False}, lambda own: own.update(content))


#: The joint types made so far, by number of coordinates.
_TYPES: dict[int, type[Flexure]] = {}


def __getattr__(name: str) -> Any:
    """The types by name, as pickles look for them: ``Flexure3``."""
    number = name.removeprefix("Flexure")
    if number != name and number.isdecimal() and number.isascii() and 0 < len(number) < 4 and number[0] != "0":
        return flexure_type(int(number))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _rows_of(first: Any) -> list[tuple[float, ...]]:
    """The first derivatives of a flexure, checked."""
    if not isinstance(first, Iterable) or isinstance(first, str):
        raise ModelError(f"a flexure needs six numbers for each coordinate, not {given.described(first)}")
    rows = [given.finite(row, "each row of a flexure", 6) for row in first]
    if not rows:
        raise ModelError("a flexure needs one coordinate or more, six numbers for each")
    return rows


def _curvature_of(second: Any, n: int) -> list[tuple[float, ...]]:
    """The second derivatives of a flexure by pairs of coordinates, checked."""
    pairs = [(j, k) for j in range(n) for k in range(j + 1)]
    if second is None:
        return [(0.0,) * 6 for _ in pairs]
    try:
        table = [[tuple(cell) for cell in row] for row in second]
    except TypeError:
        table = []
    if len(table) != n or any(len(row) != n for row in table):
        raise ModelError(f"the second derivatives of a flexure with {n} coordinates are {n} x {n} rows of six numbers")
    for j, k in pairs:
        if table[j][k] != table[k][j]:
            raise ModelError(f"the second derivatives of a flexure are not symmetric at {j}, {k}")
    return [given.finite(table[j][k], f"the second derivative {j}, {k} of a flexure", 6) for j, k in pairs]


def _half(y: Sequence[Scalar]) -> Vector:
    """The Rodrigues vector c = theta/2."""
    return Vector(0.5 * x for x in y[:3])


def _rotation(c: Vector) -> Matrix:
    """E of the rotation with this Rodrigues vector, from predecessor to successor coordinates."""
    x, y, z = c
    s = divide(2.0, 1.0 + c @ c)
    sx, sy, sz = s * x, s * y, s * z
    xx, xy, xz, yy, yz, zz = sx * x, sx * y, sx * z, sy * y, sy * z, sz * z
    return Matrix(
        (
            (1.0 - (yy + zz), xy + sz, xz - sy),
            (xy - sz, 1.0 - (xx + zz), yz + sx),
            (xz + sy, yz - sx, 1.0 - (xx + yy)),
        )
    )


def _turning(c: Vector, s: Scalar, a: Vector) -> Vector:
    """The angular velocity in successor coordinates as theta changes by a: s (a - c x a), s = 1 / (1 + c.c)."""
    return (a - c.cross(a)) * s


def _pairs(n: int) -> int:
    return n * (n + 1) // 2


def _place(n: int, j: int, k: int) -> int:
    """The row of Y_jk: after those of all Y_j, by the larger index first."""
    larger, smaller = max(j, k), min(j, k)
    return n + _pairs(larger) + smaller


def _sum(terms: Any) -> Scalar:
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total
