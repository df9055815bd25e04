"""Steps of a simulation with their derivatives, forward and backward, as functions of arrays."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Signature
from typing import Any, ClassVar

from sixd import algorithms
from sixd.compiler.derivatives import Derivative
from sixd.model import Model
from sixd.simulation.signatures import signature_of
from sixd.simulation.step import Step
from sixd.simulation.system import State, array_of

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
    def state(self) -> tuple[str, ...]:
        """The names of the arguments that are the state: q, qd, and what rigid contact hands on."""
        return tuple(self.step.carried)

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the arguments that have a value for each step: joint forces, and inputs."""
        return ("tau", *dict(self.step.inputs))

    @property
    def __signature__(self) -> Signature:
        return signature_of(*self.names)

    def after(self, model: Model, arrays: Mapping[str, Any]) -> State:
        """The state after the step."""
        state = State(*(list(arrays.get(name, ())) for name in ("q", "qd", "work", "contact")))
        inputs = {name: arrays[name] for name, _ in self.step.inputs}
        return self.step.after(model, state, arrays["tau"], arrays["t"], arrays["h"], inputs)

    def results(self, after: State, **more: Any) -> Any:
        """The state after the step and more, as a named tuple."""
        states = {"q_next": after.q, "qd_next": after.qd, "work_next": after.work, "contact_next": after.memory}
        found = {f"{name}_next": states[f"{name}_next"] for name in self.state} | more
        return namedtuple("Stepped", found)(**found)


class Forward(_Function):
    """The step alone."""

    __name__ = "step_forward"

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.state, *self.given, "t", "h")

    def __call__(self, model: Model, **arrays: Any) -> Any:
        return self.results(self.after(model, arrays))


class _Way(_Function):
    """The state after a step as (way from q_ref, qd, contact): what derivatives in the tangent space are of."""

    __name__ = "way_of_step"

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.state, "q_ref", *self.given, "t", "h")

    def __call__(self, model: Model, *values: Any) -> Any:
        arrays = dict(zip(self.names, values, strict=True))
        after = self.after(model, arrays)
        way = algorithms.difference(model, array_of(list(arrays["q_ref"])), array_of(after.q))
        return array_of([*way, *after.qd, *after.memory])


@dataclass(frozen=True)
class Tangent(_Function):
    """The step, and what changes of the state (way, dqd, dcontact), of what is given and of parameters make of it."""

    parameters: tuple[str, ...] = ()
    __name__ = "step_with_tangent"

    @property
    def names(self) -> tuple[str, ...]:
        changes = (f"d{name}" for name in (*self.given, *self.parameters))
        return (*self.state, "change", *self.given, *changes, "t", "h")

    def __call__(self, model: Model, change: Any, **arrays: Any) -> Any:
        changes = {f"tangent_{name}": arrays.pop(f"d{name}") for name in (*self.given, *self.parameters)}
        first = 0
        for name, size in zip(self.state, (model.nv, model.nv, self.step.memory), strict=False):
            changes[f"tangent_{name}"] = change[first : first + size]
            first += size
        after = self.after(model, arrays)
        along = Derivative("jvp", _Way(self.step), (*self.state, *self.given, *self.parameters), tangent=True)
        return self.results(after, change_next=along(model, q_ref=array_of(after.q), **arrays, **changes))


@dataclass(frozen=True)
class Backward(_Function):
    """From the gradient of a cost by the state after a step to that by the state before it, and by all it was given.

    ``bar`` is what the cost has of the position and the velocity after this very step. Gradients by parameters are
    added to those of later steps.
    """

    parameters: tuple[str, ...] = ()
    __name__ = "step_backward"

    @property
    def sums(self) -> tuple[str, ...]:
        """The names of the gradients by parameters."""
        return tuple(f"sum_{name}" for name in self.parameters)

    @property
    def names(self) -> tuple[str, ...]:
        return ("cotangent", *self.sums, *self.state, "q_ref", "bar", *self.given, "t", "h")

    def __call__(self, model: Model, cotangent: Any, bar: Any, **arrays: Any) -> Any:
        sums = {name: arrays.pop(name) for name in self.sums}
        names = (*self.state, *self.given, *self.parameters)
        back = Derivative("vjp", _Way(self.step), names, tangent=True)
        total = array_of([*(a + b for a, b in zip(cotangent, bar, strict=False)), *cotangent[len(bar) :]])
        by = dict(zip(names, back(model, **arrays, cotangent=total), strict=True))
        found = {"cotangent_next": array_of([x for name in self.state for x in by[name]])}
        found |= {f"{name}_bar": by[name] for name in self.given}
        found |= {f"sum_{name}_next": sums[f"sum_{name}"] + by[name] for name in self.parameters}
        return namedtuple("SteppedBack", found)(**found)
