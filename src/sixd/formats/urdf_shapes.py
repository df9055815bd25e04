"""The visual and collision shapes of a URDF: kept for viewers, so that a defect in one costs only that shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sixd.errors import ModelError
from sixd.formats.document import Document
from sixd.formats.xml import Element
from sixd.model import Visual

__all__ = ["read_materials", "read_shapes"]

Color = tuple[float, ...]


def read_materials(document: Document) -> dict[str, Color | None]:
    """The colours of the materials that the robot declares, and of those declared on the way in a shape."""
    found: dict[str, Color | None] = {}
    shapes = (shape for link in document.root.all("link") for shape in (*link.all("visual"), *link.all("collision")))
    for place in (document.root, *shapes):
        for material in place.all("material"):
            name, color = material.attributes.get("name", ""), _color(document, material)
            if name and material.children and (name not in found or found[name] is None):
                found[name] = color
    return found


def read_shapes(document: Document, link: Element, materials: Mapping[str, Color | None]) -> Iterator[Visual]:
    """The shapes of a link; one that cannot be read is left out with a warning."""
    for tag in ("visual", "collision"):
        for element in link.all(tag):
            try:
                shape = _shape(document, link.attributes["name"], element, materials)
            except ModelError as error:
                document.warn(element, f"this {tag} is left out: {error.message} (line {error.line or element.line})")
            else:
                yield shape


def _shape(document: Document, link: str, element: Element, materials: Mapping[str, Color | None]) -> Visual:
    geometry = document.need(element, "geometry")
    form = next((child for child in geometry.children if child.tag in _SIZES), None)
    if form is None:
        raise document.error(geometry, f"no shape inside; known are {', '.join(_SIZES)}")
    material = document.one(element, "material")
    name = material.attributes.get("name") if material else None
    color = _color(document, material) if material else None
    if material and name and color is None and name not in materials:
        document.warn(material, f"the material {name!r} is not declared")
    return Visual(
        link,
        form.tag,
        _SIZES[form.tag](document, form),
        document.text(form, "filename") if form.tag == "mesh" else None,
        document.place(element),
        color if color is not None else materials.get(name or ""),
        element.tag == "collision",
        name,
    )


#: The dimensions of each shape, m: edges; radius; radius and length; the scale of a mesh.
_SIZES: dict[str, Callable[[Document, Element], tuple[float, ...]]] = {
    "mesh": lambda document, form: document.numbers(form, "scale", 3, (1.0, 1.0, 1.0)),
    "box": lambda document, form: document.numbers(form, "size", 3),
    "sphere": lambda document, form: (document.number(form, "radius"),),
    "cylinder": lambda document, form: (document.number(form, "radius"), document.number(form, "length")),
    "capsule": lambda document, form: (document.number(form, "radius"), document.number(form, "length")),
}


def _color(document: Document, material: Element) -> Color | None:
    """The colour of a material, red, green, blue and opacity from 0 to 1; None if it has none that can be read."""
    for color in material.all("color"):
        try:
            return document.numbers(color, "rgba", 4)
        except ModelError as error:
            document.warn(color, f"this color is left out: {error.message}")
    return None
