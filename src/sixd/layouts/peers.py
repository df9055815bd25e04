"""The layout of each library, from its own model of a robot or from the names of its joints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sixd import given
from sixd.errors import ArgumentError, ModelError
from sixd.joints import Free, Planar
from sixd.layouts.forms import Array, form_of
from sixd.layouts.layout import Layout, Part
from sixd.model import JointView, Model

__all__ = ["bullet_layout", "drake_layout", "mujoco_layout", "pinocchio_layout"]


class _PeerJoint(NamedTuple):
    name: str
    q: slice
    v: slice


def pinocchio_layout(model: Model, peer: Any) -> Layout:
    """The layout of a ``pinocchio.Model`` of the same robot; its joints are found by name, a free base by its type.

    Pinocchio's planar joints move in the plane x y of their frame, whatever axis a URDF gives them. One with another
    normal here is refused, unless the frame in Pinocchio is turned to suit.
    """
    _need(model, peer, "a pinocchio.Model", "names", "joints", "parents", "jointPlacements")
    joints = [
        _PeerJoint(name, slice(joint.idx_q, joint.idx_q + joint.nq), slice(joint.idx_v, joint.idx_v + joint.nv))
        for name, joint in zip(list(peer.names)[1:], list(peer.joints)[1:], strict=True)
        if joint.nq > 0
    ]
    layout = _layout("Pinocchio", model, joints)
    planes = [part.joint for part in layout.parts if _is_turned(part.joint)]
    if planes:
        numbers = {name: k for k, name in enumerate(peer.names)}
        place = [np.eye(4) for _ in peer.names]
        for k in range(1, len(place)):
            place[k] = place[peer.parents[k]] @ peer.jointPlacements[k].homogeneous
        for joint in planes:
            if not np.allclose(place[numbers[joint.name]], _plane(model, joint), rtol=0.0, atol=1e-9):
                raise _wrong_plane("Pinocchio", joint)
    return layout


def mujoco_layout(model: Model, peer: Any) -> Layout:
    """The layout of a ``mujoco.MjModel`` of the same robot; its joints are found by name, a free base by its type.

    Positions are MuJoCo's for reference positions (``ref``) of zero. Its world is the fixed base, body 0, here.
    """
    _need(model, peer, "a mujoco.MjModel", "njnt", "jnt_type", "jnt_qposadr", "jnt_dofadr", "joint")
    sizes = {0: (7, 6), 1: (4, 3), 2: (1, 1), 3: (1, 1)}  # mjtJoint: free, ball, slide, hinge
    joints = []
    for k in range(peer.njnt):
        nq, nv = sizes[int(peer.jnt_type[k])]
        q, v = int(peer.jnt_qposadr[k]), int(peer.jnt_dofadr[k])
        joints.append(_PeerJoint(peer.joint(k).name, slice(q, q + nq), slice(v, v + nv)))
    return _layout("MuJoCo", model, joints)


def drake_layout(model: Model, joint_names: Iterable[str]) -> Layout:
    """The layout of a Drake plant whose joints have these names, in the order of its coordinates.

    A free base that is not named comes first. Drake's world is the fixed base, body 0, here.
    """
    layout = _layout_by_names("Drake", model, joint_names)
    for part in layout.parts:
        if _is_turned(part.joint):
            raise _wrong_plane("Drake", part.joint)
    return layout


def bullet_layout(model: Model, joint_names: Iterable[str]) -> Layout:
    """The layout of a Bullet body whose joints have these names, in order; a free base that is not named comes first.

    Its position, orientation and velocities, as ``getBasePositionAndOrientation`` and ``getBaseVelocity`` give them.
    Bullet's world is the fixed base, body 0, here.
    """
    return _layout_by_names("Bullet", model, joint_names)


def _need(model: Any, peer: Any = None, kind: str = "", *attributes: str) -> None:
    """Raises unless the model is one, and the peer's looks like what it should be."""
    if not isinstance(model, Model):
        raise ArgumentError(f"model must be a Model or Robot, not {given.described(model)}")
    if not all(hasattr(peer, name) for name in attributes):
        raise ArgumentError(f"peer must be {kind}, not {given.described(peer)}")


def _layout_by_names(peer: str, model: Model, joint_names: Iterable[str]) -> Layout:
    _need(model)
    if isinstance(joint_names, str | bytes) or not isinstance(joint_names, Iterable):
        raise ArgumentError(f"joint_names must be names of joints, several, not {given.described(joint_names)}")
    names = [given.name(name, "each entry of joint_names") for name in joint_names]
    listed = set(names)
    names = [*(j.name for j in model.joints if isinstance(j.type, Free) and j.name not in listed), *names]
    joints, nq, nv = [], 0, 0
    for name in names:
        form = form_of(peer, model, model.joints[name])
        joints.append(_PeerJoint(name, slice(nq, nq + form.nq), slice(nv, nv + form.nv)))
        nq, nv = nq + form.nq, nv + form.nv
    return _layout(peer, model, joints)


def _layout(peer: str, model: Model, joints: Sequence[_PeerJoint]) -> Layout:
    names, own_names = {joint.name for joint in joints}, set(model.joints.names)
    # A floating base has a different name everywhere: it is the one that is left.
    base = [j.name for j in model.joints if isinstance(j.type, Free) and j.name not in names]
    parts = []
    for joint in joints:
        floats = joint.name not in own_names and len(base) == 1 and joint.q.stop - joint.q.start == 7
        own = model.joints[base[0] if floats else joint.name]
        form = form_of(peer, model, own, joint.q.stop - joint.q.start)
        if (form.nq, form.nv) != (joint.q.stop - joint.q.start, joint.v.stop - joint.v.start):
            raise ModelError(f"joint {own.name!r} is {own.type.name} here, but another type in {peer}")
        ratio, offset = (own.mimic.ratio, own.mimic.offset) if own.mimic else (1.0, 0.0)
        parts.append(Part(form, joint.q, joint.v, own, ratio, offset))
    found = {part.joint.name for part in parts}
    lost = [j.name for j in model.joints if j.mimic is None and j.name not in found]
    if lost or len(found) < len(parts):
        fault = f"does not have joint {lost[0]!r}" if lost else "has two joints for one"
        raise ModelError(f"{peer} {fault}: its joints are {', '.join(repr(joint.name) for joint in joints)}")
    return Layout(peer, model, tuple(parts))


def _is_turned(joint: JointView) -> bool:
    """Whether it is a planar joint whose coordinates are not along x, along y and about z."""
    return isinstance(joint.type, Planar) and joint.type != Planar()


def _plane(model: Model, joint: JointView) -> Array:
    """The frame of a planar joint, x along u, y along v, z along the normal, at the position zero of all joints."""
    assert isinstance(joint.type, Planar)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([d.array() for d in (joint.type.u, joint.type.v, joint.type.axis)])
    for i in model.path(joint.index):
        pose = model.body_list[i].placement.pose() @ pose
    return pose


def _wrong_plane(peer: str, joint: JointView) -> ModelError:
    assert isinstance(joint.type, Planar)
    normal = ", ".join(f"{x:g}" for x in joint.type.axis)
    return ModelError(
        f"planar joint {joint.name!r} has the normal ({normal}); that of {peer} moves in the plane x y of its frame"
    )
