"""The layer of constraints: marks on both frames of each, which meet where the constraint is kept."""

import numpy as np

from sixd import gallery, mechanisms
from sixd.constraints import Coupling
from sixd.view import Scene


def marks(robot, q):
    """The places of the marks on frames a and b of every constraint, (constraints, 2, 3), and their poses' z axes."""
    scene = Scene.of(robot, None, q)
    layer = next(layer for layer in scene.layers if layer.name == "constraints")
    assert layer.shown
    poses = scene.poses(np.asarray(q))
    places = np.array([poses[item.body] @ item.pose for item in layer.items])
    return places.reshape(-1, 2, 4, 4)


def test_marks_meet_where_constraints_are_kept():
    for make in mechanisms.MECHANISMS.values():
        m = make()
        found = marks(m.robot, m.q)
        assert len(found) == len(m.robot.constraint_list)
        assert np.abs(found[:, 0, :3, 3] - found[:, 1, :3, 3]).max() < 1e-12


def test_marks_are_apart_where_a_loop_is_open():
    m = mechanisms.four_bar()
    ((a, b),) = marks(m.robot, m.q + np.array([0.0, 0.0, 0.3]))
    assert np.isclose(np.linalg.norm(a[:3, 3] - b[:3, 3]), 2.0 * 1.4 * np.sin(0.15))


def test_a_pin_is_drawn_about_its_axis():
    m = mechanisms.five_bar()
    for pose in marks(m.robot, m.q)[0]:
        assert np.abs(np.abs(pose[:3, 2]) - np.array([0.0, 1.0, 0.0])).max() < 1e-12


def test_robots_without_frames_to_mark_have_no_such_layer():
    arm = gallery.seven_axis_arm()
    geared = arm.close(Coupling({"joint1": 1.0, "joint2": -2.0}))
    for robot in (arm, geared):
        assert "constraints" not in [layer.name for layer in Scene.of(robot).layers]
