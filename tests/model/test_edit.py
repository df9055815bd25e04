"""Locking joints, taking subtrees, joining models, replacing inertias."""

import numpy as np
import pytest

from sixd import Builder, ModelError, ModelWarning, NameNotFoundError, Robot, ShapeError, Transform, gallery
from sixd.joints import Prismatic, Revolute
from sixd.model.random import random_tree
from tests.laws.trees import coupled


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * max(np.abs(wanted).max(), 1e-12))


@pytest.fixture(scope="module")
def robot():
    return Robot.of(random_tree(9, 4, rotors=True))


def test_a_locked_robot_is_the_whole_one_at_rest_there(robot):
    rng = np.random.default_rng(0)
    names = [robot.joints[2].name, robot.joints[5].name, robot.joints[8].name]
    q = robot.random(rng)
    locked = robot.lock({name: q[robot.joint(name).q] for name in names})
    keep_q = [k for j in locked.joints for k in range(robot.joint(j.name).q.start, robot.joint(j.name).q.stop)]
    keep_v = [k for j in locked.joints for k in range(robot.joint(j.name).v.start, robot.joint(j.name).v.stop)]
    qd, qdd = np.zeros(robot.nv), np.zeros(robot.nv)
    qd[keep_v], qdd[keep_v] = rng.normal(size=(2, len(keep_v)))
    assert locked.n_bodies == robot.n_bodies - 3
    assert locked.frames.names == robot.frames.names
    close(locked.poses(q[keep_q]), robot.poses(q))
    close(locked.mass_matrix(q[keep_q]), robot.mass_matrix(q)[np.ix_(keep_v, keep_v)])
    found = locked.inverse_dynamics(q[keep_q], qd[keep_v], qdd[keep_v])
    close(found, robot.inverse_dynamics(q, qd, qdd)[keep_v])


def test_locking_at_neutral(robot):
    joint = robot.joints[3]
    assert robot.lock({joint.name: None}) == robot.lock({joint.name: list(joint.type.neutral())})


def test_locking_a_source_locks_its_mimics():
    robot = coupled()
    locked = robot.lock({"left_joint": 0.3})
    assert {"left_joint", "right_joint", "tip_joint"}.isdisjoint(locked.joints.names)
    q = robot.random(0)
    q[robot.joint("left_joint").q] = 0.3
    close(locked.poses(np.delete(q, robot.joint("left_joint").q)), robot.poses(q))


def test_locking_mistakes(robot):
    with pytest.raises(ModelError, match="lock that one instead"):
        coupled().lock({"right_joint": 0.0})
    with pytest.raises(NameNotFoundError, match="did you mean 'joint1'"):
        robot.lock({"joint01": 0.0})
    with pytest.raises(ShapeError, match=r"needs \d coordinates"):
        robot.lock({"joint1": [0.0] * 9})


def test_all_joints_locked_is_a_statue(robot):
    statue = robot.lock({j.name: None for j in robot.joints})
    assert (statue.nq, statue.nv, statue.n_bodies) == (0, 0, 0)
    close(statue.poses(np.zeros(0)), robot.poses(robot.neutral()))
    assert statue.inverse_dynamics([], [], []).shape == (0,)


def test_subtree_on_a_fixed_base(robot):
    top = next(i for i in range(1, robot.n_bodies + 1) if len(robot.subtree_of(i)) > 2)
    name = robot.bodies[top].name
    part = robot.subtree(name)
    q = robot.random(0)
    q_part = np.concatenate([q[robot.joint(j.name).q] for j in part.joints])
    for frame in part.frames.names:
        in_part = part.pose(q_part, frame)
        close(np.linalg.inv(robot.pose(q, name)) @ robot.pose(q, frame), in_part)
    v = np.concatenate([np.r_[robot.joint(j.name).v] for j in part.joints])
    close(part.mass_matrix(q_part), robot.mass_matrix(q)[np.ix_(v, v)])


def test_subtree_on_a_free_base_has_its_mass():
    dog = gallery.quadruped()
    leg = dog.subtree("FL_hip", base="free")
    assert leg.joints.names == ("base", "FL_flexion", "FL_knee")
    assert leg.mass == pytest.approx(0.8 + 0.9 + 0.3)


def test_subtree_mistakes():
    with pytest.raises(ModelError, match="not in the subtree"):
        coupled().subtree("right")
    with pytest.raises(ModelError, match="is welded to body"):
        gallery.pendulum().subtree("tip")
    with pytest.raises(NameNotFoundError):
        gallery.pendulum().subtree("bib")


def two_stage(joint):
    b = Builder("two stages")
    b.body("a", joint=Revolute((0, 1, 0)), joint_name="j1", mass=1, com=(0.1, 0, 0), inertia=(1, 1, 1))
    b.body("mount", parent="a", joint=joint, joint_name="m", xyz=(0.3, 0, 0.1), rpy=(0.2, 0.3, 0.4), mass=0.5)
    b.body("b", parent="mount", joint=Prismatic((1, 0, 0)), joint_name="j2", xyz=(0, 0.2, 0), mass=2, inertia=(1, 2, 2))
    return b.build()


@pytest.mark.parametrize("joint", [None, Revolute((1, 0, 0))], ids=["welded", "on a joint"])
def test_joined_models_are_the_model_built_at_once(joint):
    first = Builder("two stages").body(
        "a", joint=Revolute((0, 1, 0)), joint_name="j1", mass=1, com=(0.1, 0, 0), inertia=(1, 1, 1)
    )
    second = Builder().link("mount", mass=0.5)
    second.body(
        "b", parent="mount", joint=Prismatic((1, 0, 0)), joint_name="j2", xyz=(0, 0.2, 0), mass=2, inertia=(1, 2, 2)
    )
    offset = Transform.from_rpy((0.2, 0.3, 0.4), (0.3, 0, 0.1))
    joined = first.build().join(second.build(), at="a", offset=offset, joint=joint, joint_name="m")
    whole = two_stage(joint)
    q = whole.random(0)
    close(joined.poses(q), whole.poses(q))
    close(joined.mass_matrix(q), whole.mass_matrix(q))
    close(joined.gravity_forces(q), whole.gravity_forces(q))


def test_two_of_a_kind_need_a_prefix():
    arm, hand = gallery.seven_axis_arm(), gallery.double_pendulum()
    once = arm.join(hand, at="tool", prefix="left_")
    twice = once.join(hand, at="tool", prefix="right_")
    assert twice.nv == 11
    assert "right_tip" in twice.frames
    with pytest.raises(ModelError, match="two bodies are named 'link1'"):
        arm.join(hand, at="tool")


def test_frames_and_gravity_are_edited_without_touching_the_original():
    arm = gallery.seven_axis_arm()
    moon = arm.with_gravity((0, 0, -1.62))
    assert arm.gravity[2] == -9.81
    close(moon.gravity_forces(np.ones(7)) * 9.81 / 1.62, arm.gravity_forces(np.ones(7)))
    camera = arm.with_frame("camera", on="tool", offset=Transform.translation((0.0, 0.0, 0.1)))
    close(camera.pose(np.ones(7), "camera"), arm.pose(np.ones(7), "tool") @ Transform.translation((0, 0, 0.1)).pose())


# ---- inertias


def test_another_inertia_is_that_of_a_robot_built_with_it():
    def arm(mass, com, inertia):
        builder = Builder("arm")
        builder.body("upper", joint=Revolute((0, 1, 0)), mass=2.0, com=(0, 0, -0.2), inertia=(0.1, 0.2, 0.1))
        return builder.body("lower", "upper", Revolute((1, 0, 0)), xyz=(0, 0, -1), mass=mass, com=com, inertia=inertia)

    before, after = (1.0, (0.0, 0.1, -0.3), (0.2, 0.2, 0.1)), (3.0, (0.1, 0.0, -0.4), (0.3, 0.4, 0.2))
    robot, wanted = arm(*before).build(), arm(*after).build()
    mass, com, inertia = after
    found = robot.with_inertia("lower", inertia, mass=mass, com=com)
    assert type(found) is Robot
    assert found == wanted
    assert robot == arm(*before).build()
    assert robot.with_inertia("lower", wanted.body("lower").inertia) == wanted
    assert robot.with_inertia("lower", np.diag(inertia), mass=mass, com=com) == wanted
    assert robot.with_inertia("lower", (0.3, 0.0, 0.0, 0.4, 0.0, 0.2), mass=mass, com=com) == wanted
    q = robot.random(0)
    close(found.mass_matrix(q), wanted.mass_matrix(q))


@pytest.mark.parametrize("changed", ["mass", "com", "inertia"])
def test_what_is_not_given_stays(robot, changed):
    value = {"mass": 7.0, "com": (0.1, 0.2, 0.3), "inertia": (5.0, 6.0, 7.0)}[changed]
    name = robot.bodies.names[4]
    old, new = robot.body(name).inertia, robot.with_inertia(name, **{changed: value}).body(name).inertia
    for part, before, after in (
        ("mass", old.m, new.m),
        ("com", list(old.com), list(new.com)),
        ("inertia", old.I_com.components(), new.I_com.components()),
    ):
        wanted = before if part != changed else np.diag(value).ravel() if part == "inertia" else value
        close(np.ravel(after), np.ravel(wanted))


def test_bodies_without_mass_get_one():
    robot = Builder("b").body("a", joint=Revolute()).build()
    body = robot.with_inertia("a", mass=2.0).body("a")
    assert (body.inertia.m, list(body.inertia.com)) == (2.0, [0.0, 0.0, 0.0])


def test_inertias_that_no_body_has_are_warned_of():
    robot = gallery.double_pendulum()
    with pytest.warns(
        ModelWarning, match="body 'link1': no body has this inertia: principal moments 1, 1, 5"
    ) as caught:
        odd = robot.with_inertia("link1", (1.0, 1.0, 5.0))
    assert caught[0].filename == __file__
    assert [str(w) for w in odd.warnings] == [str(caught[0].message)]
    assert not robot.warnings


def test_mistakes_with_inertias():
    robot = gallery.double_pendulum()
    with pytest.raises(NameNotFoundError, match="no body named 'link'; did you mean 'link2' or 'link1'"):
        robot.with_inertia("link", mass=1.0)
    with pytest.raises(ModelError, match="'tip' is welded to body 'link2'; change the inertia of 'link2'"):
        robot.with_inertia("tip", mass=1.0)
    with pytest.raises(ModelError, match="give an Inertia, or a mass, com or inertia to be changed"):
        robot.with_inertia("link1")
    with pytest.raises(ModelError, match="give either a whole Inertia or mass"):
        robot.with_inertia("link1", robot.body("link2").inertia, mass=1.0)
    with pytest.raises(ModelError, match="body 'link1': a mass must be finite and not negative"):
        robot.with_inertia("link1", mass=-1.0)
    with pytest.raises(ModelError, match="body 'link1': a rotational inertia is symmetric"):
        robot.with_inertia("link1", [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
