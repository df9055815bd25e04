"""The record of a simulation: states over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from sixd.robot import Robot

__all__ = ["Trajectory"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Trajectory:
    """States of a robot over time: ``t`` (T,), ``q`` (..., T, nq), ``qd`` (..., T, nv)."""

    robot: Robot
    t: Array
    q: Array
    qd: Array
    #: The work that each source of forces has done since the start, (..., T, sources), if books were kept.
    work: Array | None = None
    sources: tuple[str, ...] = ()
    #: The force of the ground on each site of contact, along the world's axes, N, (..., T, sites, 3). It is that of the
    #: step that ended at this time.
    contact_forces: Array | None = None
    about: dict[str, Any] = field(default_factory=dict)
