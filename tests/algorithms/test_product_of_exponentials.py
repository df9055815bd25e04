"""PBP95 (12)-(20) on whole trees: screws give what link transforms give."""

import numpy as np
import pytest

from sixd import Robot, SixdError, algorithms
from sixd.joints import JOINTS
from sixd.model.random import random_tree

KINDS = sorted(set(JOINTS) - {"rolling"})  # a rolling wheel does not move on screws, and says so
SIMPLE = ["revolute", "prismatic", "helical", "universal", "spherical-euler", "planar"]


@pytest.mark.parametrize("form", ["space", "body"])
@pytest.mark.parametrize("seed", range(6))
def test_poses_of_all_frames_of_any_tree(seed, form):
    robot = Robot.of(random_tree(10, seed, joints=KINDS))
    q = robot.random(seed, 3)
    for frame in robot.frames:
        found = algorithms.product_of_exponentials(robot, q, frame.body, frame.offset, form).pose()
        wanted = np.broadcast_to(robot.pose(q, frame.name), (3, 4, 4))
        np.testing.assert_allclose(np.broadcast_to(found, wanted.shape), wanted, atol=1e-13)


@pytest.mark.parametrize(("form", "expressed_in"), [("body", "body"), ("space", "world")])
@pytest.mark.parametrize("seed", range(4))
def test_jacobians_of_all_frames(seed, form, expressed_in):
    robot = Robot.of(random_tree(8, seed, joints=SIMPLE))
    q = robot.random(seed)
    for frame in robot.frames:
        found = algorithms.screw_jacobian(robot, q, frame.body, frame.offset, form)
        np.testing.assert_allclose(found, robot.jacobian(q, frame.name, expressed_in), atol=1e-13)


def test_joints_with_several_freedoms_on_one_screw_have_no_screw_jacobian():
    robot = random_tree(1, 0, joints=["spherical"])
    with pytest.raises(ValueError, match="spherical joint has several freedoms"):
        algorithms.screw_jacobian(robot, [0, 0, 0, 1], 1)


def test_joints_that_move_on_no_screws_say_so():
    robot = random_tree(1, 0, joints=["rolling"])
    with pytest.raises(SixdError, match="a rolling joint does not say by which screws it moves"):
        algorithms.product_of_exponentials(robot, [0.5], 1)
