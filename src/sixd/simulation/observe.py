"""What force elements and the controller of a simulation do at recorded states: compiled, for all states at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.compiler.parameters import named_parameters
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.contact.contacts import Contacts
from sixd.simulation.kept import kept_kernel
from sixd.simulation.numbers import numbers_of_records
from sixd.simulation.setup import SLACK, Setup
from sixd.simulation.signatures import signature_of
from sixd.simulation.step import Step
from sixd.simulation.system import System

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["Observation", "observe", "observe_arrays", "observer"]


@dataclass(frozen=True)
class Observation:
    """A function of a state: ``f(model, q, qd, tau, t, **inputs)``; which one is said by ``what``."""

    step: Step
    what: str
    contacts: Contacts | None = None

    @property
    def __name__(self) -> str:
        return f"observe_{self.what}"

    @property
    def __signature__(self) -> Signature:
        return signature_of("q", "qd", "tau", "t", *dict(self.step.inputs))

    def __call__(self, model: Model, q: Any, qd: Any, tau: Any, t: Any, **inputs: Any) -> Any:
        system = System(model, tau, self.step.controller, self.step.elements, inputs)
        moment = system.moment(t, list(q), list(qd))
        if self.what == "contact":
            assert self.contacts is not None
            return self.contacts.forces(moment)
        if self.what == "gaps":
            assert self.contacts is not None
            return [touch.gap for touch in self.contacts.touches(moment)]
        if self.what == "points":
            assert self.contacts is not None
            return [x for touch in self.contacts.touches(moment) for x in touch.point]
        if self.what == "energy":
            total: Scalar = 0.0
            for element in system.elements:
                total = total + element.energy(moment)
            return total
        if self.what == "energies":
            mechanical = algorithms.kinetic_energy(model, q, qd), algorithms.potential_energy(model, q)
            return [*mechanical, *(element.energy(moment) for element in system.elements)]
        loads = system.loads(moment)
        if self.what == "tau":
            return list(loads[0].tau)
        if self.what == "forces":
            system.release(moment, loads, system.friction(moment))
            return system.joint_forces(moment, loads)
        if self.what == "qdd":
            return system.acceleration(moment, loads)
        return [part.power(moment) for part in loads]


def observe(setup: Setup, trajectory: Trajectory, what: str, fresh: bool = False) -> NDArray[Any]:
    """One of these at the records; what rigid contact does is not among them:

    "tau", of the motors, "forces", of all sources but dry friction, as joint forces, and "qdd", (..., T, nv); "power"
    (..., T, sources); the stored "energy" (..., T); the "energies" (..., T, 2 + elements), kinetic, of gravity, and
    stored in each element; the forces of compliant "contact" and the "points" of contact (...,
    T, 3 sites), and how far they are from the ground, the "gaps" (..., T, sites). Of a setup that is ``fresh``, made
    just now, it is not looked whether its parts have changed.
    """
    step = setup.step
    if what == "energy" and not step.elements:
        return np.zeros(trajectory.q.shape[:-1])
    given = {name: _at_records(setup, trajectory, name) for name in ("tau", *dict(step.inputs))}
    if trajectory.answered is not None:
        given["tau"] = trajectory.answered
    given |= numbers_of_records(setup)
    states = trajectory.q, trajectory.qd, trajectory.t, given
    return observer(setup, what)(*states) if fresh else observe_arrays(setup, what, *states)


def observe_arrays(setup: Setup, what: str, q: Any, qd: Any, t: Any, given: Mapping[str, Any]) -> NDArray[Any]:
    """The same for arrays of states (..., nq), (..., nv) and times (...).

    ``given`` has joint forces "tau", inputs and parameters by name.
    """
    setup.need_unchanged()
    return observer(setup, what)(q, qd, t, given)


def observer(setup: Setup, what: str) -> Callable[[Any, Any, Any, Mapping[str, Any]], NDArray[Any]]:
    """The same as a function of q, qd, t and what is given, compiled now; for a setup that was made just now."""
    inputs, names = dict(setup.step.inputs), named_parameters(tuple(setup.parameters))
    observation = Observation(setup.step, what, setup.contacts)
    computed = ("observed", what, setup.content) if setup.step.is_told_by_parts(setup.content) else None
    code = kept_kernel(observation, setup.robot, computed, shapes={"t": (), **inputs}, parameters=names)

    def observed(q: Any, qd: Any, t: Any, given: Mapping[str, Any]) -> NDArray[Any]:
        return np.asarray(code(q, qd, given["tau"], t, *(given[name] for name in (*inputs, *names))))

    return observed


def _at_records(setup: Setup, trajectory: Trajectory, name: str) -> NDArray[Any]:
    """What was given by name for the step that begins, or is under way, at each record; at the end, the last value."""
    array = setup.given[name]
    if name not in setup.stepped:
        return array
    rank = len(dict(setup.step.inputs).get(name, (1,)))
    axis = array.ndim - rank - 1
    if not array.shape[axis]:  # no step, no force
        return np.zeros((*array.shape[:axis], 1, *array.shape[axis + 1 :]))
    number = np.floor(trajectory.t / setup.dt + SLACK).astype(int)
    return np.take(array, np.minimum(number, array.shape[axis] - 1), axis=axis)
