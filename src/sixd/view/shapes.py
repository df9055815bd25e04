"""Shapes: what a renderer draws. Each is a mesh, stretched by a scale; ones of a kind share their mesh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.view.meshes.mesh import Mesh

__all__ = ["Shape", "box", "capsule", "cylinder", "ellipsoid", "mesh_shape", "pose_along", "sphere"]

#: The corners of a circle.
AROUND = 32


@dataclass(frozen=True, eq=False)
class Shape:
    """A solid about the origin of its own frame: its points are ``scale * mesh.points``.

    Every shape can be drawn by its mesh. A renderer with boxes, balls and cylinders of its own can use kind and size.
    """

    #: "mesh", "box", "sphere", "ellipsoid", "cylinder", "capsule".
    kind: str
    #: Edges; radius; three radii; radius and length along z, for a capsule without its caps; the scale of a mesh.
    size: tuple[float, ...]
    mesh: Mesh
    scale: tuple[float, float, float]

    @property
    def points(self) -> NDArray[np.float64]:
        """The points of the shape in its own frame, (n, 3), m."""
        return self.mesh.points * np.array(self.scale)


def box(x: float, y: float, z: float) -> Shape:
    """A box with these edges, m."""
    return Shape("box", (x, y, z), _cube(), (x, y, z))


def sphere(radius: float) -> Shape:
    """A ball."""
    return Shape("sphere", (radius,), _ball(), (radius,) * 3)


def ellipsoid(x: float, y: float, z: float) -> Shape:
    """An ellipsoid with these radii, m."""
    return Shape("ellipsoid", (x, y, z), _ball(), (x, y, z))


def cylinder(radius: float, length: float) -> Shape:
    """A cylinder about z."""
    return Shape("cylinder", (radius, length), _rod(), (radius, radius, length))


@lru_cache(1000)
def capsule(radius: float, length: float) -> Shape:
    """A cylinder about z of this length with half a ball at each end. Ones of the same size share their mesh."""
    points = _ball().points * radius
    shifted = points + np.where(points[:, 2:] > 0.0, 0.5, -0.5) * np.array([0.0, 0.0, length])
    return Shape("capsule", (radius, length), Mesh(shifted, _ball().triangles), (1.0, 1.0, 1.0))


def cone(radius: float, length: float) -> Shape:
    """A cone from the plane z = 0 to its tip at z = length."""
    return Shape("mesh", (radius, radius, length), _cone(), (radius, radius, length))


def mesh_shape(mesh: Mesh, scale: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Shape:
    """A mesh, stretched."""
    return Shape("mesh", scale, mesh, scale)


def pose_along(start: ArrayLike, end: ArrayLike) -> NDArray[np.float64]:
    """The pose of a frame at ``start`` whose z axis points to ``end``, (4, 4)."""
    start, way = np.asarray(start, dtype=float), np.asarray(end, dtype=float) - np.asarray(start, dtype=float)
    length = float(np.linalg.norm(way))
    z = way / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3] = np.stack([x, np.cross(z, x), z, start], axis=-1)
    return pose


@cache
def _cube() -> Mesh:
    points = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    squares = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return Mesh(points, np.array([(a, *pair) for a, b, c, d in squares for pair in ((b, c), (c, d))]))


@cache
def _ball() -> Mesh:
    """The unit ball. Its equator is there twice, so that a capsule can be pulled apart at it."""
    half = np.linspace(0.0, np.pi / 2, AROUND // 4 + 1)
    return _turned(np.sin(angles := np.concatenate([half, half + np.pi / 2])), np.cos(angles) + _tiny(angles))


def _tiny(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Puts the two rings of the equator on their sides of the plane z = 0."""
    n = len(angles) // 2
    return np.where(np.arange(2 * n) == n - 1, 1e-9, np.where(np.arange(2 * n) == n, -1e-9, 0.0))


@cache
def _rod() -> Mesh:
    """The cylinder of radius 1 and length 1."""
    return _turned(np.array([0.0, 1.0, 1.0, 0.0]), np.array([0.5, 0.5, -0.5, -0.5]))


@cache
def _cone() -> Mesh:
    return _turned(np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))


def _turned(radii: NDArray[np.float64], heights: NDArray[np.float64]) -> Mesh:
    """The surface that a line makes, from the top down, as it turns about z."""
    angles = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    rings = len(radii)
    circle = np.stack([np.cos(angles), np.sin(angles), np.zeros(AROUND)], axis=-1)
    points = radii[:, None, None] * circle + heights[:, None, None] * np.array([0.0, 0.0, 1.0])
    k, j = (x.ravel() for x in np.meshgrid(np.arange(rings - 1), np.arange(AROUND), indexing="ij"))
    a, b = k * AROUND + j, k * AROUND + (j + 1) % AROUND
    lower = np.stack([a, a + AROUND, b + AROUND], axis=-1)[radii[k + 1] > 1e-12]
    upper = np.stack([a, b + AROUND, b], axis=-1)[radii[k] > 1e-12]
    return Mesh(points.reshape(-1, 3), np.concatenate([lower, upper]))
