"""Simulation with steps of variable length: each sample takes its own steps, and events are located in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.compiler.progress import Progress
from sixd.compiler.rollout import Rollout, by_sample
from sixd.errors import ArgumentError, SimulationError, SimulationWarning
from sixd.process.told import warn
from sixd.simulation.adaptive_records import Records
from sixd.simulation.adaptive_step import DENSE, Attempt
from sixd.simulation.arrays import arrays_of, batch_of
from sixd.simulation.asking import ask
from sixd.simulation.attempts import CRAWL, Attempts, Effort, Loss
from sixd.simulation.blown import cause_of, fastest_joint, jumping_source
from sixd.simulation.dense import Stretch
from sixd.simulation.events import Event
from sixd.simulation.kept import kept_rollout
from sixd.simulation.observe import observe_arrays
from sixd.simulation.paused import Mark, Paused
from sixd.simulation.setup import Setup
from sixd.simulation.tolerances import Tolerances
from sixd.simulation.trajectory import Trajectory
from sixd.simulation.watch import Watch

__all__ = ["ADAPTIVE", "resume_adaptive", "run_adaptive"]

Array = NDArray[Any]
#: The names of integrators with steps of variable length.
ADAPTIVE = ("dopri5",)
#: Attempts in one call of compiled code, at most.
ATTEMPTS = 64
#: Steps are at most so long, s; where forces and controllers act, which may depend on time and place, so many times dt.
LONGEST, PACE = 1e6, 10
#: How far beyond a state from which no step leads on its forces are looked at, s.
BEYOND = 1e-9


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
    return _AdaptiveRun(setup, start, steps, record, tolerances, events).go()


def resume_adaptive(so_far: Trajectory, paused: Paused, steps: int) -> Trajectory:
    """The whole motion over the time ``steps`` dt, which goes on after what there is so far."""
    made, record = so_far.span
    if made == steps:
        return so_far
    start = {"q": so_far.q[..., 0, :], "qd": so_far.qd[..., 0, :]}
    run = _AdaptiveRun(so_far.setup, start, steps, record, paused.tolerances, paused.events, True)
    run.take_up(so_far, paused)
    return run.go()


class _AdaptiveRun:
    """A run under way. The first axis of all arrays here is the sample."""

    def __init__(
        self,
        setup: Setup,
        start: Mapping[str, Array],
        steps: int,
        record: int | None,
        tolerances: Tolerances,
        events: Sequence[Event],
        resumed: bool = False,
    ) -> None:
        self.setup, self.robot, self.steps, self.tolerances = setup, setup.robot, steps, tolerances
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
        self.given = arrays_of(setup, self.lead, steps, resumed)
        #: What the next attempts are given: that of `given` which holds at present, and when and how exactly to step.
        self.held = {name: x for name, x in self.given.items() if name not in setup.stepped}
        longest = PACE * setup.dt if step.elements or step.controller is not None else LONGEST
        numbers = {**tolerances._asdict(), "longest": longest}
        self.held |= {name: self._all(x) for name, x in numbers.items()}
        self.records = Records(setup, self.lead, self.state, steps, record)
        #: The samples that could not go on: when, and why.
        self.blown: dict[int, tuple[float, str]] = {}
        #: How many attempts the samples have made for a time.
        self.efforts = [Effort(0.0) for _ in range(self.samples)]
        #: The samples with steps that had to end with the run.
        self.cut = np.zeros(self.samples, dtype=bool)
        self.mark = Mark(0, False, dict(self.state), None, {}, {}, 0.0)

    def _all(self, x: float) -> Array:
        return np.broadcast_to(x, (self.samples,))

    def take_up(self, so_far: Trajectory, paused: Paused) -> None:
        """Go on where an earlier run stopped, which had these records."""
        self.mark = mark = paused.mark
        if self._ahead > self.records.end:
            least = (np.ceil(self._ahead / self.setup.dt) - so_far.span[0]) * self.setup.dt
            raise ArgumentError(
                f"the run was interrupted after steps up to t = {self._ahead:g} s, from where it goes on: it cannot "
                f"end at {self.records.end:g} s, the least is resume({least:g})"
            )
        self.state, self.blown = dict(mark.state), dict(mark.lost)
        self.watch.noted = dict(mark.noted)
        self.efforts = [Effort(float(t)) for t in mark.state["t"]]
        for sample in self.blown:
            self._lose(sample)
        if mark.tau is not None:
            self.held["tau"] = mark.tau
        self.records.take_up(so_far, paused)

    def go(self) -> Trajectory:
        """Run to the last time, or to an event that ends the run. An interrupt ends it early, and a warning says so."""
        rollout = self._rollout()
        with Progress() as progress:
            try:
                for first, last in pairwise(self._ticks()):
                    if not self._is_over:
                        self._hold(first, last)
                    while not self._is_over and (self.state["t"] < last * self.setup.dt).any():
                        self._advance(rollout)
                        self._set_mark(first, holds=True)
                        share = self.mark.reached / self.records.end
                        progress(f"simulating {self.robot.name}, {100 * share:.0f}%")
            except KeyboardInterrupt:
                return self._interrupted()
        self._set_mark(self.steps, holds=False)
        return self._finish()

    @property
    def _is_over(self) -> bool:
        """Whether no sample goes on."""
        return self.watch.ended is not None or len(self.blown) == self.samples

    def _rollout(self) -> Rollout:
        attempt = self.attempt
        recorded = ("q_next", "qd_next", "t_next", *(["work_next"] if attempt.books else []), "made", "length", "dense")
        names, shapes = tuple(self.setup.parameters), attempt.shapes
        return kept_rollout(
            attempt, self.robot, carried=attempt.carried, recorded=recorded, shapes=shapes, parameters=names
        )

    # ---- what is held from tick to tick

    @property
    def _period(self) -> int | None:
        """After how many times dt something that is held changes; None if nothing does."""
        return 1 if self.setup.stepped else self.setup.period if self.setup.outside else None

    def _ticks(self) -> list[int]:
        """After how many times dt something that is held changes, from where the run is to its end."""
        return [*range(self.mark.tick, self.steps, self._period or max(self.steps, 1)), self.steps]

    def _hold(self, first: int, last: int) -> None:
        """What holds from ``first`` to ``last`` times dt, and the accelerations then."""
        dt, outside = self.setup.dt, self.setup.outside
        self.held |= {name: np.ascontiguousarray(self.given[name][:, first]) for name in self.setup.stepped}
        self.held |= {"t_held": self._all(first * dt), "t_end": self._all(last * dt)}
        if self.mark.holds and self.mark.tick == first:
            return
        self._set_mark(first, holds=False)
        q, qd, t = (self.state[name] for name in ("q", "qd", "t"))
        if outside is not None and first % self.setup.period == 0:
            time = first * dt
            self.held["tau"] = ask(outside, time, q, qd, self.lead, self.blown, lambda text: self._failure(time, text))
            self.records.answer(first, self.held["tau"])
        self.state["qdd"] = np.ascontiguousarray(observe_arrays(self.setup, "qdd", q, qd, t, self.held))
        if self.attempt.books:
            self.state["power"] = np.ascontiguousarray(observe_arrays(self.setup, "power", q, qd, t, self.held))
        if first == 0:
            self.state["h"] = self._first_length()
        self._set_mark(first, holds=True)

    def _first_length(self) -> Array:
        """The length of the first step: a hundredth of the time in which states change."""
        speed, change = (np.abs(self.state[name]).max(axis=1, initial=0.0) for name in ("qd", "qdd"))
        with np.errstate(divide="ignore"):
            return np.minimum(0.01 * np.maximum(1.0, speed) / np.maximum(speed, change), self.held["longest"])

    def _set_mark(self, tick: int, holds: bool) -> None:
        """Note that the run can go on from here; samples with steps that were cut short, from before these."""
        if self.cut.any():
            before, tick, holds = self.mark, self.mark.tick, True
            state = {}
            for name, x in self.state.items():
                state[name] = np.where(self.cut.reshape(-1, *(1,) * (x.ndim - 1)), before.state[name], x)
            noted = {k: x for k, x in self.watch.noted.items() if not self.cut[k]}
            noted |= {k: x for k, x in before.noted.items() if self.cut[k]}
            lost = {k: x for k, x in self.blown.items() if not self.cut[k]}
        else:
            state, noted, lost = dict(self.state), dict(self.watch.noted), dict(self.blown)
        tau = self.held["tau"] if self.setup.outside else None
        self.mark = Mark(tick, holds, state, tau, noted, lost, float(np.min(self.state["t"], initial=self.records.end)))

    # ---- going on

    def _advance(self, rollout: Rollout) -> None:
        """Some attempts of all samples; what falls due in the steps that were made."""
        before, state, end = self.state, self.attempt.carried, float(self.held["t_end"][0])
        due = [k for k in np.flatnonzero(before["t"] < end).tolist() if k not in self.blown]
        with np.errstate(divide="ignore", invalid="ignore"):
            likely = np.nan_to_num(((end - before["t"]) / before["h"])[due], nan=1.0).max(initial=1.0)
        number = int(min(likely + 2.0, ATTEMPTS))
        widths = {"q_next": self.robot.nq, "qd_next": self.robot.nv, "work_next": self.attempt.sources}
        widths["dense"] = DENSE * (2 * self.robot.nv + self.attempt.sources)
        kept = {name: np.empty((self.samples, number, width)) for name, width in widths.items()}
        kept |= {name: np.empty((self.samples, number)) for name in ("t_next", "made", "length")}
        last = {p.name: np.empty((self.samples, *p.shape)) for p in rollout.program.outputs}
        rollout.run(number, 1, {**{name: before[name] for name in state}, **self.held}, last, kept)
        self.state = {"work": before["work"], **{name: last[new] for name, new in state.items()}}
        for lost in self.blown:
            self._lose(lost)
        attempts = Attempts(self.robot, before, kept, end)
        for sample in due:
            loss = attempts.loss(sample)
            crawl = attempts.crawl(sample, self.efforts[sample], PACE * self.setup.dt)
            if crawl is not None and (loss is None or crawl.attempt < loss.attempt):
                loss = crawl
            if loss is None:
                self._look(sample, attempts.stretch(sample), float(self.state["t"][sample]))
            else:
                self._look(sample, attempts.stretch(sample, loss.attempt), loss.time)
                self._note(sample, loss, before)
        if end == self.records.end and (self._period is None or self.steps % self._period):
            self.cut[due] |= attempts.cut[due]

    def _note(self, sample: int, loss: Loss, before: Mapping[str, Array]) -> None:
        """Note a sample that cannot go on; the others do. ``before`` is the state before the last attempts."""
        which, t = self._which(sample), loss.time
        held = {name: x[sample] for name, x in self.held.items()}
        if loss.crawls:
            state = (self.state[name][sample] for name in ("q", "qd", "qdd"))
            reason = jumping_source(self.setup, held, t, *state) or "the motion is not smooth there, or far too stiff"
            text = (
                f"at t = {t:g} s the steps{which} by 'dopri5' are {loss.length:.1e} s long, and no longer after "
                f"{CRAWL:,} attempts: {reason}. Make a jump steep instead, as "
                "v / sqrt(v^2 + e^2) for the sign of v; give dry friction as JointFriction; or leave out integrator"
            )
        elif loss.short:
            reason = self._why(sample, self.state, held, BEYOND)
            reason = reason or "the motion is not smooth there, or the tolerances are too small"
            text = f"at t = {t:g} s the step{which} would have to be shorter than {loss.length:.1e} s: {reason}"
            text = f"{text}; joint {fastest_joint(self.setup, self.state['qd'][sample])!r} was the fastest by then"
        else:
            reason = self._why(sample, before, held)
            text = f"at t = {t:g} s the acceleration{which} is not finite{reason and ': '}{reason}"
        self.blown[sample] = t, text
        self._lose(sample)

    def _lose(self, sample: int) -> None:
        """Take no more steps of a sample."""
        self.state["t"][sample] = self.records.end
        self.state["q"][sample] = self.state["qd"][sample] = np.nan

    def _why(self, sample: int, state: Mapping[str, Array], held: Mapping[str, Array], after: float = 0.0) -> str:
        """Why a sample cannot go on from a state, or from a little after it, if that is known."""
        t, q, qd, qdd = (state[name][sample] for name in ("t", "q", "qd", "qdd"))
        if after:
            q, qd = np.asarray(self.robot.integrate(q, after * qd)), qd + after * qdd
        return cause_of(self.setup, held, float(t) + after, q, qd, self.setup.dt)

    def _which(self, sample: int) -> str:
        return f" of sample {tuple(map(int, np.unravel_index(sample, self.lead)))}" if self.lead else ""

    # ---- inside the steps

    def _look(self, sample: int, stretch: Stretch, end: float) -> None:
        """Find the events in the steps of a sample up to a time, and the states at the times that are asked for."""
        if len(stretch.t):
            self.watch.look(sample, stretch)
            self.records.keep(sample, stretch, max(stretch.t[-1] + stretch.length[-1], end))

    # ---- the end

    def _failure(self, time: float, message: str) -> SimulationError:
        text = f"at t = {time:g} s {message}"
        return SimulationError(text, float(time), self._so_far(text))

    def _interrupted(self) -> Trajectory:
        """The trajectory up to a time that all samples have reached."""
        ended = f"interrupted at t = {self.mark.reached:g} s; trajectory.resume(...) goes on from there"
        warn(f"the simulation was {ended}", SimulationWarning)
        return self._so_far(ended)

    def _so_far(self, ended: str) -> Trajectory:
        """The trajectory up to a time that all samples have reached, from where it can go on."""
        self.watch.noted, self.watch.ended = dict(self.mark.noted), None
        return self._trajectory(self.mark.reached, ended, stopped=True)

    def _finish(self) -> Trajectory:
        """The trajectory. If all samples were lost it is in an error, if some were there is a warning."""
        if not self.blown:
            return self._trajectory()
        time, text = min(self.blown.values())
        if len(self.blown) == self.samples:
            raise SimulationError(text, time, self._trajectory(ended=text))
        text = f"{len(self.blown)} of {self.samples} samples blew up: {text}"
        warn(text, SimulationWarning)
        return self._trajectory(ended=text)

    def _trajectory(self, until: float = inf, ended: str = "", stopped: bool = False) -> Trajectory:
        """What was computed up to a time, or to the event that ended the run, whose state is its last."""
        known, lost = self.records.up_to(until), {k: x for k, x in self.blown.items() if x[0] <= until}
        how: dict[str, Any] = {"ended": ended, "stopped": stopped, "lost": lost}
        if self.watch.ended is None:
            ahead = self.records.ahead(known, self._ahead)
            last = Paused(self.mark, self.tolerances, self.watch.events, ahead)
            happened = self.watch.until(until)
            return self.records.trajectory(known, last=last, happened=happened, **how)
        time, state = self.watch.ended
        end = time, state, self.held["tau"]
        return self.records.trajectory(known, end, happened=self.watch.until(time), **how)

    @property
    def _ahead(self) -> float:
        """The largest time of a sample at the mark."""
        alive = np.array([k not in self.mark.lost for k in range(self.samples)], dtype=bool)
        return float(np.max(self.mark.state["t"], initial=0.0, where=alive))
