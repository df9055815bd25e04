"""Trajectories as columns: the names are those of all tables of states (`sixd.tables`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from sixd.tables.fields import Field, state_field

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["columns_of", "fields_of"]


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
