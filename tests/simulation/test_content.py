"""Runs are those of controllers, forces and grounds as they are, however often these change."""

import pickle
from collections import deque
from dataclasses import dataclass
from functools import cached_property, wraps
from types import ModuleType

import numpy as np
import pytest

import sixd
from sixd.simulation import Controller, Differentiable, EquationsOfMotion, ForceElement
from sixd.simulation.contact import Compliant, Contacts, Grid, Ground, HeightField, Plane, Point, impact
from sixd.simulation.content import content
from sixd.simulation.controllers import JointPD
from sixd.simulation.forces import Field, JointSpring
from sixd.simulation.integrators import SemiImplicitEuler
from sixd.simulation.kept import kept_kernel, kept_rollout
from sixd.simulation.setup import step_of
from sixd.simulation.step import rollout_of
from sixd.spatial import Vector

ROBOT = sixd.gallery.double_pendulum()
GAIN = 1.0
GAINS = ModuleType("gains")
GAINS.k = 1.0


def by_global(p, v, t):
    return Vector((GAIN * p[0], 0.0, 0.0))


def through_another(p, v, t):
    return by_global(p, v, t)


def by_module(p, v, t):
    return Vector((GAINS.k * p[0], 0.0, 0.0))


class Push(ForceElement):
    """An element of a user that is no frozen data."""

    name = "push"
    scale = 1.0

    def __init__(self, k):
        self.k = k

    def apply(self, moment, loads):
        loads.tau[0] = loads.tau[0] + self.scale * self.k


@dataclass
class Pull(ForceElement):
    """One that cannot be hashed."""

    levels: list

    name = "pull"

    def apply(self, moment, loads):
        loads.tau[0] = loads.tau[0] + self.levels[0]


class Hold(Controller):
    name = "hold"

    def __init__(self):
        self.gains = np.array([3.0, 2.0])

    def torque(self, moment):
        return [-k * x for k, x in zip(self.gains.tolist(), moment.q, strict=True)]


class Slotted(Controller):
    """Its number is in a slot, beside the dictionary that its base gives it."""

    __slots__ = ("k",)
    name = "slotted"

    def torque(self, moment):
        return [self.k, 0.0]


class Gain(float):
    """A number of the user's own type."""


class Method(SemiImplicitEuler):
    """An integrator of the user."""

    share = 1.0

    def step(self, system, t, state, h):
        return super().step(system, t, state, h * self.share)


class Springs(Compliant):
    """A law of the user."""

    share = 1.0

    def force(self, moment, touch):
        return super().force(moment, touch) * self.share


def end(**given):
    return sixd.simulate(ROBOT, [0.3, 0.2], [0.0, 0.0], 0.05, **given).q[-1]


def step(control=None, forces=(), integrator="semi_implicit_euler", contacts=None):
    return step_of(ROBOT, control, forces, integrator, contacts)


def closure():
    gain = 1.0

    def force(p, v, t):
        return Vector((gain * p[0], 0.0, 0.0))

    def change(value):
        nonlocal gain
        gain = value

    return Field(force), change


def of_globals(function, name="GAIN"):
    def change(value):
        globals()[name] = value

    return Field(function), change


def of_attribute(part, name):
    return part, lambda value: setattr(part, name, value)


def of_array():
    part = Hold()

    def change(value):
        part.gains[0] = value

    return part, change


def of_list():
    part = Pull([1.0])

    def change(value):
        part.levels[0] = value

    return part, change


def of_slot():
    part = Slotted()
    return part, lambda value: setattr(part, "k", value)


def of_own_number():
    numbers = [Gain(1.0)]

    def change(value):
        numbers[0] = Gain(value)

    return Field(lambda p, v, t: Vector((numbers[0] * p[0], 0.0, 0.0))), change


def of_queue():
    helpers = deque([by_global], 1)

    def change(value):
        helpers.append(lambda p, v, t: Vector((value * p[0], 0.0, 0.0)))

    return Field(lambda p, v, t: helpers[0](p, v, t)), change


def of_wrapper():
    @wraps(np.clip)
    def force(p, v, t):
        return by_global(p, v, t)

    return of_globals(force)


def of_module_around():
    module = GAINS
    return Field(lambda p, v, t: Vector((module.k * p[0], 0.0, 0.0))), lambda value: setattr(GAINS, "k", value)


def of_name_at_run_time():
    return of_globals(lambda p, v, t: Vector((globals()["GAIN"] * p[0], 0.0, 0.0)))


def of_deep_list():
    whole = innermost = []
    for _ in range(600):
        innermost.append([])
        innermost = innermost[0]
    innermost.append(1.0)

    def force(p, v, t):
        x = whole
        while isinstance(x, list):
            x = x[0]
        return Vector((x * p[0], 0.0, 0.0))

    def change(value):
        innermost[0] = value

    return Field(force), change


def of_integrator():
    method = Method()
    return method, lambda value: setattr(Method, "share", 1.0 / value)


def of_law():
    contacts = Contacts([Point("tip")], Plane((0.0, 0.0, 1.0), 0.0), Springs(stiffness=1e3, damping=0.0))
    return contacts, lambda value: setattr(Springs, "share", 1.0 / value)


def of_ground():
    slope = [0.0]
    ground = HeightField(lambda x, y: slope[0] * x)

    def change(value):
        slope[0] = 0.01 * value

    return Contacts([Point("tip")], ground, Compliant(stiffness=100.0, damping=0.0, friction=0.0)), change


CASES = {
    "a variable around a function": closure,
    "a global": lambda: of_globals(by_global),
    "a global of another function": lambda: of_globals(through_another),
    "an attribute of a module": lambda: (Field(by_module), lambda value: setattr(GAINS, "k", value)),
    "a module around a function": of_module_around,
    "a global by its text": of_name_at_run_time,
    "an attribute of an object": lambda: of_attribute(Push(1.0), "k"),
    "an attribute of a class": lambda: (Push(1.0), lambda value: setattr(Push, "scale", value)),
    "a slot": of_slot,
    "an entry of an array": of_array,
    "an entry of a list": of_list,
    "an entry of a deep list": of_deep_list,
    "an entry of a queue": of_queue,
    "a number of a type of its own": of_own_number,
    "a function with the name of another": of_wrapper,
    "an integrator": of_integrator,
    "a law of contact": of_law,
    "a ground": of_ground,
}


def place(part):
    """The argument of `simulate` that takes a part."""
    kinds = {Controller: "control", ForceElement: "forces", SemiImplicitEuler: "integrator", Contacts: "contacts"}
    return {name: part for kind, name in kinds.items() if isinstance(part, kind)}


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_a_run_sees_what_has_changed_since_the_last_one(make):
    part, change = make()
    change(1.0)
    first, rollout = end(**place(part)), rollout_of(step(**place(part)), ROBOT, ())
    run = sixd.simulate(ROBOT, [0.3, 0.2], [0.0, 0.0], 0.05, **place(part))
    change(50.0)
    second = end(**place(part))
    with pytest.raises(sixd.ModelError, match="computes something else by now"):
        run.resume(0.1)
    change(1.0)
    assert not np.array_equal(first, second)
    assert np.array_equal(end(**place(part)), first)
    assert run.resume(0.1).t[-1] == pytest.approx(0.15)
    assert rollout_of(step(**place(part)), ROBOT, ()) is rollout  # the code of the first run serves again


def test_changes_are_seen_beside_parts_that_do_not_change():
    part, change = closure()
    change(1.0)
    first = end(forces=[JointSpring(1.0), part], control=JointPD(1.0, 0.1), inputs={"q_target": [0.0, 0.0]})
    change(50.0)
    second = end(forces=[JointSpring(1.0), part], control=JointPD(1.0, 0.1), inputs={"q_target": [0.0, 0.0]})
    assert not np.array_equal(first, second)


def test_parts_that_agree_on_a_robot_but_not_on_one_with_other_masses():
    """What a part computes with numbers that differ from sample to sample is not what it does with the robot's own."""
    mass = ROBOT.body_list[1].inertia.m
    heavy = sixd.parameters(ROBOT, "inertia") * 2.0

    class Weighed(ForceElement):
        name = "weighed"

        def __init__(self, by_mass):
            self.by_mass = by_mass

        def apply(self, moment, loads):
            loads.tau[0] = loads.tau[0] + (moment.model.body_list[1].inertia.m if self.by_mass else mass)

    assert np.array_equal(end(forces=Weighed(True)), end(forces=Weighed(False)))
    ends = [end(forces=Weighed(by_mass), parameters={"inertia": heavy}) for by_mass in (True, False)]
    assert not np.array_equal(*ends)


def test_forces_of_a_run_are_refused_when_they_are_no_longer_those_of_the_run():
    part = Push(1.0)
    run = sixd.simulate(ROBOT, [0.3, 0.2], [0.0, 0.0], 0.05, forces=part)
    part.k = 2.0
    for ask in (lambda: run.power, lambda: run.resume(0.1)):
        with pytest.raises(sixd.ModelError, match=r"'push'.* computes something else by now"):
            ask()
    part.k = 1.0
    assert np.allclose(run.power[:, 1], run.qd[:, 0], rtol=1e-14)


def test_what_does_not_matter_changes_nothing():
    """Globals with the names of attributes, and what is computed when it is first asked for."""

    class Doubling(Controller):
        name = "doubling"

        @cached_property
        def gain(self):
            return 2.0

        def torque(self, moment):
            return [-self.gain * a for a in moment.q]

    class Level(Ground):
        name = "level"

        @cached_property
        def plane(self):
            return Plane()

        def nearest(self, p):
            return self.plane.nearest(p)

    globals()["q"] = np.zeros(3)
    contacts = Contacts([Point("tip")], Level(), Compliant(stiffness=100.0, damping=0.0, friction=0.0))
    run = sixd.simulate(ROBOT, [0.3, 0.2], [0.0, 0.0], 0.05, control=Doubling(), contacts=contacts)
    globals()["q"] = np.ones(3)
    assert np.allclose(run.tau, -2.0 * run.q, rtol=1e-14)
    assert run.contact_forces.shape == (*run.t.shape, 1, 3)
    assert run.resume(0.05).t[-1] == pytest.approx(0.1)


def test_runs_with_parts_of_the_user_can_be_pickled():
    run = sixd.simulate(ROBOT, [0.3, 0.2], [0.0, 0.0], 0.05, forces=Field(by_global), control=Hold())
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.tau, run.tau)
    assert np.array_equal(again.resume(0.05).q, run.resume(0.05).q)


def test_derivatives_are_refused_when_the_simulation_is_another_by_now():
    part = Push(1.0)
    made = Differentiable(ROBOT, dt=1e-2, forces=[part])
    given = [0.3, 0.2], [0.0, 0.0], np.zeros((3, 2))
    before = made(*given).q
    part.k = 5.0
    with pytest.raises(sixd.ModelError, match="make a new Differentiable, or change it back"):
        made(*given)
    assert not np.array_equal(Differentiable(ROBOT, dt=1e-2, forces=[part])(*given).q, before)


def test_equations_of_motion_are_those_of_when_they_were_made():
    part = Push(1.0)
    equations = EquationsOfMotion(ROBOT, forces=[part])
    before = equations(0.0, [0.3, 0.2, 0.0, 0.0])
    part.k = 5.0
    assert np.array_equal(equations(0.0, [0.3, 0.2, 0.0, 0.0]), before)
    assert not np.array_equal(EquationsOfMotion(ROBOT, forces=[part])(0.0, [0.3, 0.2, 0.0, 0.0]), before)


def test_grounds_that_change_in_impacts():
    slope = [0.0]
    ball = sixd.Builder("ball")
    ball.body("ball", joint=sixd.joints.Free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    robot = ball.build()
    contacts = Contacts([Point("ball")], HeightField(lambda x, y: slope[0] * x), "rigid")
    state = robot.neutral(), [0.0, 0.0, 0.0, 0.0, 0.0, -1.0]
    flat = impact(robot, *state, contacts).qd
    slope[0] = 2.0  # steeper than friction holds
    assert not np.allclose(impact(robot, *state, contacts).qd, flat)


def test_code_is_kept_for_equal_parts_and_not_for_functions_of_users():
    def double(model, q):
        return 2.0 * q

    assert content(JointSpring(1.0), ROBOT) == content(JointSpring(1.0), ROBOT) != content(JointSpring(2.0), ROBOT)
    equal = [rollout_of(step(forces=[JointSpring(1.0)]), ROBOT, ()) for _ in range(2)]
    assert equal[0] is equal[1]
    assert content(double, ROBOT) is None
    assert kept_kernel(double, ROBOT) is not kept_kernel(double, ROBOT)
    options = {"carried": {"q": "q_next"}, "shapes": {"q": (2,)}}
    assert kept_rollout(double, ROBOT, **options) is not kept_rollout(double, ROBOT, **options)


def test_keys_of_all_kinds_of_values():
    """Each is equal to itself made again, and differs from the others."""
    makes = [
        lambda: 0.0,
        lambda: -0.0,
        lambda: 0,
        lambda: False,
        lambda: "0",
        lambda: None,
        lambda: (1, 2),
        lambda: (1.0, 2.0),
        lambda: (0.5,) * 20,
        lambda: (0.5,) * 19 + (0.25,),
        lambda: {"a": 1},
        lambda: np.array([1.0, 2.0]),
        lambda: np.array([[1.0], [2.0]]),
        lambda: np.float64(1.0),
        lambda: ROBOT,
        lambda: sixd.gallery.pendulum(),
        lambda: Grid(np.eye(2), 1.0),
        lambda: Grid(np.eye(3), 1.0),
        lambda: HeightField(Grid(np.eye(3), 1.0)),
        lambda: Contacts([Point("tip")]),
        lambda: Contacts([Point("tip")], law="rigid"),
    ]
    keys = [content(make(), ROBOT) for make in makes]
    assert keys == [content(make(), ROBOT) for make in makes]
    assert len(set(keys)) == len(keys)
    assert None not in keys


def test_values_without_a_key():
    for value in ([1.0], {1.0}, Gain(1.0), np.array([None]), object(), np.sin, by_global, Push):
        assert content(value, ROBOT) is None
