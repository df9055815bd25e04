"""The parts of inverse kinematics: the derivative of the error, the bound of reach, the configurations of a model."""

import numpy as np
import pytest

import sixd
from sixd import gallery
from sixd.algorithms import difference, integrate
from sixd.ik.problem import Problem
from sixd.ik.reach import joint_travel, reach
from sixd.ik.targets import parse_goals
from sixd.joints import JOINTS, Free, Helical, Planar, Prismatic, Revolute, Spherical
from sixd.model.configuration import neutral, plain_coordinates, random
from sixd.spatial import Transform
from tests.ik.arms import REAL, real_arm


def problem_of(robot, frame, target, kind=None, limits=True):
    goals = tuple(goal.flat(goal.lead) for goal in parse_goals(robot, frame, target, kind, None))
    problem = Problem(robot, goals, np.array(robot.lower), np.array(robot.upper), (1e-8, 1e-8))
    return problem if limits else problem.without_limits()


@pytest.mark.parametrize("kind", ["pose", "position", "orientation"])
def test_the_slope_is_the_derivative_of_the_error(kind):
    robot = gallery.quadruped()
    q, h, rows = random(robot, 1, 6), 1e-6, np.arange(6)
    pose = robot.pose(random(robot, 2, 6), "FL_foot")
    target = {"pose": pose, "position": pose[:, :3, 3], "orientation": pose[:, :3, :3]}[kind]
    problem = problem_of(robot, "FL_foot", target, kind, limits=False)
    _, A = problem.error(q, rows)
    for c, k in enumerate(problem.columns):
        dv = np.zeros(robot.nv)
        dv[k] = h
        ahead, behind = (problem.error(integrate(robot, q, s * dv[None]), rows)[0] for s in (1.0, -1.0))
        assert np.abs(-(ahead - behind) / (2 * h) - A[:, :, c]).max() < 1e-8


def test_the_error_vanishes_at_the_target():
    robot, frame = real_arm("panda")
    q = robot.random(1, 3)
    problem = problem_of(robot, frame, robot.pose(q, frame))
    assert np.abs(problem.error(q, np.arange(3))[0]).max() < 1e-14
    assert problem.reached(problem.error(q, np.arange(3))[0]).all()


@pytest.mark.parametrize("name", REAL)
def test_no_configuration_reaches_beyond_the_bound(name):
    robot, frame = real_arm(name)
    place = robot.frames[frame]
    bound = reach(problem_of(robot, frame, np.eye(4)), place.body, place.offset)
    distance = np.linalg.norm(robot.pose(robot.random(0, 2000), frame)[:, :3, 3] - bound.anchor, axis=1)
    assert bound.least <= distance.min()
    assert 0.5 * bound.most < distance.max() <= bound.most


def test_the_travel_of_joints():
    assert joint_travel(Revolute((1, 2, 3)), np.array([np.inf])) == 0.0
    assert joint_travel(Spherical(), np.full(4, np.inf)) == 0.0
    assert joint_travel(Prismatic((1, 2, 3)), np.array([0.4])) == pytest.approx(0.4)
    assert joint_travel(Helical((0, 0, 1), 0.1), np.array([3.0])) == pytest.approx(0.3)
    assert joint_travel(Planar(), np.array([1.0, 2.0, np.inf])) == pytest.approx(3.0)
    assert joint_travel(Free(), np.array([np.inf] * 7)) == np.inf


class Crank(Revolute):
    """A wheel whose successor sits at the rim, so that its displacement is not affine in q."""

    __slots__ = ()

    def transform(self, q):
        return Transform.translation((0.2, 0.0, 0.0)) @ super().transform(q)


def test_a_displacement_that_is_not_affine_gives_no_bound():
    assert joint_travel(Crank(), np.array([1.0])) == np.inf
    assert joint_travel(JOINTS["rolling"](radius=0.3), np.array([2.0])) == pytest.approx(0.6)


def test_configurations_as_the_robot_has_them():
    robot = gallery.quadruped()
    q, dv = random(robot, 5, (2, 3)), 0.3 * np.random.default_rng(0).normal(size=(2, 3, robot.nv))
    assert np.array_equal(q, robot.random(5, (2, 3)))
    assert np.array_equal(neutral(robot), robot.neutral())
    assert np.allclose(integrate(robot, q, dv), robot.integrate(q, dv), atol=1e-15)
    assert np.abs(difference(robot, q, integrate(robot, q, dv)) - dv).max() < 1e-13
    iq, iv = plain_coordinates(robot)
    assert np.array_equal(iq, np.arange(7, 19))
    assert np.array_equal(iv, np.arange(6, 18))
    assert np.allclose(integrate(robot, q, dv)[..., iq], q[..., iq] + dv[..., iv])


def test_turns_are_radians_per_coordinate():
    b = sixd.Builder("arm")
    b.body("a", joint=Prismatic(), joint_name="slide")
    b.body("b", parent="a", joint=Revolute(), joint_name="turn")
    b.body("c", parent="b", joint=Revolute(), joint_name="geared", mimic=sixd.Mimic("turn", -3.0))
    robot = b.build()
    assert problem_of(robot, "c", np.eye(4)).turns.tolist() == [0.0, 3.0]
