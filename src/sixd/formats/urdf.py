"""URDF: links and joints from XML, versions 1.0 to 1.2 (https://wiki.ros.org/urdf/XML).

What is wrong but cannot change the dynamics becomes a warning; what could is an error. Both carry file, line and
element. Files that meshes name are opened when a robot is drawn, not here.
"""

from __future__ import annotations

from math import isfinite

from sixd.formats.document import Description, Document
from sixd.formats.graph import Edge, check_mimics, check_tree
from sixd.formats.registry import Format, register, what_it_is
from sixd.formats.source import Source
from sixd.formats.urdf_joints import JointReader
from sixd.formats.urdf_shapes import read_materials, read_shapes
from sixd.formats.xml import Element
from sixd.model import ModelBuilder
from sixd.model.plausible import complaint
from sixd.spatial import Inertia, Matrix, Vector

__all__ = ["URDF", "read_urdf"]

VERSIONS = ("1", "1.0", "1.1", "1.2")
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")

#: The words of the format where a misspelt one would lose something: attributes and children of each element.
WORDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "link": (("name",), ("inertial", "visual", "collision")),
    "inertial": ((), ("origin", "mass", "inertia")),
    "mass": (("value",), ()),
    "inertia": (MOMENTS, ()),
    "origin": (("xyz", "rpy", "quat_xyzw"), ()),
    "joint": (("name", "type"), ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")),
    "parent": (("link",), ()),
    "child": (("link",), ()),
    "axis": (("xyz",), ()),
    "limit": (("lower", "upper", "effort", "velocity"), ()),
    "dynamics": (("damping", "friction"), ()),
    "mimic": (("joint", "multiplier", "offset"), ()),
}


def read_urdf(source: Source, *, strict: bool = False, mimic: bool = True) -> Description:
    """Reads a URDF from a path, XML text, bytes or an open file.

    ``strict`` makes every warning an error. ``mimic=False`` gives every joint its own coordinate.

    A continuous joint is a `Revolute` without limits; floating is `Free`. A planar joint moves in the plane whose
    normal is its axis: `Planar` says along which directions its coordinates run.
    """
    document = Document(source, strict)
    root = document.root
    _refuse_other_formats(document)
    if not root.attributes.get("name"):
        document.warn(root, "the robot has no name")
    builder = ModelBuilder(root.attributes.get("name", ""))
    links = _read_links(document, builder)
    edges = _read_edges(document)
    for edge in edges.values():
        if edge.parent == "world" and "world" not in links:
            document.warn(edge.element, "its parent link 'world' is not declared; it is taken as the root")
            links["world"] = edge.element
            builder.link("world")
    check_tree(document, links, edges)
    joints = JointReader(document, builder, edges, mimic)
    for name in edges:
        joints.read(name)
    check_mimics(document, joints.mimics)
    return Description(builder, tuple(document.warnings), document.file)


URDF = register(Format("URDF", read_urdf, suffixes=(".urdf",), tags=("robot",)))


def _refuse_other_formats(document: Document) -> None:
    """Raises if this is xacro, another format, or a version of URDF that nobody knows yet."""
    root = document.root
    hint = "this is a xacro file; expand it first: xacro file.xacro > file.urdf"
    for element in root.walk():
        if element.tag.startswith("xacro:"):
            raise document.error(element, hint)
        if element.owner.tag in ("robot", "link", "joint", "material"):
            for key, value in element.attributes.items():
                if "${" in value or "$(" in value:
                    raise document.error(element, f"{hint} ({key} is {value!r})")
    if root.tag != "robot":
        raise document.error(root, f"a URDF starts with <robot>; this is {what_it_is(root)}")
    version = root.attributes.get("version", "1.0")
    if version not in VERSIONS:
        raise document.error(root, f"unknown URDF version {version!r}; known are 1.0, 1.1 and 1.2")
    origins = (e for e in root.walk() if e.tag == "origin" and e.owner.tag in ("link", "joint"))
    for element in origins if version in ("1", "1.0") else ():
        if "quat_xyzw" in element.attributes:
            raise document.error(element, 'quat_xyzw needs <robot version="1.1"> or later; before, there is only rpy')


def _read_links(document: Document, builder: ModelBuilder) -> dict[str, Element]:
    links: dict[str, Element] = {}
    materials = read_materials(document)
    for element in document.root.all("link"):
        _spell(document, element)
        name = document.name(element, "name")
        if name in links:
            raise document.error(element, f"two links are named {name!r}: the first is in line {links[name].line}")
        links[name] = element
        inertial = document.one(element, "inertial")
        # Not by builder.link, which would warn once more of an inertia, without its line.
        builder.links[name] = Inertia.zero() if inertial is None else _read_inertia(document, inertial)
        builder.visuals.extend(read_shapes(document, element, materials))
    return links


def _read_edges(document: Document) -> dict[str, Edge]:
    edges: dict[str, Edge] = {}
    for element in document.root.all("joint"):
        _spell(document, element)
        name = document.name(element, "name")
        if name in edges:
            first = edges[name].element.line
            raise document.error(element, f"two joints are named {name!r}: the first is in line {first}")
        parent, child = (document.name(document.need(element, role), "link") for role in ("parent", "child"))
        edges[name] = Edge(element, parent, child)
    return edges


def _read_inertia(document: Document, element: Element) -> Inertia:
    """The inertia in the link's frame; the file gives it in the frame of <origin>, at the centre of mass."""
    _spell(document, element)
    mass_element, inertia_element = document.need(element, "mass"), document.need(element, "inertia")
    mass = document.number(mass_element, "value")
    if mass < 0.0:
        raise document.error(mass_element, f"the mass is negative: {mass:g}")
    xx, xy, xz, yy, yz, zz = (document.number(inertia_element, key) for key in MOMENTS)
    I = Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    if fault := complaint(mass, I):
        document.warn(inertia_element, fault)
    inertia = document.place(element).inv @ Inertia.from_mass_com(mass, Vector.zero(), I)
    if not all(isfinite(x) for x in inertia.components()):
        raise document.error(element, "the numbers are too large: the inertia in the link's frame is not finite")
    return inertia


def _spell(document: Document, element: Element) -> None:
    """Refuses misspelt words in an element and its children."""
    for item in (element, *(child for child in element.children if child.tag != "inertial")):
        if item.tag in WORDS:
            document.refuse_misspellings(item, *WORDS[item.tag])
