"""Derivatives of the final state of a simulation by its initial state, its joint forces and the robot's numbers.

All are in the tangent space: the derivative of a position is that of the way from it, nv numbers. The reverse sweep
keeps about sqrt(T) states of the forward run and computes the others again, so memory grows with sqrt(T).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.compiler.parameters import TANGENTS, check_parameters, named_parameters
from sixd.compiler.parameters import parameters as parameters_of
from sixd.compiler.rollout import Rollout, by_sample
from sixd.errors import ArgumentError, ChoiceError, ShapeError
from sixd.robot import Robot
from sixd.runtime.arguments import common_lead
from sixd.runtime.batches import as_batch
from sixd.simulation.contact.contacts import Contacts
from sixd.simulation.forces.element import ForceElement
from sixd.simulation.gradient_steps import Backward, Forward, Tangent
from sixd.simulation.integrators.integrator import Integrator
from sixd.simulation.setup import setup_of

__all__ = ["Differentiable", "EndState", "StartGradient"]

Array = NDArray[Any]


class EndState(NamedTuple):
    """A state at the end, or its derivative: q (..., nq) or (..., nv), qd (..., nv)."""

    q: Array
    qd: Array


class StartGradient(NamedTuple):
    """Gradients by the start, (..., nv) each, by the joint forces of each step, (..., T, nv), and by parameters."""

    q: Array
    qd: Array
    tau: Array
    parameters: dict[str, Array]


class Differentiable:
    """A simulation of a fixed number of steps that can be differentiated: forward (`jvp`) and backward (`vjp`).

    ``robot``, ``dt``, ``control`` (None, or a `Controller` without inputs), ``forces``, ``contacts`` (of compliant law)
    and ``integrator`` are those of `simulate`. Joint forces are given for each step, (..., T, nv), in addition to those
    of the controller. ``parameters`` names numbers of the model (`sixd.parameters`) for which `vjp` returns gradients:
    those by "placement" and "axis" in the tangent space, (N, 6) and (N, 2).

    Derivatives are exact: of the steps as they are computed, not of the motion that these approach. Steps of a closed
    robot end on its constraints, as those of `simulate` do.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        dt: float = 1e-3,
        control: Any = None,
        forces: Sequence[ForceElement] = (),
        contacts: Contacts | None = None,
        integrator: str | Integrator = "semi_implicit_euler",
        parameters: str | Sequence[str] = (),
    ) -> None:
        setup = setup_of(robot, dt, control, None, forces, integrator, None, False, contacts)
        if setup.outside is not None:
            raise ArgumentError("control must be None or a Controller: a function of Python is not compiled")
        if setup.step.integrator.shares != (1.0,):
            raise ChoiceError(
                f"the integrator {setup.step.integrator.name!r} has steps of several parts: choose another"
            )
        if contacts is not None and contacts.is_rigid:
            raise ChoiceError("contacts must follow a compliant law: velocities that jump have no derivative")
        if setup.given and setup.given["tau"].any():
            raise ArgumentError("control must be None or a Controller: joint forces are given with each call")
        self.robot, self.dt, self.step = robot, setup.dt, setup.step
        self.parameters = named_parameters(parameters)
        check_parameters(robot, self.parameters)
        timing = {"t": (), "h": ()}
        nv, nq = robot.nv, robot.nq
        states = ("q_next", "qd_next")
        shapes = {name: parameters_of(robot, name).shape for name in self.parameters}
        sizes = {
            name: shape if name not in TANGENTS else (shape[0], *TANGENTS[name][1:]) for name, shape in shapes.items()
        }
        stepped = ("tau", "t", "h")
        self._forward = Rollout(
            Forward(self.step),
            robot,
            carried={"q": "q_next", "qd": "qd_next"},
            stepped=stepped,
            recorded=states,
            shapes=timing,
        )
        self._tangent = Rollout(
            Tangent(self.step, self.parameters),
            robot,
            carried={"q": "q_next", "qd": "qd_next", "change": "change_next"},
            stepped=("dtau", *stepped),
            shapes={**timing, **{f"d{name}": x for name, x in sizes.items()}, "change": (2 * nv,), "dtau": (nv,)},
        )
        back = Backward(self.step, self.parameters)
        self._backward = Rollout(
            back,
            robot,
            carried={"cotangent": "cotangent_next", **{name: f"{name}_next" for name in back.sums}},
            stepped=("q", "qd", "q_ref", *stepped),
            recorded=("tau_bar",),
            shapes={
                **timing,
                **{f"sum_{name}": x for name, x in sizes.items()},
                "cotangent": (2 * nv,),
                "q_ref": (nq,),
            },
        )
        self._sizes = sizes

    def __call__(self, q0: ArrayLike, qd0: ArrayLike, tau: ArrayLike) -> EndState:
        """The state after all steps of joint forces tau (..., T, nv)."""
        run = self._arrays(q0, qd0, tau)
        last = self._run(run, EndState(run.q, run.qd), 0, run.steps)
        return EndState(*(self._shaped(run, x) for x in last))

    def jvp(
        self,
        q0: ArrayLike,
        qd0: ArrayLike,
        tau: ArrayLike,
        dq0: ArrayLike,
        dqd0: ArrayLike,
        dtau: ArrayLike,
        dparameters: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[EndState, EndState]:
        """The end state, and its derivative along changes of start (..., nv) and joint forces (..., T, nv).

        ``dparameters`` are changes of the parameters by name, (..., *shape); those that are missing are zero.
        """
        run = self._arrays(q0, qd0, tau, dq0=dq0, dqd0=dqd0, dtau=dtau, **self._changes(dparameters))
        change = np.concatenate([run.more["dq0"], run.more["dqd0"]], axis=1)
        inputs = {"q": run.q, "qd": run.qd, "change": change, "tau": run.tau, "dtau": run.more["dtau"]}
        inputs |= {f"d{name}": run.more[f"d{name}"] for name in self.parameters}
        inputs |= self._times(run, range(run.steps))
        nv, nq = self.robot.nv, self.robot.nq
        last = {"q_next": np.empty((len(run.q), nq)), "qd_next": np.empty((len(run.q), nv))}
        last["change_next"] = np.empty((len(run.q), 2 * nv))
        self._tangent.run(run.steps, run.steps + 1, inputs, last, {})
        rate = last["change_next"]
        return (
            EndState(self._shaped(run, last["q_next"]), self._shaped(run, last["qd_next"])),
            EndState(self._shaped(run, rate[:, :nv]), self._shaped(run, rate[:, nv:])),
        )

    def vjp(
        self, q0: ArrayLike, qd0: ArrayLike, tau: ArrayLike, q_bar: ArrayLike, qd_bar: ArrayLike
    ) -> tuple[EndState, StartGradient]:
        """The end state, and the gradient of q_bar way + qd_bar qd at the end, by start, joint forces and parameters.

        ``q_bar`` and ``qd_bar`` are (..., nv): the derivatives of a cost by the final position (in the tangent space)
        and velocity.
        """
        run = self._arrays(q0, qd0, tau, q_bar=q_bar, qd_bar=qd_bar)
        samples, nv = len(run.q), self.robot.nv
        length = max(isqrt(run.steps), 1)
        starts = list(range(0, run.steps, length))
        marks = [EndState(run.q, run.qd)]
        for first in starts:
            marks.append(self._run(run, marks[-1], first, min(first + length, run.steps)))
        cotangent = np.concatenate([run.more["q_bar"], run.more["qd_bar"]], axis=1)
        sums = {f"sum_{name}": np.zeros((samples, *shape)) for name, shape in self._sizes.items()}
        tau_bar = np.empty((samples, run.steps, nv))
        for first, mark in reversed(list(zip(starts, marks[:-1], strict=True))):
            stop = min(first + length, run.steps)
            kept = self._states(run, mark, first, stop)
            cotangent, sums = self._sweep(run, kept, cotangent, sums, tau_bar, first, stop)
        end = EndState(*(self._shaped(run, x) for x in marks[-1]))
        by_parameters = {name.removeprefix("sum_"): self._shaped(run, x) for name, x in sums.items()}
        return end, StartGradient(
            self._shaped(run, cotangent[:, :nv]),
            self._shaped(run, cotangent[:, nv:]),
            self._shaped(run, tau_bar),
            by_parameters,
        )

    # ---- parts

    def _arrays(self, q0: Any, qd0: Any, tau: Any, **more: Any) -> _Run:
        """All arguments as arrays with the samples as first axis."""
        nq, nv = self.robot.nq, self.robot.nv
        forces = as_batch("tau", tau, (nv,), "nv of this robot").astype(float)
        if forces.ndim < 2 or not forces.shape[-2]:
            raise ShapeError(f"tau has shape {forces.shape}, but (..., steps, {nv}) is needed, of at least one step")
        steps = forces.shape[-2]
        cores = {"q0": (nq,), "qd0": (nv,), "tau": (steps, nv)}
        values = {"q0": q0, "qd0": qd0, "tau": forces}
        own = {"dtau": (steps, nv), **{f"d{name}": shape for name, shape in self._sizes.items()}}
        for name, value in more.items():
            cores[name], values[name] = own.get(name, (nv,)), value
        arrays = {name: as_batch(name, x, cores[name]).astype(float) for name, x in values.items()}
        lead = common_lead({name: x.shape[: x.ndim - len(cores[name])] for name, x in arrays.items()})
        flat = {name: by_sample(x, cores[name], lead) for name, x in arrays.items()}
        return _Run(lead, steps, flat.pop("q0"), flat.pop("qd0"), flat.pop("tau"), flat)

    def _changes(self, given_: Any) -> dict[str, Any]:
        """Changes of all parameters, by the names of their arguments."""
        if given_ is not None and not isinstance(given_, Mapping):
            raise ArgumentError(f"dparameters maps names to arrays, not {given.described(given_)}")
        for name in given_ or ():
            if name not in self.parameters:
                known = ", ".join(map(repr, self.parameters)) or "none"
                raise ChoiceError(f"dparameters names {name!r}, but the parameters are: {known}")
        return {f"d{name}": (given_ or {}).get(name, np.zeros(shape)) for name, shape in self._sizes.items()}

    @staticmethod
    def _shaped(run: _Run, x: Array) -> Array:
        return x.reshape(*run.lead, *x.shape[1:])

    def _times(self, run: _Run, steps: Sequence[int]) -> dict[str, Array]:
        """Where steps begin and how long they are, for all samples."""
        begins = np.array([n * self.dt for n in steps])
        samples = len(run.q)
        return {
            "t": np.broadcast_to(begins, (samples, len(begins))),
            "h": np.broadcast_to(np.full(len(begins), self.dt), (samples, len(begins))),
        }

    def _run(
        self, run: _Run, state: EndState, first: int, stop: int, kept: Mapping[str, Array] | None = None
    ) -> EndState:
        """The state after some steps. ``kept`` gets those after each of them, (samples, steps, ...)."""
        last = {f"{name}_next": np.empty(x.shape) for name, x in state._asdict().items()}
        every = stop - first + 1 if kept is None else 1
        records = {name: x[:, None][:, :0] for name, x in last.items()} if kept is None else kept
        inputs = {**state._asdict(), "tau": run.tau[:, first:stop], **self._times(run, range(first, stop))}
        self._forward.run(stop - first, every, inputs, last, records)
        return EndState(last["q_next"], last["qd_next"])

    def _states(self, run: _Run, state: EndState, first: int, stop: int) -> dict[str, Array]:
        """The states at the beginning and after each of some steps, (samples, steps + 1, ...)."""
        kept = {name: np.empty((len(x), stop - first + 1, x.shape[1])) for name, x in state._asdict().items()}
        for name, x in state._asdict().items():
            kept[name][:, 0] = x
        self._run(run, state, first, stop, {f"{name}_next": x[:, 1:] for name, x in kept.items()})
        return kept

    def _sweep(
        self,
        run: _Run,
        kept: Mapping[str, Array],
        cotangent: Array,
        sums: dict[str, Array],
        tau_bar: Array,
        first: int,
        stop: int,
    ) -> tuple[Array, dict[str, Array]]:
        """Go back through some steps, from the last to the first: arrays are read with negative strides."""
        inputs = {
            "cotangent": cotangent,
            **sums,
            "q": kept["q"][:, -2::-1],
            "qd": kept["qd"][:, -2::-1],
            "q_ref": kept["q"][:, :0:-1],
            "tau": run.tau[:, first:stop][:, ::-1],
            **self._times(run, range(stop - 1, first - 1, -1)),
        }
        last = {"cotangent_next": np.empty_like(cotangent), "tau_bar": np.empty((len(cotangent), self.robot.nv))}
        last |= {f"{name}_next": np.empty_like(x) for name, x in sums.items()}
        self._backward.run(stop - first, 1, inputs, last, {"tau_bar": tau_bar[:, first:stop][:, ::-1]})
        return last["cotangent_next"], {name: last[f"{name}_next"] for name in sums}


class _Run(NamedTuple):
    """The arguments of a call, with the samples as first axis, and the batch axes that they had."""

    lead: tuple[int, ...]
    steps: int
    q: Array
    qd: Array
    tau: Array
    more: dict[str, Array]
