"""Joint axes: where and how joints move, told from their motion subspaces."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.joints import Joint
from sixd.model import configuration
from sixd.spatial import Vector
from sixd.view.layers.layer import Context, Item, Layer, arrow
from sixd.view.meshes.mesh import Color

__all__ = ["AXES", "Axis", "axes_of"]

TURNS: Color = (0.46, 0.25, 0.75, 1.0)
SLIDES: Color = (0.0, 0.55, 0.55, 1.0)


class Axis(NamedTuple):
    """An axis through the joint's origin that is fixed in its successor, or in its predecessor, and its direction."""

    in_successor: bool
    turns: bool
    direction: NDArray[np.float64]


@lru_cache(1000)
def axes_of(joint: Joint) -> tuple[Axis, ...]:
    """The columns of S that are fixed in one of the two bodies; axes that move in both are left out.

    A column is taken as fixed in a body if it is the same there at three positions.
    """
    rng = configuration.random_generator(0)
    lower, upper = joint.limits()
    states = [joint.neutral(), *(Vector(map(float, joint.random(rng, lower, upper))) for _ in range(2))]
    inside, outside = [], []
    for q in states:
        S = joint.subspace(q)
        E = np.array(joint.transform(q).E.array(), dtype=float)
        columns = np.array([column.components() for column in S], dtype=float).reshape(-1, 2, 3)
        inside.append(columns)
        outside.append(columns @ E)  # E^T turns successor coordinates to the predecessor's
    found = []
    for k in range(joint.nv):
        for in_successor, seen in ((True, inside), (False, outside)):
            angular, linear = seen[0][k]
            if max(float(np.abs(other[k] - seen[0][k]).max()) for other in seen[1:]) < 1e-9:
                turns = bool(np.linalg.norm(angular) > 1e-9)
                found.append(Axis(in_successor, turns, angular if turns else linear))
                break
    return tuple(found)


def _axes(context: Context) -> Iterator[Item]:
    """An arrow for each axis; joints with six freedoms have none, since they move every way."""
    model, radius, half = context.model, 0.006 * context.length, 0.09 * context.length
    for i, body in enumerate(model.body_list[1:], start=1):
        assert body.joint is not None
        for axis in axes_of(body.joint.type) if body.joint.type.nv < 6 else ():
            origin = np.zeros(3)
            owner, direction = i, axis.direction / np.linalg.norm(axis.direction)
            if not axis.in_successor:
                pose = np.array(body.placement.pose(), dtype=float)
                owner, origin, direction = body.parent, pose[:3, 3], pose[:3, :3] @ direction
            color = TURNS if axis.turns else SLIDES
            yield from arrow(owner, origin - half * direction, origin + half * direction, radius, color)


AXES = Layer("axes", "joint axes", _axes)
