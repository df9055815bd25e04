"""A mesh: points and the triangles between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError

__all__ = ["Color", "Mesh", "Part", "Reader"]

Color: TypeAlias = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles in space. Meshes are compared by identity, so that renderers store each only once."""

    #: Points (n, 3), m.
    points: NDArray[np.float64]
    #: For each triangle the rows of its corners in ``points``, (m, 3), counterclockwise seen from outside.
    triangles: NDArray[np.int64]

    def __post_init__(self) -> None:
        points, triangles = np.asarray(self.points, dtype=float), np.asarray(self.triangles, dtype=np.int64)
        if points.ndim != 2 or points.shape[1] != 3 or triangles.ndim != 2 or triangles.shape[1] != 3:
            raise ModelError(f"a mesh has points (n, 3) and triangles (m, 3), not {points.shape} and {triangles.shape}")
        if not np.isfinite(points).all():
            raise ModelError("a point of the mesh is not finite")
        if triangles.size and not 0 <= triangles.min() <= triangles.max() < len(points):
            raise ModelError(f"a triangle refers to a point that does not exist: there are {len(points)}")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "triangles", triangles)


class Part(NamedTuple):
    """A part of a mesh file with one colour: red, green, blue, opacity from 0 to 1; None if the file has none."""

    mesh: Mesh
    color: Color | None = None


#: A function that reads a file: its content, and where it is, for errors.
Reader: TypeAlias = Callable[[bytes, Path], list[Part]]


def as_numbers(text: str | bytes, kind: Any, what: str) -> NDArray[Any]:
    """The numbers of a text, separated by blanks."""
    try:
        return np.array(text.split(), dtype=kind)
    except (ValueError, OverflowError) as error:
        raise ModelError(f"{what} has something that is no number: {error}") from None
