"""Lambda^-1 by propagation of forces, the dynamically consistent inverse and the null space, against J H^-1 J^T."""

from dataclasses import replace

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.algorithms.tasks import TASKS
from sixd.compiler.frames import with_frames
from sixd.compiler.request import Request
from sixd.compiler.unrolled import record_unrolled
from sixd.robot import operational_space as methods
from tests.laws.test_trees import close
from tests.laws.trees import ALL, states, tree

EXPRESSIONS = ("body", "world", "aligned")
KINDS = ["pose", "position", "rotation", "pose", "position"]


def frames_of(robot):
    """Frames on the way to one another, on branches, twice on one body, and on the base; with a kind for each."""
    names = robot.bodies.names
    found = list(dict.fromkeys(["flange", names[-1], names[len(names) // 2], names[1], names[0]]))
    return found, KINDS[: len(found)]


def stacked(robot, q, frames, kinds, expressed_in):
    each = zip(frames, kinds, strict=True)
    return np.concatenate([robot.jacobian(q, f, expressed_in)[..., TASKS[k], :] for f, k in each], axis=-2)


@pytest.mark.parametrize("kind", ALL)
def test_definition(kind):
    robot = tree(kind)
    q, (frames, kinds) = states(robot).q, frames_of(robot)
    H_inv = robot.inverse_mass_matrix(q)
    which = ALL.index(kind)
    expressed_in, one = EXPRESSIONS[which % 3], KINDS[which % 3]
    J = stacked(robot, q, frames, kinds, expressed_in)
    found = robot.inverse_operational_inertia(q, frames, kinds, expressed_in)
    close(found, J @ H_inv @ np.swapaxes(J, -1, -2), rtol=1e-11)
    np.testing.assert_array_equal(found, np.swapaxes(found, -1, -2))
    J = stacked(robot, q, ["flange"], [one], expressed_in)
    found = robot.inverse_operational_inertia(q, "flange", one, expressed_in)
    close(found, J @ H_inv @ np.swapaxes(J, -1, -2), rtol=1e-11)


def operations(algorithm, robot, **fixed):
    request = Request(algorithm, robot, {}, fixed)
    return record_unrolled(replace(request, fixed=with_frames(request))).operations


@pytest.mark.parametrize("algorithm", [algorithms.inverse_operational_inertia, algorithms.operational_space])
def test_operations_grow_linearly_with_the_number_of_bodies(algorithm):
    counts = [operations(algorithm, sixd.gallery.chain(n), frame=f"link{n}") for n in (8, 16, 24, 32)]
    assert len(set(np.diff(counts))) == 1


def test_operations_of_several_frames():
    """Hands on a long stem: the stem is passed once for all of them, and not for each pair."""

    def tree_with(hands, stem=30):
        b = sixd.Builder("tree")
        for k in range(stem + 2 * hands):
            parent = "base" if k == 0 else f"b{k - 1}" if k < stem or (k - stem) % 2 else f"b{stem - 1}"
            joint, place = sixd.joints.Revolute((0, k % 2, 1 - k % 2)), (0.1, 0.2, 0.3)
            b.body(f"b{k}", parent, joint, mass=1.0, inertia=(0.3, 0.4, 0.5), xyz=place)
        return b.build(), tuple(f"b{stem + 2 * k + 1}" for k in range(hands))

    several = algorithms.inverse_operational_inertia_of_frames
    counts = []
    for hands in (1, 2, 3, 4):
        robot, frames = tree_with(hands)
        counts.append(operations(several, robot, frames=frames))
    one_hand, more = counts[0], np.diff(counts)
    assert (more < 0.3 * one_hand).all()  # the stem is more than nine tenths of the way


def test_thousands_of_bodies():
    robot = sixd.gallery.chain(400)
    q = robot.random(1)
    close(
        robot.inverse_operational_inertia(q, "link400", "position"),
        robot.inverse_operational_inertia(q, ["link400"], "position"),
        rtol=1e-9,
    )
    key = algorithms.inverse_operational_inertia, "link400", "body", "position"
    assert robot._code[key].kernel.rolled


def test_it_exists_at_singular_positions():
    planar = sixd.gallery.double_pendulum()
    q = np.array([0.1, 0.2])
    J = planar.jacobian(q, "tip")
    close(planar.inverse_operational_inertia(q, "tip"), J @ planar.inverse_mass_matrix(q) @ J.T, rtol=1e-13)
    assert not planar.inverse_operational_inertia(q, "base").any()


@pytest.mark.parametrize("kind", ["tree of all joints", "mimic joints", "quaternion joints"])
def test_the_consistent_inverse_and_the_null_space(kind):
    robot = tree(kind)
    q, qd, qdd = states(robot)
    frames, one = ("flange",), np.eye(robot.nv)
    J = stacked(robot, q, frames, ["position"], "aligned")
    H_inv, Lambda = robot.inverse_mass_matrix(q), robot.operational_space(q, qd, "flange", "position", "aligned").Lambda
    Jbar = robot.dynamically_consistent_inverse(q, "flange", "position", "aligned")
    close(Jbar, H_inv @ np.swapaxes(J, -1, -2) @ Lambda, rtol=1e-11)
    close(J @ Jbar, np.broadcast_to(np.eye(3), (3, 3, 3)), rtol=1e-10)
    N_T = robot.null_space_projector(q, frames, "position", "aligned")
    close(N_T, one - np.swapaxes(J, -1, -2) @ np.swapaxes(Jbar, -1, -2), rtol=1e-11)
    close(N_T @ N_T, N_T, rtol=1e-10)
    with_push = robot.forward_dynamics(q, qd, np.einsum("...ij,...j", N_T, qdd))
    without = robot.forward_dynamics(q, qd, np.zeros(robot.nv))
    moved = [robot.acceleration(q, qd, x, "flange", "aligned", conventional=True)[:, 3:] for x in (with_push, without)]
    close(moved[0], moved[1], rtol=1e-9, scale=np.abs(with_push).max())


def test_two_hands():
    """Lambda couples frames: a force at one moves the other, and joint forces J^T f move both as f says."""
    robot, rng = sixd.gallery.quadruped(), np.random.default_rng(3)
    q, qd = robot.random(rng, 4), rng.normal(size=(4, robot.nv))
    feet = [robot.bodies.names[k] for k in (4, 7, 10, 13)]
    kinds = ["position"] * 4
    J, f = stacked(robot, q, feet, kinds, "aligned"), rng.normal(size=(4, 12))
    Lambda, mu, p = robot.operational_space(q, qd, feet, kinds, "aligned")
    qdd = robot.forward_dynamics(q, qd, np.einsum("...ji,...j", J, f))
    each = [robot.acceleration(q, qd, qdd, foot, "aligned", conventional=True)[:, 3:] for foot in feet]
    x = np.concatenate(each, axis=-1)
    close(np.einsum("...ij,...j", Lambda, x) + mu + p, f, rtol=1e-9, scale=np.abs(mu + p).max())
    close(np.linalg.inv(Lambda), robot.inverse_operational_inertia(q, feet, "position", "aligned"), rtol=1e-9)
    again = robot.operational_space(q, qd, tuple(feet), "position", "aligned")
    assert all((a == b).all() for a, b in zip(again, (Lambda, mu, p), strict=True))
    whole = robot.operational_space(q[0], qd[0], feet[0], "position", "aligned")
    for a, b in zip(whole, robot.operational_space(q[0], qd[0], [feet[0]], "position", "aligned"), strict=True):
        close(a, b, rtol=1e-10)


def test_large_robots_go_by_batches_and_lapack(monkeypatch):
    robot, arm = sixd.gallery.seven_axis_arm().with_name("large"), sixd.gallery.seven_axis_arm()
    monkeypatch.setattr(methods.OperationalSpaceMethods, "_largest_task", 10)
    q, qd = robot.random(0, 3), np.ones((3, 7))
    q_bad = np.concatenate([q, np.full((1, 7), np.nan)])
    asked = ["link4", "tool"], ["rotation", "position"], "aligned"
    for name, given in {
        "operational_space": (q, qd),
        "inverse_operational_inertia": (q,),
        "dynamically_consistent_inverse": (q_bad,),
        "null_space_projector": (q,),
    }.items():
        found, wanted = (getattr(r, name)(*given, *asked) for r in (robot, arm))
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-10 * np.nanmax(np.abs(wanted[0])))
        if name != "operational_space":
            out = np.empty_like(found)
            assert getattr(robot, name)(*given, *asked, out=out) is out
    assert len(robot._too_large) == 4
    with pytest.raises(sixd.SingularError, match="'link4', 'tool'"):
        robot.operational_space(q, qd, ["link4", "tool"])


def test_mistakes_are_named():
    arm = sixd.gallery.seven_axis_arm()
    q = arm.random(0)
    with pytest.raises(sixd.NameNotFoundError, match="'tool'"):
        arm.inverse_operational_inertia(q, ["link1", "tol"])
    with pytest.raises(sixd.ArgumentError, match="frame must be the name of a frame, or several, not \\[\\]"):
        arm.inverse_operational_inertia(q, [])
    with pytest.raises(sixd.ShapeError, match="one for each of 2"):
        arm.inverse_operational_inertia(q, ["link1", "tool"], ["pose"])
    with pytest.raises(sixd.ChoiceError, match="kind must be one of"):
        arm.inverse_operational_inertia(q, ["link1", "tool"], "velocity")
    with pytest.raises(sixd.SingularError, match="frame 'tool' cannot move"):
        sixd.gallery.puma560().with_frame("tool", on="link6").null_space_projector(np.zeros(6), "tool")
    puma = sixd.gallery.puma560()
    with pytest.warns(sixd.ModelWarning, match="in 1 of 2 states"):
        some = puma.dynamically_consistent_inverse([puma.random(0), np.zeros(6)], puma.frames[-1].name)
    assert np.isfinite(some[0]).all()
    assert np.isnan(some[1]).all()
