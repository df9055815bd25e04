"""Derivatives of the states of a simulation by its initial state, what it is given, and the robot's numbers.

All are in the tangent space: the derivative of a position is that of the way from it, nv numbers. The reverse sweep
needs the states of the forward run. It keeps `KEPT_BYTES` of them, which is all of a short run. Of a longer run it
keeps some, at least about sqrt(T) of its states at a time, and computes the others again, the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.compiler.parameters import check_parameters, named_parameters, tangent_shape
from sixd.compiler.rollout import Rollout
from sixd.errors import ArgumentError, ChoiceError, SimulationError, SimulationWarning
from sixd.model.configuration import need_positions
from sixd.process.told import warn
from sixd.robot import Robot
from sixd.simulation.balance import CHECKS, check_balance
from sixd.simulation.consistent import check_consistent
from sixd.simulation.contact.contacts import Contacts
from sixd.simulation.content import content
from sixd.simulation.controllers.controller import Controller
from sixd.simulation.forces.element import ForceElement
from sixd.simulation.gradient_arguments import Arguments, by_name, by_step, per_step
from sixd.simulation.gradient_steps import Backward, Forward, Tangent
from sixd.simulation.integrators.integrator import Integrator
from sixd.simulation.setup import Setup, seconds_of, step_of
from sixd.simulation.start_checks import check_steps_at_start
from sixd.simulation.trajectory import Trajectory

__all__ = ["Differentiable", "EndState", "StartGradient"]

Array = NDArray[Any]
#: States of a run that take up to so many bytes are all kept for the way back.
KEPT_BYTES = 1 << 26
States = dict[str, Array]


class EndState(NamedTuple):
    """A state, or its derivative: q (..., nq) or (..., nv), qd (..., nv); with an axis of steps if asked for."""

    q: Array
    qd: Array


class StartGradient(NamedTuple):
    """Gradients by the start, (..., nv) each, by the joint forces of each step, (..., T, nv), by parameters, and by
    inputs: for each sample, (..., *shape), or (..., T, *shape) where an input has a value for each step."""

    q: Array
    qd: Array
    tau: Array
    parameters: dict[str, Array]
    inputs: dict[str, Array]


class Differentiable:
    """A simulation of a fixed number of steps that can be differentiated: forward (`jvp`) and backward (`vjp`).

    ``robot``, ``dt``, ``control`` (None, or a `Controller`), ``forces``, ``contacts`` and ``integrator`` are those of
    `simulate`. Joint forces are given for each step, (..., T, nv), in addition to those of the controller. ``inputs``
    of controller and forces, such as "q_target" of `JointPD`, are given with each call, by name: (*shape) for a
    constant, or (..., T, *shape). Derivatives by them are by their numbers, also where these are a position.
    ``parameters`` names numbers of the model (`sixd.parameters`) for which `vjp` returns gradients; placements and axes
    vary in their tangent spaces, (N, 6) and (N, 2), as in `sixd.jacobian(..., tangent=True)`.

    Steps are whole, and it is looked as in `simulate` whether they can be right: at the start whether ``dt`` is short
    enough for what acts there, after a run whether it is finite, and without `jvp` by the balance of energy
    (``energy_check``, "off" saves its cost in each call). ``integrator="implicit"`` takes stiff forces.

    Derivatives are exact: of the steps as they are computed, not of the motion that these approach. With rigid contact,
    sites stick, slip or leave in each sweep as they do in the run itself; a derivative does not see that a small change
    would make an impact happen one step later, and neither does it see a site that is out of reach. A site exactly at
    the ground has the derivative of one above it.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        dt: float = 1e-3,
        control: Any = None,
        forces: Sequence[ForceElement] = (),
        contacts: Contacts | None = None,
        integrator: str | Integrator | type[Integrator] | None = None,
        parameters: str | Sequence[str] = (),
        energy_check: str = "warn",
    ) -> None:
        given.instance(robot, "robot", Robot, "sixd.load(...)")
        if not (control is None or isinstance(control, Controller)):
            raise ArgumentError(
                "control must be None or a Controller: a function of Python is not compiled, and joint forces are "
                f"given with each call, not {given.described(control)}"
            )
        self.robot, self.dt, self._contacts = robot, seconds_of(dt), contacts
        self.step = step_of(robot, control, forces, integrator, contacts, parted=False)
        kind = self.step.integrator
        if kind.estimates or kind.shares != (1.0,):
            remedy = f"{kind.whole!r} makes the same steps whole" if kind.whole else "choose another"
            raise ChoiceError(f"the integrator {kind.name!r} has steps of several parts: {remedy}")
        self.parameters = named_parameters(parameters)
        check_parameters(robot, self.parameters)
        self._check_names()
        #: The shapes of inputs, and of changes of parameters.
        self.inputs = dict(self.step.inputs)
        self._numbers = {name: tangent_shape(robot, name) for name in self.parameters}
        self._energy_check = given.choice(energy_check, "energy_check", CHECKS)
        #: The start at which it was looked last whether steps are short enough.
        self._looked_at: tuple[Array, ...] = (np.empty(0), np.empty(0))
        #: The step with the sums of work that the check of energy needs: forward runs alone have them.
        self._booked = replace(self.step, books=energy_check != "off")
        #: The parts of a state, their sizes, and those of their tangent space.
        self._state = {"q": robot.nq, "qd": robot.nv}
        if self.step.impulses is not None:
            self._state["contact"] = self.step.memory
        self._tangent_size = 2 * robot.nv + self.step.memory
        self._computed = content(self.step, robot, self.parameters)
        self._forward, self._tangent, self._backward = self._rollouts(steady=self._computed is not None)

    def _check_names(self) -> None:
        """Raise if an input has the name of a derivative that is an argument of compiled steps."""
        inputs = dict(self.step.inputs)
        for name in ("q", "qd", "work", "contact", "tau", *inputs, *self.parameters):
            for taken in (f"d{name}", f"tangent_{name}", f"sum_{name}", f"{name}_bar", f"{name}_next"):
                if taken in inputs:
                    raise ChoiceError(f"the input {taken!r} has the name of a derivative: choose another name for it")

    def _rollouts(self, steady: bool) -> tuple[Rollout, Rollout, Rollout]:
        """The steps forward, forward with a tangent, and backward."""
        robot, step, nv = self.robot, self.step, self.robot.nv
        forward, tangent = Forward(self._booked), Tangent(step, self.parameters)
        back, carried = Backward(step, self.parameters), step.carried
        stepped = (*forward.given, "t", "h")
        shapes: dict[str, tuple[int, ...]] = {"t": (), "h": (), **self.inputs}
        if "contact" in carried:
            shapes["contact"] = (step.memory,)
        works = {"work": (self._booked.sources,)} if self._booked.books else {}
        changes = {f"d{name}": shape for name, shape in {"tau": (nv,), **self.inputs, **self._numbers}.items()}
        sums = {f"sum_{name}": shape for name, shape in self._numbers.items()}
        size = {"change": (self._tangent_size,)}
        backwards = {**sums, "cotangent": size["change"], "bar": (2 * nv,), "q_ref": (robot.nq,)}
        return (
            Rollout(
                forward,
                robot,
                carried=self._booked.carried,
                stepped=stepped,
                recorded=tuple(self._booked.carried.values()),
                shapes={**shapes, **works},
                steady=steady,
            ),
            Rollout(
                tangent,
                robot,
                carried={**carried, "change": "change_next"},
                stepped=(*stepped, *(f"d{name}" for name in tangent.given)),
                recorded=("q_next", "qd_next", "change_next"),
                shapes={**shapes, **changes, **size},
                steady=steady,
            ),
            Rollout(
                back,
                robot,
                carried={"cotangent": "cotangent_next", **{name: f"{name}_next" for name in sums}},
                stepped=(*carried, "q_ref", "bar", *stepped),
                recorded=tuple(f"{name}_bar" for name in back.given),
                shapes={**shapes, **backwards},
                steady=steady,
            ),
        )

    def __call__(
        self,
        q0: ArrayLike,
        qd0: ArrayLike,
        tau: ArrayLike,
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
        every_step: bool = False,
    ) -> EndState:
        """The state after all steps of joint forces tau (..., T, nv).

        With ``every_step``, the states after each step: q (..., T, nq), qd (..., T, nv).
        """
        run, _ = self._arguments(q0, qd0, tau, inputs, {})
        start = self._start(run)
        if not given.flag(every_step, "every_step"):
            last = self._run(run, start, 0, run.steps)
            self._check(run, np.array([0, run.steps]), {k: np.stack([x, last[k]], axis=1) for k, x in start.items()})
            return EndState(run.shaped(last["q"]), run.shaped(last["qd"]))
        kept = self._states(run, start, 0, run.steps)
        self._check(run, np.arange(run.steps + 1), kept)
        return EndState(run.shaped(kept["q"][:, 1:]), run.shaped(kept["qd"][:, 1:]))

    def jvp(
        self,
        q0: ArrayLike,
        qd0: ArrayLike,
        tau: ArrayLike,
        dq0: ArrayLike,
        dqd0: ArrayLike,
        dtau: ArrayLike,
        dparameters: Mapping[str, ArrayLike] | None = None,
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
        dinputs: Mapping[str, ArrayLike] | None = None,
        every_step: bool = False,
    ) -> tuple[EndState, EndState]:
        """The end state, and its derivative along changes of start (..., nv) and joint forces (..., T, nv).

        ``dparameters`` and ``dinputs`` are changes of parameters and inputs by name; those that are missing are zero.
        With ``every_step``, the states after each step and their derivatives, (..., T, nq) and (..., T, nv).
        """
        changes = {"dq0": dq0, "dqd0": dqd0, "dtau": dtau}
        of_parameters = by_name("dparameters", dparameters, self._numbers, "parameters")
        of_inputs = by_name("dinputs", dinputs, self.inputs, "inputs")
        for name, shape in {**self._numbers, **self.inputs}.items():
            changes[f"d{name}"] = {**of_parameters, **of_inputs}.get(name, np.zeros(shape))
        run, _ = self._arguments(q0, qd0, tau, inputs, changes)
        nv, whole = self.robot.nv, given.flag(every_step, "every_step")
        change = np.zeros((run.samples, self._tangent_size))
        change[:, :nv], change[:, nv : 2 * nv] = run.arrays["dq0"], run.arrays["dqd0"]
        arrays = {name: run.arrays[name] for name in (*self._given, *(f"d{name}" for name in self._given))}
        arrays |= {f"d{name}": run.arrays[f"d{name}"] for name in self.parameters}
        sizes = {**{f"{name}_next": size for name, size in self._state.items()}, "change_next": self._tangent_size}
        last = {name: np.empty((run.samples, size)) for name, size in sizes.items()}
        rows = run.steps if whole else 0
        kept = {name: np.empty((run.samples, rows, sizes[name])) for name in ("q_next", "qd_next", "change_next")}
        times = self._times(run, range(run.steps))
        every = 1 if whole else run.steps + 1
        start = {name: x for name, x in self._start(run).items() if name in self._state}
        self._tangent.run(run.steps, every, {**start, "change": change, **arrays, **times}, last, kept)
        self._check_finite(run, run.steps, last["q_next"], last["qd_next"])
        q, qd, changed = (run.shaped((kept if whole else last)[name]) for name in ("q_next", "qd_next", "change_next"))
        return EndState(q, qd), EndState(changed[..., :nv], changed[..., nv : 2 * nv])

    def vjp(
        self,
        q0: ArrayLike,
        qd0: ArrayLike,
        tau: ArrayLike,
        q_bar: ArrayLike,
        qd_bar: ArrayLike,
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
        every_step: bool = False,
    ) -> tuple[EndState, StartGradient]:
        """The end state, and the gradient of a cost by start, joint forces, parameters and inputs.

        ``q_bar`` and ``qd_bar`` are (..., nv): the derivatives of the cost by the final position (in the tangent space)
        and velocity. With ``every_step`` they are those by the states after each step, (..., T, nv), for costs along
        the way.
        """
        whole = given.flag(every_step, "every_step")
        run, values = self._arguments(q0, qd0, tau, inputs, {"q_bar": q_bar, "qd_bar": qd_bar}, whole)
        nv = self.robot.nv
        bars = np.concatenate([run.arrays["q_bar"], run.arrays["qd_bar"]], axis=-1)
        cotangent = np.zeros((run.samples, self._tangent_size))
        if not whole:
            cotangent[:, : 2 * nv] = bars
            bars = np.broadcast_to(np.zeros(2 * nv), (run.samples, run.steps, 2 * nv))
        parts = self._parts(run)
        marks = [self._start(run)]
        for first, stop in parts[:-1]:
            marks.append(self._run(run, marks[-1], first, stop))
        kept = self._states(run, marks[-1], *parts[-1])
        seen = [first for first, _ in parts[:-1]] + list(range(parts[-1][0], run.steps + 1))
        before = {name: [mark[name][:, None] for mark in marks[:-1]] for name in kept}
        self._check(run, np.array(seen), {name: np.concatenate([*before[name], x], axis=1) for name, x in kept.items()})
        end = EndState(run.shaped(kept["q"][:, -1]), run.shaped(kept["qd"][:, -1]))
        back = {"cotangent": cotangent}
        back |= {f"sum_{name}": np.zeros((run.samples, *shape)) for name, shape in self._numbers.items()}
        found = {name: np.empty((run.samples, run.steps, *self._core(name))) for name in self._given}
        back = self._sweep(run, kept, bars, back, found, *parts[-1])
        for mark, part in reversed(list(zip(marks[:-1], parts[:-1], strict=True))):
            back = self._sweep(run, self._states(run, mark, *part), bars, back, found, *part)
        cotangent, by_inputs = back["cotangent"], {}
        for name in self.inputs:
            gradient = found[name] if values[name] > 1 else found[name].sum(axis=1, keepdims=values[name] == 1)
            by_inputs[name] = run.shaped(gradient)
        return end, StartGradient(
            run.shaped(cotangent[:, :nv]),
            run.shaped(cotangent[:, nv : 2 * nv]),
            run.shaped(found["tau"]),
            {name: run.shaped(back[f"sum_{name}"]) for name in self.parameters},
            by_inputs,
        )

    # ---- parts

    @property
    def _given(self) -> tuple[str, ...]:
        """What is given for each step: joint forces, and inputs."""
        return ("tau", *self.inputs)

    def _core(self, name: str) -> tuple[int, ...]:
        """The shape of one value of what is given."""
        return self.inputs.get(name, (self.robot.nv,))

    def _arguments(
        self, q0: Any, qd0: Any, tau: Any, inputs: Any, more: Mapping[str, Any], whole: bool = False
    ) -> tuple[Arguments, dict[str, int]]:
        """All arguments as arrays, and how many values each input has along the axis of steps.

        ``more`` are changes and cotangents; with ``whole``, cotangents are given for each step.
        """
        nv = self.robot.nv
        self.step.need(self._computed, self.robot, self.parameters, "make a new Differentiable")
        forces, steps = per_step("tau", tau, nv, "nv of this robot")
        values: dict[str, Any] = {"q0": q0, "qd0": qd0, "tau": forces, **more}
        cores: dict[str, tuple[int, ...]] = {"q0": (self.robot.nq,), "qd0": (nv,), "tau": (steps, nv)}
        cores |= dict.fromkeys(("dq0", "dqd0"), (nv,))
        cores |= dict.fromkeys(("q_bar", "qd_bar"), (steps, nv) if whole else (nv,))
        cores |= {"dtau": (steps, nv), **{f"d{name}": shape for name, shape in self._numbers.items()}}
        found, counts = by_name("inputs", inputs, self.inputs, "inputs"), {}
        for name, core in self.inputs.items():
            if name not in found:
                raise ArgumentError(f"control or forces need the input {name!r} of shape {core}: give it in inputs")
            values[name], counts[name] = by_step(f"inputs[{name!r}]", found[name], core, steps)
            if f"d{name}" in more:
                values[f"d{name}"], _ = by_step(f"dinputs[{name!r}]", more[f"d{name}"], core, steps)
            cores[name] = cores[f"d{name}"] = (steps, *core)
        run = Arguments.of(steps, values, cores)
        start = run.arrays["q0"], run.arrays["qd0"]
        need_positions(self.robot, "q0", start[0])
        setup = self._setup(run)
        if self.robot.closures:
            check_consistent(setup, *start)
        if not all(map(np.array_equal, start, self._looked_at)):
            check_steps_at_start(setup, *(run.shaped(x) for x in start))
            self._looked_at = start
        return run, counts

    def _setup(self, run: Arguments) -> Setup:
        """The same simulation as `simulate` has it."""
        arrays, check = {name: run.shaped(run.arrays[name]) for name in self._given}, self._energy_check
        kind = self.step.integrator.name
        return Setup(
            self.robot,
            self.step,
            self.dt,
            given=arrays,
            stepped=tuple(arrays),
            contacts=self._contacts,
            content=self._computed,
            energy_check=check,
            integrator=kind,
            whole=True,
        )

    def _check(self, run: Arguments, seen: Array, kept: States) -> None:
        """Warn or raise, as `simulate` does, if states (samples, T, ...) after ``seen`` steps (T,) cannot be right."""
        lost = self._check_finite(run, run.steps, kept["q"][:, -1], kept["qd"][:, -1])
        if not self._booked.books:
            return
        states = {name: run.shaped(x) for name, x in kept.items()}
        found = self._trajectory(run, seen, states["q"], states["qd"], states["work"])
        check_balance(replace(found, lost=lost), {name: x[..., 0, :] for name, x in states.items()})

    def _check_finite(self, run: Arguments, steps: int, q: Array, qd: Array) -> dict[int, tuple[float, str]]:
        """The samples that have left the finite numbers, which is said, or refused if all have; q and qd are the last.

        Those that were given NaN do not count: it stays in its own sample.
        """
        finite, time = _finite(q) & _finite(qd), steps * self.dt
        if finite.all():
            return {}
        for name in ("q0", "qd0", *self._given):
            finite |= ~_finite(run.arrays[name])
        lost = np.flatnonzero(~finite)
        if not len(lost):
            return {}
        which = f" of sample {tuple(map(int, np.unravel_index(lost[0], run.lead)))}" if run.lead else ""
        text = f"the state{which} is not finite at t = {time:g} s. Try a smaller step than dt = {self.dt:g} s"
        if len(lost) == run.samples:
            end = run.shaped(q)[..., None, :], run.shaped(qd)[..., None, :]
            raise SimulationError(text, time, self._trajectory(run, np.array([steps]), *end))
        warn(f"{len(lost)} of {run.samples} samples blew up: {text}", SimulationWarning)
        return {int(k): (time, text) for k in lost}

    def _trajectory(self, run: Arguments, seen: Array, q: Array, qd: Array, work: Array | None = None) -> Trajectory:
        """The states after ``seen`` steps as a record of the run."""
        return Trajectory(self._setup(run), seen * self.dt, q, qd, work, span=(run.steps, 1))

    def _parts(self, run: Arguments) -> list[tuple[int, int]]:
        """The parts, from step to step, that are gone back through at once, and whose states are kept meanwhile."""
        bytes_per_step = 8 * run.samples * sum(self._state.values())
        length = max(isqrt(run.steps), KEPT_BYTES // max(bytes_per_step, 1), 1)
        return [(first, min(first + length, run.steps)) for first in range(0, run.steps, length)]

    def _start(self, run: Arguments) -> States:
        """The state at the beginning: contact has no forces then."""
        start = {"q": run.arrays["q0"], "qd": run.arrays["qd0"]}
        if "contact" in self._state:
            start["contact"] = np.zeros((run.samples, self.step.memory))
        if self._booked.books:
            start["work"] = np.zeros((run.samples, self._booked.sources))
        return start

    def _times(self, run: Arguments, steps: Sequence[int]) -> States:
        """Where steps begin and how long they are, for all samples."""
        begins = np.array([n * self.dt for n in steps])
        return {
            "t": np.broadcast_to(begins, (run.samples, len(begins))),
            "h": np.broadcast_to(np.full(len(begins), self.dt), (run.samples, len(begins))),
        }

    def _run(
        self, run: Arguments, state: States, first: int, stop: int, kept: Mapping[str, Array] | None = None
    ) -> States:
        """The state after some steps. ``kept`` gets those after each of them, (samples, steps, ...)."""
        last = {f"{name}_next": np.empty(x.shape) for name, x in state.items()}
        every = stop - first + 1 if kept is None else 1
        records = {name: x[:, None][:, :0] for name, x in last.items()} if kept is None else kept
        inputs = {name: run.arrays[name][:, first:stop] for name in self._given}
        self._forward.run(
            stop - first, every, {**state, **inputs, **self._times(run, range(first, stop))}, last, records
        )
        return {name: last[f"{name}_next"] for name in state}

    def _states(self, run: Arguments, state: States, first: int, stop: int) -> States:
        """The states at the beginning and after each of some steps, (samples, steps + 1, ...)."""
        kept = {name: np.empty((run.samples, stop - first + 1, x.shape[1])) for name, x in state.items()}
        for name, x in state.items():
            kept[name][:, 0] = x
        self._run(run, state, first, stop, {f"{name}_next": x[:, 1:] for name, x in kept.items()})
        return kept

    def _sweep(
        self, run: Arguments, kept: States, bars: Array, back: States, found: States, first: int, stop: int
    ) -> States:
        """Go back through some steps, from the last to the first: arrays are read with negative strides.

        ``back`` are the gradients by the state after them and by parameters; returned are those before them. ``found``
        gets the gradients by what each step was given.
        """
        steps = slice(first, stop)
        inputs = {name: kept[name][:, -2::-1] for name in self._state}
        inputs |= {name: run.arrays[name][:, steps][:, ::-1] for name in self._given}
        inputs |= {"q_ref": kept["q"][:, :0:-1], "bar": bars[:, steps][:, ::-1]}
        inputs |= self._times(run, range(stop - 1, first - 1, -1))
        last = {f"{name}_next": np.empty_like(x) for name, x in back.items()}
        last |= {f"{name}_bar": np.empty((run.samples, *self._core(name))) for name in self._given}
        records = {f"{name}_bar": found[name][:, steps][:, ::-1] for name in self._given}
        self._backward.run(stop - first, 1, {**back, **inputs}, last, records)
        return {name: last[f"{name}_next"] for name in back}


def _finite(x: Array) -> Array:
    """Which samples of an array (samples, ...) are finite, (samples,)."""
    return np.asarray(np.isfinite(x).all(axis=tuple(range(1, x.ndim))))
