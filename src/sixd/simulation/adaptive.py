"""Simulation with steps of variable length: each sample takes its own steps, and events are located in time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.compiler.progress import Progress
from sixd.compiler.rollout import Rollout, by_sample
from sixd.errors import ArgumentError, ModelError, ShapeError, SimulationError, SimulationWarning
from sixd.runtime.arguments import common_lead, real_numbers
from sixd.simulation.adaptive_step import DENSE, Attempt
from sixd.simulation.observe import observe_arrays
from sixd.simulation.records import room
from sixd.simulation.setup import Setup
from sixd.simulation.step import kept_rollout
from sixd.simulation.trajectory import Trajectory

__all__ = ["ADAPTIVE", "Event", "Happening", "Tolerances", "checked_events", "run_adaptive"]

Array = NDArray[Any]
#: The names of integrators with steps of variable length.
ADAPTIVE = ("dopri5",)
#: Attempts in one call of compiled code.
ATTEMPTS = 64
#: A step shorter than this, relative to the time, cannot be told from none.
SHORTEST = 1e-14
#: Halvings of the interval in which an event is.
HALVINGS = 60


@dataclass(frozen=True)
class Event:
    """Something to be noticed: the moments at which a function of the state, g(t, q, qd), passes through zero.

    The function takes times (...) and arrays (..., nq) and (..., nv), and returns (...). ``direction`` 1: only where it
    grows, -1: only where it falls. ``terminal``: the run ends there (for one sample only). Signs are compared at both
    ends of each step: a function that passes through zero twice within one step is not noticed.
    """

    function: Callable[[Array, Array, Array], Any]
    name: str = "event"
    direction: int = 0
    terminal: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"an event needs a function g(t, q, qd), not {given.described(self.function)}")
        given.name(self.name, "the name of an event")
        given.flag(self.terminal, "terminal of an event")
        if given.whole(self.direction) not in (-1, 0, 1):
            raise ModelError(f"direction of an event must be -1, 0 or 1, not {given.described(self.direction)}")


class Happening(NamedTuple):
    """An event that took place: when, in which sample of the flattened batch, and the state."""

    name: str
    time: float
    sample: int
    q: Array
    qd: Array


class Tolerances(NamedTuple):
    """The error allowed in each step: rtol |x| + atol."""

    rtol: float = 1e-9
    atol: float = 1e-11

    @classmethod
    def of(cls, rtol: Any, atol: Any) -> Tolerances:
        """Checked ones."""
        numbers = given.number(rtol, "rtol"), given.number(atol, "atol")
        for name, x in zip(("rtol", "atol"), numbers, strict=True):
            if not (isfinite(x) and x > 0.0):
                raise ModelError(f"{name} must be a positive number, not {x:g}")
        return cls(*numbers)


def checked_events(events: Any) -> tuple[Event, ...]:
    """The events of a run."""
    if not isinstance(events, Iterable) and not isinstance(events, Event):
        raise ArgumentError(f"events must be a list of sixd.simulation.Event(g), not {given.described(events)}")
    found = (events,) if isinstance(events, Event) else tuple(events)
    for event in found:
        given.instance(event, "each of events", Event, "sixd.simulation.Event(g)")
    return found


def _rollout(setup: Setup) -> Rollout:
    step = setup.step
    attempt = Attempt(step.controller, step.elements, step.inputs, step.projected)
    carried = {name: f"{name}_next" for name in ("q", "qd", "qdd", "t", "h")}
    recorded = ("q_next", "qd_next", "t_next", "made", "length", "dense")
    return kept_rollout(attempt, setup.robot, carried=carried, recorded=recorded, shapes=attempt.shapes)


class _Stretch(NamedTuple):
    """The steps that one sample made in one call: where they begin, how long they are, and the curves in between."""

    t: Array
    q: Array
    qd: Array
    length: Array
    dense: Array


def run_adaptive(
    setup: Setup,
    start: Mapping[str, Array],
    steps: int,
    record: int | None,
    tolerances: Tolerances,
    events: Sequence[Event],
) -> Trajectory:
    """The motion over the time ``steps`` dt, by steps of variable length, and the events on the way.

    The states after every ``record`` times dt are kept, and the last one; None keeps that alone.
    """
    if setup.outside is not None:
        raise ArgumentError("steps of variable length need a control that is compiled: a Controller or an array")
    if setup.parameters:
        raise ArgumentError("parameters are for integrators with a fixed step: choose another integrator")
    if setup.step.books:
        raise ArgumentError(
            "books are kept by integrators with a fixed step: choose another integrator, or books=False"
        )
    if setup.stepped:
        raise ArgumentError(
            f"{setup.stepped[0]} has a value for each step, but steps of variable length have no number"
        )
    found = _AdaptiveRun(setup, start, steps, record or max(steps, 1), tolerances, events).go()
    return found[-1:] if record is None else found


class _AdaptiveRun:
    """A run under way. The first axis of all arrays here is the sample."""

    def __init__(
        self,
        setup: Setup,
        start: Mapping[str, Array],
        steps: int,
        record: int,
        tolerances: Tolerances,
        events: Sequence[Event],
    ) -> None:
        self.setup, self.robot, self.events = setup, setup.robot, tuple(events)
        robot = self.robot
        self.lead = common_lead({name: x.shape[:-1] for name, x in start.items()})
        self.samples = prod(self.lead)
        if self.samples != 1 and any(event.terminal for event in self.events):
            raise ArgumentError(
                "an event that ends the run is for one sample: each sample of a batch would end elsewhere"
            )
        cores = {"q": (robot.nq,), "qd": (robot.nv,)}
        self.state = {name: by_sample(start[name], cores[name], self.lead).copy() for name in cores}
        inputs = dict(setup.step.inputs)
        self.fixed = {k: by_sample(x, inputs.get(k, (robot.nv,)), self.lead) for k, x in (setup.given or {}).items()}
        self.fixed |= {"rtol": self._all(tolerances.rtol), "atol": self._all(tolerances.atol)}
        self.fixed["t_end"] = self._all(steps * setup.dt)
        self.state["t"] = self._all(0.0).copy()
        records = 1 + -(-steps // record)
        self.q, self.qd = (room(self.samples, records, n) for n in (robot.nq, robot.nv))
        for array, name in ((self.q, "q"), (self.qd, "qd")):
            array[:], array[:, 0] = np.nan, self.state[name]
        self.times = setup.dt * np.minimum(record * np.arange(records), steps)
        self.happened: list[Happening] = []
        self.ended: float | None = None
        #: The samples that could not go on: when, and why.
        self.blown: dict[int, tuple[float, str]] = {}

    def _all(self, x: float) -> Array:
        return np.broadcast_to(x, (self.samples,))

    def go(self) -> Trajectory:
        """Run to the last time, or to an event that ends the run. An interrupt ends it early, and a warning says so."""
        rollout = _rollout(self.setup)
        self._begin()
        first, last = self.times[0], self.times[-1]
        reached = float(first)
        with Progress() as progress:
            try:
                while self.ended is None and (self.state["t"] < last).any():
                    self._advance(rollout)
                    reached = float(self.state["t"].min())
                    progress(f"simulating {self.robot.name}, {100 * (reached - first) / (last - first):.0f}%")
            except KeyboardInterrupt:
                return self._interrupted(reached)
        return self._finish()

    def _interrupted(self, reached: float) -> Trajectory:
        """The trajectory up to a time that all samples have reached."""
        until = int(np.searchsorted(self.times, reached, side="right"))
        self.times, self.q, self.qd = self.times[:until], self.q[:, :until], self.qd[:, :until]
        self.happened, self.ended = [x for x in self.happened if x.time <= reached], None
        ended = f"interrupted at t = {reached:g} s"
        warnings.warn(f"the simulation was {ended}", SimulationWarning, stacklevel=5)
        return replace(self._finish(), ended=ended)

    def _begin(self) -> None:
        """The first acceleration, and the length of the first step: a hundredth of the time in which states change."""
        q, qd = self.state["q"], self.state["qd"]
        given_ = {name: x for name, x in self.fixed.items() if name not in ("rtol", "atol", "t_end")}
        qdd = observe_arrays(self.setup, "qdd", q, qd, given_.pop("tau"), self.state["t"], given_)
        rate = np.maximum(np.abs(qd).max(axis=1, initial=0.0), np.abs(qdd).max(axis=1, initial=0.0))
        size = np.maximum(1.0, np.abs(qd).max(axis=1, initial=0.0))
        span = float(self.times[-1] - self.times[0])
        self.state["qdd"] = np.ascontiguousarray(qdd)
        with np.errstate(divide="ignore"):
            self.state["h"] = np.minimum(0.01 * size / rate, span)

    def _advance(self, rollout: Rollout) -> None:
        """Some attempts of all samples; what falls due in the steps that were made."""
        before = self.state
        kept = {
            name: np.empty((self.samples, ATTEMPTS, *shape))
            for name, shape in (("q_next", (self.robot.nq,)), ("qd_next", (self.robot.nv,)), ("t_next", ()))
        }
        kept |= {name: np.empty((self.samples, ATTEMPTS)) for name in ("made", "length")}
        kept["dense"] = np.empty((self.samples, ATTEMPTS, 2 * DENSE * self.robot.nv))
        last = {p.name: np.empty((self.samples, *p.shape)) for p in rollout.program.outputs}
        rollout.run(ATTEMPTS, 1, {**self.state, **self.fixed}, last, kept)
        self.state = {name: last[f"{name}_next"] for name in ("q", "qd", "qdd", "t", "h")}
        for sample in np.flatnonzero(before["t"] < self.times[-1]):
            self._look(int(sample), self._stretch(int(sample), before, kept))
            self._check(int(sample))

    def _stretch(self, sample: int, before: Mapping[str, Array], kept: Mapping[str, Array]) -> _Stretch:
        """The steps of a sample that were made."""
        made = (kept["made"][sample] == 1.0) & (kept["length"][sample] > 0.0)

        def begins(name: str) -> Array:
            whole = np.concatenate([before[name][sample][None], kept[f"{name}_next"][sample]])
            return whole[:-1][made]

        return _Stretch(
            begins("t"), begins("q"), begins("qd"), kept["length"][sample][made], kept["dense"][sample][made]
        )

    def _check(self, sample: int) -> None:
        """Note a sample that cannot go on; the others do."""
        t, h = float(self.state["t"][sample]), float(self.state["h"][sample])
        which = self._which(sample)
        if not np.isfinite(self.state["q"][sample]).all() or not isfinite(h):
            self.blown[sample] = t, f"at t = {t:g} s the acceleration{which} is not finite"
        elif h < SHORTEST * max(abs(t), 1e-3) and t < self.times[-1]:
            self.blown[sample] = (
                t,
                f"at t = {t:g} s the step{which} would have to be shorter than {h:.1e} s: the motion is "
                "not smooth there, or the tolerances are too small",
            )
        if sample in self.blown:
            self.state["t"][sample] = self.times[-1]

    def _which(self, sample: int) -> str:
        return f" of sample {tuple(map(int, np.unravel_index(sample, self.lead)))}" if self.lead else ""

    # ---- inside the steps

    def _inside(self, stretch: _Stretch, step: Array, s: Array) -> tuple[Array, Array]:
        """The states at shares s of some steps, by the dense output, of fourth order."""
        nv = self.robot.nv
        curves = stretch.dense[step].reshape(len(step), 2, DENSE, nv)
        u = s[:, None, None]
        a, b, c, d = (curves[:, :, k] for k in range(DENSE))
        moved = u * (a + (1.0 - u) * (b + u * (c + (1.0 - u) * d)))
        q = self.robot.integrate(stretch.q[step], moved[:, 0])
        return np.asarray(q), stretch.qd[step] + moved[:, 1]

    def _look(self, sample: int, stretch: _Stretch) -> None:
        """Find the events in the steps of a sample, and the states at the times that are asked for."""
        if not len(stretch.t):
            return
        ends = stretch.t + stretch.length
        for event in self.events:
            self._find(event, sample, stretch)
        due = np.flatnonzero((self.times > stretch.t[0]) & (self.times <= max(ends[-1], self.state["t"][sample])))
        if len(due):
            times = self.times[due]
            step = np.clip(np.searchsorted(stretch.t, times, side="left") - 1, 0, len(stretch.t) - 1)
            s = np.clip((times - stretch.t[step]) / stretch.length[step], 0.0, 1.0)
            self.q[sample, due], self.qd[sample, due] = self._inside(stretch, step, s)

    def _value(self, event: Event, t: Array, q: Array, qd: Array) -> Array:
        """The function of an event at some states. If it fails, the trajectory so far goes with the error."""
        try:
            answer = event.function(t, q, qd)
        except Exception as error:
            raise self._failure(event, t, f"raised {type(error).__name__}: {error}") from error
        found = real_numbers(f"the result of the event {event.name!r}", answer)
        if found.shape != t.shape:
            raise ShapeError(f"the event {event.name!r} returned shape {found.shape} for times of shape {t.shape}")
        if np.isnan(found).any():
            raise self._failure(event, t[np.isnan(found)], "is NaN")
        return found

    def _failure(self, event: Event, t: Array, message: str) -> SimulationError:
        return SimulationError(f"at t = {t[0]:g} s the event {event.name!r} {message}", float(t[0]), self._trajectory())

    def _find(self, event: Event, sample: int, stretch: _Stretch) -> None:
        """The moments at which an event takes place, by halving the steps in which its sign changes."""
        number = np.arange(len(stretch.t))
        first, last = np.zeros(len(number)), np.ones(len(number))
        low = self._value(event, stretch.t, *self._inside(stretch, number, first))
        high = self._value(event, stretch.t + stretch.length, *self._inside(stretch, number, last))
        rises, falls = (low < 0.0) & (high >= 0.0), (low > 0.0) & (high <= 0.0)
        step = np.flatnonzero({0: rises | falls, 1: rises, -1: falls}[event.direction])
        if not len(step):
            return
        a, b = first[step], last[step]
        for _ in range(HALVINGS):
            middle = 0.5 * (a + b)
            t = stretch.t[step] + middle * stretch.length[step]
            same = np.sign(self._value(event, t, *self._inside(stretch, step, middle))) == np.sign(low[step])
            a, b = np.where(same, middle, a), np.where(same, b, middle)
        times = stretch.t[step] + b * stretch.length[step]
        q, qd = self._inside(stretch, step, b)
        for k in range(len(step)):
            self.happened.append(Happening(event.name, float(times[k]), sample, q[k], qd[k]))
            if event.terminal:
                self.ended = float(times[k]) if self.ended is None else min(self.ended, float(times[k]))

    def _finish(self) -> Trajectory:
        """The trajectory. If all samples were lost it is in an error, if some were there is a warning."""
        if not self.blown:
            return self._trajectory()
        time, text = min(self.blown.values())
        if len(self.blown) == self.samples:
            raise SimulationError(text, time, replace(self._trajectory(), ended=text))
        text = f"{len(self.blown)} of {self.samples} samples blew up: {text}"
        warnings.warn(text, SimulationWarning, stacklevel=5)
        return replace(self._trajectory(), ended=text)

    def _trajectory(self) -> Trajectory:
        """What was computed; up to the event that ended it, whose state is its last."""
        times, q, qd = self.times, self.q, self.qd
        if self.ended is not None:
            self.happened = [x for x in self.happened if x.time <= self.ended]
            final = next(x for x in self.happened if x.time == self.ended)
            until = int(np.searchsorted(times, self.ended, side="left"))
            times = np.append(times[:until], self.ended)
            q = np.concatenate([q[:, :until], final.q[None, None]], axis=1)
            qd = np.concatenate([qd[:, :until], final.qd[None, None]], axis=1)
        q, qd = (x.reshape(*self.lead, len(times), x.shape[2]) for x in (q, qd))
        happened = tuple(sorted(self.happened, key=lambda x: x.time))
        return Trajectory(self.setup, times, q, qd, happened=happened)
