"""The shapes that the robot's file gives its links: for the eye, and for collisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from sixd.errors import ModelError
from sixd.model import Visual
from sixd.view.layers.layer import Context, Item, Layer
from sixd.view.layers.skeleton import bones
from sixd.view.meshes.find import find_mesh, read_mesh
from sixd.view.meshes.mesh import Color
from sixd.view.shapes import Shape, box, capsule, cylinder, mesh_shape, sphere

__all__ = ["COLLISIONS", "LINKS"]

GREY: Color = (0.72, 0.75, 0.79, 1.0)
RED: Color = (0.85, 0.3, 0.3, 0.35)


def _links(context: Context) -> Iterator[Item]:
    """The visual shapes. A body that has some, but none that can be read, is drawn by its bones."""
    places = {frame.name: frame for frame in context.model.frame_list}
    drawn: set[int] = set()
    missed: set[int] = set()
    for visual in context.model.visuals:
        if not visual.collision:
            items = list(_items(context, visual))
            (drawn if items else missed).add(places[visual.frame].body)
            yield from items
    for body in sorted(missed - drawn):
        yield from bones(context, body)


def _collisions(context: Context) -> Iterator[Item]:
    for visual in context.model.visuals:
        if visual.collision:
            for item in _items(context, visual):
                yield Item(item.body, item.shape, item.pose, RED)


def _items(context: Context, visual: Visual) -> Iterator[Item]:
    """The solids of one shape; none, and a note, if it cannot be drawn."""
    frame = context.model.frame(visual.frame)
    pose = np.array(frame.offset.pose(), dtype=float) @ np.array(visual.offset.pose(), dtype=float)
    try:
        solids = _solids(context, visual)
    except ModelError as error:
        context.notes.append(f"link {visual.frame!r}: {error}")
        return
    for shape, color in solids:
        yield Item(frame.body, shape, pose, color or _color(visual))


def _solids(context: Context, visual: Visual) -> list[tuple[Shape, Color | None]]:
    """The solids of a shape, with the colours that a mesh file gives them."""
    if visual.shape == "mesh":
        x, y, z = visual.size or (1.0, 1.0, 1.0)
        parts = read_mesh(find_mesh(visual.mesh or "", context.model.source))
        return [(mesh_shape(part.mesh, (x, y, z)), part.color) for part in parts]
    makers: dict[str, tuple[Callable[..., Shape], int]]
    makers = {"box": (box, 3), "sphere": (sphere, 1), "cylinder": (cylinder, 2), "capsule": (capsule, 2)}
    make, count = makers[visual.shape]
    if len(visual.size) != count:
        raise ModelError(f"a {visual.shape} needs {count} sizes, not {visual.size}")
    return [(make(*visual.size), None)]


def _color(visual: Visual) -> Color:
    if visual.color is None:
        return GREY
    r, g, b, a = (min(max(x, 0.0), 1.0) for x in visual.color)
    return (r, g, b, a)


LINKS = Layer("links", "links", _links, inside=False)
COLLISIONS = Layer("collisions", "collision shapes", _collisions, inside=False)
