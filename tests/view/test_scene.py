"""Scenes: bodies are where the robot's methods say, layers show what they stand for, wrong input is refused."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

import sixd
from sixd import ModelError, ModelWarning, SixdError, gallery, view
from sixd.joints import JOINTS, Free, Planar, Revolute, Universal
from sixd.model import Visual
from sixd.spatial import Transform
from sixd.view.layers.axes import axes_of
from sixd.view.layers.inertias import equivalent_ellipsoid
from sixd.view.playback import interpolated, playback
from sixd.view.scene import Scene, body_poses
from sixd.view.stage import camera
from tests.view.files import as_stl

URDF = """
<robot name="arm">
  <link name="base"><visual><geometry><box size="0.2 0.2 0.1"/></geometry></visual></link>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.2" rpy="0.1 0.2 0.3"/><geometry><mesh filename="{mesh}" scale="1 1 -1"/></geometry>
      <material name="red"><color rgba="1 0 0 1"/></material></visual>
    <collision><geometry><capsule radius="0.1" length="0.3"/></geometry></collision></link>
  <link name="hand"><visual><geometry><sphere radius="0.05"/></geometry></visual></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="weld" type="fixed"><parent link="upper"/><child link="hand"/><origin xyz="0 0 0.4"/></joint>
</robot>"""


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "part.stl").write_bytes(as_stl())
    (tmp_path / "arm.urdf").write_text(URDF.format(mesh="part.stl"))
    return sixd.load(tmp_path / "arm.urdf")


def items(robot, name, **options):
    return {layer.name: layer.items for layer in Scene.of(robot, **options).layers}.get(name, ())


def corners(robot, q, name="links"):
    """The points of a layer in the world, sorted."""
    scene = Scene.of(robot)
    poses = scene.poses(q)
    points = [
        item.shape.points @ (poses[item.body] @ item.pose)[:3, :3].T + (poses[item.body] @ item.pose)[:3, 3]
        for layer in scene.layers
        for item in layer.items
        if layer.name == name
    ]
    every = np.round(np.concatenate(points), 9)
    return every[np.lexsort(every.T)]


@pytest.mark.parametrize("robot", [gallery.quadruped(), gallery.random_tree(12, 3), gallery.puma560()], ids=str)
def test_bodies_and_the_centre_of_mass_are_where_the_robot_has_them(robot):
    q = robot.random(0, (4,))
    poses = Scene.of(robot).poses(q)
    names = [robot.frames.names.index(name) for name in robot.bodies.names]
    np.testing.assert_allclose(poses[:, :-1], robot.poses(q)[:, names], atol=1e-12)
    np.testing.assert_allclose(poses[:, -1, :3, 3], robot.center_of_mass(q), atol=1e-12)


def test_ellipsoids_have_the_inertia_of_their_bodies():
    """The uniform solid ellipsoid has I = m/5 diag(y^2 + z^2, ...) along its axes."""
    for body in gallery.random_tree(20, 1).bodies[1:]:
        (x, y, z), pose = equivalent_ellipsoid(body.inertia)
        R, m = pose[:3, :3], body.inertia.m
        I = m / 5.0 * np.diag([y * y + z * z, z * z + x * x, x * x + y * y])
        np.testing.assert_allclose(R @ I @ R.T, body.inertia.I_com.array(), atol=1e-12)
        np.testing.assert_allclose(pose[:3, 3], body.inertia.com.array(), atol=1e-15)
        assert np.linalg.det(R) == pytest.approx(1.0)


def test_impossible_inertias_are_drawn_flat():
    with pytest.warns(ModelWarning):
        robot = sixd.Builder("odd").body("a", joint=Revolute(), mass=1, inertia=(5, 1, 1)).build()
    radii, _ = equivalent_ellipsoid(robot.bodies[1].inertia)
    assert radii.min() == 0.0
    assert len(items(robot, "inertias")) == 1


def test_axes_are_told_from_the_subspaces():
    (axis,) = axes_of(Revolute((0, 3, 0)))
    assert axis.in_successor
    assert axis.turns
    np.testing.assert_allclose(axis.direction, (0, 1, 0), atol=1e-15)
    first, second = axes_of(Universal())
    assert (first.in_successor, second.in_successor) == (False, True)
    np.testing.assert_allclose(first.direction, (1, 0, 0), atol=1e-12)
    assert [(a.in_successor, a.turns) for a in axes_of(Planar())] == [(False, False), (False, False), (True, True)]
    assert len(axes_of(Free())) == 6
    for kind in JOINTS.values():
        for joint in kind.examples():
            assert all(np.linalg.norm(axis.direction) > 0.0 for axis in axes_of(joint))


def test_what_is_shown_at_first(arm):
    assert [layer.name for layer in Scene.of(arm).layers if layer.shown] == ["links"]
    assert [layer.name for layer in Scene.of(gallery.puma560()).layers if layer.shown] == ["skeleton", "inertias"]
    chosen = Scene.of(arm, layers=("axes", "coms"))
    assert [layer.name for layer in chosen.layers if layer.shown] == ["axes", "coms"]
    assert "forces" not in [layer.name for layer in chosen.layers]
    forced = Scene.of(arm, points=np.zeros((2, 3)), forces=np.ones((2, 3)))
    assert forced.layers[-1].name == "forces"


def test_shapes_of_a_file(arm):
    links = items(arm, "links")
    assert [item.shape.kind for item in links] == ["box", "mesh", "sphere"]
    assert [item.body for item in links] == [0, 1, 1]
    assert links[1].color == (1.0, 0.0, 0.0, 1.0)
    assert links[1].shape.scale == (1.0, 1.0, -1.0)
    np.testing.assert_allclose(links[2].pose[:3, 3], (0, 0, 0.4), atol=1e-12)
    (collision,) = items(arm, "collisions")
    assert (collision.shape.kind, collision.shape.size) == ("capsule", (0.1, 0.3))


def test_a_missing_mesh_is_said_and_bones_take_its_place(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF.format(mesh="lost.stl"))
    robot = sixd.load(tmp_path / "arm.urdf")
    scene = Scene.of(robot)
    assert len(scene.notes) == 1
    assert "link 'upper': the mesh 'lost.stl' is not found" in scene.notes[0]
    assert {layer.name for layer in scene.layers if layer.shown} == {"links", "skeleton"}
    robot = robot.lock({}).subtree("upper")  # the sphere of the hand is on the same body: drawn, so no bones
    assert [item.shape.kind for item in items(robot, "links")] == ["sphere"]
    alone = replace(robot, visuals=tuple(v for v in robot.visuals if v.shape != "sphere"))
    assert {item.shape.kind for item in items(alone, "links")} > {"capsule"}
    with pytest.warns(ModelWarning, match="not drawn: link 'upper': the mesh 'lost.stl' is not found"):
        view.save_html(tmp_path / "page.html", alone)
    assert "lost.stl" in (tmp_path / "page.html").read_text()


def test_edits_leave_shapes_where_they_are(arm, tmp_path):
    q = np.array([0.7])
    before = corners(arm, q)
    np.testing.assert_allclose(corners(arm.lock({"shoulder": 0.7}), np.zeros(0)), before, atol=1e-8)
    np.testing.assert_allclose(corners(pickle.loads(pickle.dumps(arm)), q), before, atol=1e-12)
    moved = gallery.pendulum().join(arm, at="base", xyz=(1.0, 2.0, 3.0), prefix="second_")
    np.testing.assert_allclose(corners(moved, np.array([0.0, 0.7])), before + np.array((1.0, 2.0, 3.0)), atol=1e-8)
    assert Scene.of(moved).notes == ()  # its meshes are still found, though the pendulum is from no file


def test_shapes_do_not_matter_to_code(arm):
    bare = replace(arm, visuals=())
    assert bare.fingerprint == arm.fingerprint
    assert bare != arm
    assert bare.with_name("other").fingerprint != bare.fingerprint


def test_sizes_that_do_not_fit_a_shape_are_notes(arm):
    wrong = replace(arm, visuals=(Visual("base", "box", (1.0,), offset=Transform.identity()),))
    assert "a box needs 3 sizes" in Scene.of(wrong).notes[0]


# ---- motions

T = np.linspace(0.0, 1.0, 5)
Q = np.zeros((5, 2))
WRONG = {
    "one q for many t": {"t": T, "q": Q[0]},
    "another number of samples": {"t": T, "q": Q[:4]},
    "no t": {"q": Q},
    "too many coordinates": {"q": np.zeros(3)},
    "t twice": {"t": [0.0, 0.1, 0.1, 0.2, 0.3], "q": Q},
    "t backwards": {"t": T[::-1], "q": Q},
    "t in two axes": {"t": T[:, None], "q": Q},
    "no samples": {"t": [], "q": np.zeros((0, 2))},
    "nan in t": {"t": [0.0, np.nan, 1.0, 2.0, 3.0], "q": Q},
    "nan in q": {"t": T, "q": np.full((5, 2), np.nan)},
    "huge q": {"q": [1e300, 0.0]},
    "points alone": {"t": T, "q": Q, "points": np.zeros((5, 1, 3))},
    "forces for other times": {"t": T, "q": Q, "points": np.zeros((4, 1, 3)), "forces": np.zeros((4, 1, 3))},
    "forces at other points": {"t": T, "q": Q, "points": np.zeros((5, 1, 3)), "forces": np.zeros((5, 2, 3))},
    "infinite forces": {"t": T, "q": Q, "points": np.zeros((5, 1, 3)), "forces": np.full((5, 1, 3), np.inf)},
    "curves in a list": {"t": T, "q": Q, "curves": [T]},
    "a short curve": {"t": T, "q": Q, "curves": {"x": T[:3]}},
    "a curve of cubes": {"t": T, "q": Q, "curves": {"x": np.zeros((5, 2, 2))}},
    "a curve without lines": {"t": T, "q": Q, "curves": {"x": {}}},
    "a curve without a name": {"t": T, "q": Q, "curves": {"": T}},
    "an unknown layer": {"layers": "bones"},
    "a title of numbers": {"title": 3},
}


@pytest.mark.parametrize("label", WRONG)
def test_wrong_input_is_refused(label):
    with pytest.raises(SixdError):
        Scene.of(gallery.double_pendulum(), **WRONG[label])


def test_errors_name_what_is_wrong():
    robot = gallery.double_pendulum()
    with pytest.raises(ModelError, match=r"t must increase, but t\[2\] = 0.1 follows t\[1\] = 0.1"):
        Scene.of(robot, **WRONG["t twice"])
    with pytest.raises(sixd.ShapeError, match=r"q has shape \(4, 2\), but \(5, 2\) is needed for 5 times t"):
        Scene.of(robot, **WRONG["another number of samples"])
    with pytest.raises(sixd.ChoiceError, match=r"layers must be some of 'links', .*'forces', not 'bones'"):
        Scene.of(robot, layers="bones")
    with pytest.raises(ModelError, match=r"q is no position of joint .* its quaternion is zero"):
        Scene.of(gallery.quadruped(), q=np.zeros(19))
    with pytest.raises(sixd.ArgumentError, match="a robot is needed"):
        Scene.of("puma")


def test_positions_between_samples():
    robot = gallery.quadruped()
    a, b = robot.random(0), robot.random(1)
    show = playback(robot, [0.0, 1.0, 2.0], np.stack([a, b, np.concatenate([-b[:4], b[4:]])]))
    np.testing.assert_allclose(interpolated(robot, show, 0.25)[4:], 0.75 * a[4:] + 0.25 * b[4:])
    np.testing.assert_allclose(interpolated(robot, show, 1.5), b)  # the same attitude, by another sign
    for t, wanted in ((-1.0, a), (0.0, a), (2.0, show.q[2]), (9.0, show.q[2])):
        np.testing.assert_array_equal(interpolated(robot, show, t), wanted)


def test_curves_by_default_are_those_of_joints():
    robot = gallery.double_pendulum()
    (curve,) = playback(robot, T, Q).curves
    assert (curve.name, curve.labels) == ("joint angles, rad", robot.joints.names)
    assert playback(robot, T, Q, curves={}).curves == ()
    assert playback(robot, None, Q[0]).curves == ()
    named, plain = playback(robot, T, Q, curves={"a": {"x": T, "y": T}, "b": np.zeros((5, 3))}).curves
    assert (named.labels, plain.labels, plain.values.shape) == (("x", "y"), ("0", "1", "2"), (5, 3))


def test_no_code_is_compiled_for_a_picture():
    robot = gallery.chain(300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        poses = body_poses(robot, robot.neutral())
    assert poses.shape == (301, 4, 4)


@pytest.mark.parametrize(("height", "whole"), [(0.5, True), (50.0, False)])
def test_the_camera_looks_at_the_whole_of_a_motion_unless_the_robot_goes_far(height, whole):
    dog = gallery.quadruped()
    t = np.linspace(0.0, 1.0, 31)
    q = np.repeat(dog.neutral()[None], len(t), axis=0)
    q[:, 6] = height * np.sin(np.pi * t)
    scene = Scene.of(dog, t, q)
    seen = camera(scene)
    top = scene.bounds(q[15])[1][2]
    assert bool(seen.target[2] + seen.radius > top) is whole
    assert camera(Scene.of(dog)).radius < seen.radius or not whole


def test_ellipsoids_that_would_hide_the_robot_are_not_shown_at_first():
    """Files with a moment of 1 kg m^2 for every link were one ball."""
    b = sixd.Builder("round")
    for k, parent in enumerate(("base", "link0")):
        b.body(f"link{k}", parent, Revolute("y"), xyz=(0.3, 0, 0), mass=1.0, inertia=(1.0, 1.0, 1.0))
    shown = {layer.name for layer in Scene.of(b.build()).layers if layer.shown}
    assert shown == {"skeleton"}
    assert "inertias" in {layer.name for layer in Scene.of(gallery.puma560()).layers if layer.shown}
