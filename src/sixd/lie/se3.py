"""SE(3): rigid displacements and the screw motions that make them. exp, log, Ad, ad and their Jacobians.

A group element f = (Theta, b) of PBP95 is the pose of a frame B in a frame A. Here it is the `Transform` X_BA with
E = Theta^T and r = b, which turns A coordinates into B coordinates, so

    f g             is   X_g @ X_f            (letters meet: X_CB @ X_BA)
    Ad_f m          is   X_f.inv @ m          motions from B to A coordinates, PBP95 (2), (3)
    Ad*_f F         is   X_f @ F              forces from A to B coordinates, PBP95 (4), (11)
    ad_x y          is   x.cross(y)           PBP95 (5), (6)
    ad*_x F         is   -x.cross(F)          PBP95 (7)

The 6x6 matrices are functions of the dual vector phi + eps v of a motion (phi, v): the lower left block is the
derivative of the upper left one along v.
"""

from __future__ import annotations

from sixd.errors import SpatialTypeError
from sixd.lie import so3
from sixd.lie.coefficients import inverse_coefficient, inverse_coefficient_rate, stumpff
from sixd.ops import Scalar
from sixd.spatial.force import Force
from sixd.spatial.linear import Matrix, Vector, cross, outer, skew
from sixd.spatial.motion import Motion
from sixd.spatial.transform import Transform

__all__ = [
    "Ad",
    "Ad_dual",
    "Ad_dual_matrix",
    "Ad_matrix",
    "ad",
    "ad_dual",
    "ad_dual_matrix",
    "ad_matrix",
    "exp",
    "left_jacobian",
    "left_jacobian_inverse",
    "log",
    "right_jacobian",
    "right_jacobian_inverse",
]


def _need(x: object, kind: type, operator: str) -> None:
    if not isinstance(x, kind):
        raise SpatialTypeError(f"{operator} acts on a {kind.__name__}, not on a {type(x).__name__}")


def exp(m: Motion) -> Transform:
    """X_BA of the frame B that A reaches by moving with the constant velocity m for one unit of time, PBP95 (15)-(17).

    Its pose in A is (exp [phi], J(phi) v) for m = (phi, v), with the Jacobian J of SO(3). The velocity m has the same
    coordinates in A and in B. rad, m.
    """
    _need(m, Motion, "exp")
    phi, v = m.ang, m.lin
    s, turned = phi @ phi, cross(phi, v)
    r = v + turned * stumpff(2, s) + cross(phi, turned) * stumpff(3, s)
    return Transform(so3.exp(phi).T, r)


def log(X: Transform) -> Motion:
    """The motion m with exp(m) = X and |m.ang| <= pi: (phi, J(phi)^-1 r)."""
    _need(X, Transform, "log")
    phi, r = so3.log(X.E.T), X.r
    turned = cross(phi, r)
    return Motion(phi, r - turned * 0.5 + cross(phi, turned) * inverse_coefficient(phi @ phi))


def Ad(X: Transform, m: Motion) -> Motion:
    """Ad_f m = (Theta w, b x Theta w + Theta v), PBP95 (2)."""
    _need(X, Transform, "Ad")
    _need(m, Motion, "Ad")
    return X.inv @ m


def Ad_matrix(X: Transform) -> Matrix:
    """Ad_f as a 6x6 matrix, PBP95 (3): [Theta, 0; [b] Theta, Theta], the inverse of ``X.matrix()``."""
    _need(X, Transform, "Ad_matrix")
    return X.inverse().matrix()


def Ad_dual(X: Transform, f: Force) -> Force:
    """Ad*_f F = (Theta^T (m - b x f), Theta^T f), PBP95 (4), (11)."""
    _need(X, Transform, "Ad_dual")
    _need(f, Force, "Ad*")
    return X @ f


def Ad_dual_matrix(X: Transform) -> Matrix:
    """Ad*_f as a 6x6 matrix, PBP95 (4): the transpose of Ad_f."""
    _need(X, Transform, "Ad_dual_matrix")
    return X.force_matrix()


def ad(x: Motion, y: Motion) -> Motion:
    """The Lie bracket ad_x y = [x, y] = (w1 x w2, w1 x v2 - w2 x v1), PBP95 (1), (5)."""
    _need(x, Motion, "ad")
    _need(y, Motion, "ad")
    return x.cross(y)


def ad_matrix(x: Motion) -> Matrix:
    """ad_x as a 6x6 matrix, PBP95 (6)."""
    _need(x, Motion, "ad_matrix")
    _need(x, Motion, "ad")
    return x.cross_matrix()


def ad_dual(x: Motion, f: Force) -> Force:
    """ad*_x F, PBP95 (7): the transpose of ad_x, so the opposite of x x* F."""
    _need(x, Motion, "ad_dual")
    _need(x, Motion, "ad")
    _need(f, Force, "ad*")
    return -x.cross(f)


def ad_dual_matrix(x: Motion) -> Matrix:
    """ad*_x as a 6x6 matrix, PBP95 (7)."""
    _need(x, Motion, "ad_dual_matrix")
    _need(x, Motion, "ad")
    return x.cross_matrix().T


def left_jacobian(m: Motion) -> Matrix:
    """J(m) = int_0^1 Ad_exp(t m) dt = [J(phi), 0; Q, J(phi)], 6x6.

    The velocity of B in A coordinates is J(m) dm/dt. Q is the derivative of J(phi) = 1 + c_2 [phi] + c_3 [phi]^2
    along v.
    """
    _need(m, Motion, "left_jacobian")
    _need(m, Motion, "the Jacobian")
    s = m.ang @ m.ang
    return _dual(
        so3.left_jacobian(m.ang),
        _rate(m, (stumpff(2, s), stumpff(2, s, 1)), (stumpff(3, s), stumpff(3, s, 1))),
    )


def right_jacobian(m: Motion) -> Matrix:
    """J(-m): the velocity of B in B coordinates is J(-m) dm/dt, 6x6."""
    _need(m, Motion, "right_jacobian")
    return left_jacobian(-m)


def left_jacobian_inverse(m: Motion) -> Matrix:
    """J(m)^-1 = [J(phi)^-1, 0; Q', J(phi)^-1], 6x6; |phi| < 2 pi. Q' is the derivative of J(phi)^-1 along v."""
    _need(m, Motion, "left_jacobian_inverse")
    _need(m, Motion, "the Jacobian")
    s = m.ang @ m.ang
    return _dual(
        so3.left_jacobian_inverse(m.ang),
        _rate(m, (-0.5, 0.0), (inverse_coefficient(s), inverse_coefficient_rate(s))),
    )


def right_jacobian_inverse(m: Motion) -> Matrix:
    """J(-m)^-1, 6x6."""
    _need(m, Motion, "right_jacobian_inverse")
    return left_jacobian_inverse(-m)


def _dual(A: Matrix, B: Matrix) -> Matrix:
    """[A, 0; B, A]."""
    top = [[*row, 0.0, 0.0, 0.0] for row in A.rows]
    return Matrix(top + [[*b, *a] for b, a in zip(B.rows, A.rows, strict=True)])


def _rate(m: Motion, b: tuple[Scalar, Scalar], c: tuple[Scalar, Scalar]) -> Matrix:
    """The derivative of 1 + b [phi] + c [phi]^2 along v; b and c come with their derivatives by s = phi.phi.

    ds = 2 phi.v; the derivative of [phi]^2 = phi phi^T - s 1 is phi v^T + v phi^T - ds 1.
    """
    phi, v = m.ang, m.lin
    s, ds = phi @ phi, 2.0 * (phi @ v)
    mixed = outer(phi, v)
    linear: Vector = v * b[0] + phi * (b[1] * ds)
    squares: Matrix = (mixed + mixed.T) * c[0] + outer(phi, phi) * (c[1] * ds)
    return skew(linear) + squares - Matrix.diagonal((c[0] * ds + c[1] * ds * s,) * 3)
