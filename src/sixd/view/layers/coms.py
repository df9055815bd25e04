"""Centres of mass: a small ball for each body, larger for more mass, and a large one for the robot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sixd.view.layers.layer import Context, Item, Layer
from sixd.view.meshes.mesh import Color
from sixd.view.shapes import sphere

__all__ = ["COMS"]

BODY: Color = (0.15, 0.15, 0.17, 1.0)
ROBOT: Color = (0.8, 0.1, 0.25, 1.0)


def _coms(context: Context) -> Iterator[Item]:
    model = context.model
    if model.mass <= 0.0:
        return
    for i, body in enumerate(model.body_list[1:], start=1):
        if body.inertia.m > 0.0:
            pose = np.eye(4)
            pose[:3, 3] = body.inertia.com.array()
            share = float(body.inertia.m) / model.mass
            yield Item(i, sphere(context.length * (0.006 + 0.016 * share ** (1.0 / 3.0))), pose, BODY)
    yield Item(model.n_bodies + 1, sphere(0.026 * context.length), np.eye(4), ROBOT)


COMS = Layer("coms", "centres of mass", _coms)
