"""Runs are those of controllers, forces and grounds as they are, however often these change."""

import threading
from dataclasses import dataclass
from functools import cache, partial
from types import ModuleType

import numpy as np
import pytest

import sixd
from sixd.simulation import Controller, ForceElement
from sixd.simulation.contact import Contacts, HeightField, Point, impact
from sixd.simulation.content import content
from sixd.simulation.forces import Field, JointSpring
from sixd.simulation.kept import kept_kernel, kept_rollout
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


def end(**given):
    return sixd.simulate(ROBOT, [0.3, 0.2], [0.0, 0.0], 0.05, **given).q[-1]


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


CASES = {
    "a variable around a function": closure,
    "a global": lambda: of_globals(by_global),
    "a global of another function": lambda: of_globals(through_another),
    "an attribute of a module": lambda: (Field(by_module), lambda value: setattr(GAINS, "k", value)),
    "an attribute of an object": lambda: of_attribute(Push(1.0), "k"),
    "an attribute of a class": lambda: (Push(1.0), lambda value: setattr(Push, "scale", value)),
    "an entry of an array": of_array,
    "an entry of a list": of_list,
}


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_a_run_sees_what_has_changed_since_the_last_one(make):
    part, change = make()
    where = "control" if isinstance(part, Controller) else "forces"
    change(1.0)
    first, before = end(**{where: part}), content(part)
    change(50.0)
    second = end(**{where: part})
    change(1.0)
    assert not np.array_equal(first, second)
    assert np.array_equal(end(**{where: part}), first)
    assert content(part) == before  # the code of the first run serves again


def test_forces_of_a_run_are_refused_when_they_are_no_longer_those_of_the_run():
    part = Push(1.0)
    run = sixd.simulate(ROBOT, [0.3, 0.2], [0.0, 0.0], 0.05, forces=part)
    part.k = 2.0
    for ask in (lambda: run.power, lambda: run.resume(0.1)):
        with pytest.raises(sixd.ModelError, match=r"'push'.* computes something else by now"):
            ask()
    part.k = 1.0
    assert np.allclose(run.power[:, 1], run.qd[:, 0], rtol=1e-14)


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


def test_code_is_kept_for_equal_parts_and_not_for_what_cannot_be_compared():
    def step(model, q):
        return q

    assert kept_kernel(step, ROBOT) is kept_kernel(step, ROBOT)
    assert content(JointSpring(1.0)) == content(JointSpring(1.0)) != content(JointSpring(2.0))
    lock = threading.Lock()

    def guarded(model, q):
        with lock:
            return q

    assert content(guarded) is None
    assert kept_kernel(guarded, ROBOT) is not kept_kernel(guarded, ROBOT)
    options = {"carried": {"q": "q_next"}, "shapes": {"q": (2,)}}
    assert kept_rollout(guarded, ROBOT, **options) is not kept_rollout(guarded, ROBOT, **options)


def test_keys_of_all_kinds_of_values():
    """Each is equal to itself made again, and differs from the others."""

    class Slow:
        @property
        def a(self):
            return 1.0

        @staticmethod
        def b(x):
            return x

        @classmethod
        def c(cls, x):
            return x

    def knot():
        circle = []
        circle.append(circle)
        return circle

    @cache
    def wrapped(x):
        return x

    makes = [
        lambda: 0.0,
        lambda: -0.0,
        lambda: 0,
        lambda: False,
        lambda: "0",
        lambda: (1, 2),
        lambda: [1, 2],
        lambda: {1, 2},
        lambda: {"a": 1},
        lambda: np.array([1.0, 2.0]),
        lambda: np.array([[1.0], [2.0]]),
        lambda: np.float32(1.0),
        lambda: np.sin,
        lambda: np,
        lambda: max,
        lambda: [1.0].append,
        lambda: Slow,
        lambda: Slow(),
        lambda: Slow().a.hex,
        lambda: partial(by_global, 1.0),
        lambda: Hold().torque,
        lambda: wrapped,
        lambda: ROBOT,
        lambda: sixd.gallery.pendulum(),
        lambda: sixd.algorithms.mass_matrix,
        knot,
    ]
    keys = [content(make()) for make in makes]
    assert keys == [content(make()) for make in makes]
    assert len(set(keys)) == len(keys)
    assert None not in keys
