"""The solids of a scene in viser: a frame for each body, its solids below it, arrows of forces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.lie import so3
from sixd.lie.quaternion import quaternion_exp
from sixd.spatial import Matrix
from sixd.view.layers import Item, SceneLayer
from sixd.view.meshes.mesh import Color, Mesh
from sixd.view.meshes.reduce import reduced, share_of, split_at_edges
from sixd.view.scene import FORCES, Scene
from sixd.view.stage import camera, grid_step

__all__ = ["LiveScene"]

Array = NDArray[np.float64]
#: The most triangles of the robot's meshes together.
TRIANGLES, LEAST = 300_000, 300
RED = (212, 31, 90)


class LiveScene:
    """What viser shows of a scene."""

    def __init__(self, scene: Scene, server: Any) -> None:
        self.scene, self.server = scene, server
        robot = (item.shape.mesh for layer in scene.layers if not layer.around for item in layer.items)
        self.share = share_of(robot, TRIANGLES)
        self.shown = {layer.name: layer.shown for layer in scene.layers}
        self.time = float(scene.playback.t[0])
        stage, step = camera(scene), grid_step(scene)
        server.scene.set_up_direction("+z")
        if stage.ground is not None:
            server.scene.add_grid(
                "/ground",
                10.0 * stage.radius,
                10.0 * stage.radius,
                cell_size=step,
                section_size=10.0 * step,
                position=(0.0, 0.0, stage.ground),
            )
        eye = server.initial_camera
        eye.position, eye.look_at, eye.fov = stage.eye(), tuple(stage.target), stage.field
        number = scene.model.n_bodies + 2  # base and bodies, and the centre of mass
        self.frames = [server.scene.add_frame(f"/robot/{k}", show_axes=False) for k in range(number)]
        self.solids: dict[str, list[Any]] = {layer.name: [] for layer in scene.layers}
        for layer in scene.layers:
            for k, (body, color, mesh) in enumerate(self._merged(layer)):
                solid = server.scene.add_mesh_simple(
                    f"/robot/{body}/{layer.name}_{k}",
                    mesh.points.astype(np.float32),
                    mesh.triangles.astype(np.uint32),
                    color=color[:3],
                    opacity=None if color[3] >= 0.99 else color[3],
                    side="double",
                    visible=layer.shown,
                )
                self.solids[layer.name].append(solid)
        self.arrows: Any = None
        self.forces(self.time)

    def _merged(self, layer: SceneLayer) -> Iterator[tuple[int, Color, Mesh]]:
        """One mesh for each body and colour, in the body's frame."""
        groups: dict[tuple[int, Color], list[Item]] = {}
        for item in layer.items:
            groups.setdefault((item.body, item.color), []).append(item)
        for (body, color), members in groups.items():
            points, triangles, count = [], [], 0
            for item in members:
                kept = item.shape.mesh if layer.around else reduced(item.shape.mesh, self._most(item.shape.mesh))
                mesh, _ = split_at_edges(kept)
                own = (mesh.points * np.array(item.shape.scale)) @ item.pose[:3, :3].T + item.pose[:3, 3]
                points.append(own)
                triangles.append(mesh.triangles + count)
                count += len(own)
            yield body, color, Mesh(np.concatenate(points), np.concatenate(triangles))

    def _most(self, mesh: Mesh) -> int:
        return max(LEAST, int(self.share * len(mesh.triangles)))

    def show(self, layer: str, on: bool) -> None:
        """Show or hide a layer."""
        self.shown[layer] = on
        for solid in self.solids[layer]:
            solid.visible = on
        if layer == FORCES:
            self.forces(self.time)

    def move(self, q: Array) -> None:
        """Put the bodies where they are at a position."""
        with self.server.atomic():
            for frame, pose in zip(self.frames, self.scene.poses(q), strict=True):
                frame.position, frame.wxyz = pose[:3, 3], _wxyz(pose[:3, :3])

    def forces(self, t: float) -> None:
        """Arrows of the contact forces at a time: those of the last sample before it."""
        self.time = t
        show = self.scene.playback
        if self.scene.force_scale == 0.0:
            return
        k = max(int(np.searchsorted(show.t, t, side="right")) - 1, 0)
        if self.arrows is not None:
            self.arrows.remove()
        acts = np.linalg.norm(show.forces[k], axis=-1) * self.scene.force_scale > 1e-6 * self.scene.length
        starts, forces = show.points[k][acts], show.forces[k][acts]
        thick = 0.008 * self.scene.length
        self.arrows = self.server.scene.add_arrows(
            "/forces",
            np.stack([starts, starts + forces * self.scene.force_scale], axis=1).astype(np.float32),
            RED,
            shaft_radius=thick,
            head_radius=2.6 * thick,
            head_length=5.0 * thick,
            visible=self.shown[FORCES],
        )


def _wxyz(R: Array) -> Array:
    x, y, z, w = (float(c) for c in quaternion_exp(so3.log(Matrix(R.tolist()))))
    return np.array([w, x, y, z])
