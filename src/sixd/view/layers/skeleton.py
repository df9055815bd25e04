"""Bones from joint to joint, for robots without shapes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sixd.view.layers.axes import axes_of
from sixd.view.layers.layer import Context, Item, Layer
from sixd.view.meshes.mesh import Color
from sixd.view.shapes import box, capsule, cylinder, pose_along, sphere

__all__ = ["SKELETON", "bones"]

BONE: Color = (0.16, 0.3, 0.48, 1.0)
HUB: Color = (0.3, 0.47, 0.68, 1.0)
TIP: Color = (0.13, 0.6, 0.55, 1.0)


def bones(context: Context, body: int) -> Iterator[Item]:
    """The joint of a body, and bones from there to the joints that it carries.

    A body that carries none has bones to its frames or, without frames, to its centre of mass.
    """
    thick = 0.016 * context.bone
    yield from _hub(context, body)
    for end in _ends(context, body):
        length = float(np.linalg.norm(end))
        if length > 1e-6 * context.length:
            pose = pose_along(np.zeros(3), end)
            pose[:3, 3] = 0.5 * end
            yield Item(body, capsule(thick, length), pose, BONE)
    if not context.model.children[body]:
        for end in _ends(context, body):
            pose = np.eye(4)
            pose[:3, 3] = end
            yield Item(body, sphere(1.4 * thick), pose, TIP)


def _ends(context: Context, body: int) -> list[NDArray[np.float64]]:
    model = context.model
    carried = [model.body_list[k] for k in model.children[body]]
    if carried:
        # What floats on a free joint has no bone to its base.
        held = [b for b in carried if b.joint is not None and b.joint.type.nv < 6]
        return [np.array(b.placement.pose(), dtype=float)[:3, 3] for b in held]
    own = model.body_list[body]
    frames = [np.array(f.offset.pose(), dtype=float)[:3, 3] for f in model.frame_list if f.body == body]
    far = [place for place in frames if np.linalg.norm(place) > 1e-6 * context.length]
    if far or own.inertia.m <= 0.0:
        return far
    return [np.array(own.inertia.com.array(), dtype=float)]


def _hub(context: Context, body: int) -> Iterator[Item]:
    """A cylinder about the axis of a joint that turns, a box along one that slides, else a ball."""
    joint, size = context.model.body_list[body].joint, 0.034 * context.bone
    if joint is None or joint.type.nv >= 6:
        return
    axes = axes_of(joint.type)
    if joint.type.nv != 1 or not axes:
        yield Item(body, sphere(size), np.eye(4), HUB)
        return
    pose = pose_along(np.zeros(3), axes[0].direction)
    shape = cylinder(0.8 * size, 2.2 * size) if axes[0].turns else box(1.4 * size, 1.4 * size, 2.4 * size)
    yield Item(body, shape, pose, HUB)


def _skeleton(context: Context) -> Iterator[Item]:
    for body in range(context.model.n_bodies + 1):
        yield from bones(context, body)


SKELETON = Layer("skeleton", "skeleton", _skeleton)
