"""The ground of a scene: a level floor, or a surface of given heights, sampled where the motion is.

The surface is a layer like those of the robot, on the base, which is the world: it can be switched off, and where the
picture is turned because gravity does not pull along -z, it turns with the world.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import hypot, isfinite, nan, sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.errors import ArgumentError, ModelError, ShapeError
from sixd.runtime.arguments import real_numbers
from sixd.view.layers import Item, SceneLayer
from sixd.view.meshes.mesh import Color, Mesh
from sixd.view.shapes import mesh_shape
from sixd.view.stage import camera

if TYPE_CHECKING:
    from sixd.view.scene import Scene

__all__ = ["GROUND", "GroundLike", "sampled", "standing"]

Array = NDArray[np.float64]
#: What a ground is given by: the height of a floor, or heights (n,) above places x (n,), y (n,) of the world, all in m.
GroundLike: TypeAlias = float | Callable[[Array, Array], ArrayLike]
#: The layer of a surface.
GROUND = "ground"
GREY: Color = (0.79, 0.81, 0.84, 1.0)
#: About how many points a surface has.
POINTS = 14_400
#: How far it goes around what the camera looks at, and around where forces act, in radii of the camera's ball; and the
#: farthest that forces take it.
WIDE, NEAR, FAR = 3.0, 1.0, 100.0
#: A surface whose heights differ by no more than this is a floor, m.
LEVEL = 1e-9


def standing(scene: Scene, ground: GroundLike) -> Scene:
    """The scene of a robot that stands on a ground.

    A number is the height of a floor: level in the picture, so perpendicular to gravity. A function gives a surface,
    which is a layer; where that is level in the picture too, it is a floor.
    """
    if not callable(ground):
        return replace(scene, floor=_floor(ground))
    low, high = _area(scene)
    mesh, whole = sampled(ground, low, high)
    if not len(mesh.triangles):
        note = "the ground has no heights where the motion is: walls and overhangs cannot be drawn"
        return replace(scene, notes=(*scene.notes, note))
    heights = mesh.points @ scene.root[2, :3]
    if whole and float(np.ptp(heights)) <= LEVEL:
        return replace(scene, floor=float(heights[0]))
    item = Item(0, mesh_shape(mesh), np.eye(4), GREY)
    layer = SceneLayer(GROUND, GROUND, shown=True, inside=False, items=(item,), around=True)
    return replace(scene, layers=(*scene.layers, layer))


def _floor(ground: Any) -> float:
    """The height of a floor."""
    try:
        floor = given.number(ground, "ground")
    except ModelError:
        floor = nan
    if isfinite(floor):
        return floor
    known = "the height of a level floor, m, or a function of arrays, height(x, y)"
    raise ArgumentError(f"ground must be {known}, not {given.described(ground)}")


def sampled(ground: Callable[[Array, Array], ArrayLike], low: Array, high: Array) -> tuple[Mesh, bool]:
    """The surface above a rectangle from ``low`` to ``high``, each (2,), in squares; and whether it has no holes.

    There are holes where the heights are not finite, and where they are farther from the middle height than the
    rectangle is wide: of a surface as steep as that, the part nearby is what can be seen.
    """
    size = high - low
    spacing = sqrt(float(size[0] * size[1]) / POINTS)
    n, m = (max(2, round(float(s) / spacing) + 1) for s in size)
    x, y = (
        c.ravel() for c in np.meshgrid(np.linspace(low[0], high[0], n), np.linspace(low[1], high[1], m), indexing="ij")
    )
    z = _heights(ground, x, y)
    there = np.isfinite(z)
    if there.any():
        there &= np.abs(np.where(there, z, 0.0) - np.median(z[there])) <= hypot(*size)
    first = (np.arange(n - 1)[:, None] * m + np.arange(m - 1)).ravel()
    squares = np.stack([first, first + m, first + m + 1, first + 1], axis=-1)
    squares = squares[there[squares].all(axis=1)]
    used, rows = np.unique(squares, return_inverse=True)
    corners = rows.reshape(-1, 4)
    triangles = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
    return Mesh(np.stack([x, y, z], axis=-1)[used], triangles), bool(there.all())


def _heights(ground: Callable[[Array, Array], ArrayLike], x: Array, y: Array) -> Array:
    """The heights that a function of users gives."""
    z = real_numbers("what ground(x, y) returns", ground(x, y))
    if z.shape not in ((), x.shape):
        raise ShapeError(f"ground(x, y) must return a height for each place, {x.shape}, not an array {z.shape}")
    return np.broadcast_to(z, x.shape)


def _area(scene: Scene) -> tuple[Array, Array]:
    """The corners of the rectangle in the world, (2,) each, around what is seen and around where forces act."""
    view, turned = camera(scene), scene.root[:3, :3]
    middle = (turned.T @ view.target)[:2]
    acts = np.linalg.norm(scene.playback.forces, axis=-1) > 0.0
    pressed = np.clip((scene.playback.points[acts] @ turned)[:, :2] - middle, -FAR * view.radius, FAR * view.radius)
    low = np.minimum(-WIDE * view.radius, pressed.min(axis=0, initial=np.inf) - NEAR * view.radius)
    high = np.maximum(WIDE * view.radius, pressed.max(axis=0, initial=-np.inf) + NEAR * view.radius)
    return middle + low, middle + high
