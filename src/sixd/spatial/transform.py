"""Plücker coordinate transforms, stored as a rotation and a translation (never as 6x6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, overload

from sixd.errors import SpatialTypeError
from sixd.ops import Scalar, arctan2, cos, divide, sin, sqrt, stack, where
from sixd.spatial.linear import Matrix, Vector, levelled, matrix_of, skew, vector_of
from sixd.spatial.motion import Motion
from sixd.spatial.sound import SLACK, axis_fault, need, pose_fault, rotation_fault, transform_fault
from sixd.spatial.value import Value, named, need_kind, need_size, put
from sixd.spatial.vector import Quantity

__all__ = ["InverseTransform", "Transform", "rate_of_transform"]

Q = TypeVar("Q", bound=Quantity)


class Transform(Value):
    """X_BA: from A to B coordinates, as (E, r) of F10a (11).

    E turns A coordinates into B coordinates; r locates B's origin in A coordinates. ``X_BA @ m_A`` is ``m_B`` for
    motions, forces, inertias and sets of vectors, each by its own rule; ``X_CB @ X_BA`` is ``X_CA``: letters meet.
    """

    __slots__ = ("E", "r")
    E: Matrix
    r: Vector

    def __init__(self, E: Matrix | Any, r: Vector | Any) -> None:
        """E is a 3x3 rotation matrix. An array is checked; a `Matrix`, which the algebra itself gives, is not."""
        if not isinstance(E, Matrix):
            E = matrix_of(E, 3, "the rotation of a Transform")
            need(rotation_fault(E.T), "E is no rotation")  # E's rows are B's axes
        put(self, "E", matrix_of(E, 3, "the rotation of a Transform"))
        put(self, "r", vector_of(r, 3, "the translation of a Transform"))

    # ---- makers

    @classmethod
    def identity(cls) -> Transform:
        return cls(Matrix.identity(), Vector.zero())

    @classmethod
    def translation(cls, r: Any) -> Transform:
        """B is A moved by r: xlt(r) of F10b Table 1."""
        return cls(Matrix.identity(), r)

    @classmethod
    def rotation(cls, axis: Any, angle: Scalar) -> Transform:
        """B is A turned by an angle about a unit axis.

        E = u u^T + c (1 - u u^T) - s (u x), with u's products formed first: constants 0 and 1 stay 0 and 1.
        """
        c, s = cos(angle), sin(angle)
        x, y, z = vector_of(axis, 3, "an axis")
        xx, yy, zz, v = x * x, y * y, z * z, 1.0 - c
        if not (type(xx) is type(yy) is type(zz) is float and abs(xx + yy + zz - 1.0) <= SLACK):
            need(axis_fault(Vector((x, y, z))), "the axis of a rotation is no unit vector")
        xy, xz, yz = x * y * v, x * z * v, y * z * v
        sx, sy, sz = s * x, s * y, s * z
        E = Matrix(
            (
                (xx + c * (1.0 - xx), xy + sz, xz - sy),
                (xy - sz, yy + c * (1.0 - yy), yz + sx),
                (xz + sy, yz - sx, zz + c * (1.0 - zz)),
            )
        )
        return cls(E, Vector.zero())

    @classmethod
    def from_pose(cls, pose: Any) -> Transform:
        """X_BA from the pose of frame B in A: a homogeneous matrix (..., 4, 4) as people write it, [E^T, r; 0, 1]."""
        P = matrix_of(pose, 4, "a pose")
        need(pose_fault(P), "this is no pose")
        return cls(
            Matrix(row[:3] for row in P.rows[:3]).T,
            Vector(row[3] for row in P.rows[:3]),
        )

    @classmethod
    def from_matrix(cls, matrix: Any) -> Transform:
        """From the 6x6 matrix of F10a (11): E is its upper left block and -E (r x) the lower left one."""
        A = matrix_of(matrix, 6, "a Transform")
        need(transform_fault(A), "this is no transform")
        E = Matrix(row[:3] for row in A.rows[:3])
        rx = -(E.T @ Matrix(row[:3] for row in A.rows[3:]))
        return cls(
            E,
            Vector(0.5 * d for d in (rx[2, 1] - rx[1, 2], rx[0, 2] - rx[2, 0], rx[1, 0] - rx[0, 1])),
        )

    @classmethod
    def from_quaternion(cls, quaternion: Any, position: Any = (0.0, 0.0, 0.0)) -> Transform:
        """X_BA from the attitude (x, y, z, w) and position of frame B in A; any nonzero quaternion counts."""
        x, y, z, w = levelled(vector_of(quaternion, 4, "a quaternion"))
        s = divide(2.0, x * x + y * y + z * z + w * w)
        sx, sy, sz = s * x, s * y, s * z
        xx, xy, xz, xw = sx * x, sx * y, sx * z, sx * w
        yy, yz, yw, zz, zw = sy * y, sy * z, sy * w, sz * z, sz * w
        E = Matrix(
            (
                (1.0 - (yy + zz), xy + zw, xz - yw),
                (xy - zw, 1.0 - (xx + zz), yz + xw),
                (xz + yw, yz - xw, 1.0 - (xx + yy)),
            )
        )
        return cls(E, position)

    @classmethod
    def from_rpy(cls, rpy: Any, position: Any = (0.0, 0.0, 0.0)) -> Transform:
        """X_BA from roll, pitch, yaw and position of frame B in A, as URDF writes them: Rz(yaw) Ry(pitch) Rx(roll)."""
        (cr, sr), (cp, sp), (cy, sy) = ((cos(x), sin(x)) for x in vector_of(rpy, 3, "roll, pitch, yaw"))
        srsp, crsp = sr * sp, cr * sp
        E = Matrix(
            (
                (cp * cy, cp * sy, -sp),
                (srsp * cy - cr * sy, srsp * sy + cr * cy, sr * cp),
                (crsp * cy + sr * sy, crsp * sy - sr * cy, cr * cp),
            )
        )
        return cls(E, position)

    @classmethod
    def from_components(cls, c: Sequence[Scalar]) -> Transform:
        need_size(c, 12, "a Transform")
        return cls(Matrix.from_components(c[:9], 3), Vector(c[9:12]))

    @classmethod
    def _size(cls, nv: int) -> int:
        return 12

    # ---- views

    def components(self) -> list[Scalar]:
        return [*self.E.components(), *self.r]

    def pose(self) -> Any:
        """The pose of frame B in A, an array (..., 4, 4): [E^T, r; 0, 1]."""
        rows = [[*row, x] for row, x in zip(self.E.T.rows, self.r, strict=True)]
        return stack([x for row in rows for x in row] + [0.0, 0.0, 0.0, 1.0], (4, 4))

    def matrix(self) -> Matrix:
        """The 6x6 matrix for motions, F10a (11): [E, 0; -E (r x), E]."""
        lower = -(self.E @ skew(self.r))
        zero = (0.0, 0.0, 0.0)
        return Matrix(
            [[*row, *zero] for row in self.E.rows] + [[*a, *b] for a, b in zip(lower.rows, self.E.rows, strict=True)]
        )

    def force_matrix(self) -> Matrix:
        """The 6x6 matrix for forces, F10a (2), (12): X* = X^-T = [E, -E (r x); 0, E]."""
        upper = -(self.E @ skew(self.r))
        zero = (0.0, 0.0, 0.0)
        return Matrix(
            [[*a, *b] for a, b in zip(self.E.rows, upper.rows, strict=True)] + [[*zero, *row] for row in self.E.rows]
        )

    def quaternion(self) -> Vector:
        """The attitude of frame B in A as a unit quaternion (x, y, z, w) with w >= 0.

        Of the four products 4 q_k q the one with the largest q_k is used, so no attitude loses accuracy.
        """
        R = self.E.T
        xx, yy, zz = R[0, 0], R[1, 1], R[2, 2]
        a, b, c = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
        d, e, f = R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2]
        t = [1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz, 1.0 + xx + yy + zz]
        rows = [(t[0], d, e, a), (d, t[1], f, b), (e, f, t[2], c), (a, b, c, t[3])]
        best, size = rows[3], t[3]
        for row, candidate in zip(rows[:3], t[:3], strict=True):
            larger = candidate > size
            best = tuple(where(larger, new, old) for new, old in zip(row, best, strict=True))
            size = where(larger, candidate, size)
        q = Vector(best)
        scale = divide(1.0, sqrt(q @ q))
        return q * where(q[3] < 0.0, -scale, scale)

    def rpy(self) -> Vector:
        """Roll, pitch, yaw of frame B in A, the inverse of `from_rpy`; at pitch = +-pi/2 roll is zero.

        Yaw is read from R Rx(-roll) = Rz(yaw) Ry(pitch), so near +-pi/2, where roll is lost in rounding, yaw makes up
        for it and the attitude keeps its accuracy.
        """
        R = self.E.T
        square = R[0, 0] * R[0, 0] + R[1, 0] * R[1, 0]
        level = where(square > 0.0, sqrt(square), 0.0)  # with the derivative 0 at 0
        pitch = arctan2(-R[2, 0], level)
        roll = where(level < 1e-15, 0.0, arctan2(R[2, 1], R[2, 2]))
        c, s = cos(roll), sin(roll)
        yaw = arctan2(s * R[0, 2] - c * R[0, 1], c * R[1, 1] - s * R[1, 2])
        return Vector((roll, pitch, yaw))

    # ---- algebra

    @overload
    def __matmul__(self, other: Transform | InverseTransform) -> Transform: ...
    @overload
    def __matmul__(self, other: Q) -> Q: ...
    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Quantity):
            return other._transformed(self)
        if isinstance(other, InverseTransform):
            other = other.materialize()
        if not isinstance(other, Transform):
            raise SpatialTypeError(f"a Transform cannot act on {named(other)}")
        return Transform(self.E @ other.E, other.r + other.E.T @ self.r)

    @property
    def inv(self) -> InverseTransform:
        """X_AB, without forming it: ``X.inv @ f`` costs no more than ``X @ f``."""
        return InverseTransform(self)

    def inverse(self) -> Transform:
        """X_AB, formed: (E^T, -E r)."""
        return Transform(self.E.T, -(self.E @ self.r))

    def __repr__(self) -> str:
        return f"Transform(E={[list(row) for row in self.E.rows]}, r={list(self.r)})"


class InverseTransform(Value):
    """The inverse of a transform, as a promise: it applies the inverse rule of each quantity to (E, r) as they are."""

    __slots__ = ("inv",)
    #: The transform this is the inverse of.
    inv: Transform

    def __init__(self, inv: Transform) -> None:
        if not isinstance(inv, Transform):
            raise SpatialTypeError(f"the inverse of a Transform, not of {named(inv)}")
        put(self, "inv", inv)

    def components(self) -> list[Scalar]:
        """Those of the transform this is the inverse of."""
        return self.inv.components()

    @classmethod
    def _size(cls, nv: int) -> int:
        return 12

    def materialize(self) -> Transform:
        return self.inv.inverse()

    @overload
    def __matmul__(self, other: Transform | InverseTransform) -> Transform: ...
    @overload
    def __matmul__(self, other: Q) -> Q: ...
    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Quantity):
            return other._transformed_back(self.inv)
        return self.materialize() @ other

    def __repr__(self) -> str:
        return f"{self.inv!r}.inv"


def rate_of_transform(X: Transform, v: Motion) -> Matrix:
    """d/dt of the 6x6 matrix X_BA when B moves with velocity v (B coordinates) relative to A: -(v x) X."""
    need_kind(X, Transform, "the rate of a transform")
    need_kind(v, Motion, "the rate of a transform")
    return -(v.cross_matrix() @ X.matrix())
