"""Models as values: identity, pickling, names, drawing; the builder's welds and errors."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from sixd import (
    Builder,
    Coupling,
    Inertia,
    Loop,
    Mimic,
    ModelError,
    NameNotFoundError,
    Robot,
    Transform,
    algorithms,
    gallery,
    mechanisms,
)
from sixd.joints import Free, Prismatic, Revolute, Spherical
from sixd.model.random import random_tree

POINT = Inertia.from_mass_com(1.0, (0.0, 0.0, 0.0), np.zeros((3, 3)))
GALLERY = [getattr(gallery, name) for name in gallery.__all__ if name not in ("chain", "binary_tree", "random_tree")]


@pytest.mark.parametrize("make", GALLERY, ids=lambda f: f.__name__)
def test_models_are_values(make):
    robot = make()
    for twin in (make(), pickle.loads(pickle.dumps(robot)), copy.copy(robot), copy.deepcopy(robot)):
        assert twin == robot
        assert hash(twin) == hash(robot)
        assert twin.fingerprint == robot.fingerprint
        assert isinstance(twin, Robot)
    assert robot.with_gravity((0, 0, -1)) != robot


def test_fingerprints_are_the_same_in_every_process():
    code = "import sixd; print(sixd.gallery.puma560().fingerprint)"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert other == gallery.puma560().fingerprint


def test_pickles_carry_the_model_only():
    robot = gallery.puma560()
    small = len(pickle.dumps(robot))
    robot.forward_dynamics(*np.ones((3, 6)))
    assert len(pickle.dumps(robot)) == small


def test_models_cannot_be_changed():
    with pytest.raises(AttributeError):
        gallery.pendulum().name = "other"
    with pytest.raises(ValueError, match="read-only"):
        gallery.puma560().lower[0] = 0.0


def test_numbering():
    """F10b (2): 0 <= parent(i) < i."""
    robot = random_tree(30, 1)
    assert robot.parent[0] == -1
    assert all(0 <= robot.parent[i] < i for i in range(1, 31))
    for i in range(1, 31):
        assert robot.path(i)[0] == i
        assert robot.path(i)[-1] in robot.children[0]
        subtree = robot.subtree_of(i)
        assert subtree == tuple(range(i, i + len(subtree))), "depth first: a subtree is a run of numbers"


def test_degrees_of_freedom_add_up():
    """F10b (8)."""
    robot = random_tree(20, 2)
    assert robot.nv == sum(j.type.nv for j in robot.joints)
    assert robot.nq == sum(j.type.nq for j in robot.joints)
    assert [j.v.start for j in robot.joints] == list(np.cumsum([0, *[j.type.nv for j in robot.joints]])[:-1])


def test_names_and_positions():
    dog = gallery.quadruped()
    assert dog.bodies[0].name == "world"
    assert dog.bodies["trunk"] is dog.bodies[1]
    assert dog.joint("base").q == slice(0, 7)
    assert dog.joint("base").v == slice(0, 6)
    assert dog.joint("FL_knee").predecessor == "FL_thigh"
    assert dog.joint("FL_knee").successor == "FL_shank"
    assert "FL_foot" in dog.frames
    assert len(dog.frames) == 1 + 13 + 4
    assert [j.name for j in dog.joints][:2] == ["base", "FL_abduction"]


def test_wrong_names_suggest_the_right_ones():
    dog = gallery.quadruped()
    with pytest.raises(NameNotFoundError, match="no joint named 'FL_kne'; did you mean 'FL_knee'"):
        dog.joint("FL_kne")
    with pytest.raises(NameNotFoundError, match="no frame named 'hand'; "):
        dog.pose(dog.neutral(), "hand")
    with pytest.raises(KeyError):
        dog.bodies["x"]
    error = pickle.loads(pickle.dumps(NameNotFoundError("joint", "elbo", ["elbow"])))
    assert "elbow" in str(error)


def test_drawing():
    text = gallery.quadruped().draw()
    assert "FL_knee: Revolute('y'), 0.3 kg (with FL_foot)" in text
    assert text.splitlines()[:2] == ["quadruped: 13 moving bodies, nq 19, nv 18, 20 kg", "world" + 17 * " " + "fixed"]
    assert repr(gallery.quadruped()) == text


def test_drawing_of_a_closed_robot():
    """The constraints stand below the tree."""
    lines = mechanisms.four_bar().robot.draw().splitlines()
    assert lines[-2:] == ["closed by 1 constraint, 5 rows", "○─ pin  Revolute('y'): rocker end, coupler end, 5 rows"]
    driven = gallery.double_pendulum().close(Coupling({"joint1": 1, "joint2": -2}), Loop("base", "link2"))
    assert driven.draw().splitlines()[-3:] == [
        "closed by 2 constraints, 7 rows",
        "○─ coupling joint1 joint2  coupling: joint1, joint2, 1 row",
        "○─ loop base link2         weld: base, link2, 6 rows",
    ]


def test_drawing_of_a_very_large_tree_is_short():
    text = repr(gallery.chain(2000))
    assert len(text) < 20_000
    assert "more bodies" in text


def test_welded_bodies_are_merged_and_stay_as_frames():
    def arm(weld):
        b = Builder("arm").body("upper", joint=Revolute((0, 1, 0)), mass=1, com=(0, 0, -0.2), inertia=(0.1, 0.1, 0.01))
        place = {"xyz": (0.1, 0.2, -0.3), "rpy": (0.3, -0.2, 0.5)}
        b.body(
            "tool",
            parent="upper",
            joint=weld,
            joint_name="weld",
            mass=0.5,
            com=(0.1, 0, 0),
            inertia=(0.01, 0.02, 0.02),
            **place,
        )
        return b.body("camera", parent="tool", joint=None, xyz=(0, 0, 0.1), mass=0.1).build()

    welded, locked = arm(None), arm(Prismatic()).lock({"weld": 0.0})
    assert welded.n_bodies == 1
    assert {"tool", "camera"} < set(welded.frames.names)
    q = np.array([0.4])
    np.testing.assert_allclose(welded.poses(q), locked.poses(q), atol=1e-15)
    np.testing.assert_allclose(welded.mass_matrix(q), locked.mass_matrix(q), rtol=1e-14)
    assert welded.mass == pytest.approx(1.6)


def test_free_base():
    b = Builder("boat").link("hull", mass=10, inertia=(1, 2, 3))
    robot = b.build(base="free")
    assert robot.joints.names == ("base",)
    assert isinstance(robot.joint("base").type, Free)
    assert robot.bodies.names == ("world", "hull")
    fixed = b.build(base="fixed")
    assert (fixed.nv, fixed.n_bodies) == (0, 0)


def test_a_root_named_world_may_float():
    robot = Builder().link("world", mass=1, inertia=(1, 1, 1)).build(base="free")
    assert robot.bodies.names == ("universe", "world")


def test_massless_links_emulate_a_spherical_joint():
    """F10b, "Model Data Structure": three revolute joints and massless bodies act as a spherical joint."""

    def pendulum(*joints):
        b = Builder("ball")
        parent = "base"
        for k, joint in enumerate(joints):
            last = k == len(joints) - 1
            inertia = {"mass": 2.0, "com": (0.1, 0.2, -0.4), "inertia": (0.3, 0.4, 0.5)} if last else {}
            b.body(f"body{k}", parent=parent, joint=joint, **inertia)
            parent = f"body{k}"
        return b.build()

    emulated = pendulum(Revolute((0, 0, 1)), Revolute((0, 1, 0)), Revolute((1, 0, 0)))
    ball = pendulum(Spherical())
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 3)) * 0.5
    x, y, z, w = Transform.from_pose(emulated.pose(q, "body2")).quaternion()
    omega = emulated.velocity(q, qd, "body2")[:3]
    alpha = emulated.acceleration(q, qd, qdd, "body2")[:3]
    J = emulated.jacobian(q, "body2")[:3]
    tau = ball.inverse_dynamics([x, y, z, w], omega, alpha)
    np.testing.assert_allclose(emulated.inverse_dynamics(q, qd, qdd), J.T @ tau, rtol=1e-12)
    again = emulated.forward_dynamics(q, qd, J.T @ tau)
    np.testing.assert_allclose(again, qdd, rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda b: b.link("a").link("a"), "two links are named 'a'"),
        (lambda b: b.link("a").build(base="flying"), "base must be 'fixed' or 'free'"),
        (lambda b: b.build(), "no links"),
        (lambda b: b.link("a").link("b").build(), "2 roots: 'a', 'b'"),
        (lambda b: b.link("a").joint("j", "a", "b", None).build(), "joint 'j': its child link 'b' does not exist"),
        (lambda b: b.link("a").joint("j", "z", "a", None).build(), "joint 'j': its parent link 'z' does not exist"),
        (
            lambda b: b.link("a").link("b").joint("j", "a", "b", None).joint("k", "b", "a", None).build(),
            "cycle: every link has a parent",
        ),
        (
            lambda b: b.link("r").link("a").link("b").joint("j", "a", "b", None).joint("k", "b", "a", None).build(),
            "cycle through links 'a', 'b'",
        ),
        (
            lambda b: b.link("a").link("b").link("c").joint("j", "a", "c", None).joint("k", "b", "c", None).build(),
            "link 'c' has two parents, through joints 'j' and 'k'",
        ),
        (lambda b: b.link("a", mass=-1.0), "link 'a': a mass must be finite and not negative"),
        (lambda b: b.link("a", mass=float("nan")), "link 'a': a mass must be finite"),
        (lambda b: b.link("a", mass=1, inertia=(1, 2)), "link 'a': a rotational inertia is 3x3"),
        (lambda b: b.link("a", mass=1, inertia=(1, 2, float("nan"))), "link 'a': a rotational inertia must be finite"),
        (lambda b: b.body("a", joint=Revolute(), xyz=(1, 2)), "three finite numbers for xyz"),
        (lambda b: b.body("a", joint=Revolute(), lower=(1, 2)), "lower needs 1 numbers for a revolute joint, not 2"),
        (lambda b: b.body("a", joint=Revolute()).frame("f", on="zz").build(), "frame 'f' is on link 'zz'"),
        (lambda b: b.body("a", joint=Revolute()).frame("a", on="a").build(), "two frames are named 'a'"),
        (lambda b: b.body("a", joint=Revolute()).build(gravity=(0, 0)), "gravity must be three finite numbers"),
        (lambda b: b.body("a", joint=Revolute(), at=np.eye(4), xyz=(0, 0, 0)), "not both"),
        (lambda b: b.body("a", joint=Revolute(), at=2 * np.eye(4)).build(), "'a_joint': at: .* row is 0, 0, 0, 2"),
        (lambda b: b.body("a", joint=Revolute(), at=np.diag([1, 1, -1, 1])).build(), "determinant -1"),
        (lambda b: b.body("a", joint=Revolute(), mass=1, com=(np.nan, 0, 0)), "a centre of mass is three finite"),
        (lambda b: b.body("a", joint=Revolute(), mass=1, com=(0, 0)), "a centre of mass is three finite numbers"),
        (lambda b: b.body("a", joint=Revolute(), mass=1, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "is symmetric"),
        (lambda b: b.body("a", joint=Revolute(), damping=np.nan), "joint 'a_joint': damping is not a number"),
        (lambda b: b.body("a", joint=Revolute(), lower=np.nan), "joint 'a_joint': lower is not a number"),
        (lambda b: b.body("a", joint=Revolute(), colour=3), "joint 'a_joint': unknown option colour"),
        (lambda b: b.body("a", joint="revolute"), "its type is a Joint such as"),
        (lambda b: b.body("a", xzy=(1, 0, 0)), "joint 'a_joint': unknown option xzy"),
        (lambda b: b.body("a", lower=4), "joint 'a_joint' is a weld and has no lower"),
        (lambda b: b.body("a", joint=Revolute(), mimic="b"), "mimic is a Mimic"),
        (lambda b: b.link("a", mass=5, inertia=Inertia.zero()), "give either a whole Inertia"),
        (lambda b: b.body("a", joint=Revolute(), inertia=Inertia.zero() - POINT).build(), "negative"),
        (lambda b: b.body("a", joint=Revolute()).build(gravity=9.81), "gravity must be three finite numbers"),
        (lambda b: b.body("a", joint=Revolute(), mass=1).build().with_gravity(9.81), "gravity must be three finite"),
        (lambda b: b.body("a", joint=Revolute(), mass=1).build().lock(["a_joint"]), "lock takes"),
        (lambda b: b.body("a", joint=Revolute(), mass=1).build().lock({"a_joint": np.nan}), "not finite"),
        (
            lambda b: b.link("r", mass=1).body("a", parent="r", joint=Revolute(), joint_name="base").build(base="free"),
            "another name with base_joint=",
        ),
    ],
)
def test_builder_errors_name_the_culprit(make, message):
    with pytest.raises(ModelError, match=message):
        make(Builder())


def test_a_chain_of_ten_thousand_links():
    chain = gallery.chain(10_000)
    assert chain.nv == 10_000
    assert chain.subtree_of(9_999) == (9_999, 10_000)


def test_names_of_a_floating_base():
    b = Builder().link("world", mass=1, inertia=(1, 1, 1))
    for name in ("universe", "universe_2"):
        b.body(name, parent="world", joint=Revolute(), mass=1, inertia=(1, 1, 1))
    robot = b.build(base="free", base_joint="float")
    assert robot.bodies[0].name == "universe_3"
    assert robot.joints[0].name == "float"


def test_what_follows_a_joint_narrows_its_limits():
    b = Builder().body("a", joint=Revolute(), joint_name="a", mass=1, lower=-1, upper=1, velocity=3)
    b.body("b", joint=Revolute(), mass=1, lower=-0.5, upper=0.8, velocity=1, mimic=Mimic("a", -2.0, 0.1))
    robot = b.build()
    np.testing.assert_allclose([robot.lower[0], robot.upper[0]], [-0.35, 0.3])
    assert robot.velocity_limit[0] == 0.5
    q = robot.random(0, 1000)
    assert (q >= robot.lower).all()
    assert (q <= robot.upper).all()


def test_limits_of_a_follower_that_leave_no_range_do_not_count():
    b = Builder().body("a", joint=Revolute(), joint_name="a", mass=1, lower=-1, upper=1)
    b.body("b", joint=Revolute(), mass=1, lower=0, upper=0, mimic=Mimic("a"))
    np.testing.assert_array_equal([b.build().lower[0], b.build().upper[0]], [-1, 1])


def test_huge_limits_and_odd_sizes():
    robot = Builder().body("a", joint=Revolute(), mass=1, lower=-1e308, upper=1e308).build()
    assert robot.random(0, np.int64(3)).shape == (3, 1)
    assert np.isfinite(robot.random(0, 100)).all()


def test_joints_are_found_by_name_or_position():
    dog = gallery.quadruped()
    assert dog.joints[0] == dog.joint("base")
    assert dog.joint("base").index == 1
    with pytest.raises(NameNotFoundError):
        dog.joint(1)


def test_bodies_that_are_not_there():
    with pytest.raises(ModelError, match="there is no body -1"):
        algorithms.pose(gallery.pendulum(), [0.0], -1)
    with pytest.raises(ModelError, match="there is no body 99"):
        algorithms.jacobian(gallery.pendulum(), [0.0], 99)


def test_frames_of_other_robots_are_refused():
    arm, dog = gallery.seven_axis_arm(), gallery.quadruped()
    with pytest.raises(NameNotFoundError):
        arm.pose(np.zeros(7), dog.frames["FL_foot"])
    with pytest.raises(ModelError, match="a frame is given by its name, not by 3"):
        arm.pose(np.zeros(7), 3)
    other = arm.with_frame("flange", on="link7", xyz=(0, 0, 1))
    mine = arm.with_frame("flange", on="link7")
    with pytest.raises(ModelError, match="belongs to another robot"):
        mine.pose(np.zeros(7), other.frames["flange"])
    np.testing.assert_array_equal(mine.pose(np.zeros(7), mine.frames["flange"]), mine.pose(np.zeros(7), "flange"))


def test_a_call_that_fails_leaves_nothing_behind():
    b = Builder().body("left", joint=Revolute(), joint_name="l", mass=1)
    with pytest.raises(ModelError, match="mimic is a Mimic"):
        b.body("right", joint=Revolute(), mimic="l", mass=1)
    assert b.body("right", joint=Revolute(), mimic=Mimic("l"), mass=1).build().nv == 1


def test_joints_show_their_data():
    joint = gallery.seven_axis_arm().joint("joint4")
    assert (joint.lower, joint.upper, joint.velocity, joint.effort) == ((-2.0,), (2.0,), (2.0,), (176.0,))
    assert repr(joint) == "joint4: Revolute('-y'), q[3:4], v[3:4], -2..2"
    assert repr(Builder("arm")) == "Builder('arm': 0 links, 0 joints)"


def test_bodies_and_frames_by_name():
    dog = gallery.quadruped()
    assert dog.body("trunk") is dog.bodies[1]
    assert dog.frame("FL_foot").body == dog.bodies.index("FL_shank")


def test_joining_takes_any_kind_of_place():
    arm, tool = gallery.seven_axis_arm(), Builder("driver").link("driver", mass=0.8, inertia=(0.01, 0.01, 0.01)).build()
    at = Transform.from_rpy((0.1, 0.2, 0.3), (0, 0, 0.1))
    robots = [arm.join(tool, at="tool", **place) for place in ({"offset": at}, {"offset": at.pose()})]
    robots.append(arm.join(tool, at="tool", xyz=(0, 0, 0.1), rpy=(0.1, 0.2, 0.3)))
    assert robots[0] == robots[2]
    q = arm.random(0)
    for robot in robots:
        np.testing.assert_allclose(robot.pose(q, "driver"), arm.pose(q, "tool") @ at.pose(), atol=1e-15)
        assert "with tool, driver" in robot.draw()


def test_building_takes_time_in_proportion_to_the_size():
    """Counted in calls of functions, which a busy machine does not change: some 340 for a body."""

    def calls(n):
        count = 0

        def counted(frame, event, argument):
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(counted)
        try:
            gallery.chain(n)
        finally:
            sys.setprofile(None)
        return count

    small, large = calls(50), calls(500)
    assert large < 10.5 * small
    assert large < 500 * 500
