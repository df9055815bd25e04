"""Meshes made small enough for a page, and normals that make them look smooth where they are."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, radians

import numpy as np
from numpy.typing import NDArray

from sixd.view.meshes.mesh import Mesh

__all__ = ["corner_normals", "reduced", "share_of", "split_at_edges"]

Array = NDArray[np.float64]
#: Faces that meet at a larger angle than this have an edge between them.
EDGE = cos(radians(40.0))
#: The most faces around a point that are compared with each other.
MOST_AROUND = 48


def share_of(meshes: Iterable[Mesh], triangles: int) -> float:
    """The share of their triangles that meshes can keep to have this many together; each mesh counts once."""
    total = sum(len(mesh.triangles) for mesh in {id(mesh): mesh for mesh in meshes}.values())
    return min(1.0, triangles / max(total, 1))


def reduced(mesh: Mesh, triangles: int) -> Mesh:
    """The mesh with about this many triangles at most: points in one cell of a grid become their mean.

    The grid is the finest one, of those that halve in size, that makes the mesh small enough.
    """
    if len(mesh.triangles) <= triangles:
        return mesh
    span = float(np.ptp(mesh.points, axis=0).max()) or 1.0
    coarse, fine, best = 2.0, 4096.0, None
    for _ in range(10):  # bisection by the number of cells along the longest side
        cells = (coarse * fine) ** 0.5
        found = _clustered(mesh, span / cells)
        if len(found.triangles) <= triangles:
            coarse, best = cells, found
        else:
            fine = cells
    return best if best is not None else _clustered(mesh, span / coarse)


def _clustered(mesh: Mesh, cell: float) -> Mesh:
    keys = np.floor((mesh.points - mesh.points.min(axis=0)) / cell).astype(np.int64)
    flat = (keys[:, 0] * 8192 + keys[:, 1]) * 8192 + keys[:, 2]
    _, rows, counts = np.unique(flat, return_inverse=True, return_counts=True)
    points = np.stack([np.bincount(rows, mesh.points[:, k]) / counts for k in range(3)], axis=-1)
    corners = rows[mesh.triangles]
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
    return Mesh(points, corners[np.sort(first)])


def corner_normals(mesh: Mesh) -> Array:
    """A unit normal for each corner of each triangle, (m, 3, 3).

    It is the mean of the faces around the corner's point, weighted by their areas, without those beyond an edge.
    """
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)
    faces = _unit(areas)
    _, places = np.unique(np.round(mesh.points, 7), axis=0, return_inverse=True)
    at = places[mesh.triangles].ravel()
    order = np.argsort(at, kind="stable")
    at, face = at[order], order // 3
    sums = areas[face].copy()
    for step in range(1, min(MOST_AROUND, len(at))):
        i = np.flatnonzero(at[:-step] == at[step:])
        if not len(i):
            break
        i = i[np.einsum("ij,ij->i", faces[face[i]], faces[face[i + step]]) > EDGE]
        sums[i] += areas[face[i + step]]  # each i occurs once, and so does each i + step
        sums[i + step] += areas[face[i]]
    normals = np.empty_like(sums)
    normals[order] = _unit(sums)
    return normals.reshape(-1, 3, 3)


def split_at_edges(mesh: Mesh) -> tuple[Mesh, Array]:
    """The mesh with a point of its own for each normal that corners at a place have, and these normals, (n, 3).

    Points are joined that differ by less than a 32767th of half the mesh's size, normals by less than a 127th.
    """
    low, high = mesh.points.min(axis=0, initial=np.inf), mesh.points.max(axis=0, initial=-np.inf)
    half = np.maximum(0.5 * (high - low), 1e-9)
    places = np.round((mesh.points - 0.5 * (low + high)) / half * 32767.0).astype(np.int64)[mesh.triangles]
    normals = corner_normals(mesh)
    ways = np.round(normals * 127.0).astype(np.int64)
    keys = [(x[..., 0] * 70_000 + x[..., 1]) * 70_000 + x[..., 2] for x in (ways, places)]
    order = np.lexsort([key.ravel() for key in keys])
    new = np.zeros(len(order), dtype=bool)
    new[:1] = True
    for key in keys:
        new[1:] |= np.diff(key.ravel()[order]) != 0
    rows = np.empty(len(order), dtype=np.int64)
    rows[order] = np.cumsum(new) - 1
    first = order[new]
    return Mesh(mesh.points[mesh.triangles.ravel()[first]], rows.reshape(-1, 3)), normals.reshape(-1, 3)[first]


def _unit(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0.0)
