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


def _kinds(trajectory: Trajectory) -> list[type]:
    """The kinds of joints that have coordinates of their own."""
    return [type(joint.type) for joint in trajectory.robot.joints if joint.mimic is None]


def compare(one: Trajectory, other: Trajectory) -> Comparison:
    """The differences of two motions at the records that lie in both times; positions in the tangent space."""
    if _kinds(one) != _kinds(other):
        raise ModelError(f"{one.robot.name} and {other.robot.name} have different joints")
    if one.q.shape[:-2] != other.q.shape[:-2]:
        raise ShapeError(f"the batches {one.q.shape[:-2]} and {other.q.shape[:-2]} differ")
    if not (one.q.size and other.q.size):
        raise ModelError("there is nothing to compare: a trajectory has no records, or the batch has no samples")
    for trajectory in (one, other):
        if not (np.diff(trajectory.t) >= 0.0).all():
            raise ModelError("only trajectories in the order of time can be compared: resample(t) with times that grow")
    first, last = max(one.t[0], other.t[0]), min(one.t[-1], other.t[-1])
    if first > last:
        raise ModelError("the two trajectories have no time in common")
    mine = one.between(float(first), float(last))
    if not len(mine):
        raise ModelError(f"the first trajectory has no records in the time that both have, {first:g} to {last:g} s")
    theirs = other if np.array_equal(mine.t, other.t) else other.resample(mine.t)
    for part in (mine, theirs):
        fine = np.isfinite(part.q).all(axis=-1) & np.isfinite(part.qd).all(axis=-1)
        if not fine.all():
            *sample, k = (int(x) for x in np.argwhere(~fine)[0])
            which = f" of sample {tuple(sample)}" if sample else ""
            raise ModelError(f"a state{which} is not finite at t = {part.t[k]:g} s: compare what is before, or others")
    way = np.abs(one.robot.difference(mine.q, theirs.q))
    speed = np.abs(mine.qd - theirs.qd)
    names = coordinate_names(one.robot, positions=False)

    def worst(x: np.ndarray) -> str:
        *sample, k, c = (int(i) for i in np.unravel_index(int(np.argmax(x)), x.shape))
        return f"{names[c]} at t = {mine.t[k]:g} s" + (f", sample {tuple(sample)}" if sample else "")

    energy = float(np.abs(mine.energy - theirs.energy).max())
    return Comparison(float(way.max()), float(speed.max()), energy, worst(way), worst(speed))
