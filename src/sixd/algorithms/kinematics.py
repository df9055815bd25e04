"""Where the bodies are and how they move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, BodyNumber, FrameOffset, Option, Position, Velocity
from sixd.errors import ArgumentError, ChoiceError, ModelError
from sixd.given import choice, described, whole
from sixd.model.tree import Slots, Tree
from sixd.spatial import Motion, Transform, Vector

__all__ = [
    "BodyMotion",
    "acceleration",
    "accelerations",
    "along_path",
    "bias_accelerations",
    "body_motion",
    "expression",
    "forward_kinematics",
    "frame_poses",
    "pose",
    "velocities",
    "velocity",
]


@algorithm
def forward_kinematics(tree: Tree, q: Position) -> Slots[Transform]:
    """X_i0, from world to body coordinates, for every body: F10b (3), (14).

    ``pose()`` of each is the body's pose in the world.
    """
    X = tree.slots(Transform, base=Transform.identity())
    for i, p in tree.outward():
        X[i] = tree.joint(i).transform(q[i]) @ tree.placement(i) @ X[p]
    return X


@algorithm
def pose(tree: Tree, q: Position, body: BodyNumber, offset: FrameOffset = None) -> Transform:
    """X_F0, from world to frame coordinates, where frame F is at ``offset`` on ``body``: F10b (14) along one path."""
    X = tree.cell(offset or Transform.identity())
    for i, _ in tree.path(body):
        X.now = X.now @ (tree.joint(i).transform(q[i]) @ tree.placement(i))
    return X.now


@algorithm(rolled=False)
def frame_poses(
    tree: Tree, q: Position, frames: Option[Sequence[tuple[int, Transform]] | None] = None
) -> list[Transform]:
    """X_F0, from world to frame coordinates, for many frames: F10b (14).

    Each frame is given by the number of its body (0 is the base) and the transform from body to frame coordinates. By
    default they are the frames of the bodies themselves, the base first.
    """
    X = forward_kinematics(tree, q)
    if frames is None:
        return [X[i] for i in range(tree.model.n_bodies + 1)]
    return [offset @ X[body] for body, offset in _checked(tree, frames)]


def _checked(tree: Tree, frames: Any) -> Iterator[tuple[int, Transform]]:
    """The frames, each a body of the tree and a transform."""
    if not isinstance(frames, Sequence) or isinstance(frames, str | bytes) or not frames:
        raise ArgumentError(f"frames must be pairs of a body and a transform, at least one, not {described(frames)}")
    for frame in frames:
        if not isinstance(frame, tuple) or len(frame) != 2 or not isinstance(frame[1], Transform):
            raise ArgumentError(f"each of frames must be a pair of a body and a transform, not {described(frame)}")
        body, offset = frame
        if whole(body) is None or not 0 <= body <= tree.model.n_bodies:
            raise ModelError(f"frames: there is no body {described(body)}; bodies are 0 to {tree.model.n_bodies}")
        yield body, offset


class BodyMotion(NamedTuple):
    """For every body, in its own coordinates: X_i,parent, velocity and acceleration."""

    X: Slots[Transform]
    v: Slots[Motion]
    a: Slots[Motion]


@algorithm
def body_motion(
    tree: Tree,
    q: Position,
    qd: Velocity,
    qdd: Acceleration = None,
    base_acceleration: Motion | None = None,
    to: BodyNumber | None = None,
) -> BodyMotion:
    """Transforms from the parent, velocities F10b (9) and spatial accelerations F10b (10), in body coordinates.

    The base accelerates with ``base_acceleration`` (default none; -a_g makes gravity). With ``to``, only the bodies on
    the way to that one are computed.
    """
    X = tree.slots(Transform)
    v = tree.slots(Motion, base=Motion.zero())
    a = tree.slots(Motion, base=base_acceleration or Motion.zero())
    for i, p in tree.outward(to):
        joint = tree.joint(i)
        S = joint.subspace(q[i])
        X[i] = joint.transform(q[i]) @ tree.placement(i)
        vJ = S @ qd[i]
        v[i] = X[i] @ v[p] + vJ
        a[i] = X[i] @ a[p] + S @ qdd[i] + joint.bias(q[i], qd[i]) + v[i].cross(vJ)
    return BodyMotion(X, v, a)


@algorithm
def velocities(tree: Tree, q: Position, qd: Velocity) -> Slots[Motion]:
    """v_i of every body in its own coordinates: F10b (9), FO00 (3), PBP95 (24) with (70)."""
    v = tree.slots(Motion, base=Motion.zero())
    for i, p in tree.outward():
        joint = tree.joint(i)
        X = joint.transform(q[i]) @ tree.placement(i)
        v[i] = X @ v[p] + joint.subspace(q[i]) @ qd[i]
    return v


@algorithm
def accelerations(tree: Tree, q: Position, qd: Velocity, qdd: Acceleration) -> Slots[Motion]:
    """The spatial acceleration a_i of every body in its own coordinates, gravity left out: F10b (10), FO00 (4)."""
    return body_motion(tree, q, qd, qdd).a


@algorithm
def bias_accelerations(tree: Tree, q: Position, qd: Velocity) -> Slots[Motion]:
    """The velocity-product acceleration a_i^vp of every body in its own coordinates: F10b (30), (31)."""
    return body_motion(tree, q, qd).a


def along_path(tree: Tree, X: Slots[Transform], body: int, offset: Transform) -> Transform:
    """X_F0 from the transforms X_i,parent on the way to the body: F10b (14)."""
    X_F0 = tree.cell(offset)
    for i, _ in tree.path(body):
        X_F0.now = X_F0.now @ X[i]
    return X_F0.now


def expression(X: Transform, expressed_in: str) -> Transform:
    """From frame coordinates to those a vector of the frame is wanted in; X leads from world to frame coordinates.

    "body": the frame itself. "world": the world's axes and origin. "aligned": the world's axes at the frame's origin,
    F10b (26).
    """
    choice(expressed_in, "expressed_in", ("body", "world", "aligned"))
    if expressed_in == "body":
        return Transform.identity()
    return X.inverse() if expressed_in == "world" else Transform(X.E.T, Vector.zero())


@algorithm
def velocity(
    tree: Tree, q: Position, qd: Velocity, body: BodyNumber, offset: FrameOffset = None, expressed_in: str = "body"
) -> Motion:
    """The spatial velocity of a frame: F10b (17), (23)."""
    offset = offset or Transform.identity()
    X, v, _ = body_motion(tree, q, qd, to=body)
    return expression(along_path(tree, X, body, offset), expressed_in) @ (offset @ v[body])


@algorithm
def acceleration(
    tree: Tree,
    q: Position,
    qd: Velocity,
    qdd: Acceleration,
    body: BodyNumber,
    offset: FrameOffset = None,
    expressed_in: str = "body",
    conventional: bool = False,
) -> Motion:
    """The acceleration of a frame, gravity left out: F10b (28), (32), (33).

    Spatial by default; ``conventional`` gives that of the frame's origin, F10a (22), along the axes of the body or, for
    "aligned", of the world; it belongs to a point, so it has no expression at the world's origin.
    """
    offset = offset or Transform.identity()
    X, v, a = body_motion(tree, q, qd, qdd, to=body)
    Y = expression(along_path(tree, X, body, offset), expressed_in)
    if not conventional:
        return Y @ (offset @ a[body])
    if expressed_in == "world":
        raise ChoiceError("a conventional acceleration belongs to a point: express it in 'body' or 'aligned'")
    return Y @ (offset @ a[body]).conventional(offset @ v[body])
