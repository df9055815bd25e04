"""COLLADA meshes (.dae): triangles and polygons of the visual scene, with diffuse colours.

Placed as RViz places them: nodes are moved, lengths are scaled to metres, ``up_axis`` is ignored. Textures, skins and
animations are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError
from sixd.lie import so3
from sixd.process.forks import importing
from sixd.spatial import Vector
from sixd.view.meshes.mesh import Color, Mesh, Part, as_numbers

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["read_collada"]

Array = NDArray[np.float64]
#: The deepest nesting of nodes, which may refer to each other.
DEEPEST = 64


def read_collada(content: bytes, path: Path) -> list[Part]:
    """The meshes of the visual scene, in metres."""
    document = _Document(_parse(content))
    scenes = document.root.findall("library_visual_scenes/visual_scene")
    found = [part for scene in scenes for node in scene.findall("node") for part in document.parts(node, document.unit)]
    if not found:
        raise ModelError("this COLLADA file shows no triangles")
    return found


def _parse(content: bytes) -> Element:
    with importing:
        from xml.etree import ElementTree

    class Builder(ElementTree.TreeBuilder):
        """Elements without their namespace."""

        def start(self, tag: str, attrs: dict[str, str]) -> Element:
            return super().start(tag.rpartition("}")[2], attrs)

        def end(self, tag: str) -> Element:
            return super().end(tag.rpartition("}")[2])

        def doctype(self, name: str, *_: str | None) -> None:
            raise ModelError("a DOCTYPE is not allowed in a mesh; remove it")

    try:
        root = ElementTree.fromstring(content, ElementTree.XMLParser(target=Builder()))
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"this is not well-formed XML: {error}") from None
    if root.tag != "COLLADA":
        raise ModelError(f"a COLLADA file starts with <COLLADA>, not <{root.tag}>")
    return root


class _Document:
    """A COLLADA document: its elements by their id."""

    def __init__(self, root: Element) -> None:
        self.root = root
        self.ids = {"#" + element.attrib["id"]: element for element in root.iter() if "id" in element.attrib}
        unit = root.find("asset/unit")
        scale = float(_attribute(unit, "meter", "1", float)) if unit is not None else 1.0
        self.unit = np.diag([scale, scale, scale, 1.0])

    def get(self, address: str | None) -> Element:
        """The element with an address such as "#mesh"."""
        found = self.ids.get(address or "")
        if found is None:
            raise ModelError(f"this COLLADA file refers to {address!r}, which does not exist")
        return found

    def parts(self, node: Element, pose: Array, depth: int = 0) -> Iterator[Part]:
        """The meshes of a node and of those inside it."""
        if depth > DEEPEST:
            raise ModelError(f"nodes are nested more than {DEEPEST} deep")
        pose = pose @ _placement(node)
        for instance in node.findall("instance_geometry"):
            bound = {b.get("symbol"): b.get("target") for b in instance.iter("instance_material")}
            mesh = self.get(instance.get("url")).find("mesh")
            for kind in ("triangles", "polylist", "polygons"):
                for group in mesh.findall(kind) if mesh is not None else ():
                    color = self._color(bound.get(group.get("material")))
                    points, triangles = self._triangles(group)
                    if len(triangles):
                        yield Part(Mesh(points @ pose[:3, :3].T + pose[:3, 3], triangles), color)
        for child in node.findall("node"):
            yield from self.parts(child, pose, depth + 1)
        for instance in node.findall("instance_node"):
            yield from self.parts(self.get(instance.get("url")), pose, depth + 1)

    def _triangles(self, group: Element) -> tuple[Array, NDArray[np.int64]]:
        """The points that a group uses, and its faces cut into triangles."""
        inputs = group.findall("input")
        stride = 1 + max((_attribute(i, "offset", "0", np.int64) for i in inputs), default=0)
        vertex = next((i for i in inputs if i.get("semantic") == "VERTEX"), None)
        if vertex is None:
            raise ModelError("a group of faces has no vertices")
        place = _attribute(vertex, "offset", "0", np.int64)
        texts = [p.text or "" for p in group.findall("p")]
        rows = [as_numbers(text, np.int64, "a face")[place::stride] for text in texts]
        if group.tag == "polygons":
            sizes = np.array([len(row) for row in rows], dtype=np.int64)
        elif group.tag == "polylist":
            sizes = as_numbers(group.findtext("vcount") or "", np.int64, "vcount")
        else:
            sizes = np.full(sum(map(len, rows)) // 3, 3)
        corners = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
        if sizes.size and (sizes.min() < 0 or sizes.sum() > len(corners)):
            raise ModelError(f"faces need {sizes.sum()} corners, but there are {len(corners)}")
        return self._points(vertex), _fans(corners, sizes)

    def _points(self, vertex: Element) -> Array:
        position = next(
            (i for i in self.get(vertex.get("source")).iter("input") if i.get("semantic") == "POSITION"), None
        )
        if position is None:
            raise ModelError("vertices have no positions")
        source = self.get(position.get("source"))
        values, accessor = (
            as_numbers(source.findtext("float_array") or "", float, "a point"),
            source.find(".//accessor"),
        )
        stride = _attribute(accessor, "stride", "3", np.int64) if accessor is not None else 3
        if stride < 3 or len(values) % stride:
            raise ModelError(f"{len(values)} numbers do not make points of {stride}")
        return values.reshape(-1, stride)[:, :3]

    def _color(self, material: str | None) -> Color | None:
        """The diffuse colour of a material; None if it has none, or a texture."""
        effect = self.get(material).find("instance_effect") if material in self.ids else None
        if effect is None:
            return None
        diffuse = self.get(effect.get("url")).find(".//diffuse/color")
        numbers = as_numbers(diffuse.text or "", float, "a colour") if diffuse is not None else ()
        return (*(float(x) for x in numbers[:3]), 1.0) if len(numbers) >= 3 else None  # type: ignore[return-value]


def _attribute(element: Element, name: str, usual: str, kind: Any) -> Any:
    """An attribute that is one number, not negative."""
    text = element.get(name, usual)
    numbers = as_numbers(text, kind, f"{name} of <{element.tag}>")
    if len(numbers) != 1 or not numbers[0] >= 0:
        raise ModelError(f"{name} of <{element.tag}> must be one number of at least 0, not {text[:60]!r}")
    return numbers[0]


def _fans(corners: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Polygons with these numbers of corners, each cut into triangles around its first corner."""
    starts = np.cumsum(sizes) - sizes
    found = [np.zeros((0, 3), dtype=np.int64)]
    for k in range(1, int(sizes.max(initial=0)) - 1):
        own = starts[sizes > k + 1]
        found.append(np.stack([corners[own], corners[own + k], corners[own + k + 1]], axis=-1))
    return np.concatenate(found)


def _placement(node: Element) -> Array:
    """The pose of a node in the node around it: its matrices, moves, turns and scales, one after the other."""
    pose = np.eye(4)
    for element in node:
        step = np.eye(4)
        if element.tag in ("matrix", "translate", "rotate", "scale"):
            numbers = as_numbers(element.text or "", float, f"<{element.tag}>")
            needed = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}[element.tag]
            if len(numbers) != needed:
                raise ModelError(f"<{element.tag}> needs {needed} numbers, not {len(numbers)}")
            if element.tag == "matrix":
                step = numbers.reshape(4, 4)
            elif element.tag == "translate":
                step[:3, 3] = numbers
            elif element.tag == "scale":
                step[:3, :3] = np.diag(numbers)
            else:
                step[:3, :3] = so3.exp(Vector(numbers[:3] * np.deg2rad(numbers[3]))).array()
        pose = pose @ step
    return pose
