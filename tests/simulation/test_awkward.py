"""Calls of `simulate` that are unusual but make sense."""

import numpy as np
import pytest

import sixd
from sixd import Prescribed
from sixd.errors import ArgumentError, ChoiceError, ModelError, ShapeError
from sixd.flexible import Beam
from sixd.simulation import INTEGRATORS, Contacts, simulate
from sixd.simulation.forces import JointFriction, Passive
from tests.simulation.test_simulate import PENDULUM, start

EVERY = (*INTEGRATORS, "dopri5")
REST = np.zeros(2)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "variational4", "dopri5"])
@pytest.mark.parametrize("more", [{}, {"control": lambda t, q, qd: -qd, "control_dt": 2e-3}, {"books": True}])
def test_the_end_is_on_record_whatever_record_is(integrator, more):
    given = {"integrator": integrator, **more}
    q, qd = start(PENDULUM, (2,))
    whole = simulate(PENDULUM, q, qd, 0.01, **given)
    for record, times in ((3, [0.0, 3e-3, 6e-3, 9e-3, 0.01]), (50, [0.0, 0.01]), (10, [0.0, 0.01]), (None, [0.01])):
        run = simulate(PENDULUM, q, qd, 0.01, record=record, **given)
        np.testing.assert_allclose(run.t, times, atol=1e-15)
        for name in ("q", "qd", "tau", "energy"):
            np.testing.assert_allclose(getattr(run, name)[:, -1], getattr(whole, name)[:, -1], rtol=1e-13, atol=1e-15)
        if run.work is not None:
            np.testing.assert_allclose(run.work[:, -1], whole.work[:, -1], atol=1e-15)
    assert whole.joint("joint1").q.shape == (2, 11, 1)


@pytest.mark.parametrize("integrator", ["rk4", "dopri5"])
def test_no_time_at_all(integrator):
    for control in (None, np.zeros((0, 2)), np.zeros((1, 2)), lambda t, q, qd: -qd):
        run = simulate(PENDULUM, [0.1, 0.2], [0.0, 0.0], 0, control=control, integrator=integrator)
        assert run.q.tolist() == [[0.1, 0.2]]
        assert run.energy.shape == (1,)
        if not callable(control):
            assert run.tau.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "dopri5"])
def test_batches_come_from_every_argument(integrator):
    given = {"integrator": integrator, "parameters": {"gravity": np.zeros((4, 1, 3))}}
    run = simulate(PENDULUM, np.zeros((3, 2), np.float32), [0, 0], 0.01, control=np.zeros((4, 3, 10, 2)), **given)
    assert run.q.shape == (4, 3, 11, 2)
    assert run.q.dtype == float
    assert run.sample(3, 1).energy.shape == (11,)
    assert run.sample(2).power.shape == (3, 11, 1)
    array = pytest.importorskip("dask.array")
    lazy = simulate(PENDULUM, array.ones((6, 2), chunks=2), array.zeros((6, 2), chunks=3), 0.01, integrator=integrator)
    assert np.array_equal(lazy.q, simulate(PENDULUM, np.ones((6, 2)), REST, 0.01, integrator=integrator).q)


@pytest.mark.parametrize("integrator", EVERY)
def test_prescribed_motion_by_step(integrator):
    """A driven joint is where it is told to be at the end of each step: the error is that of three terms, h^3 / 6."""
    closed = PENDULUM.close(Prescribed("joint1", name="drive"))
    dt, n = 2e-3, 50
    t = dt * np.arange(n)
    targets = np.stack([0.3 * np.sin(5 * t), 1.5 * np.cos(5 * t), -7.5 * np.sin(5 * t)], axis=-1)[:, None]
    run = simulate(closed, [0.0, 0.1], [1.5, 0.0], n * dt, dt=dt, integrator=integrator, inputs={"targets": targets})
    assert np.abs(run.q[:-1, 0] - targets[:, 0, 0]).max() < 1.01 * 37.5 * dt**3 / 6
    last = targets[-1, 0] @ [1.0, dt, 0.5 * dt**2]
    assert run.q[-1, 0] == pytest.approx(last, abs=1e-14)
    assert run.q[-1, 1] == pytest.approx(0.10286, abs=2e-4 if integrator.startswith("semi_implicit") else 3e-6)


def test_prescribed_motions_that_stand_still_or_jump_are_refused():
    """One value for all steps would lead the joint to the same place in each; positions alone say nothing of speeds."""
    closed = PENDULUM.close(Prescribed("joint1", name="drive"))
    for one in ([[0.0, 1.5, 0.0]], [[[0.0, 1.5, 0.0]]]):
        with pytest.raises(ArgumentError, match=r"one value for all steps, but 'drive' moves: .*\(\.\.\., 10, 1, 3\)"):
            simulate(closed, [0.0, 0.1], [1.5, 0.0], 0.01, inputs={"targets": one})
    still = simulate(closed, [0.2, 0.1], [0.0, 0.0], 0.01, inputs={"targets": [[0.2, 0.0, 0.0]]})
    np.testing.assert_allclose(still.q[:, 0], 0.2, atol=1e-15)
    targets = np.zeros((10, 1, 3))
    targets[:, 0, 0] = 0.1 * np.arange(10)
    with pytest.raises(
        ArgumentError, match="positions of 'drive' that change, but its velocities and accelerations are"
    ):
        simulate(closed, [0.0, 0.1], [0.0, 0.0], 0.01, inputs={"targets": targets})


@pytest.mark.parametrize("integrator", EVERY)
def test_a_flexible_link_with_every_integrator(integrator):
    builder = sixd.Builder("rod", gravity=(0, -9.81, 0))
    builder.flexible_body("rod", Beam(1.0, 0.4, EI_z=30.0), joint=sixd.joints.Revolute("z"), bending_z=1, mass=0.1)
    robot = builder.build()
    given = {"dt": 2e-4, "forces": [Passive()], "books": True}
    run = simulate(robot, robot.neutral(), np.zeros(robot.nv), 0.05, integrator=integrator, **given)
    fine = simulate(robot, robot.neutral(), np.zeros(robot.nv), 0.05, integrator="rk4", **given)
    error = {1: 5e-3, 2: 3e-4}.get(INTEGRATORS[integrator].order if integrator in INTEGRATORS else 5, 1e-6)
    np.testing.assert_allclose(run.q[-1], fine.q[-1], atol=error * np.abs(fine.q).max())
    assert np.abs(run.energy - run.energy[0]).max() < max(error, 1e-6) * 10 * np.ptp(run.kinetic_energy)


def test_a_robot_with_mimic_joints_has_friction_and_rigid_contact():
    b = sixd.Builder("gripper")
    link = {"mass": 1.0, "com": (0, 0, -0.5), "inertia": (0.1, 0.1, 0.1)}
    b.body("a", joint=sixd.joints.Revolute("y"), joint_name="ja", friction=0.2, **link)
    mimic = sixd.Mimic("ja", -2.0)
    b.body(
        "b",
        parent="a",
        joint=sixd.joints.Revolute("y"),
        joint_name="jb",
        xyz=(0, 0, -1),
        mimic=mimic,
        friction=0.1,
        **link,
    )
    b.frame("tip", on="b", xyz=(0, 0, -1))
    robot = b.build()
    held = simulate(robot.with_gravity((0, 0, 0)), [0.3], [0.0], 0.2, control=[0.39], forces=[Passive()])
    assert abs(held.qd[-1, 0]) < 1e-4  # 0.2 + 2 * 0.1 is more than the motor has
    slips = simulate(robot.with_gravity((0, 0, 0)), [0.3], [0.0], 0.2, control=[0.5], forces=[Passive()])
    assert slips.qd[-1, 0] > 1e-3
    floor = sixd.simulation.contact.Plane(offset=-1.9)
    run = simulate(robot, [0.5], [0.0], 2.0, contacts=Contacts.of(robot, "tip", law="rigid", ground=floor))
    assert run.contact_points[..., 2].min() > -1.9 - 1e-4
    assert simulate(robot, [0.3], [0.0], 0.1, forces=[JointFriction(0.1), Passive()]).finished


def gripper():
    """Two links, of which the second turns back twice as far as the first turns."""
    b = sixd.Builder("gripper")
    link = {"mass": 1.0, "com": (0, 0, -0.5), "inertia": (0.1, 0.1, 0.1), "joint": sixd.joints.Revolute("y")}
    b.body("a", joint_name="ja", **link)
    b.body("b", parent="a", joint_name="jb", xyz=(0, 0, -1), mimic=sixd.Mimic("ja", -2.0, 0.1), **link)
    return b.build()


def test_the_motion_of_a_joint_that_follows_another_is_its_own():
    robot = gripper()
    run = simulate(robot, [0.3], [0.2], 0.01, control=[0.5])
    one, other = run.joint("ja"), run.joint("jb")
    assert np.array_equal(other.q, -2.0 * one.q + 0.1)
    assert np.array_equal(other.qd, -2.0 * one.qd)
    assert np.array_equal(one.tau, np.full((11, 1), 0.5))
    assert not other.tau.any()
    turn = robot.pose(run.q, "b")
    angle = np.arctan2(turn[:, 0, 2], turn[:, 0, 0])
    np.testing.assert_allclose(one.q[:, 0] + other.q[:, 0], angle, atol=1e-15)
    assert [x.get_label() for x in run.plot().axes[0].get_lines()] == ["ja"]
    with pytest.raises(ModelError, match="joint 'jb' has no coordinates of its own: it follows 'ja', name that one"):
        run.plot("jb")


def test_answers_of_a_controller_hold_between_records():
    run = simulate(PENDULUM, REST, REST, 0.01, control=lambda t, q, qd: [t, -t], control_dt=2e-3)
    again = run.resample([0.0, 1.9e-3, 2e-3, 3.5e-3, 0.01])
    np.testing.assert_allclose(again.tau[:, 0], [0.0, 0.0, 2e-3, 2e-3, 8e-3], atol=1e-17)
    for shuffled in (run[[0, 5, 3, 10]], run[::-1], run[[0, 0, 10]], run[:1]):
        with pytest.raises(ModelError, match="of several records, in the order of time"):
            shuffled.resample([1e-3])


def test_what_makes_no_sense_is_named():
    for change, error, text in (
        ({"duration": 0.0105}, ModelError, "10.5 steps of dt = 0.001 s.*0.01 s is the nearest"),
        ({"duration": 1000.0004}, ModelError, "1000000.4 steps of dt = 0.001 s.*: 1000 s is the nearest"),
        ({"duration": 1.0, "dt": 1e-320}, ModelError, "choose a larger dt"),
        ({"record": 0}, ModelError, "record must be a whole number of at least 1"),
        ({"control": 1.0}, ShapeError, r"control has shape \(\)"),
        ({"contacts": Contacts.of(PENDULUM, "tip", law="rigid"), "integrator": "dopri5"}, ChoiceError, "semi_implicit"),
    ):
        with pytest.raises(error, match=text):
            simulate(**{"robot": PENDULUM, "q0": REST, "qd0": REST, "duration": 0.01, **change})
    rigid = sixd.gallery.pendulum()
    with pytest.raises(ModelError, match="has no joint that moves"):
        simulate(rigid.lock({rigid.joints[0].name: 0.0}), [], [], 0.01)
