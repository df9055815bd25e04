"""Scenes in matplotlib: one position in three dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ArgumentError
from sixd.view.extras import optional
from sixd.view.layers import Item
from sixd.view.meshes.reduce import reduced
from sixd.view.registry import Renderer, register
from sixd.view.scene import FORCES, Scene, summary

__all__ = ["MATPLOTLIB", "axes_for", "draw_scene", "fit", "forces_on", "solids_on"]

Array = NDArray[np.float64]
#: The most triangles of one solid: matplotlib is slow, and its pictures are small.
TRIANGLES = 600
LIGHT = np.array([0.3, -0.45, 0.84])
FORCE = "#d41f5a"


def axes_for(ax: Any, caller: str) -> Any:
    """Axes in three dimensions: those that are given, or new ones."""
    pyplot = optional("matplotlib.pyplot", caller, "plot")
    if ax is None:
        ax = pyplot.figure(figsize=(5.5, 5.5)).add_subplot(projection="3d", computed_zorder=False)
        ax.view_init(elev=18, azim=-58)
    if not hasattr(ax, "plot_trisurf"):
        raise ArgumentError(f"ax must be axes in three dimensions (projection='3d'), not {type(ax).__name__}")
    return ax


def draw_scene(scene: Scene, ax: Any) -> None:
    """Draw the first position of a scene: what is shown at first, the robot's name, equal scales, no box."""
    poses = scene.poses(scene.playback.q[0])
    solids_on(ax, scene, poses)
    forces_on(ax, scene, 0)
    fit(ax, *scene.bounds(scene.playback.q[0]))
    ax.set_title(f"{scene.title}\n{summary(scene.model)}", fontsize=10)


def fit(ax: Any, low: Array, high: Array) -> None:
    """Show the box between two corners, with equal scales."""
    middle, span = 0.5 * (low + high), high - low
    half = 0.5 * np.maximum(span, 0.3 * (float(span.max()) or 1.0))
    for k, set_limits in enumerate((ax.set_xlim, ax.set_ylim, ax.set_zlim)):
        set_limits(middle[k] - half[k], middle[k] + half[k])
    ax.set_box_aspect(tuple(half), zoom=1.05)
    ax.set_axis_off()


def solids_on(ax: Any, scene: Scene, poses: Array) -> list[Any]:
    """The solids of all layers that are shown, opaque ones first, each layer as one collection of triangles."""
    art3d = optional("mpl_toolkits.mplot3d.art3d", "plot", "plot")
    found = []
    for clear in (False, True):
        items = [i for layer in scene.layers if layer.shown for i in layer.items if (i.color[3] < 0.99) is clear]
        if items:
            corners, colors = (np.concatenate(x) for x in zip(*(_triangles(i, poses) for i in items), strict=True))
            # Outlines in the colour of the faces close the gaps between them; clear faces would overlap there.
            edges = "none" if clear else colors
            look = {"facecolors": colors, "edgecolors": edges, "linewidths": 0.2}
            solids = art3d.Poly3DCollection(corners, **look)
            found.append(ax.add_collection3d(solids))
    return found


def _triangles(item: Item, poses: Array) -> tuple[Array, Array]:
    """The triangles of an item in the world, (m, 3, 3), and their colours, (m, 4), darker away from the light."""
    mesh = reduced(item.shape.mesh, TRIANGLES)
    place = poses[item.body] @ item.pose
    points = (mesh.points * np.array(item.shape.scale)) @ place[:3, :3].T + place[:3, 3]
    corners = points[mesh.triangles]
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
