"""How a library writes the coordinates of one joint, where it differs from sixd."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError
from sixd.joints import Free, Joint, Planar, Revolute, Spherical
from sixd.lie import quaternion_conjugate, quaternion_multiply
from sixd.model import JointView, Model
from sixd.spatial import Matrix, Transform, Vector
from sixd.spatial.linear import levelled

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
    """A free joint: ``order`` picks the peer's entries from the quaternion x, y, z, w and the position.

    A peer ``in_world`` gives the pose of the body in the world, wherever the joint's frame on the base is placed;
    ``place`` is that frame, X_T of F10b (3), None if it is the world's. Parent coordinates are the world's then.
    """

    nq: int = 7
    nv: int = 6
    order: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)
    linear_first: bool = False
    #: Whether velocities are in parent coordinates.
    angular_in_parent: bool = False
    linear_in_parent: bool = False
    in_world: bool = False
    place: Transform | None = None

    def q_to(self, q: Array) -> Array:
        attitude, position = _unit(q[..., :4]), q[..., 4:]
        if self.place is not None:
            attitude = _product(self.place.quaternion(), attitude)
            position = position @ _like(q, self.place.E) + _like(q, self.place.r)
        return np.concatenate([attitude, position], axis=-1)[..., self.order]

    def q_from(self, q: Array) -> Array:
        q = q[..., np.argsort(self.order)]
        if self.place is None:
            return q
        attitude = _product(quaternion_conjugate(self.place.quaternion()), _levelled(q[..., :4]))
        position = (q[..., 4:] - _like(q, self.place.r)) @ _like(q, self.place.E.T)
        return np.concatenate([attitude, position], axis=-1)

    def attitude(self, q: Array) -> Array:
        """From body to parent coordinates, (..., 3, 3)."""
        R = _rotation(q[..., :4])
        return R if self.place is None else _like(q, self.place.E.T) @ R

    @property
    def halves(self) -> tuple[slice, slice]:
        """Where the peer has the angular and the linear part."""
        first, second = slice(0, 3), slice(3, 6)
        return (second, first) if self.linear_first else (first, second)

    def matrix(self, q: Array) -> Array:
        R, one = self.attitude(q), np.eye(3)
        A = np.zeros((*q.shape[:-1], 6, 6), dtype=q.dtype)
        angular, linear = self.halves
        A[..., angular, :3] = R if self.angular_in_parent else one
        A[..., linear, 3:] = R if self.linear_in_parent else one
        return A

    def rate(self, q: Array, v: Array) -> Array | None:
        """Only the linear part in parent coordinates changes beside v: d/dt (R v) = R (dv/dt + w x v)."""
        if not self.linear_in_parent:
            return None
        turning = (self.attitude(q) @ np.cross(v[..., :3], v[..., 3:])[..., None])[..., 0]
        out = np.zeros((*turning.shape[:-1], 6), dtype=turning.dtype)
        out[..., self.halves[1]] = turning
        return out


def _entries(x: Array) -> list[Array]:
    return list(np.moveaxis(x, -1, 0))


def _like(q: Array, constant: Vector | Matrix) -> Array:
    return np.asarray(constant.array(), dtype=q.dtype)


def _product(a: Vector, b: Array) -> Array:
    """The quaternion a b, (..., 4)."""
    return np.stack(quaternion_multiply(_entries(_like(b, a)), _entries(b)).components(), axis=-1)


def _unit(quaternion: Array) -> Array:
    q = _levelled(quaternion)
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def _levelled(quaternion: Array) -> Array:
    """The same attitude by numbers whose squares are in range."""
    return np.stack(levelled(Vector(_entries(quaternion))).components(), axis=-1)


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
        Free: Floating(order=_POSITION_WXYZ, linear_first=True, linear_in_parent=True, in_world=True),
        Spherical: Ball(order=(3, 0, 1, 2)),
        Planar: None,
    },
    "Drake": {
        Free: Floating(order=_WXYZ_POSITION, angular_in_parent=True, linear_in_parent=True, in_world=True),
        Spherical: BallRpy(),
    },
    "Bullet": {
        Free: Floating(
            order=_POSITION_XYZW, linear_first=True, angular_in_parent=True, linear_in_parent=True, in_world=True
        ),
        Spherical: Ball(),
        Planar: None,
    },
}


def form_of(peer: str, model: Model, joint: JointView, nq: int | None = None) -> Form:
    """How a library writes a joint, where it uses ``nq`` coordinates."""
    if peer == "Pinocchio" and isinstance(joint.type, Revolute) and nq == 2:
        return Angle()
    form = FORMS[peer].get(type(joint.type), Form(joint.type.nq, joint.type.nv))
    if form is None:
        raise ModelError(f"{peer} has no {joint.type.name} joint: {joint.name!r}")
    return _in_world(peer, model, joint, form) if isinstance(form, Floating) and form.in_world else form


def _in_world(peer: str, model: Model, joint: JointView, form: Floating) -> Form:
    """The form of a free joint whose coordinates are those of its body in the world."""
    if model.parent[joint.index] != 0:
        raise ModelError(
            f"free joint {joint.name!r} stands on {joint.predecessor!r}, which moves; "
            f"{peer} has free joints on the fixed world only"
        )
    place = model.body_list[joint.index].placement
    return form if place.components() == Transform.identity().components() else replace(form, place=place)
