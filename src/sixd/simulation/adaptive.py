"""Simulation with steps of variable length: each sample takes its own steps, and events are located in time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf, isfinite, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.compiler.progress import Progress
from sixd.compiler.rollout import Rollout, by_sample
from sixd.errors import ArgumentError, ModelError, SimulationError, SimulationWarning
from sixd.simulation.adaptive_step import DENSE, Attempt
from sixd.simulation.arrays import arrays_of, batch_of
from sixd.simulation.asking import ask
from sixd.simulation.blown import fastest_joint, guilty_sources
from sixd.simulation.dense import Inside, Stretch
from sixd.simulation.events import Event
from sixd.simulation.observe import observe_arrays
from sixd.simulation.records import room
from sixd.simulation.setup import Setup
from sixd.simulation.step import kept_rollout
from sixd.simulation.trajectory import Trajectory
from sixd.simulation.watch import Watch

__all__ = ["ADAPTIVE", "Tolerances", "run_adaptive"]

Array = NDArray[Any]
#: The names of integrators with steps of variable length.
ADAPTIVE = ("dopri5",)
#: Attempts in one call of compiled code, at most.
ATTEMPTS = 64
#: A step shorter than this, relative to the time, cannot be told from none.
SHORTEST = 1e-14
#: How far beyond a state from which no step leads on its forces are looked at, s.
BEYOND = 1e-9


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


def run_adaptive(
    setup: Setup,
    start: Mapping[str, Array],
    steps: int,
    record: int | None,
    tolerances: Tolerances,
    events: Sequence[Event],
) -> Trajectory:
    """The motion over the time ``steps`` dt, by steps of variable length, and the events on the way.

    The states after every ``record`` times dt are kept, and the last one; None keeps that alone. What a function of
    Python answers is held until it is asked again, and what has a value for each step for the time dt: steps end there.
    """
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
        self.setup, self.robot, self.steps, self.record = setup, setup.robot, steps, record
        self.watch = Watch(events, setup.dt, self._failure)
        step = setup.step
        self.attempt = Attempt(step.controller, step.elements, step.inputs, step.projected, step.books)
        self.lead = batch_of(setup, start)
        self.samples = prod(self.lead)
        if self.samples != 1 and any(event.terminal for event in events):
            raise ArgumentError(
                "an event that ends the run is for one sample: each sample of a batch would end elsewhere"
            )
        cores = {"q": (self.robot.nq,), "qd": (self.robot.nv,)}
        self.state = {name: by_sample(start[name], cores[name], self.lead).copy() for name in cores}
        self.state["t"] = self._all(0.0).copy()
        self.state["work"] = np.zeros((self.samples, self.attempt.sources))
        self.given = arrays_of(setup, self.lead, steps)
        #: What the next attempts are given: that of `given` which holds at present, and when and how exactly to step.
        self.held = {name: x for name, x in self.given.items() if name not in setup.stepped}
        self.held |= {"rtol": self._all(tolerances.rtol), "atol": self._all(tolerances.atol)}
        records = 1 + -(-steps // record)
        self.kept = {name: room(self.samples, records, self.state[name].shape[1]) for name in Inside._fields}
        for name, array in self.kept.items():
            array[:], array[:, 0] = np.nan, self.state[name]
        self.answered = np.full((self.samples, records, self.robot.nv), np.nan) if setup.outside else None
        self.times = setup.dt * np.minimum(record * np.arange(records), steps)
        #: The samples that could not go on: when, and why.
        self.blown: dict[int, tuple[float, str]] = {}

    def _all(self, x: float) -> Array:
        return np.broadcast_to(x, (self.samples,))

    def go(self) -> Trajectory:
        """Run to the last time, or to an event that ends the run. An interrupt ends it early, and a warning says so."""
        rollout = self._rollout()
        reached, ticks = 0.0, self._ticks()
        with Progress() as progress:
            try:
                for first, last in pairwise(ticks):
                    self._hold(first, last)
                    end = self.held["t_end"][0] if self.samples else 0.0
                    while self.watch.ended is None and (self.state["t"] < end).any():
                        self._advance(rollout)
                        reached = float(self.state["t"].min())
                        progress(f"simulating {self.robot.name}, {100 * reached / self.times[-1]:.0f}%")
            except KeyboardInterrupt:
                return self._interrupted(reached)
        return self._finish()

    def _rollout(self) -> Rollout:
        attempt = self.attempt
        recorded = ("q_next", "qd_next", "t_next", *(["work_next"] if attempt.books else []), "made", "length", "dense")
        names, shapes = tuple(self.setup.parameters), attempt.shapes
        return kept_rollout(
            attempt, self.robot, carried=attempt.carried, recorded=recorded, shapes=shapes, parameters=names
        )

    # ---- what is held from tick to tick

    def _ticks(self) -> list[int]:
        """After how many times dt something that is held changes, from the start to the end."""
        if not self.steps:
            return [0]
        period = 1 if self.setup.stepped else self.setup.period if self.setup.outside else self.steps
        return [*range(0, self.steps, period), self.steps]

    def _hold(self, first: int, last: int) -> None:
        """What holds from ``first`` to ``last`` times dt, and the accelerations then; unless the run has ended."""
        if self.watch.ended is not None or len(self.blown) == self.samples:
            return
        dt, outside = self.setup.dt, self.setup.outside
        self.held |= {name: np.ascontiguousarray(self.given[name][:, first]) for name in self.setup.stepped}
        self.held |= {"t_held": self._all(first * dt), "t_end": self._all(last * dt)}
        q, qd, t = (self.state[name] for name in ("q", "qd", "t"))
        if outside is not None and self.answered is not None and first % self.setup.period == 0:
            time = first * dt
            self.held["tau"] = ask(outside, time, q, qd, self.lead, self.blown, lambda text: self._failure(time, text))
            self.answered[:, -(-first // self.record) :] = self.held["tau"][:, None]
        self.state["qdd"] = np.ascontiguousarray(observe_arrays(self.setup, "qdd", q, qd, t, self.held))
        if self.attempt.books:
            self.state["power"] = np.ascontiguousarray(observe_arrays(self.setup, "power", q, qd, t, self.held))
        if first == 0:
            self.state["h"] = self._first_length()

    def _first_length(self) -> Array:
        """The length of the first step: a hundredth of the time in which states change."""
        speed, change = (np.abs(self.state[name]).max(axis=1, initial=0.0) for name in ("qd", "qdd"))
        with np.errstate(divide="ignore"):
            return np.minimum(0.01 * np.maximum(1.0, speed) / np.maximum(speed, change), self.times[-1])

    # ---- going on

    def _advance(self, rollout: Rollout) -> None:
        """Some attempts of all samples; what falls due in the steps that were made."""
        before, state, end = self.state, self.attempt.carried, float(self.held["t_end"][0])
        due = [k for k in np.flatnonzero(before["t"] < end).tolist() if k not in self.blown]
        with np.errstate(divide="ignore", invalid="ignore"):
            likely = np.nan_to_num(((end - before["t"]) / before["h"])[due], nan=1.0).max(initial=1.0)
        attempts = int(min(likely + 2.0, ATTEMPTS))
        widths = {"q_next": self.robot.nq, "qd_next": self.robot.nv, "work_next": self.attempt.sources}
        widths["dense"] = DENSE * (2 * self.robot.nv + self.attempt.sources)
        kept = {name: np.empty((self.samples, attempts, width)) for name, width in widths.items()}
        kept |= {name: np.empty((self.samples, attempts)) for name in ("t_next", "made", "length")}
        last = {p.name: np.empty((self.samples, *p.shape)) for p in rollout.program.outputs}
        rollout.run(attempts, 1, {**{name: before[name] for name in state}, **self.held}, last, kept)
        self.state = {"work": before["work"], **{name: last[new] for name, new in state.items()}}
        for lost in self.blown:
            self._lose(lost)
        for sample in due:
            self._look(sample, self._stretch(sample, before, kept))
            self._check(sample, before, end)

    def _stretch(self, sample: int, before: Mapping[str, Array], kept: Mapping[str, Array]) -> Stretch:
        """The steps of a sample that were made."""
        made = (kept["made"][sample] == 1.0) & (kept["length"][sample] > 0.0)

        def begins(name: str) -> Array:
            whole = np.concatenate([before[name][sample][None], kept[f"{name}_next"][sample]])
            return whole[:-1][made]

        begin = (begins(name) for name in ("t", "q", "qd", "work"))
        rest = (kept[name][sample][made] for name in ("q_next", "qd_next", "length", "dense"))
        return Stretch(self.robot, *begin, *rest)

    def _check(self, sample: int, before: Mapping[str, Array], end: float) -> None:
        """Note a sample that cannot go on; the others do. ``before`` is the state before the last attempts."""
        t, h = float(self.state["t"][sample]), float(self.state["h"][sample])
        which = self._which(sample)
        if not (np.isfinite(self.state["q"][sample]).all() and np.isfinite([t, h]).all()):
            t = float(before["t"][sample])
            self.blown[sample] = t, f"at t = {t:g} s the acceleration{which} is not finite{self._why(sample, before)}"
        elif h < SHORTEST * max(abs(t), 1e-3) and t < end:
            reason = self._why(sample, self.state, BEYOND)
            reason = reason or ": the motion is not smooth there, or the tolerances are too small"
            text = f"at t = {t:g} s the step{which} would have to be shorter than {h:.1e} s{reason}"
            joint = fastest_joint(self.setup, self.state["qd"][sample])
            self.blown[sample] = t, f"{text}; joint {joint!r} was the fastest by then"
        if sample in self.blown:
            self._lose(sample)

    def _lose(self, sample: int) -> None:
        """Take no more steps of a sample."""
        self.state["t"][sample] = self.times[-1]
        self.state["q"][sample] = self.state["qd"][sample] = np.nan

    def _why(self, sample: int, state: Mapping[str, Array], after: float = 0.0) -> str:
        """The sources whose forces are not finite at a state or a little after it, if there are any."""
        t, q, qd, qdd = (state[name][sample] for name in ("t", "q", "qd", "qdd"))
        if after:
            q, qd = np.asarray(self.robot.integrate(q, after * qd)), qd + after * qdd
        held = {name: x[sample] for name, x in self.held.items()}
        guilty = guilty_sources(self.setup, held, float(t) + after, q, qd)
        return f": the forces of {guilty} are not finite there" if guilty else ""

    def _which(self, sample: int) -> str:
        return f" of sample {tuple(map(int, np.unravel_index(sample, self.lead)))}" if self.lead else ""

    # ---- inside the steps

    def _look(self, sample: int, stretch: Stretch) -> None:
        """Find the events in the steps of a sample, and the states at the times that are asked for."""
        if not len(stretch.t):
            return
        self.watch.look(sample, stretch)
        end = max(stretch.t[-1] + stretch.length[-1], self.state["t"][sample])
        due = np.flatnonzero((self.times > stretch.t[0]) & (self.times <= end))
        if len(due):
            for name, x in stretch.at(*stretch.find(self.times[due]))._asdict().items():
                self.kept[name][sample, due] = x

    # ---- the end

    def _failure(self, time: float, message: str) -> SimulationError:
        text = f"at t = {time:g} s {message}"
        return SimulationError(text, float(time), replace(self._trajectory(), ended=text))

    def _interrupted(self, reached: float) -> Trajectory:
        """The trajectory up to a time that all samples have reached."""
        until = int(np.searchsorted(self.times, reached, side="right"))
        self.times, self.kept = self.times[:until], {name: x[:, :until] for name, x in self.kept.items()}
        self.answered = None if self.answered is None else self.answered[:, :until]
        self.watch.happened, self.watch.ended = list(self.watch.until(reached)), None
        ended = f"interrupted at t = {reached:g} s"
        warnings.warn(f"the simulation was {ended}", SimulationWarning, stacklevel=5)
        return replace(self._finish(), ended=ended)

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
        times, kept, answered = self.times, self.kept, self.answered
        happened = self.watch.until(inf)
        if self.watch.ended is not None:
            time, state = self.watch.ended
            happened = self.watch.until(time)
            until = int(np.searchsorted(times, time, side="left"))
            times = np.append(times[:until], time)
            ends = zip(kept.items(), state, strict=True)
            kept = {name: np.concatenate([x[:, :until], end[None, None]], axis=1) for (name, x), end in ends}
            answered = None if answered is None else np.concatenate([answered[:, :until], self.held["tau"][:, None]], 1)
        q, qd, work = (x.reshape(*self.lead, len(times), x.shape[2]) for x in kept.values())
        if answered is not None:
            answered = answered.reshape(*self.lead, len(times), answered.shape[2])
        books = work if self.attempt.books else None
        return Trajectory(self.setup, times, q, qd, books, answered, happened=happened)
