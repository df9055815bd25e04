"""How a library writes the coordinates of one joint, where it differs from sixd."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError
from sixd.joints import Free, Joint, Planar, Revolute, Spherical
from sixd.spatial import Transform

__all__ = ["Array", "Form", "form_of"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Form:
    """How a library writes one joint; this one writes it as sixd does.

    Velocities differ by an orthogonal matrix: v_peer = A(q) v, so that joint forces, its dual, differ by the same.
    """

    nq: int
    nv: int

    def q_to(self, q: Array) -> Array:
        return q

    def q_from(self, q: Array) -> Array:
        return q

    def matrix(self, q: Array) -> Array | None:
        """A, (..., nv, nv), at sixd's q; None is the identity."""
        return None

    def rate(self, q: Array, v: Array) -> Array | None:
        """(dA/dt) v, (..., nv), at sixd's q and v; None is zero."""
        return None


@dataclass(frozen=True)
class Angle(Form):
    """An angle as (cos, sin); whole turns are forgotten."""

    nq: int = 2
    nv: int = 1

    def q_to(self, q: Array) -> Array:
        return np.concatenate([np.cos(q), np.sin(q)], axis=-1)

    def q_from(self, q: Array) -> Array:
        return np.arctan2(q[..., 1:], q[..., :1])


@dataclass(frozen=True)
class BodyPlanar(Form):
    """A planar joint as (x, y, cos, sin), with its linear velocity in body coordinates."""

    nq: int = 4
    nv: int = 3

    def q_to(self, q: Array) -> Array:
        return np.concatenate([q[..., :2], np.cos(q[..., 2:]), np.sin(q[..., 2:])], axis=-1)

    def q_from(self, q: Array) -> Array:
        return np.concatenate([q[..., :2], np.arctan2(q[..., 3:], q[..., 2:3])], axis=-1)

    def matrix(self, q: Array) -> Array:
        A = np.zeros((*q.shape[:-1], 3, 3), dtype=q.dtype)
        A[..., 0, 0] = A[..., 1, 1] = np.cos(q[..., 2])
        A[..., 0, 1] = np.sin(q[..., 2])
        A[..., 1, 0] = -A[..., 0, 1]
        A[..., 2, 2] = 1.0
        return A

    def rate(self, q: Array, v: Array) -> Array:
        x, y, _ = np.moveaxis((self.matrix(q) @ v[..., None])[..., 0], -1, 0)
        return np.stack([v[..., 2] * y, -v[..., 2] * x, np.zeros_like(x)], axis=-1)


@dataclass(frozen=True)
class Ball(Form):
    """A spherical joint by a quaternion: ``order`` picks the peer's entries from x, y, z, w."""

    nq: int = 4
    nv: int = 3
    order: tuple[int, ...] = (0, 1, 2, 3)

    def q_to(self, q: Array) -> Array:
        return _unit(q)[..., self.order]

    def q_from(self, q: Array) -> Array:
        return q[..., np.argsort(self.order)]


@dataclass(frozen=True)
class BallRpy(Form):
    """A spherical joint by roll, pitch and yaw, with its angular velocity in parent coordinates."""

    nq: int = 3
    nv: int = 3

    def q_to(self, q: Array) -> Array:
        return Transform.from_quaternion(_entries(q)).rpy().array()

    def q_from(self, q: Array) -> Array:
        return Transform.from_rpy(_entries(q)).quaternion().array()

    def matrix(self, q: Array) -> Array:
        return _rotation(q)


@dataclass(frozen=True)
class Floating(Form):
    """A free joint: ``order`` picks the peer's entries from the quaternion x, y, z, w and the position."""

    nq: int = 7
    nv: int = 6
    order: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)
    linear_first: bool = False
    #: Whether velocities are in parent coordinates.
    angular_in_parent: bool = False
    linear_in_parent: bool = False

    def q_to(self, q: Array) -> Array:
        return np.concatenate([_unit(q[..., :4]), q[..., 4:]], axis=-1)[..., self.order]

    def q_from(self, q: Array) -> Array:
        return q[..., np.argsort(self.order)]

    @property
    def halves(self) -> tuple[slice, slice]:
        """Where the peer has the angular and the linear part."""
        first, second = slice(0, 3), slice(3, 6)
        return (second, first) if self.linear_first else (first, second)

    def matrix(self, q: Array) -> Array:
        R, one = _rotation(q[..., :4]), np.eye(3)
        A = np.zeros((*q.shape[:-1], 6, 6), dtype=q.dtype)
        angular, linear = self.halves
        A[..., angular, :3] = R if self.angular_in_parent else one
        A[..., linear, 3:] = R if self.linear_in_parent else one
        return A

    def rate(self, q: Array, v: Array) -> Array | None:
        """Only the linear part in parent coordinates changes beside v: d/dt (R v) = R (dv/dt + w x v)."""
        if not self.linear_in_parent:
            return None
        turning = (_rotation(q[..., :4]) @ np.cross(v[..., :3], v[..., 3:])[..., None])[..., 0]
        out = np.zeros((*turning.shape[:-1], 6), dtype=turning.dtype)
        out[..., self.halves[1]] = turning
        return out


def _entries(x: Array) -> list[Array]:
    return list(np.moveaxis(x, -1, 0))


def _unit(quaternion: Array) -> Array:
    return quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)


def _rotation(quaternion: Array) -> Array:
    """The attitude as a rotation matrix from body to parent coordinates, (..., 3, 3)."""
    return np.asarray(Transform.from_quaternion(_entries(quaternion)).E.T.array())


_POSITION_XYZW, _POSITION_WXYZ, _WXYZ_POSITION = (4, 5, 6, 0, 1, 2, 3), (4, 5, 6, 3, 0, 1, 2), (3, 0, 1, 2, 4, 5, 6)

#: What each library writes differently from sixd, by joint type; None stands for a type that it does not have.
FORMS: dict[str, dict[type[Joint], Form | None]] = {
    "Pinocchio": {
        Free: Floating(order=_POSITION_XYZW, linear_first=True),
        Spherical: Ball(),
        Planar: BodyPlanar(),
    },
    "MuJoCo": {
        Free: Floating(order=_POSITION_WXYZ, linear_first=True, linear_in_parent=True),
        Spherical: Ball(order=(3, 0, 1, 2)),
        Planar: None,
    },
    "Drake": {
        Free: Floating(order=_WXYZ_POSITION, angular_in_parent=True, linear_in_parent=True),
        Spherical: BallRpy(),
    },
    "Bullet": {
        Free: Floating(order=_POSITION_XYZW, linear_first=True, angular_in_parent=True, linear_in_parent=True),
        Spherical: Ball(),
        Planar: None,
    },
}


def form_of(peer: str, joint: Joint, nq: int | None = None) -> Form:
    """How a library writes a joint, where it uses ``nq`` coordinates."""
    if peer == "Pinocchio" and isinstance(joint, Revolute) and nq == 2:
        return Angle()
    form = FORMS[peer].get(type(joint), Form(joint.nq, joint.nv))
    if form is None:
        raise ModelError(f"{peer} has no {joint.name} joint")
    return form
