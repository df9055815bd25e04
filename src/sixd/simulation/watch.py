"""The events of a run: what has happened so far, and what ends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ArgumentError, ShapeError, SimulationError
from sixd.runtime.arguments import real_numbers
from sixd.simulation.dense import Inside, Stretch
from sixd.simulation.events import Event, Happening, crossings

__all__ = ["Noted", "Watch"]

Array = NDArray[Any]
#: A function is asked about so many places at once, which bounds the memory.
PLACES = 65_536


class Noted(NamedTuple):
    """What was seen in the steps of one sample: the events, with their numbers, and their values at the last end."""

    happened: tuple[tuple[int, Happening], ...] = ()
    values: tuple[float, ...] = ()


class Watch:
    """Looks for events in the steps of samples. ``failure`` makes the error of a time and what went wrong then."""

    def __init__(self, events: Sequence[Event], dt: float, failure: Callable[[float, str], SimulationError]) -> None:
        self.events, self.dt, self.failure = tuple(events), dt, failure
        #: What was seen so far, by sample.
        self.noted: dict[int, Noted] = {}
        #: When an event ends the run, and the state then.
        self.ended: tuple[float, Inside] | None = None

    def until(self, time: float) -> tuple[Happening, ...]:
        """What has happened up to a time: in order, at the same time by sample and by the order of events."""
        found = [x for noted in self.noted.values() for x in noted.happened if x[1].time <= time]
        return tuple(x for _, x in sorted(found, key=lambda item: (item[1].time, item[1].sample, item[0])))

    def look(self, sample: int, stretch: Stretch) -> None:
        """Note the events in the steps of a sample."""
        parts = np.ceil(stretch.length / self.dt - 1e-6).astype(int)
        before = self.noted.get(sample, Noted())
        happened, values = list(before.happened), []
        for number, event in enumerate(self.events):

            def value(step: Array, share: Array, event: Event = event) -> Array:
                pieces = (slice(k, k + PLACES) for k in range(0, max(len(step), 1), PLACES))
                return np.concatenate([self._value(event, stretch, step[piece], share[piece]) for piece in pieces])

            found = crossings(value, parts, event.direction, before.values[number] if before.values else None)
            values.append(found.last)
            times, states = stretch.times(found.step, found.share), stretch.at(found.step, found.share)
            for k, time in enumerate(times.tolist()):
                happened.append((number, Happening(event.name, time, sample, states.q[k], states.qd[k])))
                if event.terminal and (self.ended is None or time < self.ended[0]):
                    self.ended = time, Inside(*(x[k] for x in states))
        self.noted[sample] = Noted(tuple(happened), tuple(values))

    def _value(self, event: Event, stretch: Stretch, step: Array, share: Array) -> Array:
        """The function of an event at some places. If it fails, the trajectory so far goes with the error."""
        if not len(step):
            return np.zeros(0)
        t, (q, qd, _) = stretch.times(step, share), stretch.at(step, share)
        try:
            answer = event.function(t, q, qd)
        except Exception as error:
            raise self.failure(t[0], f"the event {event.name!r} raised {type(error).__name__}: {error}") from error
        if not isinstance(answer, str) and np.asarray(answer).dtype.kind == "b":
            raise ArgumentError(
                f"the event {event.name!r} returned true or false, which never passes through zero: let it return a "
                "number that changes its sign, such as q[..., 0] - limit"
            )
        found = real_numbers(f"the result of the event {event.name!r}", answer)
        if found.shape != t.shape:
            raise ShapeError(f"the event {event.name!r} returned shape {found.shape} for times of shape {t.shape}")
        if np.isnan(found).any():
            raise self.failure(t[np.isnan(found)][0], f"the event {event.name!r} is NaN")
        return found
