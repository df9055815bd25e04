"""Steps of a simulation with their derivatives, forward and backward, as functions of arrays."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from inspect import Signature
from typing import Any, ClassVar, NamedTuple

from sixd import algorithms
from sixd.compiler.derivatives import Derivative
from sixd.model import Model
from sixd.simulation.signatures import signature_of
from sixd.simulation.step import Step
from sixd.simulation.system import State, System, array_of

__all__ = ["Backward", "Forward", "Tangent"]


@dataclass(frozen=True)
class _Function:
    """A function of a model and arrays that is made of a step; ``names`` are its arguments."""

    step: Step
    __name__: ClassVar[str]

    @property
    def names(self) -> tuple[str, ...]:
        raise AttributeError(type(self).__name__)

    @property
    def __signature__(self) -> Signature:
        return signature_of(*self.names)

    def after(self, model: Model, q: Any, qd: Any, tau: Any, t: Any, h: Any) -> State:
        """The state after the step, on the constraints if it is led back to them."""
        system = System(model, tau, self.step.controller, self.step.elements, t=t)
        after = self.step.integrator.step(system, t, State(list(q), list(qd), []), h)
        return system.kept(t + h, after) if self.step.projected else after


class Stepped(NamedTuple):
    """The state after a step."""

    q_next: Any
    qd_next: Any


class Forward(_Function):
    """The step alone."""

    __name__ = "step_forward"
    names = ("q", "qd", "tau", "t", "h")

    def __call__(self, model: Model, **arrays: Any) -> Stepped:
        after = self.after(model, **arrays)
        return Stepped(after.q, after.qd)


class _Way(_Function):
    """The state after a step as (way from q_ref, qd), 2 nv numbers: what derivatives in the tangent space are of."""

    __name__ = "way_of_step"
    names = ("q", "qd", "q_ref", "tau", "t", "h")

    def __call__(self, model: Model, q: Any, qd: Any, q_ref: Any, tau: Any, t: Any, h: Any) -> Any:
        after = self.after(model, q, qd, tau, t, h)
        way = algorithms.difference(model, array_of(list(q_ref)), array_of(after.q))
        return array_of([*way, *after.qd])


class SteppedTangent(NamedTuple):
    """The state after a step, and the change of it."""

    q_next: Any
    qd_next: Any
    change_next: Any


@dataclass(frozen=True)
class Tangent(_Function):
    """The step, and what changes of the state (way, dqd), of tau and of parameters make of it."""

    parameters: tuple[str, ...] = ()
    __name__ = "step_with_tangent"

    @property
    def changes(self) -> tuple[str, ...]:
        """The names of the changes of parameters."""
        return tuple(f"d{name}" for name in self.parameters)

    @property
    def names(self) -> tuple[str, ...]:
        return ("q", "qd", "change", "dtau", *self.changes, "tau", "t", "h")

    def __call__(
        self, model: Model, q: Any, qd: Any, change: Any, dtau: Any, tau: Any, t: Any, h: Any, **changes: Any
    ) -> SteppedTangent:
        after, nv = self.after(model, q, qd, tau, t, h), model.nv
        along = Derivative("jvp", _Way(self.step), ("q", "qd", "tau", *self.parameters), tangent=True)
        tangents = (change[:nv], change[nv:], dtau, *(changes[name] for name in self.changes))
        changed = along(model, q, qd, array_of(after.q), tau, t, h, *tangents)
        return SteppedTangent(after.q, after.qd, changed)


@dataclass(frozen=True)
class Backward(_Function):
    """From the gradient of a cost by the state after a step to that by the state before it, by tau and by parameters.

    Gradients by parameters are added to those of later steps.
    """

    parameters: tuple[str, ...] = ()
    __name__ = "step_backward"

    @property
    def sums(self) -> tuple[str, ...]:
        """The names of the gradients by parameters."""
        return tuple(f"sum_{name}" for name in self.parameters)

    @property
    def names(self) -> tuple[str, ...]:
        return ("cotangent", *self.sums, "q", "qd", "q_ref", "tau", "t", "h")

    def __call__(self, model: Model, cotangent: Any, **arrays: Any) -> Any:
        sums = {name: arrays.pop(name) for name in self.sums}
        back = Derivative("vjp", _Way(self.step), ("q", "qd", "tau", *self.parameters), tangent=True)
        by_q, by_qd, by_tau, *others = back(model, **arrays, cotangent=cotangent)
        found = {"cotangent_next": array_of([*by_q, *by_qd]), "tau_bar": by_tau}
        for name, gradient in zip(self.sums, others, strict=True):
            found[f"{name}_next"] = sums[name] + gradient
        return namedtuple("SteppedBack", found)(**found)
