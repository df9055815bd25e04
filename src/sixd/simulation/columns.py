"""Trajectories as columns: the names are those of all tables of states (`sixd.tables`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from sixd.errors import ShapeError
from sixd.tables.fields import Field, state_field

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["columns_of", "fields_of", "one_sample"]


def one_sample(trajectory: Trajectory, what: str) -> Trajectory:
    """The trajectory, if it has no batch axes; ``what`` is what the error calls that which is for one sample."""
    if trajectory.q.ndim != 2:
        raise ShapeError(
            f"{what} is for one sample, and this trajectory has {trajectory.q.shape[:-2]} of them: choose one, "
            "trajectory.sample(0)"
        )
    return trajectory


def fields_of(trajectory: Trajectory) -> list[Field]:
    """The fields of a table of a trajectory: time, position, velocity, joint forces, and work if there are books."""
    fields = [Field("t", (), ("t",)), *(state_field(trajectory.robot, name) for name in ("q", "qd", "tau"))]
    if trajectory.work is not None:
        sources = trajectory.sources
        fields.append(Field("work", (len(sources),), tuple(f"work_{source}" for source in sources)))
    return fields


def columns_of(trajectory: Trajectory) -> dict[str, NDArray[Any]]:
    """The columns of a trajectory by name, each (..., T); the time is "t", (T,)."""
    found: dict[str, NDArray[Any]] = {"t": trajectory.t}
    for field in fields_of(trajectory)[1:]:
        array = getattr(trajectory, field.name)
        found |= {name: array[..., k] for k, name in enumerate(field.columns)}
    return found
