"""What is plotted beside motions, how far sliders go, and how a robot is summed up."""

from __future__ import annotations

import numpy as np

from sixd import Builder, gallery, mechanisms
from sixd.flexible import Beam
from sixd.joints import Revolute
from sixd.view import Scene
from sixd.view.curves import joint_curves
from sixd.view.layers.layer import Context
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
    assert controls(robot)[0]["limits"] == [None, None]
    dog = gallery.quadruped()  # at q = 0 its knees are outside their limits, which pages mark
    knee = next(c for c in controls(dog, dog.neutral()[None]) if c["label"] == "FL_knee")
    assert (knee["lower"], knee["upper"], knee["limits"]) == (-2.7, 0.0, [-2.7, -0.3])


def test_modes_of_a_flexible_link():
    """Modes are called so, and are angles even where they only displace the tip; they were "turn 1", "move x", m."""
    beam = Beam.rectangular(2.0, width=0.01, height=0.06, E=70e9, density=2700.0)
    builder = Builder("crane").flexible_body("boom", beam, joint=Revolute("z"), bending_y=0, bending_z=3, axial=1)
    modes = [(c["label"], c["unit"], c["upper"]) for c in controls(builder.build())[1:]]
    assert modes == [(f"boom_modes: mode {k + 1}", "m" if k == 3 else "rad", 0.3) for k in range(4)]


def test_the_summary_counts_constraints():
    assert summary(gallery.pendulum()).startswith("1 body, 1 degree of freedom, ")
    hexapod = mechanisms.stewart_platform().robot
    assert summary(hexapod).startswith("13 bodies, 24 joint freedoms, 6 constraints of 18 rows, ")


def test_the_ground_is_where_feet_stand_though_the_trunk_falls_through():
    """It was moved below the trunk, so that feet that bore the weight hung in the air."""
    dog = mechanisms.standing_quadruped()
    q = np.stack([dog.q, dog.q])
    q[1, 6] -= 2.0
    points = np.broadcast_to([[0.0, 0.0, -0.001]], (2, 1, 3))
    forces = np.broadcast_to([[0.0, 0.0, 100.0]], (2, 1, 3))
    scene = Scene.of(dog.robot, [0.0, 1.0], q, points=points, forces=forces)
    assert camera(scene).ground == -0.001
    high = Scene.of(dog.robot, [0.0, 1.0], q, points=points + 1.0, forces=forces)  # a push is no ground
    assert camera(high).ground < -1.0


def test_bones_are_thinner_where_links_are_many_and_short():
    """The joints of a hundred links of half a metre were wider than their bones are long."""
    assert Context(gallery.chain(100), 50.0).bone == 7.5
    assert Context(gallery.seven_axis_arm(), 1.3).bone == 1.3


def test_the_ground_is_below_what_stands_on_it():
    robot = mechanisms.stewart_platform().robot  # its plate lies just below height zero
    scene = Scene.of(robot)
    assert camera(scene).ground < scene.bounds(scene.playback.q[0])[0][2] < 0.0
