"""One step of a simulation as a function of arrays, which the compiler turns into a rollout."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Any

from sixd.compiler.rollout import Rollout
from sixd.model import Model
from sixd.runtime.least_recently_used import Recent
from sixd.simulation.contact.contacts import Contacts
from sixd.simulation.controllers.controller import Controller
from sixd.simulation.forces.element import ForceElement
from sixd.simulation.integrators.integrator import Integrator
from sixd.simulation.system import State, System

__all__ = ["Step", "inputs_of", "rollout_of"]


@dataclass(frozen=True)
class Step:
    """One step of time: ``step(model, q, qd, work, contact, tau, t0, dt, n0, n, **inputs)``.

    q, qd, work and contact are the state, work only with ``books`` and contact only if it is rigid. tau are joint
    forces given from outside. Step n of a rollout begins at time t0 + (n0 + n) dt. If the integrator composes its steps
    of several parts, the function is one of these, and t and h take the place of t0, dt, n0 and n. Two equal steps
    compute the same.
    """

    integrator: Integrator
    controller: Controller | None = None
    elements: tuple[ForceElement, ...] = ()
    #: The inputs of the controller and their shapes.
    inputs: tuple[tuple[str, tuple[int, ...]], ...] = ()
    #: Whether the work of each source of forces is added up.
    books: bool = False
    #: What touches the ground.
    contacts: Contacts | None = None
    #: How many numbers rigid contact hands on from step to step: its forces.
    memory: int = 0

    @property
    def __name__(self) -> str:
        return f"step_{self.integrator.name}"

    @property
    def __signature__(self) -> Signature:
        names = ["model", *self.carried, "tau", *self.timing, *dict(self.inputs)]
        return Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])

    @property
    def carried(self) -> dict[str, str]:
        """The arguments that are the state, and the results that are their next values."""
        names = ["q", "qd"]
        if self.books:
            names.append("work")
        if self.contacts is not None and self.contacts.is_rigid:
            names.append("contact")
        return {name: f"{name}_next" for name in names}

    @property
    def timing(self) -> tuple[str, ...]:
        """The arguments that tell the time: where a step begins and how long it is, or how to compute that."""
        return ("t0", "dt", "n0", "n") if self.integrator.shares == (1.0,) else ("t", "h")

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the arguments that the model does not tell."""
        own = {"work": (self.sources,), "contact": (self.memory,)}
        found: dict[str, tuple[int, ...]] = {name: own[name] for name in self.carried if name in own}
        return {**found, **dict.fromkeys(self.timing, ()), **dict(self.inputs)}

    @property
    def sources(self) -> int:
        """The number of sources of forces: motors, then each element, then contact."""
        return 1 + len(self.elements) + (0 if self.contacts is None else 1)

    def system(self, model: Model, tau: Sequence[Any], inputs: Mapping[str, Any] | None = None) -> System:
        """The equations of motion under joint forces that are given, and all other loads."""
        if self.contacts is None:
            return System(model, tau, self.controller, self.elements, inputs, self.books)
        impulses = self.contacts if self.contacts.is_rigid else None
        elements = self.elements + self.contacts.elements()
        return System(model, tau, self.controller, elements, inputs, self.books, impulses)

    def __call__(self, model: Model, q: Any, qd: Any, tau: Any, work: Any = (), contact: Any = (), **more: Any) -> Any:
        times = [more.pop(name) for name in self.timing]
        if len(times) == 2:
            t, h = times
        else:
            t0, h, n0, n = times
            t = t0 + (n0 + n) * h
        system = self.system(model, tau, more)
        after = self.integrator.step(system, t, State(list(q), list(qd), list(work), list(contact)), h)
        found = {"q_next": after.q, "qd_next": after.qd, "work_next": after.work, "contact_next": after.memory}
        kept = {name: found[name] for name in self.carried.values()}
        return namedtuple("Stepped", kept)(**kept)


#: The rollouts used most recently, by step, model, and what varies from step to step.
_ROLLOUTS: Recent[Rollout] = Recent(64)


def rollout_of(step: Step, model: Model, stepped: tuple[str, ...]) -> Rollout:
    """The rollout of a step for a model, kept for models with the same content. ``stepped`` inputs vary in time."""
    which = step, model.fingerprint, model.joint_types, stepped
    found = _ROLLOUTS.get(which)
    if found is not None:
        return found
    carried = step.carried
    composed = step.timing == ("t", "h")
    made = Rollout(
        step,
        model,
        carried=carried,
        stepped=(*stepped, *step.timing) if composed else stepped,
        recorded=tuple(carried.values()),
        counter=None if composed else "n",
        shapes=step.shapes,
    )
    return _ROLLOUTS.put(which, made)


def inputs_of(controller: Controller | None, model: Model) -> Mapping[str, tuple[int, ...]]:
    """The inputs that a controller declares, with their shapes."""
    return {} if controller is None else controller.inputs(model)
