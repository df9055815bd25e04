"""What is plotted beside motions, how far sliders go, and how a robot is summed up."""

from __future__ import annotations

import numpy as np

from sixd import gallery, mechanisms
from sixd.view import Scene
from sixd.view.curves import joint_curves
from sixd.view.scene import summary
from sixd.view.sliders import controls
from sixd.view.stage import camera


def test_plots_of_joints_are_by_unit_and_called_as_the_sliders():
    robot = gallery.jumping_lamp()
    q, v = np.arange(3.0 * robot.nq).reshape(3, -1), np.arange(3.0 * robot.nv).reshape(3, -1)
    found = joint_curves(robot, "q", q)
    assert {name: list(lines) for name, lines in found.items()} == {
        "joint angles, rad": ["base_joint: turn", "theta1", "theta2"],
        "joint distances, m": ["base_joint: move 1", "base_joint: move 2"],
    }
    for quantity, values in (("q", q), ("qd", v), ("tau", v)):
        lines = {label: line for plot in joint_curves(robot, quantity, values).values() for label, line in plot.items()}
        for control in controls(robot):
            np.testing.assert_array_equal(lines[control["label"]], values[:, control["k"]])


def test_plots_of_many_joints_say_that_some_are_left_out():
    robot = gallery.chain(14)
    (name,) = joint_curves(robot, "q", np.zeros((2, 14)))
    assert name == "joint angles, rad, first 12 of 14"
    free = gallery.quadruped()  # the coordinates of velocity begin elsewhere than those of position
    qd = np.arange(2.0 * free.nv).reshape(2, -1)
    np.testing.assert_array_equal(
        joint_curves(free, "qd", qd)["joint speeds, rad/s"]["FL_knee"], qd[:, free.joint("FL_knee").v.start]
    )


def test_sliders_reach_as_far_as_the_motion():
    robot = gallery.pendulum()
    assert [(c["lower"], c["upper"]) for c in controls(robot)] == [(-3.15, 3.15)]
    assert [(c["lower"], c["upper"]) for c in controls(robot, np.array([[0.0], [7.12345]]))] == [(-3.15, 7.124)]


def test_the_summary_counts_constraints():
    assert summary(gallery.pendulum()).startswith("1 body, 1 degree of freedom, ")
    assert summary(mechanisms.stewart_platform().robot).startswith("13 bodies, 24 joint freedoms, 18 constraints, ")


def test_the_ground_is_below_what_stands_on_it():
    robot = mechanisms.stewart_platform().robot  # its plate lies just below height zero
    scene = Scene.of(robot)
    assert camera(scene).ground < scene.bounds(scene.playback.q[0])[0][2] < 0.0
