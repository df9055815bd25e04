"""Where a run with steps of variable length stopped, and all that it needs to go on as if it had not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import NDArray

from sixd.simulation.events import Event
from sixd.simulation.tolerances import Tolerances
from sixd.simulation.watch import Noted

__all__ = ["Mark", "Paused"]

Array = NDArray[Any]


class Mark(NamedTuple):
    """A point of a run from which longer runs go on too; the first axis of arrays is the sample.

    Samples have times of their own. A step that was cut short to end with the run, and what was found in it, is left
    out: in a longer run it would not have ended there.
    """

    #: After how many times dt something that is held changed last, and whether that has been done.
    tick: int
    holds: bool
    #: What attempts carry on: position, velocity, time, work; while steps go on also accelerations, length, power.
    state: Mapping[str, Array]
    #: The last answer of a Python controller, (samples, nv).
    tau: Array | None
    #: What events have seen, by sample.
    noted: Mapping[int, Noted]
    #: The samples that could not go on: when, and why.
    lost: Mapping[int, tuple[float, str]]
    #: The time that all samples have reached.
    reached: float


@dataclass(frozen=True, eq=False)
class Paused:
    """What `Trajectory.resume` goes on from, beside the trajectory itself."""

    mark: Mark
    tolerances: Tolerances
    events: tuple[Event, ...]
    #: The records of samples that were ahead of the others, after those of the trajectory.
    ahead: Mapping[str, Array]
