"""STL meshes, binary or text."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from sixd.errors import ModelError
from sixd.view.meshes.mesh import Mesh, Part, as_numbers

__all__ = ["read_stl"]

_HEADER = 84
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"vertex\s+(\S+\s+\S+\s+\S+)")


def read_stl(content: bytes, path: Path) -> list[Part]:
    """The triangles of an STL file. Colours, which some programs put into the attributes, are not read."""
    count = int.from_bytes(content[80:_HEADER], "little")
    if len(content) >= _HEADER and len(content) == _HEADER + count * _RECORD.itemsize:
        corners = np.frombuffer(content, _RECORD, count, _HEADER)["corners"].reshape(-1, 3)
    elif content.lstrip().startswith(b"solid") and (found := _VERTEX.findall(content)):
        corners = as_numbers(b" ".join(found), float, "a vertex").reshape(-1, 3)
    else:
        raise ModelError(f"this is no STL file: {len(content)} bytes do not hold {count} triangles")
    if len(corners) % 3:
        raise ModelError(f"{len(corners)} vertices do not make triangles")
    points, rows = np.unique(corners, axis=0, return_inverse=True)
    return [Part(Mesh(points.astype(float), rows.reshape(-1, 3)))]
