"""Inputs have names that do not meet those of other arguments."""

import numpy as np
import pytest

import sixd
from sixd.simulation import Differentiable
from sixd.simulation.adaptive_step import Attempt
from sixd.simulation.contact import Contacts
from sixd.simulation.controllers import JointPD
from sixd.simulation.forces import Thruster
from sixd.simulation.gradient_steps import Backward, Forward, Tangent
from sixd.simulation.integrators import INTEGRATORS
from sixd.simulation.step import RESERVED, Step

ROBOT = sixd.gallery.double_pendulum()
TIP = ROBOT.frames[-1].name


def functions():
    contacts = Contacts.of(ROBOT, [TIP], law="rigid")
    for make in INTEGRATORS.values():
        step = Step(make(), books=True, impulses=contacts, memory=3)
        yield from (step, Forward(step), Tangent(step), Backward(step))
    yield Attempt(books=True)


def test_all_arguments_of_steps_are_reserved():
    for function in functions():
        names = set(function.__signature__.parameters)
        assert names <= RESERVED, f"{function.__name__}: {names - RESERVED}"


@pytest.mark.parametrize("name", [*sorted(RESERVED), "left-thruster", "a b", "class", "_goal", ""])
def test_names_that_cannot_be_those_of_inputs(name):
    with pytest.raises(sixd.SixdError):
        sixd.simulate(ROBOT, [1.0, 0.5], [0.0, 0.0], 0.1, forces=Thruster(TIP, name), inputs={name: 1.0})


def test_joint_forces_are_given_as_control():
    with pytest.raises(sixd.ChoiceError, match="inputs names 'tau'"):
        sixd.simulate(ROBOT, [1.0, 0.5], [0.0, 0.0], 0.1, control=[5.0, 5.0], inputs={"tau": [0.0, 0.0]})


@pytest.mark.parametrize("name", ["dthrust", "tangent_thrust", "thrust_bar", "qd_next", "sum_inertia", "dinertia"])
def test_names_of_derivatives(name):
    with pytest.raises(sixd.ChoiceError, match="name of a derivative"):
        Differentiable(ROBOT, forces=[Thruster(TIP, "thrust"), Thruster(TIP, name)], parameters="inertia")


def test_the_gradient_by_one_number():
    motion = Differentiable(ROBOT, dt=1e-2, forces=[Thruster(TIP, "thrust")])
    start, bars = ([1.0, 0.5], [0.0, 0.0], np.zeros((5, 2))), (np.ones(2), np.ones(2))
    _, one = motion.vjp(*start, *bars, inputs={"thrust": 1.0})
    _, row = motion.vjp(*start, *bars, inputs={"thrust": [1.0]})
    assert one.inputs["thrust"].shape == ()
    assert np.array_equal(one.inputs["thrust"], row.inputs["thrust"][0])


def test_one_name_for_a_position_and_a_velocity():
    body = sixd.gallery.jumping_lamp()
    free = sixd.Builder("free")
    free.body("ball", joint=sixd.joints.Spherical(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    JointPD(1.0, 1.0, q="a", qd="a").check(body)  # both have as many numbers
    with pytest.raises(sixd.ShapeError, match="name two inputs"):
        JointPD(1.0, 1.0, q="a", qd="a").check(free.build())
