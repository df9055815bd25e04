"""Parallelograms whose bars can be in line: about any axis, in any unit of length, with the loop's frames turned."""

from __future__ import annotations

import numpy as np

from sixd import Builder, ClosedRobot, Loop
from sixd.joints import Revolute
from sixd.spatial import Transform

__all__ = ["parallelogram", "rotation"]


def rotation(axis, angle: float) -> np.ndarray:
    """The rotation (3, 3) about an axis, by Rodrigues' formula."""
    u = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    K = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def parallelogram(
    axis=(0.0, 1.0, 0.0), turned=None, unit: float = 1.0, joint: str = "revolute", **options
) -> ClosedRobot:
    """Bars of 1, 2 and 1 units of length that turn about an axis, over a base of 2; at q = (x, -x, x) they are closed.

    ``turned`` is a rotation of both frames of the loop.
    """
    u = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    along = np.cross(u, (0.3, -0.2, 0.9) if abs(u[0]) < 0.9 else (0.1, 1.0, 0.4))
    along *= unit / np.linalg.norm(along)
    R = np.eye(3) if turned is None else turned
    b = Builder("parallelogram")
    for name, parent, length, place in (
        ("crank", "base", 1.0, np.zeros(3)),
        ("coupler", "crank", 2.0, along),
        ("rocker", "base", 1.0, 2.0 * along),
    ):
        mass, com = length, 0.5 * length * along
        size = length * unit
        inertia = mass * size * size * (np.eye(3) / 12.0 + 1e-3 * np.eye(3))
        b.body(name, parent, Revolute(u), mass=mass, com=com, inertia=inertia, xyz=place)
    for name, body, length in (("coupler end", "coupler", 2.0), ("rocker end", "rocker", 1.0)):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = R, length * along
        b.frame(name, on=body, at=Transform.from_pose(pose))
    loop_axis = None if joint == "point" else R.T @ u
    tree = b.build().with_gravity((1.0 * unit, 2.0 * unit, -9.0 * unit))
    return tree.close(Loop("rocker end", "coupler end", joint, axis=loop_axis, name="pin", **options))
