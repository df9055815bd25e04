"""What is simulated and how, checked: everything about a simulation but its state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import isabstract
from math import isfinite
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.compiler.parameters import check_parameters, named_parameters
from sixd.compiler.parameters import parameters as parameters_of
from sixd.compiler.steady import leaving
from sixd.errors import ArgumentError, ChoiceError, ModelError, ShapeError
from sixd.robot import Robot
from sixd.runtime.arguments import real_numbers
from sixd.simulation.closed import TARGETS
from sixd.simulation.contact.contacts import Contacts
from sixd.simulation.content import content, titled
from sixd.simulation.controllers.controller import Controller
from sixd.simulation.forces.element import ForceElement, moves_base
from sixd.simulation.forces.passive import Passive
from sixd.simulation.integrators import INTEGRATORS
from sixd.simulation.integrators.integrator import Integrator
from sixd.simulation.parts import need_each_once
from sixd.simulation.possible import check_possible
from sixd.simulation.step import Step, friction_rows, inputs_of
from sixd.simulation.tolerances import USUAL, Tolerances

__all__ = ["Setup", "need_finite", "seconds_of", "setup_of", "step_of", "usual_integrator", "whole_steps"]

Array = NDArray[Any]
#: How far a duration may be from a whole number of steps, relative to itself; and at most, relative to a step.
SLACK, MOST_SLACK = 1e-6, 1e-2
#: Durations below are those that differences of times leave by rounding, s.
SHORTEST = 1e-12
#: Beyond so many steps the time of one is not exact, and no run is so long.
MOST_STEPS = 2.0**53


@dataclass(frozen=True, eq=False)
class Setup:
    """A robot with its control, the forces on it, and the integrator with its step."""

    robot: Robot
    step: Step
    dt: float
    #: A function of Python that gives joint forces, f(t, q, qd), and after how many steps it is asked again.
    outside: Callable[[float, Array, Array], Any] | None = None
    period: int = 1
    #: What is given by name: joint forces "tau", and the inputs of controller and force elements.
    given: Mapping[str, Array] = field(default_factory=dict)
    #: Those of them that have a value for each step.
    stepped: tuple[str, ...] = ()
    #: What touches the ground. Compliant contact is one of the elements of the step, rigid contact is its impulses.
    contacts: Contacts | None = None
    #: Numbers of the model that differ from sample to sample, by name: (..., *shape of `sixd.parameters`).
    parameters: Mapping[str, Array] = field(default_factory=dict)
    #: What the step computed when the setup was made (`sixd.simulation.content.content`).
    content: Hashable = None
    #: Whether the work of each source is asked for, beside being added up to look for energy from nothing.
    books: bool = False
    #: What is done about that: one of `sixd.simulation.balance.CHECKS`.
    energy_check: str = "off"
    #: The error that is allowed in a step, of integrators with error control.
    tolerances: Tolerances = USUAL
    #: The integrator by name; ``step`` has one with a fixed step also for those that choose their steps themselves.
    integrator: str = ""
    #: Whether all steps must be whole, as where they are differentiated.
    whole: bool = False

    def need_unchanged(self) -> None:
        """Raise if a controller, an element or the ground computes something else now than when this was made.

        Forces and energies of a run are computed when they are asked for, and a run may go on. What it was made of
        must not have changed meanwhile: variables around a function of the user, or attributes of an object.
        """
        self.step.need(self.content, self.robot, tuple(self.parameters), "simulate anew")

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources of forces: motors, each element, and rigid contact; equal names are numbered."""
        names = ["motors", *(element.name for element in self.step.elements)]
        names += [] if self.step.impulses is None else ["contact"]
        return tuple(
            name if names.count(name) == 1 else f"{name} {names[: k + 1].count(name)}" for k, name in enumerate(names)
        )

    def of_sample(self, index: tuple[Any, ...], lead: tuple[int, ...]) -> Setup:
        """The same for a part of a batch: what was given for each step, and parameters, are those of these samples."""
        found = dict(self.given)
        for name in self.stepped:
            rank = 1 + len(dict(self.step.inputs).get(name, (self.robot.nv,)))
            own = found[name].shape[found[name].ndim - rank :]
            found[name] = np.broadcast_to(found[name], (*lead, *own))[index]
        numbers = {}
        for name, x in self.parameters.items():
            own = parameters_of(self.robot, name).shape
            numbers[name] = np.broadcast_to(x, (*lead, *own))[index]
        return replace(self, given=found, parameters=numbers)


def whole_steps(duration: Any, dt: float, what: str = "duration") -> int:
    """How many steps of dt a duration is; refused if that is no whole number."""
    length = given.number(duration, what)
    if not (isfinite(length) and length >= 0.0):
        raise ModelError(f"{what} must be a finite number of seconds, zero or more, not {length:g}")
    number = length / dt
    if not number <= MOST_STEPS:
        raise ModelError(
            f"{what} = {length:g} s is more steps of dt = {dt:g} s than can be counted: choose a larger dt"
        )
    steps = round(number)
    if not steps and length > SHORTEST:
        raise ModelError(f"{what} = {length:g} s is less than one step of dt = {dt:g} s: take a smaller dt")
    if abs(number - steps) > min(SLACK * max(1.0, steps), MOST_SLACK):
        raise ModelError(
            f"{what} = {length:.12g} s is {number:.12g} steps of dt = {dt:g} s, but must be a whole number of them: "
            f"{steps * dt:.12g} s is the nearest"
        )
    return steps


def need_finite(array: Array, what: str) -> None:
    """Raise if an array has NaN or infinities."""
    if not np.isfinite(array).all():
        raise ModelError(f"{what} must be finite numbers, but it has NaN or infinities")


def setup_of(
    robot: Any,
    dt: Any,
    control: Any,
    control_dt: Any,
    forces: Any,
    integrator: Any,
    inputs: Any,
    books: Any,
    contacts: Any = None,
    parameters: Any = None,
    projection: Any = None,
    tolerances: Tolerances = USUAL,
    energy_check: str = "off",
    adaptive: str = "",
) -> Setup:
    """The setup that arguments of `simulate` describe; ``adaptive`` names an integrator that chooses its steps."""
    given.instance(robot, "robot", Robot, "sixd.load(...)")
    seconds = seconds_of(dt)
    controller = control if isinstance(control, Controller) else None
    outside = control if callable(control) and controller is None else None
    more = {TARGETS: (robot.n_targets, 3)} if robot.n_targets and TARGETS in _mapping(inputs) else {}
    adds_up = given.flag(books, "books") or energy_check != "off"
    step = step_of(robot, controller, forces, integrator, contacts, more, adds_up, projection)
    constant = control if controller is None and outside is None else None
    arrays, stepped = _given(robot, constant, _mapping(inputs), dict(step.inputs))
    period = 1
    if control_dt is not None:
        if outside is None:
            raise ArgumentError(
                "control_dt is how often a Python function is asked for joint forces: give control=f too"
            )
        period = whole_steps(control_dt, seconds, "control_dt")
        if not period:
            raise ModelError(f"control_dt must be at least one step, dt = {seconds:g} s, not {control_dt:g}")
    numbers, name = _parameters(robot, parameters), adaptive or step.integrator.name
    computed = content(step, robot, tuple(numbers))
    return Setup(
        robot,
        step,
        seconds,
        outside,
        period,
        arrays,
        stepped,
        contacts,
        numbers,
        computed,
        books,
        energy_check,
        tolerances,
        name,
    )


def seconds_of(dt: Any) -> float:
    """The length of a step, s."""
    seconds = given.number(dt, "dt")
    if not (isfinite(seconds) and seconds > 0.0):
        raise ModelError(f"dt must be a positive number of seconds, not {seconds:g}")
    return seconds


def step_of(
    robot: Robot,
    controller: Controller | None,
    forces: Any,
    integrator: Any,
    contacts: Any,
    more_inputs: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
    books: bool = False,
    projection: Any = None,
    parted: bool = True,
) -> Step:
    """One step of a simulation: what acts in it, and how it is integrated; without the numbers that it is given.

    ``more_inputs`` are shapes of inputs beside those of controller and forces. If no integrator is given, it is the
    `usual_integrator`, one whose steps may be ``parted`` or not. Steps that are not are those of one call: where an
    integrator solves equations, the number of its sweeps is fixed.
    """
    if robot.nv == 0:
        raise ModelError(
            f"{robot.name!r} has no joint that moves, so there is nothing to simulate; base='free' lets it fall"
        )
    elements = _elements(forces)
    for part in (*elements, *(() if controller is None else (controller,))):
        with leaving([(titled(part), part)]):
            part.check(robot)
    declared = {**inputs_of(controller, robot, elements), **more_inputs}
    impulses, memory = None, 0
    if contacts is not None:
        given.instance(contacts, "contacts", Contacts, "sixd.simulation.contact.Contacts.of(robot, ['foot'])")
    usual = usual_integrator(robot, controller, elements, contacts, parted)
    method = _integrator(usual if integrator is None else integrator)
    if contacts is not None:
        contacts.check(
            robot, method.takes_impulses, [name for name, kind in INTEGRATORS.items() if kind.takes_impulses]
        )
        if contacts.is_rigid and moves_base(elements):
            raise ChoiceError(
                "rigid contact takes the base to stand still, and a MovingBase does not: use law='compliant'"
            )
        _check_friction(robot, contacts, elements)
        elements += contacts.elements()
        if contacts.is_rigid:
            impulses, memory = contacts, contacts.memory(robot) + friction_rows(robot, controller, elements)
    return Step(
        method,
        controller,
        elements,
        tuple(declared.items()),
        books,
        impulses,
        memory,
        _projected(robot, projection),
        method.sought(robot) if parted else 0,
    )


def usual_integrator(
    robot: Robot,
    controller: Controller | None,
    elements: Sequence[ForceElement],
    contacts: Contacts | None,
    parted: bool = True,
) -> str:
    """The integrator that is taken where none is asked for, by name.

    It is "rk43", but where velocities jump, by rigid contact, one that finds these jumps: "semi_implicit_parts", or
    "semi_implicit_euler" if there is nothing for which it would make parts. Where steps must not be ``parted`` it is
    "rk4", and "semi_implicit_euler" also where joints stick, by dry friction.
    """
    if contacts is not None and contacts.is_rigid:
        return "semi_implicit_parts" if parted and elements else "semi_implicit_euler"
    if parted:
        return "rk43"
    return "semi_implicit_euler" if friction_rows(robot, controller, elements) else "rk4"


def _check_friction(robot: Robot, contacts: Contacts, elements: tuple[ForceElement, ...]) -> None:
    """Refuse to let the friction in the data of the robot act twice."""
    both = getattr(contacts.law, "joint_friction", False) and any(isinstance(part, Passive) for part in elements)
    rough = next((joint.name for joint in robot.joints if any(joint.data.friction)), None)
    if both and rough is not None:
        raise ChoiceError(
            f"the friction of joint {rough!r} would act twice: by Passive() and by Rigid(joint_friction=True). Leave "
            "joint_friction out, or give the springs and dampers of the robot as JointSpring and JointDamper"
        )


def _projected(robot: Robot, projection: Any) -> bool:
    """Whether steps end on the constraints: if asked for, or if no constraint has factors of stabilisation instead."""
    if projection is None:
        return bool(robot.closures) and not any(any(c.constraint.stabilisation) for c in robot.closures)
    if given.flag(projection, "projection") and not robot.closures:
        raise ArgumentError("projection leads back to constraints, and this robot has none: robot.close(...) adds them")
    return bool(projection)


def _elements(forces: Any) -> tuple[ForceElement, ...]:
    if isinstance(forces, ForceElement):
        return (forces,)
    if not isinstance(forces, Iterable) or isinstance(forces, str | bytes | Mapping):
        raise ArgumentError(f"forces must be force elements (sixd.simulation.ELEMENTS), not {given.described(forces)}")
    found = tuple(forces)
    for element in found:
        if not isinstance(element, ForceElement):
            raise ArgumentError(f"each of forces must be a force element, not {given.described(element)}")
    need_each_once(found, "act")
    return found


def _parameters(robot: Robot, values: Any) -> dict[str, Array]:
    """Numbers of the model as arrays, by name."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise ArgumentError(f"parameters maps names to arrays, as {{'inertia': I}}, not {given.described(values)}")
    check_parameters(robot, named_parameters(tuple(values)))
    found = {}
    for name, value in values.items():
        core = parameters_of(robot, name).shape
        array = real_numbers(f"parameters[{name!r}]", value)
        if array.ndim < len(core) or array.shape[array.ndim - len(core) :] != core:
            wanted = ", ".join(map(str, core))
            raise ShapeError(f"parameters[{name!r}] has shape {array.shape}, but (..., {wanted}) is needed")
        need_finite(array, f"parameters[{name!r}]")
        check_possible(robot, name, array)
        found[name] = array
    return found


def _integrator(integrator: Any) -> Integrator:
    if isinstance(integrator, Integrator):
        return integrator
    if isinstance(integrator, type) and issubclass(integrator, Integrator) and not isabstract(integrator):
        return integrator()
    return INTEGRATORS[given.choice(integrator, "integrator", INTEGRATORS)]()


def _mapping(inputs: Any) -> Mapping[str, Any]:
    """Inputs by name; none if there are none."""
    if inputs is not None and not isinstance(inputs, Mapping):
        raise ArgumentError(f"inputs maps names to arrays, as {{'q_target': q}}, not {given.described(inputs)}")
    return inputs or {}


def _given(
    robot: Robot, control: Any, inputs: Mapping[str, Any], declared: Mapping[str, tuple[int, ...]]
) -> tuple[dict[str, Array], tuple[str, ...]]:
    """Joint forces and inputs as arrays, and the names of those that have a value for each step."""
    values = {"tau": np.zeros(robot.nv) if control is None else control, **inputs}
    cores = {"tau": (robot.nv,), **declared}
    for name in inputs:
        if name not in declared:
            known = ", ".join(map(repr, declared)) or "none"
            raise ChoiceError(f"inputs names {name!r}, but the inputs of control and forces are: {known}")
    found, stepped = {}, []
    for name, core in cores.items():
        if name not in values:
            raise ArgumentError(
                f"control or forces need the input {name!r} of shape {core}: give it in inputs={{...}} of simulate, or "
                "put numbers in place of its name"
            )
        title = "control" if name == "tau" else f"inputs[{name!r}]"
        array = real_numbers(title, values[name])
        if array.ndim < len(core) or array.shape[array.ndim - len(core) :] != core:
            wanted = ", ".join(map(str, core))
            raise ShapeError(
                f"{title} has shape {array.shape}, but ({wanted}) is needed for a constant, or (..., steps, {wanted})"
            )
        need_finite(array, title)
        found[name] = array
        if array.ndim > len(core):
            stepped.append(name)
    return found, tuple(stepped)
