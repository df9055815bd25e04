"""Inertia ellipsoids: for each body the uniform solid ellipsoid with its mass and inertia."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sixd.spatial import Inertia
from sixd.view.layers.layer import Context, Item, Layer
from sixd.view.meshes.mesh import Color
from sixd.view.shapes import ellipsoid

__all__ = ["INERTIAS", "equivalent_ellipsoid"]

MASS: Color = (0.88, 0.48, 0.25, 0.38)


def equivalent_ellipsoid(inertia: Inertia) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Radii (3,), m, and pose (4, 4) in the body's frame of the uniform solid ellipsoid with this mass and inertia.

    Its second moments of mass are Sigma = 1/2 trace(I) 1 - I about the centre of mass, and m r_k^2 / 5 along its axes.
    An inertia that no body can have may ask for a negative second moment; that radius is zero.
    """
    I = np.array(inertia.I_com.array(), dtype=float)
    moments, axes = np.linalg.eigh(0.5 * np.trace(I) * np.eye(3) - I)
    pose = np.eye(4)
    pose[:3, :3] = axes * (1.0 if np.linalg.det(axes) > 0.0 else -1.0)
    pose[:3, 3] = inertia.com.array()
    return np.sqrt(5.0 * np.clip(moments, 0.0, None) / float(inertia.m)), pose


def _inertias(context: Context) -> Iterator[Item]:
    least = 1e-3 * context.length
    for i, body in enumerate(context.model.body_list[1:], start=1):
        if body.inertia.m > 0.0:
            radii, pose = equivalent_ellipsoid(body.inertia)
            x, y, z = (max(float(r), least) for r in radii)
            yield Item(i, ellipsoid(x, y, z), pose, MASS)


INERTIAS = Layer("inertias", "inertia ellipsoids", _inertias)
