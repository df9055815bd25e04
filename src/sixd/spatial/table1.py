"""F10b Table 1, "Instant spatial vector arithmetic", as it is printed: plain 6x6 matrices.

For readers of the tutorial, and for one state: a batch is refused. The library itself works with `Transform` and
`Inertia`, which know their structure.
Vectors are (ang, lin); rotation matrices turn coordinates, not vectors.
"""

from __future__ import annotations

from typing import Any

from sixd.errors import ShapeError
from sixd.ops import Scalar, cos, sin, stack, unstack
from sixd.spatial.linear import matrix_of, vector_of
from sixd.spatial.sound import need, transform_fault

__all__ = ["XtoV", "crf", "crm", "mcI", "rotx", "roty", "rotz", "rx", "ry", "rz", "skew", "xlt"]


def _matrix(rows: list[list[Scalar]]) -> Any:
    return stack([x for row in rows for x in row], (len(rows), len(rows[0])))


def _one(x: Scalar, what: str) -> Scalar:
    """A number of one state."""
    if getattr(x, "shape", ()) or isinstance(x, list | tuple):
        raise ShapeError(
            f"{what} is one number here, found the shape {getattr(x, 'shape', (len(x),))}; use sixd.spatial"
        )
    (number,) = unstack([x])
    return number


def _vector(x: Any, n: int, what: str) -> list[Scalar]:
    return [_one(entry, f"an entry of {what}") for entry in vector_of(x, n, what)]


def _square(x: Any, n: int, what: str) -> Any:
    A = matrix_of(x, n, what)
    return stack([_one(entry, f"an entry of {what}") for entry in A.components()], (n, n))


def _turn(theta: Scalar) -> tuple[Scalar, Scalar]:
    theta = _one(theta, "an angle")
    return cos(theta), sin(theta)


def _blocks(a: Any, b: Any, c: Any, d: Any) -> Any:
    """[a, b; c, d] of 3x3 blocks; a plain 0 stands for a zero block."""
    zero = _matrix([[0.0] * 3] * 3)
    a, b, c, d = (zero if isinstance(x, int) else x for x in (a, b, c, d))
    top = [[*p, *q] for p, q in zip(a.tolist(), b.tolist(), strict=True)]
    bottom = [[*p, *q] for p, q in zip(c.tolist(), d.tolist(), strict=True)]
    return _matrix(top + bottom)


def rx(theta: Scalar) -> Any:
    """The coordinate rotation about x, 3x3."""
    c, s = _turn(theta)
    return _matrix([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])


def ry(theta: Scalar) -> Any:
    """The coordinate rotation about y, 3x3."""
    c, s = _turn(theta)
    return _matrix([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def rz(theta: Scalar) -> Any:
    """The coordinate rotation about z, 3x3."""
    c, s = _turn(theta)
    return _matrix([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def skew(r: Any) -> Any:
    """r x, F10a (13), 3x3."""
    x, y, z = _vector(r, 3, "r")
    return _matrix([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotx(theta: Scalar) -> Any:
    """The Plücker transform (motion vectors) to coordinates turned about x, 6x6."""
    E = rx(theta)
    return _blocks(E, 0, 0, E)


def roty(theta: Scalar) -> Any:
    """The Plücker transform (motion vectors) to coordinates turned about y, 6x6."""
    E = ry(theta)
    return _blocks(E, 0, 0, E)


def rotz(theta: Scalar) -> Any:
    """The Plücker transform (motion vectors) to coordinates turned about z, 6x6."""
    E = rz(theta)
    return _blocks(E, 0, 0, E)


def xlt(r: Any) -> Any:
    """The Plücker transform (motion vectors) to coordinates moved by r, 6x6."""
    one = _matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    return _blocks(one, 0, -skew(r), one)


def crm(v: Any) -> Any:
    """v x for motions, F10a (17), 6x6."""
    v = _vector(v, 6, "v")
    w = skew(v[:3])
    return _blocks(w, 0, skew(v[3:]), w)


def crf(v: Any) -> Any:
    """v x* for forces, F10a (18): -crm(v)^T, 6x6."""
    return -crm(v).T


def mcI(m: Scalar, c: Any, I_c: Any) -> Any:
    """The rigid-body inertia of mass m, centre of mass c and rotational inertia I_c about it, F10a (25), 6x6."""
    one = _matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    m, cx, I_c = _one(m, "a mass"), skew(c), _square(I_c, 3, "I_c")
    return _blocks(I_c - m * cx @ cx, m * cx, -m * cx, m * one)


def XtoV(X: Any) -> Any:
    """The small motion that takes frame A to B, from X_BA: exact to second order, an invariant of X."""
    X = _square(X, 6, "X")
    need(transform_fault(matrix_of(X, 6, "X")), "X is no transform")
    x = X.tolist()
    pairs = (
        (x[1][2], x[2][1]),
        (x[2][0], x[0][2]),
        (x[0][1], x[1][0]),
        (x[4][2], x[5][1]),
        (x[5][0], x[3][2]),
        (x[3][1], x[4][0]),
    )
    return stack([0.5 * (a - b) for a, b in pairs])
