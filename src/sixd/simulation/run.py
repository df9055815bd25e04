"""Runs a simulation: in stretches of steps, each one call of compiled code, between which Python looks at it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from math import prod
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.compiler.progress import Progress
from sixd.compiler.rollout import Rollout, by_sample
from sixd.errors import SimulationError, SimulationWarning
from sixd.process.forks import cached_property
from sixd.process.told import warn
from sixd.simulation.arrays import arrays_of, batch_of
from sixd.simulation.asking import ask
from sixd.simulation.balance import LOOKS
from sixd.simulation.blown import cause_of, fastest_joint
from sixd.simulation.closed import TARGETS, advanced
from sixd.simulation.parted import MOST, PACE, Pace
from sixd.simulation.records import room
from sixd.simulation.setup import Setup
from sixd.simulation.step import rollout_of
from sixd.simulation.trajectory import Trajectory

__all__ = ["Run"]

Array = NDArray[Any]
#: Roughly the work in one stretch, in operations: a tenth of a second. Between stretches Ctrl-C is heard.
STRETCH = 1e9


class Run:
    """A simulation under way. The first axis of all arrays here is the sample."""

    def __init__(
        self,
        setup: Setup,
        start: Mapping[str, Array],
        steps: int,
        record: int | None,
        earlier: Trajectory | None = None,
    ) -> None:
        #: ``earlier`` is the run that goes on: time does, and records are after so many steps since its beginning.
        #: Where a Python controller gives the joint forces, its last answer is in ``start`` under "tau", and holds
        #: until it is asked again.
        done = 0 if earlier is None else earlier.span[0]
        self.setup, self.steps, self.record, self.first = setup, steps, record, done
        self._given_first = dict(start), earlier
        robot, start = setup.robot, dict(start)
        held = start.pop("tau", None)
        cores = {"q": (robot.nq,), "qd": (robot.nv,), "work": (setup.step.sources,), "contact": (setup.step.memory,)}
        cores |= {"pace": (PACE,), "sought": (setup.step.sought,)}
        self.lead = batch_of(setup, start)
        self.samples = prod(self.lead)
        self.state = {name: by_sample(x, cores[name], self.lead).copy() for name, x in start.items()}
        self.given = arrays_of(setup, self.lead, done + steps, earlier is not None)
        self.made = 0
        #: The step at which the last stretch began, and the state then.
        self.began = self.step, self.state
        self.keeps = self._number(done + steps)
        written = {name: self.state[name] for name in setup.step.recorded}
        self.records = {name: room(self.samples, self.keeps + 1, x.shape[1]) for name, x in written.items()}
        for name, x in written.items():
            self.records[name][:, 0] = x
        self.tau_records = room(self.samples, self.keeps + 1, robot.nv) if setup.outside else None
        if self.tau_records is not None:
            self.tau_records[:] = np.nan
            if held is not None:
                self._hold(by_sample(held, (robot.nv,), self.lead))
        self.blown = {} if earlier is None else dict(earlier.lost)

    # ---- going on

    def go(self) -> Trajectory:
        """Run all steps; the trajectory. An interrupt ends the run early, and a warning says so."""
        rollout = self.rollout
        start, ended = perf_counter(), ""
        with Progress() as progress:
            try:
                while self.made < self.steps and len(self.blown) < max(self.samples, 1):
                    number = self._stretch(rollout.operations)
                    if self.setup.outside is not None and self.step % self.setup.period == 0:
                        self._ask()
                    self._advance(rollout, number)
                    self._look()
                    share = self.made / self.steps
                    left = (perf_counter() - start) * (1.0 - share) / share
                    progress(f"simulating {self.setup.robot.name}, {100 * share:.0f}%, {left:.0f} s left", left)
            except KeyboardInterrupt:
                ended = f"interrupted at t = {self.time:g} s; trajectory.resume(...) goes on from there"
                warn(f"the simulation was {ended}", SimulationWarning)
        return self._finish(ended)

    @cached_property
    def rollout(self) -> Rollout:
        """The compiled steps."""
        setup = self.setup
        return rollout_of(setup.step, setup.robot, setup.stepped, tuple(setup.parameters), setup.content)

    def replay(self, sample: tuple[int, ...]) -> Trajectory:
        """One sample from the same start, alone and with records on the way, to look at it closely."""
        start, earlier = self._given_first
        alone = {name: np.broadcast_to(x, (*self.lead, x.shape[-1]))[sample] for name, x in start.items()}
        before = None if earlier is None else replace(earlier, lost={})
        setup, every = self.setup.of_sample(sample, self.lead), max(self.steps // (20 * LOOKS), 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)
            try:
                return Run(setup, alone, self.steps, every, before).go()
            except SimulationError as ended:
                kept: Any = ended.trajectory
        return kept

    @property
    def step(self) -> int:
        """The number of steps since the beginning of time."""
        return self.first + self.made

    @property
    def time(self) -> float:
        """The time that is reached."""
        return self.step * self.setup.dt

    def _number(self, step: int) -> int:
        """The number of the last record up to a step; 0 is the start of this run, whether it is one or not."""
        return 0 if self.record is None else step // self.record - self.first // self.record

    def _stretch(self, operations: int) -> int:
        """The number of steps up to the next stop: for the controller, a record, or to look at the run."""
        most = max(int(STRETCH / max(operations * self.samples * self._tries, 1)), 1)
        left = self.steps - self.made
        if self.setup.outside is not None:
            left = min(left, self.setup.period - self.step % self.setup.period)
        if self.record is None:
            return min(left, most)
        if self.step % self.record == 0 and left >= self.record:
            return min(left, max(most // self.record, 1) * self.record) // self.record * self.record
        return min(left, self.record - self.step % self.record)

    def _advance(self, rollout: Any, number: int) -> None:
        """Run a stretch of steps, and write down the records that are due in it."""
        every, place, inside = number + 1, 0, 0
        if self.record is not None:
            place = self._number(self.step) + 1
            if self.step % self.record == 0 and number % self.record == 0:
                every, inside = self.record, number // self.record
        given = {**self.state, **self.given}
        for name in self.setup.stepped:
            given[name] = self.given[name][:, self.step : self.step + number]
        calls = self._timing(given, number)
        kept = {f"{name}_next": x[:, place : place + inside] for name, x in self.records.items()}
        last = {f"{name}_next": np.empty_like(x) for name, x in self.state.items()}
        if self.setup.step.until is not None:
            last[self.setup.step.until[1]] = np.empty(self.samples)
        rollout.run(calls * number, calls * every, given, last, kept)
        after = {name: last[f"{name}_next"] for name in self.state}
        if self.record is not None and not inside and (self.step + number) % self.record == 0:
            for name, record in self.records.items():
                record[:, place] = after[name]
        self.began = self.step, self.state
        # No call in between: an interrupt comes before both or after.
        self.state = after
        self.made += number

    @property
    def _tries(self) -> float:
        """The attempts that a step takes in the mean, so far; 10 before it is known, and for sweeps."""
        if self.setup.step.until is None:
            return 1.0
        if not self.made or "pace" not in self.state:
            return 10.0
        tries = self.state["pace"][:, Pace._fields.index("total")]
        return max(float(np.nanmax(tries, initial=0.0)) / self.step, 1.0)

    def _timing(self, given: dict[str, Array], number: int, first: int | None = None) -> int:
        """Add what tells the time of some steps, by default the next ones, to what is given; the calls in a step."""
        dt, shares = self.setup.dt, self.setup.step.integrator.shares
        start = float(self.step if first is None else first)
        if shares == (1.0,):
            given.update(t0=self._all(0.0), dt=self._all(dt), n0=self._all(start))
            if self.setup.step.integrator.takes_tolerances:
                given.update({name: self._all(x) for name, x in self.setup.tolerances._asdict().items()})
            return 1
        begins = np.concatenate([[0.0], np.cumsum(shares)[:-1]])
        times = ((start + np.arange(number))[:, None] + begins) * dt
        for name, values in (("t", times), ("h", np.broadcast_to(np.multiply(shares, dt), times.shape))):
            given[name] = np.broadcast_to(np.ascontiguousarray(values).ravel(), (self.samples, times.size))
        for name in self.setup.stepped:
            given[name] = np.repeat(given[name], len(shares), axis=1)
        if TARGETS in self.setup.stepped:
            later = np.tile(begins * dt, number)[:, None]
            given[TARGETS] = advanced(given[TARGETS], later)
        return len(shares)

    def _all(self, x: float) -> Array:
        return np.broadcast_to(x, (self.samples,))

    # ---- the controller in Python

    def _ask(self) -> None:
        """Ask the Python function for joint forces."""
        outside, q, qd = self.setup.outside, self.state["q"], self.state["qd"]
        assert outside is not None
        self._hold(ask(outside, self.time, q, qd, self.lead, self.blown, self._failure))

    def _hold(self, tau: Array) -> None:
        """Joint forces until the next answer, which overwrites what is on record after it."""
        assert self.tau_records is not None
        self.given["tau"] = tau
        first = self._number(self.step - 1) + 1 if self.made and self.record is not None else 0
        self.tau_records[:, first : self._number(self.step + self.setup.period) + 1] = tau[:, None]

    def _failure(self, message: str) -> SimulationError:
        return SimulationError(f"at t = {self.time:g} s {message}", self.time, self._finish(message, quiet=True))

    # ---- looking at it

    def _look(self) -> None:
        """Note which samples have left the finite numbers."""
        finite = np.isfinite(self.state["q"]).all(axis=1) & np.isfinite(self.state["qd"]).all(axis=1)
        for k in np.flatnonzero(~finite):
            if int(k) not in self.blown:
                self.blown[int(k)] = self._last_seen(int(k))

    def _last_seen(self, sample: int) -> tuple[float, str]:
        """When a sample was last recorded with finite numbers, and what to say of it then.

        That is what caused it (`sixd.simulation.blown`), if it is known; else the fastest joint.
        """
        seen = len(self._recorded_steps())
        q, qd = self.records["q"][sample, :seen], self.records["qd"][sample, :seen]
        good = np.isfinite(q).all(axis=1) & np.isfinite(qd).all(axis=1)
        last = int(np.flatnonzero(good)[-1]) if good.any() else 0
        step = int(self._recorded_steps()[last])
        time = step * self.setup.dt
        given = {name: x[sample] for name, x in self.given.items()}
        given |= {name: given[name][min(step, len(given[name]) - 1)] for name in self.setup.stepped}
        cause = cause_of(self.setup, given, time, q[last], qd[last], (self.record or self.made) * self.setup.dt)
        if cause:
            return time, cause
        if self._is_given_up(sample, step):
            name = self.setup.step.integrator.name
            return time, (
                f"a step of dt = {self.setup.dt:g} s would take more than {MOST:,.0f} parts by {name!r} there: "
                "something is too stiff or not smooth. integrator='implicit' takes stiff springs and dampers, "
                "'semi_implicit_euler' forces that jump"
            )
        joint = fastest_joint(self.setup, qd[last])
        if self.setup.step.sought:
            return time, (
                f"the equations of a step of {self.setup.step.integrator.name!r} with dt = {self.setup.dt:g} s have no "
                f"solution that was found there: forces that jump, or motions too fast for dt; joint {joint!r} was the "
                "fastest by then. Take a smaller dt, or leave out integrator"
            )
        return time, f"joint {joint!r} was the fastest by then. Try a smaller step than dt = {self.setup.dt:g} s"

    def _is_given_up(self, sample: int, step: int) -> bool:
        """Whether one of the steps after ``step`` is given up: they are made again, from the beginning of the stretch.

        What has become of a sample that is not finite is not known, its pace neither.
        """
        if "pace" not in self.state:
            return False
        first, stretch = self.began
        state = {name: x[sample : sample + 1] for name, x in stretch.items()}
        if step > first:
            state = self._again(sample, state, first, step - first)
        for n in range(max(step, first), self.step):
            state = self._again(sample, state, n, 1)
            if Pace(*state["pace"][0]).most > MOST:
                return True
            if not np.isfinite(state["q"]).all():
                break
        return False

    def _again(self, sample: int, state: dict[str, Array], first: int, number: int) -> dict[str, Array]:
        """The state of a sample after some steps, made again with what it is given."""
        given = {name: x[sample : sample + 1] for name, x in self.given.items()}
        given |= {name: given[name][:, first : first + number] for name in self.setup.stepped}
        self._timing(given, number, first)
        given = {**{name: x[:1] for name, x in given.items()}, **state}
        after = {f"{name}_next": np.empty_like(x) for name, x in state.items()}
        assert self.setup.step.until is not None
        after[self.setup.step.until[1]] = np.empty(1)
        none = {f"{name}_next": np.empty((1, 0, x.shape[1])) for name, x in self.records.items()}
        self.rollout.run(number, number + 1, given, after, none)
        return {name: after[f"{name}_next"] for name in state}

    def _recorded_steps(self) -> Array:
        """After how many steps there are records so far, the start of this run included."""
        later = (self.record or 0) * (self.first // (self.record or 1) + 1 + np.arange(self._number(self.step)))
        return np.concatenate([[self.first], later])

    def _finish(self, ended: str = "", quiet: bool = False) -> Trajectory:
        """The trajectory of what was computed. ``ended`` tells why the run stopped, if it did."""
        stopped = bool(ended)
        if self.blown and not quiet:
            ended = ended or self._say_blown()
        t = self._recorded_steps() * self.setup.dt
        seen = len(t)
        arrays = {name: x[:, :seen].reshape(*self.lead, seen, x.shape[2]) for name, x in self.records.items()}
        tau = self.tau_records
        tau = None if tau is None else tau[:, :seen].reshape(*self.lead, seen, tau.shape[2])
        last = {name: x.reshape(*self.lead, x.shape[1]) for name, x in self.state.items()}
        if self.setup.outside is not None:
            last["tau"] = self.given["tau"].reshape(*self.lead, self.setup.robot.nv)
        if self.record is None:  # the end, instead of the start
            t = np.array([self.time])
            arrays = {name: last[name][..., None, :] for name in self.records}
        elif self.made == self.steps and self.step % self.record:  # the end is on record, too
            t = np.append(t, self.time)
            arrays = {name: np.concatenate([x, last[name][..., None, :]], axis=-2) for name, x in arrays.items()}
            tau = None if tau is None else np.concatenate([tau, last["tau"][..., None, :]], axis=-2)
        span = self.step, self.record
        q, qd, summed, touched = (arrays.get(name) for name in ("q", "qd", "work", "contact"))
        assert q is not None
        assert qd is not None
        trajectory = Trajectory(
            self.setup, t, q, qd, summed, tau, last, span, ended, stopped, touched=touched, lost=dict(self.blown)
        )
        if self.blown and not quiet and len(self.blown) == self.samples:
            raise SimulationError(ended, self.time, trajectory)
        return trajectory

    def _say_blown(self) -> str:
        """What to say of samples that have left the finite numbers."""
        first = min(self.blown, key=lambda k: self.blown[k])
        time, reason = self.blown[first]
        which = "" if not self.lead else f" of sample {tuple(map(int, np.unravel_index(first, self.lead)))}"
        text = f"the state{which} is not finite after t = {time:g} s; {reason}"
        if len(self.blown) < self.samples:
            text = f"{len(self.blown)} of {self.samples} samples blew up: {text}"
            warn(text, SimulationWarning)
        return text
