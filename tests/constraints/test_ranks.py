"""Ranks where the bars of loops are in line: one rule for every method, every axis, every turn and every unit."""

import numpy as np
import pytest

import sixd
from sixd import Loop, algorithms, mechanisms
from sixd.joints import Revolute
from sixd.robot.closed import lapack
from sixd.simulation.setup import setup_of
from sixd.simulation.starts import starts_of
from sixd.simulation.stiffness import slopes_of
from tests.constraints.closing import closed_by
from tests.constraints.in_line import parallelogram, rotation
from tests.constraints.states import largest

METHODS = ("auto", "schur", "kkt", "nullspace", "articulated")
AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 2, 3), (-0.3, 0.2, 0.9)]
FRAMES = {
    "as they are": None,
    "0.3 rad about x": rotation((1, 0, 0), 0.3),
    "0.3 rad about y": rotation((0, 1, 0), 0.3),
    "0.3 rad about z": rotation((0, 0, 1), 0.3),
    "about any axis": rotation((0.2, -0.7, 0.4), 2.1),
}
#: How far the crank is from the line of the bars, and the freedoms there.
BESIDE = {0.0: 2, 1e-12: 2, 1e-9: 2, -1e-9: 2, 1e-7: 2, 1e-3: 1, 0.7: 1, np.pi: 2, np.pi + 1e-9: 2}
WHOLE_TURNS = 2.0 * np.pi * np.array([0, 1, 2, -3, 50])
TAU = np.array([1.0, -2.0, 0.5])


def along(x):
    """Positions at which a parallelogram stays one."""
    return np.stack([x, -x, x], axis=-1)


def answers(closed, q, qd, tau):
    """Accelerations (methods, ..., nv) by every method that needs no choice of coordinates, and by LAPACK."""
    e = closed._dense(q, qd, tau, {})
    found = [closed.forward_dynamics(q, qd, tau, method=method) for method in METHODS]
    return np.stack([*found, *(by(e) for by in lapack.METHODS.values())])


def pin(closed, q, qd, tau):
    return np.linalg.norm(closed.constraint_forces(q, qd, tau).forces["pin"], axis=-1)


def test_a_four_bar_in_line_is_the_same_after_whole_turns():
    closed, still = mechanisms.four_bar(2, 1, 2, 1, angle=0.0).robot, np.zeros(3)
    q = along(WHOLE_TURNS)
    assert [closed.mobility(x).dof for x in q] == [2] * len(q)
    assert [len(closed.mobility(x).singular) for x in q] == [1] * len(q)
    for qd in (still, np.array([3.0, -3.0, 3.0]), np.array([0.3, 1.0, -2.0])):
        for tau in (still, TAU):
            found = closed.constraint_forces(q, qd, tau)
            assert (found.rank == 1).all()
            assert pin(closed, q, qd, tau).max() < 200.0
            np.testing.assert_allclose(pin(closed, q, qd, tau), pin(closed, q[0], qd, tau), rtol=1e-12)
            every = answers(closed, q, qd, tau)
            assert largest(every, every[0, 0]) < 1e-11


def test_a_four_bar_over_two_turns_has_no_peaks():
    closed, q = mechanisms.four_bar(2, 1, 2, 1, angle=0.0).robot, along(np.radians(np.arange(721.0)))
    for speed in (0.0, 2.0):
        forces = pin(closed, q, np.array([speed, -speed, speed]), np.zeros(3))
        assert forces.max() < 60.0
        steps = np.abs(np.diff(forces))
        assert steps.max() < 4.0  # of forces that change by 40 N within a quarter turn


@pytest.mark.parametrize("turns", [0, 1, -2])
def test_a_slider_crank_with_crank_and_rod_in_line(turns):
    """The rod lies on the crank, and the slider at its axis: bars turn together there, or the slider moves."""
    m = mechanisms.slider_crank(1.0, 1.0, angle=np.pi / 2)
    closed, q, still = m.robot, m.q + 2.0 * np.pi * turns * np.array([1.0, -1.0, 0.0]), np.zeros(3)
    found = closed.mobility(q)
    assert (found.dof, found.rank, len(found.singular)) == (2, 1, 1)
    for qd in (still, np.array([2.0, 0.0, 0.0])):
        assert closed.constraint_forces(q, qd, still).rank == 1
        assert pin(closed, q, qd, TAU) < 10.0
        assert np.isclose(pin(closed, q, qd, TAU), pin(closed, m.q, qd, TAU), rtol=1e-12)
        every = answers(closed, q, qd, TAU)
        assert largest(every, answers(closed, m.q, qd, TAU)[0]) < 1e-11


@pytest.mark.parametrize(("axis", "joint"), [*zip(AXES, ["revolute", "point"] * 3, strict=True)], ids=str)
def test_axes_turns_frames_and_methods(axis, joint):
    """Freedoms, ranks, what is singular and accelerations: the same with frames turned and after whole turns."""
    x = np.array([*BESIDE])[:, None] + WHOLE_TURNS
    q, qd, dof = along(x), np.array([1.3, -1.3, 1.3]), np.array([*BESIDE.values()])[:, None]
    wanted = None
    for frames in FRAMES.values() if axis == AXES[1] else [*FRAMES.values()][::2]:
        closed = parallelogram(axis, frames, joint=joint)
        for at, freedoms in zip(q[:, 1], dof[:, 0], strict=True):
            found = closed.mobility(at)
            assert (found.dof, len(found.singular)) == (freedoms, freedoms - 1)
        assert np.array_equal(closed.constraint_forces(q, qd, TAU).rank, np.broadcast_to(3.0 - dof, x.shape))
        every = answers(closed, q, qd, TAU)
        wanted = every[0, :, :1] if wanted is None else wanted
        assert np.abs(every - wanted).max() < 1e-5 * np.abs(wanted).max()
        assert pin(closed, q, qd, TAU)[(dof == 2)[:, 0]].max() < 100.0
        by_crank = closed.forward_dynamics(q, qd, TAU, method="embedding", independent="crank_joint")
        alone = np.broadcast_to(dof == 1, x.shape)
        assert np.isnan(by_crank[~alone]).any(axis=-1).all()
        assert largest(by_crank[alone], every[0][alone]) < 1e-8


def test_methods_agree_about_ranks_on_the_way_to_a_singular_position():
    """Whichever way the frames are turned, even by little, and whichever row comes first."""
    q, still = along(np.array([1e-6, 3e-6, 1e-5, 3e-5, 1e-4])), np.zeros(3)
    for angle in (0.0, 1e-5, 1e-4, 0.01, 0.5, np.pi / 2):
        closed = parallelogram((0, 1, 0), rotation((0, 1, 0), angle), joint="point")
        assert closed.constraint_forces(q, still, TAU).rank.tolist() == [1, 1, 1, 2, 2]
        assert [closed.mobility(x).rank for x in q] == [1, 1, 1, 2, 2]
        qdd = answers(closed, q, still, TAU)
        assert np.abs(qdd - qdd[0]).max() < 0.01 * np.abs(qdd[0]).max()


def crank_and_slider(unit):
    """A slider-crank with bars of one unit of length."""
    one, inertia = (unit, 0.0, 0.0), unit * unit * np.eye(3)
    b = sixd.Builder("slider-crank").body("crank", joint=Revolute("y"), mass=1.0, inertia=inertia)
    b.body("rod", "crank", Revolute("y"), mass=1.0, inertia=inertia, xyz=one)
    b.body("slider", "base", sixd.joints.Prismatic("x"), mass=0.8).frame("rod end", on="rod", xyz=one)
    return b.build().close(Loop("slider", "rod end", "revolute", axis="y", name="pin"))


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e6])
def test_units_of_length(unit):
    """With all lengths, and gravity, in another unit: the same freedoms, accelerations and positions."""
    closed, first = parallelogram((1, 2, 3), unit=unit), parallelogram((1, 2, 3))
    qd, tau = np.array([1.0, -1.0, 1.0]), TAU * unit * unit
    for x, freedoms in ((0.0, 2), (2.0 * np.pi, 2), (1e-9, 2), (1e-3, 1), (0.7, 1)):
        q = along(np.array(x))
        found = closed.mobility(q)
        assert (found.dof, len(found.singular)) == (freedoms, freedoms - 1)
        assert largest(answers(closed, q, qd, tau), first.forward_dynamics(q, qd, TAU)) < 1e-8
    assert closed.independent() == first.independent()
    closed, first = crank_and_slider(unit), crank_and_slider(1.0)
    for x, freedoms in ((np.pi / 2, 2), (np.pi / 2 + 2.0 * np.pi, 2), (0.9, 1)):
        found = closed.mobility([x, -2.0 * x, 2.0 * unit * np.cos(x)])
        assert (found.dof, len(found.singular)) == (freedoms, freedoms - 1)
    assert closed.independent() == first.independent()
    place = first.assemble([0.5, -1.3, 1.2]) * np.array([1.0, 1.0, unit])
    np.testing.assert_allclose(closed.assemble([0.5, -1.3, 1.2 * unit]), place, rtol=1e-8)
    target = closed.pose([0.9, -1.8, 2.0 * unit * np.cos(0.9)], "rod")[:3, :3]
    reached = closed.inverse_kinematics("rod", target, place, kind="orientation")
    assert reached.success
    np.testing.assert_allclose(reached.q, [0.9, -1.8, 2.0 * unit * np.cos(0.9)], rtol=1e-8)


def test_light_and_heavy_bodies_do_not_matter():
    """A rod that turns about itself with hardly any inertia, as files have it, makes no row of others look small."""
    for spin in (1e-3, 1e-9, 1e-13):
        b = sixd.Builder("boom").body(
            "boom", joint=sixd.joints.Spherical(), mass=50.0, com=(1.5, 0, 0), inertia=np.diag([spin, 40.0, 40.0])
        )
        b.frame("tip", on="boom", xyz=(3.0, 0, 0))
        offset = sixd.Transform.translation((3.0, 0.0, 0.0))
        closed = b.build().close(Loop("base", "tip", "revolute", axis="y", offset=offset))
        q = closed.neutral()
        assert closed.mobility(q).rank == 3
        assert closed.constraint_forces(q, np.zeros(3), np.zeros(3)).rank == 3


@pytest.mark.parametrize("tolerance", [0.0, 1e-14, 1e-10])
def test_rounding_is_never_a_row(tolerance):
    closed = parallelogram((1, 2, 3), rank_tolerance=tolerance)
    q, still = along(WHOLE_TURNS), np.zeros(3)
    assert (closed.constraint_forces(q, still, TAU).rank == 1).all()
    assert [closed.mobility(x).dof for x in q] == [2] * len(q)
    every = answers(closed, q, still, TAU)
    assert largest(every, every[0, 0]) < 1e-10


@pytest.mark.parametrize("joint", [None, Revolute("y"), sixd.joints.Spherical(), sixd.joints.Universal()], ids=repr)
def test_whole_turns_of_the_joints_of_random_loops(joint):
    closed, q = closed_by(joint, seed=3)
    turning = [j for j in closed.joints if j.type.name in ("revolute", "universal")]
    assert len(turning) > 1
    there = q.copy()
    for k, j in enumerate(turning):
        there[j.q] += 2.0 * np.pi * (-1) ** k * (k + 1)
    qd, tau = closed.project(q, np.ones(closed.nv))[1], np.ones(closed.nv)
    assert closed.mobility(there).rank == closed.mobility(q).rank
    assert largest(answers(closed, there, qd, tau), closed.forward_dynamics(q, qd, tau)) < 1e-9


def test_derivatives_and_other_questions_after_whole_turns():
    """What else rests on ranks: derivatives, projections, reduced equations, forces of actuators, rates of springs."""
    closed = parallelogram((0, 1, 0))
    for x in (0.0, 0.7):
        q, there, qd = along(np.array(x)), along(np.array(x + 4.0 * np.pi)), np.array([1.0, -1.0, 1.0])
        one, other = (closed.forward_dynamics_derivatives(at, qd, TAU) for at in (q, there))
        for part, again in zip(one, other, strict=True):
            assert np.isfinite(part).all()
            np.testing.assert_allclose(part, again, atol=1e-10 * np.abs(part).max())
        _, *moving = closed.project(q, [1.0, 2.0, 3.0], TAU)
        _, *again = closed.project(there, [1.0, 2.0, 3.0], TAU)
        np.testing.assert_allclose(moving, again, atol=1e-11)
        wanted = closed.inverse_dynamics(q, qd, TAU).tau
        np.testing.assert_allclose(closed.inverse_dynamics(there, qd, TAU).tau, wanted, atol=1e-11)
        bounded = [closed.inverse_dynamics(at, qd, TAU, bounds=1e3).tau for at in (q, there)]
        np.testing.assert_allclose(*bounded, atol=1e-9)
        setup = setup_of(
            closed, 1e-3, None, None, [sixd.simulation.forces.JointSpring(40.0)], "rk4", None, False, None, None, None
        )
        rates = [np.abs(slopes_of(setup, starts_of(setup, at, qd)).rates(0)).max() for at in (q, there)]
        assert np.isclose(*rates, rtol=1e-9)
    for at in (along(np.array(0.0)), along(np.array(4.0 * np.pi)), along(np.array(1e-9))):
        with pytest.raises(sixd.SingularError, match="do not determine"):
            closed.reduced_dynamics(at, np.zeros(3), independent="crank_joint")


def test_frames_that_constraints_hold_still_have_no_inertia_in_that_direction():
    """The platform of a delta robot does not turn: what is left of its mobility is rounding, whatever its sign."""
    m, rng = mechanisms.delta_robot(), np.random.default_rng(0)
    closed = m.robot
    q = closed.project(closed.tree.integrate(m.q, 0.1 * rng.normal(size=(200, closed.nv))))
    for kind in ("rotation", "pose"):
        with pytest.raises(sixd.SingularError, match="cannot move in every direction"):
            closed.operational_space(q, np.zeros((200, closed.nv)), "platform", kind)


def test_the_measure_of_rows():
    """Rows are at most as long as their sizes say, and tolerances are those of rows that are full."""
    closed, q = mechanisms.four_bar().robot, mechanisms.four_bar().q
    found = algorithms.constraint_ranks(closed, q)
    L = closed.constraint_jacobian(q)
    share = (L * L).sum(axis=-1) / found.sizes**2
    assert (share <= closed.nv).all()
    exists = share > 1e-20
    np.testing.assert_allclose((found.tolerances * share)[exists], 1e-10, rtol=1e-12)
    assert (found.tolerances[~exists] >= 1.0).all()
