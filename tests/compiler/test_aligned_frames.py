"""Rolled code turns the frames of bodies so that axes are constants, if joints of a type differ by their axis alone."""

import numpy as np
import pytest

import sixd
from sixd.compiler import robot_table
from sixd.joints import JOINTS, Revolute
from sixd.model.random import random_tree
from sixd.spatial import Motions, Transform, Vector


@pytest.fixture
def geared():
    """A joint type with a gear if its axis does not point up: it treats some axes unlike others."""

    class Geared(Revolute):
        name = "geared"

        def ratio(self) -> float:
            return 1.0 if self.axis[2] > 0.5 else 2.0

        def transform(self, q: Vector) -> Transform:
            return Transform.rotation(self.axis, self.ratio() * q[0])

        def subspace(self, q: Vector) -> Motions:
            return Motions([super().subspace(q)[0] * self.ratio()])

    yield Geared
    del JOINTS["geared"]


@pytest.mark.parametrize("name", [name for name, kind in JOINTS.items() if kind.__module__.startswith("sixd.")])
def test_the_joints_of_sixd_are_alike_in_their_frames(name):
    assert robot_table._has_frame(JOINTS[name])


def test_a_joint_type_that_treats_some_axes_unlike_others(geared):
    assert not robot_table._has_frame(geared)
    robot = sixd.Robot.of(random_tree(6, 1, joints=["geared"]))
    q, qd, qdd = robot.random(0, 5), np.ones((5, 6)), np.arange(6.0)
    wanted = sixd.algorithms.rnea(robot, q[0], qd[0], qdd)
    sixd.set_kernels("rolled")
    try:
        found = robot.inverse_dynamics(q, qd, qdd)
    finally:
        sixd.set_kernels(None)
    np.testing.assert_allclose(found[0], wanted, rtol=1e-12)
