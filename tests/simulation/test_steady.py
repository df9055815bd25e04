"""What is compiled must be a function of its arguments: laws with random numbers, counters and clocks are refused."""

import functools
import itertools
import pickle
import random
import time

import numpy as np
import pytest

import sixd
from sixd import SixdError, ops
from sixd.compiler import unrolled
from sixd.constraints import Distance
from sixd.constraints.contract import CONSTRAINTS
from sixd.ir import UnsteadyError
from sixd.joints import Revolute
from sixd.simulation import Controller, Differentiable, EquationsOfMotion, ForceElement
from sixd.simulation.contact import Compliant, Contacts, Ground, HeightField, Point
from sixd.simulation.forces import Field, MovingBase
from sixd.simulation.integrators import SemiImplicitEuler
from sixd.spatial import Vector

ROBOT = sixd.gallery.double_pendulum()
COUNT = itertools.count(1)
SOURCES = {
    "random": lambda: random.random(),
    "numpy": lambda: float(np.random.default_rng().normal()),
    "counter": lambda: float(next(COUNT)),
    "clock": lambda: time.perf_counter(),
}
EVERY = pytest.mark.parametrize("number", SOURCES.values(), ids=SOURCES)


class Push(ForceElement):
    name = "push"

    def __init__(self, number):
        self.number = number

    def apply(self, moment, loads):
        loads.tau[0] = loads.tau[0] + self.number()


class Hold(Controller):
    name = "hold"

    def __init__(self, number):
        self.number = number

    def torque(self, moment):
        return [-self.number() * x for x in moment.q]


class Method(SemiImplicitEuler):
    def step(self, system, t, state, h):
        return super().step(system, t, state, h * (1.0 + 1e-6 * random.random()))


class Springs(Compliant):
    def force(self, moment, touch):
        return super().force(moment, touch) * (1.0 + random.random())


class Wavy(Ground):
    name = "wavy"

    def nearest(self, p):
        return sixd.simulation.contact.Plane().nearest(p * (1.0 + random.random()))


class Wobbly(Revolute, listed=False):
    """A joint of a user whose angle is a little off, each time in another way."""

    name = "wobbly"

    def transform(self, q):
        return super().transform(q * (1.0 + 1e-3 * random.random()))


class Loose(Distance):
    """A constraint of a user."""

    kind = "loose"

    def error(self, X, q):
        return super().error(X, q) * (1.0 + random.random())


CONSTRAINTS.pop(Loose.kind)  # other tests run over all kinds that are registered


def simulated(robot=ROBOT, **given):
    return sixd.simulate(robot, robot.neutral(), np.zeros(robot.nv), 0.01, **given)


@EVERY
@pytest.mark.parametrize("integrator", [None, "semi_implicit_euler", "implicit", "dopri5"])
def test_laws_of_simulations(number, integrator):
    for given, name in (
        ({"forces": Push(number)}, r"'push' \(Push.*\)"),
        ({"control": Hold(number)}, r"'hold' \(Hold.*\)"),
        ({"forces": Field(lambda p, v, t: Vector((number(), 0.0, p[0])))}, "'field' .*lambda.*"),
    ):
        with pytest.raises(SixdError, match=rf"{name} is no function of its arguments alone"):
            simulated(**given, integrator=integrator)


def test_the_one_that_is_to_blame_is_named():
    still = [Push(lambda: 1.0), Field(lambda p, v, t: Vector((p[0], 0.0, 0.0)))]
    with pytest.raises(SixdError, match=r"^'hold' \(Hold\) is no function"):
        simulated(forces=still, control=Hold(random.random))
    simulated(forces=still)


def test_everything_else_that_users_write():
    base = MovingBase(lambda t: (0.0, 0.0, 0.0, random.random() * t, 0.0, 0.0))
    tip = Point("tip")
    for given, name in (
        ({"integrator": Method()}, "Method"),
        ({"forces": base}, "moving_base"),
        ({"contacts": Contacts([tip], law=Springs())}, r"'contact' \(Springs\)"),
        ({"contacts": Contacts([tip], Wavy(), "compliant")}, r"'wavy' \(Wavy\)"),
        ({"contacts": Contacts([tip], HeightField(lambda x, y: random.random() * x), "compliant")}, "height"),
    ):
        with pytest.raises(SixdError, match=f"{name}.* is no function of its arguments alone"):
            simulated(**given)
    with pytest.raises(UnsteadyError, match="'push'"):
        Differentiable(ROBOT, dt=0.01, forces=Push(random.random))
    with pytest.raises(UnsteadyError, match="'push'"):
        EquationsOfMotion(ROBOT, forces=Push(random.random))(0.0, np.zeros(4))


@EVERY
@pytest.mark.parametrize("wrap", [lambda f: f, lambda f: sixd.jacobian(f, "q"), lambda f: sixd.vjp(f, "q")])
def test_compiled_functions(number, wrap):
    def offset(model, q):
        return q * number()

    with pytest.raises(UnsteadyError, match="offset"):
        sixd.compile(wrap(offset), ROBOT)


def test_joints_of_users():
    robot = sixd.Builder("arm").body("link", joint=Wobbly("y"), joint_name="hinge", mass=1.0, com=(0.1, 0, 0)).build()
    for call in (
        lambda: robot.inverse_dynamics([0.1], [0.0], [0.0]),
        lambda: robot.pose([0.1], "link"),
        lambda: sixd.compile(sixd.algorithms.rnea, robot, rolled=True),
        lambda: simulated(robot),
    ):
        with pytest.raises(SixdError, match=r"Wobbly is no function of its arguments|iterations of a loop differ"):
            call()
    assert pickle.loads(pickle.dumps(robot)) == robot


def test_constraints_of_users():
    closed = ROBOT.close(Loose("base", "tip", 0.7))
    with pytest.raises(SixdError, match="Loose is no function of its arguments alone"):
        closed.constraint_error(closed.neutral())


def test_what_is_known_is_not_recorded_again(monkeypatch):
    """Runs after the first record the law of a user once, to see whether it is the same; sixd's own is not recorded."""
    recorded = []
    once = unrolled._recorded_once

    def counted(request, *more):
        recorded.append(request.name)
        return once(request, *more)

    monkeypatch.setattr(unrolled, "_recorded_once", counted)

    def laws():
        """Functions of the same code, each time another one."""
        return Push(lambda: 0.37), lambda model, q: ops.sin(q[0]) + 0.731

    for most in (4, 1):  # at first the step, and its energies, too
        recorded.clear()
        simulated(forces=laws()[0])
        assert len(recorded) <= most, recorded
    for most in (2, 1):
        recorded.clear()
        sixd.compile(laws()[1], ROBOT)
        assert len(recorded) == most
    recorded.clear()
    sixd.compile(sixd.jacobian(sixd.algorithms.rnea, "q"), ROBOT)
    assert len(recorded) == 1


def test_a_counter_that_begins_where_a_constant_was():
    """That one program was the same twice says nothing of other code that does the same once."""
    simulated(forces=Push(lambda: 7.25))
    count = itertools.count(7.25)
    with pytest.raises(UnsteadyError, match=r"'push' \(Push"):
        simulated(forces=Push(lambda: next(count)))


def test_a_refusal_that_a_law_catches():
    """A law that goes another way where it cannot ask for a value would be frozen in that way."""

    def swallowing(p, v, t):
        try:
            return Vector((1.0, 0.0, 0.0)) if p[0] > 0.0 else Vector.zero()
        except Exception:
            return Vector.zero()

    with pytest.raises(SixdError, match="is not known while the code is recorded"):
        simulated(forces=Field(swallowing))


def first_kept():
    """Laws that remember the first state that they see, each in a place of another kind."""
    known = {}

    def reference(moment):
        return known.setdefault("q", [float(x) for x in moment.q])

    class Attribute(Controller):
        name, ref = "hold", None

        def torque(self, m):
            if self.ref is None:
                self.ref = [float(x) for x in m.q]
            return [-50.0 * (a - b) - 5.0 * v for a, b, v in zip(m.q, self.ref, m.qd, strict=True)]

    class Variable(Attribute):
        def torque(self, m):
            return [b - a for a, b in zip(m.q, reference(m), strict=True)]

    class Shared(Attribute):
        def torque(self, m):
            Shared.ref = Shared.ref or [float(x) for x in m.q]
            return [b - a for a, b in zip(m.q, Shared.ref, strict=True)]

    class Array(Attribute):
        def __init__(self):
            self.seen = np.full(2, np.nan)

        def torque(self, m):
            if np.isnan(self.seen[0]):
                self.seen[:] = [float(x) for x in m.q]
            return [b - a for a, b in zip(m.q, self.seen, strict=True)]

    return {"ref": Attribute(), "variable known": Variable(), "class Shared.ref": Shared(), "seen": Array()}


@pytest.mark.parametrize("place", first_kept())
def test_a_law_that_remembers_its_first_state(place):
    """The trial at the neutral position was its first state, and it held that place without a word."""
    law = first_kept()[place]
    with pytest.raises(UnsteadyError, match=rf"'hold' .*keeps something from one call to the next \(.*{place}"):
        sixd.simulate(ROBOT, np.ones(2), np.zeros(2), 0.01, control=law)
    for again in (law, law + Lazy()):  # nothing is new then
        with pytest.raises(UnsteadyError, match="keeps something from one call to the next"):
            simulated(control=again)
    other = first_kept()[place]
    with pytest.raises(UnsteadyError, match="keeps something from one call to the next"):
        other.check(ROBOT)
    with pytest.raises(UnsteadyError, match="keeps something from one call to the next"):
        simulated(control=other)


class Lazy(Controller):
    name = "lazy"

    @functools.cached_property
    def gain(self):
        return 3.0

    def torque(self, moment):
        return [-self.gain * x for x in moment.q]


def test_elements_grounds_and_fields_that_remember():
    first, tip = [], Point("tip")

    def spring(p, v, t):
        first.extend([float(p[0])] if not first else [])
        return Vector((first[0] - p[0], 0.0, 0.0))

    class Counting(Push):
        def apply(self, moment, loads):
            self.calls = getattr(self, "calls", 0) + 1

    class Sinking(Wavy):
        calls = 0

        def nearest(self, p):
            type(self).calls += 1
            return sixd.simulation.contact.Plane().nearest(p)

    for given, name in (
        ({"forces": Field(spring)}, "variable first"),
        ({"forces": Counting(None)}, "Counting.calls"),
        ({"contacts": Contacts([tip], Sinking(), "compliant")}, "Sinking.calls"),
    ):
        with pytest.raises(UnsteadyError, match=rf"keeps something from one call to the next \(.*{name}"):
            simulated(**given)


def test_constants_that_are_computed_when_first_needed_may_be_kept():
    simulated(control=Lazy())


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: random.choice([1.0, 1.0]), r"from random,"),
        (lambda: float(np.random.choice([1.0, 1.0])), r"from numpy\.random,"),
        (functools.partial(np.random.default_rng(3).choice, [1.0, 1.0]), "keeps something"),
        (np.random.default_rng(3).random, "keeps something"),
        (functools.partial(random.Random(3).choice, [1.0, 1.0]), "keeps something"),
    ],
)
def test_random_numbers_with_few_outcomes(draw, said):
    """They are the same twice by chance, here always: they have drawn nevertheless."""
    with pytest.raises(UnsteadyError, match=rf"'push' .*{said}"):
        simulated(forces=Push(draw))
    if "from" in said:
        with pytest.raises(UnsteadyError, match=said):
            sixd.compile(lambda model, q: draw() * q[0], ROBOT)
