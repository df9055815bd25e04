"""Arrays for a page: packed into one block of bytes, meshes with few bytes a corner."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixd.view.meshes.mesh import Mesh
from sixd.view.meshes.reduce import split_at_edges

__all__ = ["Packer"]

#: Points are stored as whole numbers up to this, normals up to the second.
POINT, NORMAL = 32767, 127


class Packer:
    """Collects arrays. `add` says where one is: the kind of its numbers, its first byte, how many numbers."""

    def __init__(self) -> None:
        self.bytes = bytearray()

    def add(self, values: ArrayLike, kind: str) -> tuple[str, int, int]:
        """An array as "f8", "f4", "i1", "i2" or "u4", in C order."""
        array = np.ascontiguousarray(values, dtype=f"<{kind}")
        self.bytes += b"\0" * (-len(self.bytes) % 8)
        place = (kind, len(self.bytes), array.size)
        self.bytes += array.tobytes()
        return place

    def mesh(self, mesh: Mesh) -> dict[str, Any]:
        """A mesh with its normals; points are whole numbers within the box around them."""
        split, normals = split_at_edges(mesh)
        low, high = split.points.min(axis=0, initial=np.inf), split.points.max(axis=0, initial=-np.inf)
        middle, half = (
            (0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-9)) if len(split.points) else (np.zeros(3),) * 2
        )
        return {
            "points": self.add(np.round((split.points - middle) / half * POINT), "i2"),
            "normals": self.add(np.round(normals * NORMAL), "i1"),
            "indices": self.add(split.triangles, "u4"),
            "middle": middle.tolist(),
            "half": half.tolist(),
        }

    def text(self) -> str:
        """All arrays, compressed, in base64."""
        return base64.b64encode(zlib.compress(bytes(self.bytes), 6)).decode("ascii")
