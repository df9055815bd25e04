"""Frames: x red, y green, z blue."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sixd.view.layers.layer import Context, Item, Layer
from sixd.view.meshes.mesh import Color
from sixd.view.shapes import cylinder, pose_along

__all__ = ["FRAMES"]

COLORS: tuple[Color, Color, Color] = ((0.86, 0.2, 0.18, 1.0), (0.2, 0.63, 0.24, 1.0), (0.2, 0.36, 0.85, 1.0))


def _frames(context: Context) -> Iterator[Item]:
    radius, length = 0.003 * context.length, 0.06 * context.length
    for frame in context.model.frame_list:
        place = np.array(frame.offset.pose(), dtype=float)
        for k, color in enumerate(COLORS):
            pose = pose_along(place[:3, 3], place[:3, 3] + place[:3, k])
            pose[:3, 3] += 0.5 * length * place[:3, k]
            yield Item(frame.body, cylinder(radius, length), pose, color)


FRAMES = Layer("frames", "frames", _frames)
