"""Conversion of whole coordinate vectors, joint by joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sixd.errors import ShapeError
from sixd.given import described, whole
from sixd.layouts.forms import Array, Form
from sixd.model import JointView, Model
from sixd.runtime.arguments import shape_of

__all__ = ["Layout", "Part", "linear_first"]


def linear_first(x: ArrayLike, axis: int = -1) -> Array:
    """Six-vectors with their angular and linear halves exchanged along an axis: to the order of Pinocchio, or back."""
    shape, number = shape_of("x", x), whole(axis)
    if number is None or not -len(shape) <= number < len(shape) or shape[number] != 6:
        raise ShapeError(f"x needs 6 entries along axis {described(axis)}, its shape is {shape}")
    return np.roll(np.asarray(x), 3, axis=number)


class Part(NamedTuple):
    """A joint in a layout: how it is written, where the peer has its coordinates, which joint of the model it is."""

    form: Form
    q: slice
    v: slice
    joint: JointView
    ratio: float
    offset: float

    @property
    def follows(self) -> bool:
        """Whether the joint has no coordinates of its own in the model, though it has in the peer."""
        return self.joint.mimic is not None


@dataclass(frozen=True, repr=False)
class Layout:
    """Converts between sixd's coordinates of a model and those of a peer. All methods broadcast over leading axes.

    The argument ``q`` of velocities, accelerations and forces is always sixd's, and so is ``v`` of accelerations:

    >>> q = layout.q_from(peer_q); v = layout.v_from(q, peer_v); a = layout.a_from(q, v, peer_a)

    Where the peer has coordinates for a joint that mimics another in the model, they are filled in on the way to the
    peer and ignored on the way back; forces on it count for the joint it follows.
    """

    peer: str
    model: Model
    parts: tuple[Part, ...]

    def __repr__(self) -> str:
        names = ", ".join(part.joint.name for part in self.parts)
        return f"Layout({self.peer} of {self.model.name or 'robot'}: nq {self.nq}, nv {self.nv}; {names})"

    @property
    def nq(self) -> int:
        """The number of the peer's position coordinates."""
        return max((part.q.stop for part in self.parts), default=0)

    @property
    def nv(self) -> int:
        """The number of the peer's velocity coordinates."""
        return max((part.v.stop for part in self.parts), default=0)

    def q_to(self, q: ArrayLike) -> Array:
        """Positions for the peer, (..., peer's nq), with unit quaternions."""
        q = _array(q, self.model.nq, "q")
        out = np.zeros((*q.shape[:-1], self.nq), dtype=q.dtype)
        for part in self.parts:
            out[..., part.q] = part.form.q_to(_own(part, q))
        return out

    def q_from(self, q: ArrayLike) -> Array:
        """Positions from the peer, (..., nq)."""
        q = _array(q, self.nq, f"q of {self.peer}")
        out = np.zeros((*q.shape[:-1], self.model.nq), dtype=q.dtype)
        for part in self.parts:
            if not part.follows:
                out[..., part.joint.q] = part.form.q_from(q[..., part.q])
        return out

    def v_to(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Velocities for the peer."""
        return self._to(_array(q, self.model.nq, "q"), _array(v, self.model.nv, "v"))

    def v_from(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Velocities from the peer."""
        return self._from(_array(q, self.model.nq, "q"), _array(v, self.nv, f"v of {self.peer}"))

    def a_to(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Accelerations (rates of the velocity coordinates) for the peer."""
        q, v, a = _array(q, self.model.nq, "q"), _array(v, self.model.nv, "v"), _array(a, self.model.nv, "a")
        return self._to(q, a) + self._rates(q, v)

    def a_from(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Accelerations from the peer."""
        q, v, a = _array(q, self.model.nq, "q"), _array(v, self.model.nv, "v"), _array(a, self.nv, f"a of {self.peer}")
        return self._from(q, a - self._rates(q, v))

    def tau_to(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Joint forces for the peer, of the same power; zero at joints that follow others."""
        return self._to(_array(q, self.model.nq, "q"), _array(tau, self.model.nv, "tau"), followers=0.0)

    def tau_from(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """Joint forces from the peer, of the same power."""
        q, tau = _array(q, self.model.nq, "q"), _array(tau, self.nv, f"tau of {self.peer}")
        return self._from(q, tau, followers=1.0)

    def matrix(self, q: ArrayLike) -> Array:
        """G with v_to(q, v) = G v, (..., peer's nv, nv): a peer's Jacobian J is J G here, its mass matrix G^T H G."""
        q = _array(q, self.model.nq, "q")
        return np.swapaxes(self.v_to(q[..., None, :], np.eye(self.model.nv, dtype=q.dtype)), -1, -2)

    def _to(self, q: Array, x: Array, followers: float = 1.0) -> Array:
        out = np.zeros((*_lead(q, x), self.nv), dtype=np.result_type(q, x))
        for part in self.parts:
            scale = followers * part.ratio if part.follows else 1.0
            out[..., part.v] = _apply(part.form.matrix(_own(part, q)), scale * x[..., part.joint.v])
        return out

    def _from(self, q: Array, x: Array, followers: float = 0.0) -> Array:
        out = np.zeros((*_lead(q, x), self.model.nv), dtype=np.result_type(q, x))
        for part in self.parts:
            A = part.form.matrix(_own(part, q))
            scale = followers * part.ratio if part.follows else 1.0
            out[..., part.joint.v] += scale * _apply(None if A is None else np.swapaxes(A, -1, -2), x[..., part.v])
        return out

    def _rates(self, q: Array, v: Array) -> Array:
        out = np.zeros((*_lead(q, v), self.nv), dtype=np.result_type(q, v))
        for part in self.parts:
            rate = part.form.rate(_own(part, q), v[..., part.joint.v])
            if rate is not None:
                out[..., part.v] = rate
        return out


def _array(x: ArrayLike, n: int, name: str) -> Array:
    try:
        array = np.asarray(x)
    except (TypeError, ValueError) as error:
        raise ShapeError(f"{name} is no array of numbers: {error}") from None
    if array.dtype.kind not in "biuf":
        raise ShapeError(f"{name} must be an array of real numbers, not of {array.dtype}")
    if array.ndim == 0 or array.shape[-1] != n:
        raise ShapeError(f"{name} needs {n} entries in its last axis, its shape is {array.shape}")
    return array.astype(np.result_type(array, np.float32), copy=False)


def _lead(*arrays: Array) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ShapeError(f"the batch axes of q and the other arguments do not broadcast: {shapes}") from None


def _own(part: Part, q: Array) -> Array:
    """The coordinates of a joint, those of a joint that follows another included."""
    own = q[..., part.joint.q]
    return part.ratio * own + part.offset if part.follows else own


def _apply(A: Array | None, x: Array) -> Array:
    return x if A is None else (A @ x[..., None])[..., 0]
