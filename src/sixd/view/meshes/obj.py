"""Wavefront OBJ meshes, with the diffuse colours of their material files."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from sixd.errors import ModelError
from sixd.view.meshes.mesh import Color, Mesh, Part

__all__ = ["read_obj"]


def read_obj(content: bytes, path: Path) -> list[Part]:
    """The faces of an OBJ file, cut into triangles, by material. Normals and textures are not read."""
    points: list[list[float]] = []
    faces: dict[str, list[tuple[int, int, int]]] = {}
    colors: dict[str, Color] = {}
    material = ""
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), start=1):
        word, *values = line.split() or [""]
        try:
            if word == "v":
                x, y, z = map(float, values[:3])
                points.append([x, y, z])
            elif word == "f":
                corners = [_row(value, len(points)) for value in values]
                triangles = pairwise(corners[1:])
                faces.setdefault(material, []).extend((corners[0], b, c) for b, c in triangles)
        except ValueError:
            raise ModelError(f"line {number} is none of an OBJ file: {line[:60]!r}") from None
        if word == "usemtl":
            material = " ".join(values)
        elif word == "mtllib":
            colors |= _colors(path.parent / " ".join(values))
    if not any(faces.values()):
        raise ModelError("this OBJ file has no faces")
    array = np.array(points, dtype=float)
    return [Part(Mesh(array, np.array(rows)), colors.get(name)) for name, rows in faces.items() if rows]


def _row(corner: str, known: int) -> int:
    """The row of a corner such as "7/2/3" or "-1", which counts from the end."""
    k = int(corner.split("/")[0])
    return k - 1 if k > 0 else known + k


def _colors(path: Path) -> dict[str, Color]:
    """The diffuse colours of a material file; none if there is no such file."""
    if not path.is_file():
        return {}
    found: dict[str, Color] = {}
    name, opacity = "", 1.0
    for line in path.read_text("utf-8", "replace").splitlines():
        word, *values = line.split() or [""]
        if word == "newmtl":
            name, opacity = " ".join(values), 1.0
        elif word in ("Kd", "d"):
            try:
                numbers = [float(x) for x in values]
            except ValueError:
                raise ModelError(f"a colour in {path} is no number: {line[:60]!r}") from None
            if word == "d" and len(numbers) == 1:
                opacity = numbers[0]
                found |= {name: (*found[name][:3], opacity)} if name in found else {}
            elif word == "Kd" and len(numbers) == 3:
                found[name] = (numbers[0], numbers[1], numbers[2], opacity)
    return found
