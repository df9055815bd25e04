"""SO(3): rotations of a frame. exp, log and the Jacobians that relate rotation vectors to angular velocities.

A rotation vector phi is an axis times an angle theta = |phi|, radians. The rotation R = exp [phi] is the attitude of a
frame B in A: it turns B coordinates into A coordinates, so ``Transform.E`` of X_BA is R^T.
"""

from __future__ import annotations

from typing import Any

from sixd.lie.coefficients import inverse_coefficient, stumpff
from sixd.lie.quaternion import quaternion_log
from sixd.ops import Scalar
from sixd.spatial.linear import Matrix, Vector, matrix_of, vector_of
from sixd.spatial.transform import Transform

__all__ = ["exp", "left_jacobian", "left_jacobian_inverse", "log", "right_jacobian", "right_jacobian_inverse"]


def _polynomial(phi: Vector, b: Scalar, c: Scalar) -> Matrix:
    """1 + b [phi] + c [phi]^2, the form of every function of [phi]; [phi]^2 = phi phi^T - theta^2 1."""
    x, y, z = phi
    xx, yy, zz, xy, xz, yz = c * x * x, c * y * y, c * z * z, c * x * y, c * x * z, c * y * z
    bx, by, bz = b * x, b * y, b * z
    return Matrix(
        (
            (1.0 - (yy + zz), xy - bz, xz + by),
            (xy + bz, 1.0 - (xx + zz), yz - bx),
            (xz - by, yz + bx, 1.0 - (xx + yy)),
        )
    )


def exp(phi: Any) -> Matrix:
    """R = exp [phi] = 1 + (sin theta / theta) [phi] + ((1 - cos theta) / theta^2) [phi]^2, PBP95 (16).

    phi (..., 3) is a rotation vector of any length; the result is a 3x3 rotation matrix.
    """
    phi = vector_of(phi, 3, "a rotation vector")
    s = phi @ phi
    return _polynomial(phi, stumpff(1, s), stumpff(2, s))


def log(R: Any) -> Vector:
    """The rotation vector of a 3x3 rotation matrix: exp(log(R)) = R, |log(R)| <= pi.

    It goes through the quaternion, which is accurate for every angle: the trace says nothing near 0, the skew part
    nothing near pi. At exactly pi one of the two answers is given.
    """
    return quaternion_log(Transform(matrix_of(R, 3, "a rotation matrix").T, Vector.zero()).quaternion())


def left_jacobian(phi: Any) -> Matrix:
    """J(phi) = int_0^1 exp(t [phi]) dt = 1 + c_2 [phi] + c_3 [phi]^2, the matrix of PBP95 (17).

    The angular velocity in A coordinates is J(phi) dphi/dt: exp(phi + d) = exp(J(phi) d) exp(phi) to first order.
    """
    phi = vector_of(phi, 3, "a rotation vector")
    s = phi @ phi
    return _polynomial(phi, stumpff(2, s), stumpff(3, s))


def right_jacobian(phi: Any) -> Matrix:
    """J(-phi) = J(phi)^T: the angular velocity in B coordinates is J(-phi) dphi/dt."""
    return left_jacobian(phi).T


def left_jacobian_inverse(phi: Any) -> Matrix:
    """J(phi)^-1 = 1 - 1/2 [phi] + d [phi]^2 with d = (1 - (theta/2) cot(theta/2)) / theta^2; theta < 2 pi."""
    phi = vector_of(phi, 3, "a rotation vector")
    return _polynomial(phi, -0.5, inverse_coefficient(phi @ phi))


def right_jacobian_inverse(phi: Any) -> Matrix:
    """J(-phi)^-1."""
    return left_jacobian_inverse(phi).T
