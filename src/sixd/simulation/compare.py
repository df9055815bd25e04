"""How far apart two motions of a robot are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sixd.errors import ModelError, ShapeError
from sixd.tables.fields import coordinate_names

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True)
class Comparison:
    """The largest differences of two motions, each with the coordinate and the time where it is."""

    position: float
    velocity: float
    energy: float
    where_position: str
    where_velocity: str

    def __str__(self) -> str:
        return "\n".join(
            [
                f"largest difference in position  {self.position:9.3g}  {self.where_position}",
                f"largest difference in velocity  {self.velocity:9.3g}  {self.where_velocity}",
                f"largest difference in energy    {self.energy:9.3g} J",
            ]
        )


def compare(one: Trajectory, other: Trajectory) -> Comparison:
    """The differences of two motions at the records that lie in both times; positions in the tangent space."""
    if one.robot.nq != other.robot.nq or one.robot.nv != other.robot.nv:
        raise ModelError(f"{one.robot.name} and {other.robot.name} have different numbers of coordinates")
    if one.q.shape[:-2] != other.q.shape[:-2]:
        raise ShapeError(f"the batches {one.q.shape[:-2]} and {other.q.shape[:-2]} differ")
    first, last = max(one.t[0], other.t[0]), min(one.t[-1], other.t[-1])
    if first > last:
        raise ModelError("the two trajectories have no time in common")
    mine = one.between(float(first), float(last))
    theirs = other if np.array_equal(mine.t, other.t) else other.resample(mine.t)
    way = np.abs(one.robot.difference(mine.q, theirs.q))
    speed = np.abs(mine.qd - theirs.qd)
    names = coordinate_names(one.robot, positions=False)

    def worst(x: np.ndarray) -> str:
        *_, k, c = np.unravel_index(int(np.nanargmax(x)), x.shape)
        return f"{names[c]} at t = {mine.t[k]:g} s"

    energy = float(np.nanmax(np.abs(mine.energy - theirs.energy)))
    return Comparison(float(np.nanmax(way)), float(np.nanmax(speed)), energy, worst(way), worst(speed))
