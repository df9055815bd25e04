"""The records of a run with steps of variable length: states at regular times, from inside the steps."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.simulation.dense import Inside, Stretch
from sixd.simulation.paused import Paused
from sixd.simulation.records import room
from sixd.simulation.setup import Setup
from sixd.simulation.trajectory import Trajectory

__all__ = ["Records"]

Array = NDArray[Any]


class Records:
    """States after every ``record`` times dt, from a start to the end after ``steps`` of them; None: that alone.

    The first axis of all arrays is the sample; ``lead`` are the batch axes. What is not known yet is NaN.
    """

    def __init__(
        self, setup: Setup, lead: tuple[int, ...], start: Mapping[str, Array], steps: int, record: int | None
    ) -> None:
        self.setup, self.lead, self.samples, self.steps, self.record = setup, lead, prod(lead), steps, record
        self.every = record or max(steps, 1)
        number = 1 + -(-steps // self.every)
        self.kept = {name: room(self.samples, number, start[name].shape[1]) for name in Inside._fields}
        for name, array in self.kept.items():
            array[:], array[:, 0] = np.nan, start[name]
        self.times = setup.dt * np.minimum(self.every * np.arange(number), steps)
        #: What a Python controller answered.
        self.answered = np.full((self.samples, number, setup.robot.nv), np.nan) if setup.outside else None

    @property
    def end(self) -> float:
        """The last time."""
        return float(self.times[-1])

    def up_to(self, time: float) -> int:
        """The number of records up to a time."""
        return int(np.searchsorted(self.times, time, side="right"))

    def keep(self, sample: int, stretch: Stretch, end: float) -> None:
        """The states of a sample that are due in its steps, up to the time at which they end."""
        due = np.flatnonzero((self.times > stretch.t[0]) & (self.times <= end))
        if len(due):
            for name, x in stretch.at(*stretch.find(self.times[due]))._asdict().items():
                self.kept[name][sample, due] = x

    def answer(self, step: int, tau: Array) -> None:
        """What a Python controller answers after so many times dt, which holds from then on."""
        if self.answered is not None:
            self.answered[:, -(-step // self.every) :] = tau[:, None]

    def take_up(self, so_far: Trajectory, paused: Paused) -> None:
        """Begin with the records of an earlier run."""
        # Its last record is none of this run if it is at its end and not after so many steps.
        known = 0 if self.record is None else so_far.span[0] // self.record + 1
        for name, array in self.kept.items():
            ahead = paused.ahead[name]
            array[:, :known] = self._flat(getattr(so_far, name), array)[:, :known]
            array[:, known : known + ahead.shape[1]] = ahead
        if self.answered is not None and paused.mark.tau is not None:
            self.answered[:, :known] = self._flat(so_far.answered, self.answered)[:, :known]
            self.answered[:, known:] = paused.mark.tau[:, None]

    def _flat(self, array: Array | None, like: Array) -> Array:
        """Records of a trajectory with the sample as first axis; none if they were not kept."""
        return like if array is None else array.reshape(self.samples, array.shape[-2], like.shape[2])

    def ahead(self, known: int, time: float) -> dict[str, Array]:
        """The records after the first ``known`` of them, up to a time."""
        return {name: x[:, known : max(self.up_to(time), known)].copy() for name, x in self.kept.items()}

    def trajectory(self, known: int, end: tuple[float, Inside, Array] | None = None, **more: Any) -> Trajectory:
        """The first ``known`` records; or those before a time at which a run ended, and the state and answer then."""
        times, arrays = self.times[:known], [x[:, :known] for x in self.kept.values()]
        arrays += [] if self.answered is None else [self.answered[:, :known]]
        if end is not None:
            time, state, tau = end
            known = int(np.searchsorted(times, time, side="left"))
            times, last = np.append(times[:known], time), [*(x[None] for x in state), tau]
            pairs = zip(arrays, last, strict=False)
            arrays = [np.concatenate([x[:, :known], y[:, None]], axis=1) for x, y in pairs]
        shown = slice(-1 if self.record is None else 0, None)
        t = times[shown]
        q, qd, work, *tau_ = (x[:, shown].reshape(*self.lead, len(t), x.shape[2]) for x in arrays)
        books = work if self.setup.step.books else None
        span = min(self.every * (known - 1), self.steps), self.record
        return Trajectory(self.setup, t, q, qd, books, tau_[0] if tau_ else None, span=span, **more)
