"""Small mesh files: a box in each format."""

from __future__ import annotations

import struct

import numpy as np

from sixd.view.meshes import Mesh

__all__ = ["BOX", "SIZE", "as_collada", "as_obj", "as_stl", "as_text_stl", "volume"]

SIZE = (0.2, 0.3, 0.4)
_UNIT = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_SQUARES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
BOX = Mesh(_UNIT * SIZE, np.array([t for a, b, c, d in _SQUARES for t in ((a, b, c), (a, c, d))]))


def volume(mesh: Mesh, scale: tuple[float, ...] = (1.0, 1.0, 1.0)) -> float:
    """The volume that a closed mesh encloses, by the divergence theorem: positive if its faces look outward."""
    a, b, c = np.moveaxis((mesh.points * scale)[mesh.triangles], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def as_stl(mesh: Mesh = BOX) -> bytes:
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *mesh.points[triangle].ravel(), 0) for triangle in mesh.triangles)
    return b"solid in name only".ljust(80, b" ") + struct.pack("<I", len(mesh.triangles)) + body


def as_text_stl(mesh: Mesh = BOX) -> bytes:
    faces = []
    for triangle in mesh.triangles:
        corners = "\n".join(f"  vertex {x:.9g} {y:.9g} {z:.9g}" for x, y, z in mesh.points[triangle])
        faces.append(f"facet normal 0 0 0\n outer loop\n{corners}\n endloop\nendfacet")
    return ("solid box\n" + "\n".join(faces) + "\nendsolid box\n").encode()


def as_obj(material: str = "") -> bytes:
    """With squares as faces, and corners counted from the end."""
    lines = [material, *(f"v {x} {y} {z}" for x, y, z in BOX.points)]
    lines += ["f " + " ".join(f"{k - 8}//1" for k in square) for square in _SQUARES]
    return "\n".join(lines).encode()


def as_collada(unit: float = 1.0, node: str = "", kind: str = "polylist") -> bytes:
    points = " ".join(str(x) for x in (BOX.points / unit).ravel())
    if kind == "polylist":
        faces = f"<vcount>{'4 ' * 6}</vcount><p>{' '.join(f'{k} 0' for square in _SQUARES for k in square)}</p>"
    elif kind == "polygons":
        faces = "".join(f"<p>{' '.join(f'{k} 0' for k in square)}</p>" for square in _SQUARES)
    else:
        faces = f"<p>{' '.join(f'{k} 0' for k in BOX.triangles.ravel())}</p>"
    return f"""<?xml version="1.0"?>
    <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
      <asset><unit meter="{unit}"/><up_axis>Y_UP</up_axis></asset>
      <library_effects><effect id="paint"><profile_COMMON><technique sid="c"><phong>
        <diffuse><color>0.1 0.2 0.3 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
      <library_materials><material id="blue"><instance_effect url="#paint"/></material></library_materials>
      <library_geometries><geometry id="box"><mesh>
        <source id="places"><float_array count="24">{points}</float_array>
          <technique_common><accessor source="#a" count="8" stride="3"/></technique_common></source>
        <vertices id="corners"><input semantic="POSITION" source="#places"/></vertices>
        <{kind} material="skin" count="6"><input semantic="VERTEX" source="#corners" offset="0"/>
          <input semantic="NORMAL" source="#places" offset="1"/>{faces}</{kind}>
      </mesh></geometry></library_geometries>
      <library_visual_scenes><visual_scene id="scene"><node>{node}<instance_geometry url="#box">
        <bind_material><technique_common><instance_material symbol="skin" target="#blue"/></technique_common>
        </bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
    </COLLADA>""".encode()
