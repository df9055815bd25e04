"""Numbers of the model as arguments of a kernel."""

import numpy as np
import pytest

import sixd
from sixd import ChoiceError, ModelError, algorithms, gallery
from sixd.compiler.parameters import PARAMETERS
from sixd.joints import Planar
from sixd.model.random import random_tree

KINDS = ["revolute", "prismatic", "helical", "spherical", "free", "cylindrical"]


@pytest.fixture(scope="module")
def robot():
    return sixd.Robot.of(random_tree(8, 0, joints=KINDS, rotors=True))


def state(robot, n=5):
    rng = np.random.default_rng(0)
    return robot.random(rng, n), rng.normal(size=(n, robot.nv)), rng.normal(size=(n, robot.nv))


@pytest.mark.parametrize("rolled", [False, True])
@pytest.mark.parametrize("name", list(PARAMETERS))
def test_a_model_s_own_parameters_give_its_own_results(robot, name, rolled):
    kernel = sixd.compile(algorithms.rnea, robot, parameters=name, rolled=rolled)
    assert [port.name for port in kernel.inputs] == ["q", "qd", "qdd", name]
    expected = robot.inverse_dynamics(*state(robot))
    found = kernel(*state(robot), sixd.parameters(robot, name))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("rolled", [False, True])
def test_one_set_for_each_sample(robot, rolled):
    """Torques are linear in masses, rotors and moments of inertia together."""
    kernel = sixd.compile(algorithms.rnea, robot, parameters=["inertia", "rotor"], rolled=rolled)
    scale = np.arange(1.0, 6.0)
    inertia, rotor = (sixd.parameters(robot, name) for name in ("inertia", "rotor"))
    found = kernel(*state(robot), scale[:, None, None] * inertia, scale[:, None] * rotor)
    expected = scale[:, None] * robot.inverse_dynamics(*state(robot))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("rolled", [False, True])
def test_gravity_and_placement_as_another_robot_has_them(robot, rolled):
    other = robot.with_gravity((1.0, 2.0, 3.0))
    kernel = sixd.compile(algorithms.rnea, robot, parameters=("placement", "gravity"), rolled=rolled)
    found = kernel(*state(robot), sixd.parameters(robot, "placement"), np.array([1.0, 2.0, 3.0]))
    expected = other.inverse_dynamics(*state(robot))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_an_axis_as_another_robot_has_it():
    first, second = (sixd.Robot.of(random_tree(4, seed, joints=["revolute"], branching=0.0)) for seed in (1, 2))
    names = ["inertia", "placement", "axis"]
    kernel = sixd.compile(algorithms.aba, first, parameters=names)
    found = kernel(*state(second), *(sixd.parameters(second, name) for name in names))
    expected = second.forward_dynamics(*state(second))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_functions_of_a_model_see_the_parameters():
    arm = gallery.seven_axis_arm()

    def weight(model, q):
        return algorithms.gravity_forces(model, q) * 2.0

    kernel = sixd.compile(weight, arm, parameters="inertia")
    q = arm.random(0)
    found, expected = kernel(q, sixd.parameters(arm, "inertia")), 2.0 * arm.gravity_forces(q)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_wrong_names_are_refused():
    arm = gallery.seven_axis_arm()
    with pytest.raises(ChoiceError, match="'mass'"):
        sixd.compile(algorithms.rnea, arm, parameters="mass")
    with pytest.raises(ChoiceError, match="'mass'"):
        sixd.parameters(arm, "mass")


def test_a_joint_with_more_directions_than_an_axis_is_named():
    robot = sixd.Robot.of(random_tree(2, 0, joints=[Planar()]))
    with pytest.raises(ModelError, match="has more directions than an axis"):
        sixd.compile(algorithms.rnea, robot, parameters="axis")
