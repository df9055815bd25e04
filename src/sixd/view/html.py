"""A scene as one HTML file that needs nothing else: no network, no server."""

from __future__ import annotations

import html
import json
from importlib import resources
from os import PathLike
from typing import Any

import numpy as np

from sixd import given
from sixd._version import __version__
from sixd.errors import ModelWarning
from sixd.files import replacing
from sixd.process.told import warn
from sixd.view.curves import AT_FIRST, COLORS, Curve, evenly
from sixd.view.layers import Item
from sixd.view.meshes.mesh import Mesh
from sixd.view.meshes.reduce import reduced, share_of
from sixd.view.packing import Packer
from sixd.view.page_robot import joint_functions, quaternions, tree
from sixd.view.registry import Renderer, register
from sixd.view.scene import FORCES, Scene, counted, summary
from sixd.view.shapes import cone, cylinder
from sixd.view.sliders import LOOPS_OPEN, controls, travels
from sixd.view.stage import camera, grid_step

__all__ = ["HTML", "announce_notes", "page", "write_page"]

#: The most triangles of the robot's meshes together; more are made fewer, each mesh in proportion, but not below the
#: second.
TRIANGLES, LEAST = 150_000, 300
#: The most samples of a motion; of longer ones, evenly chosen samples are kept.
SAMPLES = 5_000
#: Curves have gaps where they are larger: they are stored in single precision.
LARGEST = 1e30
#: How many reasons why something is not drawn are listed.
LISTED = 20
HINT = "drag: turn; shift + drag: move; wheel: zoom; double click: back"
SCRIPTS = ("data.js", "math.js", "robot.js", "draw.js", "plots.js", "page.js")


def write_page(scene: Scene, path: str | PathLike[str]) -> None:
    """Write the page of a scene. What could not be drawn is said on the page."""
    file = given.file_path(path, "path")
    content = page(scene).encode("utf-8", "replace")  # letters that are none are shown as ?
    with replacing(file) as part:
        part.write_bytes(content)


def announce_notes(scene: Scene) -> None:
    """One warning for all that could not be drawn."""
    if scene.notes:
        more = f" (and {len(scene.notes) - 1} more)" if len(scene.notes) > 1 else ""
        warn(ModelWarning(f"not drawn: {scene.notes[0]}{more}"))


def page(scene: Scene) -> str:
    """The text of the page."""
    assets = resources.files("sixd.view") / "page"
    joints, places = joint_functions(scene.model)
    data = json.dumps(_data(scene, places), allow_nan=False, separators=(",", ":"))
    scripts = [(assets / name).read_text("utf-8") for name in SCRIPTS]
    model, step = scene.model, grid_step(scene)
    parts = {
        "version": __version__,
        "title": html.escape(scene.title),
        "subtitle": html.escape(summary(model)),
        "scale": f"grid {step:g} m",
        "hint": HINT + ("" if scene.playback.is_still else "; space: play"),
        "loops": f'<p id="loops">{LOOPS_OPEN}</p>' if model.constraint_list else "",
        "notes": _notes(scene),
        "style": (assets / "page.css").read_text("utf-8"),
        "data": data.replace("<", "\\u003c"),
        "script": "\n".join([joints, *scripts]),
    }
    pieces = (assets / "page.html").read_text("utf-8").split("@")
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


def _notes(scene: Scene) -> str:
    """What could not be drawn, folded: reasons are long, and controls are to be seen beside the picture."""
    if not scene.notes:
        return ""
    listed = [html.escape(note) for note in scene.notes[:LISTED]]
    if len(scene.notes) > LISTED:
        listed.append(f"and {len(scene.notes) - LISTED} more")
    items = "".join(f"<li>{text}</li>" for text in listed)
    title = f"not drawn: {counted(len(scene.notes), 'shape', 'shapes')}"
    return f'<details><summary>{title}</summary><ul id="notes">{items}</ul></details>'


def _data(scene: Scene, places: Any) -> dict[str, Any]:
    """All that the scripts read."""
    packer, show, stage = Packer(), scene.playback, camera(scene)
    rows = evenly(len(show.t), SAMPLES)
    meshes = _Meshes(scene, packer)
    path = scene.poses(show.q[rows])[:, -1, :3, 3]
    return {
        "bodies": tree(scene, places),
        "nq": scene.model.nq,
        "quaternions": quaternions(scene.model),
        "controls": controls(scene.model, show.q),
        "layers": [
            {
                "name": layer.name,
                "label": layer.label,
                "shown": layer.shown,
                "inside": layer.inside,
                "around": layer.around,
                "items": [meshes.item(item) for item in layer.items],
            }
            for layer in scene.layers
        ],
        "rod": meshes.place(cylinder(1.0, 1.0).mesh),
        "cone": meshes.place(cone(1.0, 1.0).mesh),
        "meshes": meshes.stored,
        "t": packer.add(show.t[rows], "f8"),
        "q": packer.add(show.q[rows], "f4"),
        "root": scene.root_transform,
        "contacts": show.points.shape[1] if any(layer.name == FORCES for layer in scene.layers) else 0,
        "points": packer.add(show.points[rows], "f4"),
        "forces": packer.add(show.forces[rows], "f4"),
        "forceScale": scene.force_scale,
        "curves": [_curve(packer, curve, rows, k < AT_FIRST) for k, curve in enumerate(show.curves)],
        "colors": COLORS,
        "length": scene.length,
        "step": grid_step(scene),
        "travels": travels(scene.model),
        "follow": travels(scene.model) and bool(np.ptp(path[:, :2], axis=0).max() > 0.7 * scene.length),
        "ground": stage.ground,
        "camera": {
            "target": stage.target.tolist(),
            "radius": stage.radius,
            "azimuth": stage.azimuth,
            "elevation": stage.elevation,
            "field": stage.field,
        },
        "packed": packer.text(),
    }


def _curve(packer: Packer, curve: Curve, rows: Any, shown: bool) -> dict[str, Any]:
    values = np.where(np.abs(curve.values[rows]) <= LARGEST, curve.values[rows], np.nan)
    return {"name": curve.name, "labels": curve.labels, "shown": shown, "values": packer.add(values, "f4")}


class _Meshes:
    """The meshes of a page, each stored once, those of the robot together not more than `TRIANGLES`."""

    def __init__(self, scene: Scene, packer: Packer) -> None:
        robot = (item.shape.mesh for layer in scene.layers if not layer.around for item in layer.items)
        self.share = share_of(robot, TRIANGLES)
        self.whole = {item.shape.mesh for layer in scene.layers if layer.around for item in layer.items}
        self.packer = packer
        self.stored: list[dict[str, Any]] = []
        self.places: dict[Mesh, int] = {}

    def place(self, mesh: Mesh) -> int:
        """The number of a mesh, which is stored if it is new."""
        if mesh not in self.places:
            self.places[mesh] = len(self.stored)
            most = max(LEAST, int(self.share * len(mesh.triangles)))
            self.stored.append(self.packer.mesh(mesh if mesh in self.whole else reduced(mesh, most)))
        return self.places[mesh]

    def item(self, item: Item) -> dict[str, Any]:
        """An item; its pose is written in columns, as WebGL takes it."""
        scale = [x if abs(x) > 1e-9 else 1e-9 for x in item.shape.scale]
        pose = [round(float(x), 7) for x in item.pose.T.ravel()]
        mesh = self.place(item.shape.mesh)
        return {"body": item.body, "mesh": mesh, "pose": pose, "scale": scale, "color": list(item.color)}


HTML = register(Renderer("html", write_page))
