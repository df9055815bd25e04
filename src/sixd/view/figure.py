"""Scenes in matplotlib: one position in three dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ArgumentError
from sixd.view.extras import optional, plain
from sixd.view.layers import Item
from sixd.view.meshes.reduce import reduced, share_of
from sixd.view.registry import Renderer, register
from sixd.view.scene import FORCES, Scene, summary

__all__ = ["MATPLOTLIB", "axes_for", "draw_scene", "fit", "forces_on", "shown_items", "solids_on"]

Array = NDArray[np.float64]
#: The most triangles of all solids together: matplotlib is slow, and its pictures are small. No mesh has fewer than the
#: second.
TRIANGLES, LEAST = 40_000, 300
#: How much of the axes a box takes; of 1.1, it would touch their edges.
ROOM = 0.87
LIGHT = np.array([0.3, -0.45, 0.84])
FORCE = "#d41f5a"


def axes_for(ax: Any, caller: str) -> Any:
    """Axes in three dimensions: those that are given, or new ones."""
    pyplot = optional("matplotlib.pyplot", caller, "plot")
    if ax is None:
        ax = pyplot.figure(figsize=(5.5, 5.5)).add_axes((0.0, 0.0, 1.0, 0.9), projection="3d", computed_zorder=False)
        ax.view_init(elev=18, azim=-58)
    if not hasattr(ax, "plot_trisurf"):
        raise ArgumentError(f"ax must be axes in three dimensions (projection='3d'), not {type(ax).__name__}")
    return ax


def draw_scene(scene: Scene, ax: Any) -> None:
    """Draw the first position of a scene: what is shown at first, the robot's name, equal scales, no box."""
    solids_on(ax, shown_items(scene), scene.poses(scene.playback.q[0]))
    forces_on(ax, scene, 0)
    fit(ax, *scene.bounds(scene.playback.q[0]))
    ax.set_title(plain(f"{scene.title}\n{summary(scene.model)}"), fontsize=9)


def fit(ax: Any, low: Array, high: Array) -> None:
    """Show the box between two corners, with equal scales, as large as the axes allow."""
    middle, span = 0.5 * (low + high), high - low
    half = 0.5 * np.maximum(span, 0.3 * (float(span.max()) or 1.0))
    for k, set_limits in enumerate((ax.set_xlim, ax.set_ylim, ax.set_zlim)):
        set_limits(middle[k] - half[k], middle[k] + half[k])
    x, y, z = half / np.linalg.norm(half)
    across, up = np.radians(ax.azim), np.radians(ax.elev)
    wide = x * abs(np.sin(across)) + y * abs(np.cos(across))
    deep = x * abs(np.cos(across)) + y * abs(np.sin(across))
    high = z * abs(np.cos(up)) + deep * abs(np.sin(up))
    ax.set_box_aspect(tuple(half), zoom=ROOM / max(wide, high))
    ax.set_axis_off()


def shown_items(scene: Scene) -> list[tuple[Item, Array]]:
    """What is shown of the robot at first, and the triangles of each item in its body's frame, (m, 3, 3): few enough.

    These pictures have no ground, level or not.
    """
    items = [item for layer in scene.layers if layer.shown and not layer.around for item in layer.items]
    share = share_of((item.shape.mesh for item in items), TRIANGLES)
    found = []
    for item in items:
        mesh = reduced(item.shape.mesh, max(LEAST, int(share * len(item.shape.mesh.triangles))))
        points = (mesh.points * np.array(item.shape.scale)) @ item.pose[:3, :3].T + item.pose[:3, 3]
        found.append((item, points[mesh.triangles]))
    return found


def solids_on(ax: Any, items: list[tuple[Item, Array]], poses: Array) -> list[Any]:
    """Draw `shown_items` where their bodies are: opaque ones first, then clear ones, each as one collection."""
    art3d = optional("mpl_toolkits.mplot3d.art3d", "plot", "plot")
    found = []
    for clear in (False, True):
        own = [(item, corners) for item, corners in items if (item.color[3] < 0.99) is clear]
        if own:
            placed = (_placed(item, corners, poses[item.body]) for item, corners in own)
            corners, colors = (np.concatenate(x) for x in zip(*placed, strict=True))
            # Outlines in the colour of the faces close the gaps between them; clear faces would overlap there.
            edges = "none" if clear else colors
            look = {"facecolors": colors, "edgecolors": edges, "linewidths": 0.2}
            found.append(ax.add_collection3d(art3d.Poly3DCollection(corners, **look)))
    return found


def _placed(item: Item, corners: Array, pose: Array) -> tuple[Array, Array]:
    """Triangles in the world, (m, 3, 3), and their colours, (m, 4), darker away from the light."""
    corners = corners @ pose[:3, :3].T + pose[:3, 3]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
    shade = 0.38 if item.color[3] >= 0.99 else 0.15
    bright = 1.0 - shade + shade * (normals @ LIGHT) / lengths
    colors = np.empty((len(corners), 4))
    colors[:, :3] = np.clip(bright[:, None] * np.array(item.color[:3]), 0.0, 1.0)
    colors[:, 3] = item.color[3]
    return corners, colors


def forces_on(ax: Any, scene: Scene, sample: int) -> list[Any]:
    """Arrows of contact forces."""
    shown = any(layer.name == FORCES and layer.shown for layer in scene.layers)
    points, forces = scene.playback.points[sample], scene.playback.forces[sample]
    if not shown or scene.force_scale == 0.0:
        return []
    vectors = forces * scene.force_scale
    return [ax.quiver(*points.T, *vectors.T, color=FORCE, linewidth=2, arrow_length_ratio=0.2)]


MATPLOTLIB = register(Renderer("matplotlib", draw_scene))
