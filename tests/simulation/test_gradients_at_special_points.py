"""Derivatives of whole runs on the ground, in the air and at rest, of robots with equal moments and mirror images."""

import numpy as np
import pytest

import sixd
from sixd.simulation import INTEGRATORS, Contacts
from sixd.simulation.controllers import JointPD
from sixd.simulation.forces import Drag, JointFriction, JointStops, PointSpring
from sixd.simulation.gradients import Differentiable
from tests.laws.special_points import hopper, twins
from tests.simulation.bodies import ball, body, slider

STEPS = 5
FEET = [f"{leg}_foot" for leg in ("FL", "FR", "RL", "RR")]


def standing(robot, foot, above, legs=()):
    """The robot upright, its foot at a height above the floor."""
    q = robot.neutral()
    q[7 : 7 + len(legs)] = legs
    q[6] = above - robot.pose(q, foot)[2, 3]
    return q


def made(name, above):
    """A robot, where it is and what touches the floor."""
    if name == "ball":
        robot = ball()
        q = standing(robot, "body", above + 0.1)
        return robot, q, (["body"], 0.1)
    if name == "hopper":
        robot = hopper()
        return robot, standing(robot, "foot", above), (["foot"], 0.0)
    robot = sixd.gallery.quadruped()
    return robot, standing(robot, FEET[0], above, [0.0, 0.7, -1.4] * 4), (FEET, 0.0)


def examine(run, q0, qd0, inputs=None, one_sided=False, bound=1e-6, step=1e-7):
    """Forward derivatives against differences of runs, and backward ones against forward ones, in five directions.

    Where the run has a kink, differences are those to the side on which the robot is lifted.
    """
    robot, rng = run.robot, np.random.default_rng(0)
    nv, inputs = robot.nv, inputs or {}
    tau = 0.1 * rng.normal(size=(STEPS, nv))
    for _ in range(5):
        dq, dqd = rng.normal(size=(2, nv))
        dtau, bars = rng.normal(size=tau.shape), rng.normal(size=(2, nv))
        if one_sided:
            dq = np.where(np.arange(nv) == 5, 1.0, 0.0)  # along z
        end, change = run.jvp(q0, qd0, tau, dq, dqd, dtau, inputs=inputs)

        def moved(h, dq=dq, dqd=dqd, dtau=dtau, end=end):
            there = run(robot.integrate(q0, h * dq), qd0 + h * dqd, tau + h * dtau, inputs=inputs)
            return np.concatenate([robot.difference(end.q, there.q), there.qd])

        low = 0.0 if one_sided else -step
        wanted = (moved(step) - moved(low)) / (step - low)
        found = np.concatenate([change.q, change.qd])
        np.testing.assert_allclose(found, wanted, rtol=0, atol=bound * (1.0 + np.abs(wanted).max()))
        _, gradient = run.vjp(q0, qd0, tau, *bars, inputs=inputs)
        forward = bars.ravel() @ found
        backward = gradient.q @ dq + gradient.qd @ dqd + (gradient.tau * dtau).sum()
        assert backward == pytest.approx(forward, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("above", [0.2, -0.001, 0.0], ids=["in the air", "in the ground", "just touching"])
@pytest.mark.parametrize(
    ("name", "friction"), [("ball", 0.8), ("ball", 0.0), ("hopper", 0.8), ("hopper", 0.0), ("quadruped", 0.8)]
)
def test_rigid_contact(name, above, friction):
    """Round blocks of tangents, at rest and sliding. A robot that just touches has the derivative of one above."""
    robot, q, (frames, radius) = made(name, above)
    contacts = Contacts.of(robot, frames, radius=radius, law="rigid", friction=friction)
    run = Differentiable(robot, dt=1e-3, contacts=contacts)
    sliding = np.zeros(robot.nv)
    sliding[3] = 0.5
    for qd in (np.zeros(robot.nv), sliding):
        if above:
            examine(run, q, qd)
        elif name == "ball":  # others lift some feet and press others, as they turn
            examine(run, q, qd, one_sided=True, bound=1e-5, step=1e-9)


WHOLE = [name for name, kind in INTEGRATORS.items() if not kind().estimates and kind().shares == (1.0,)]
#: A variational step is seven sweeps of another one, and takes a third of the time of all.
LONG = {"variational": pytest.mark.slow}
COMPLIANT = [
    *(pytest.param("ball", name, marks=LONG.get(name, ())) for name in WHOLE),
    *(("hopper", name) for name in WHOLE if name != "variational"),
]


@pytest.mark.parametrize("above", [0.2, -0.002], ids=["in the air", "on the ground"])
@pytest.mark.parametrize(("name", "integrator"), COMPLIANT)
def test_compliant_contact(name, above, integrator):
    robot, q, (frames, radius) = made(name, above)
    contacts = Contacts.of(robot, frames, radius=radius, stiffness=1e4)
    examine(Differentiable(robot, dt=1e-3, contacts=contacts, integrator=integrator), q, np.zeros(robot.nv), bound=1e-5)


def test_one_foot_on_the_ground_and_one_in_the_air():
    """The side that is not taken is another one at each site."""
    builder = sixd.Builder("plank")
    builder.body("plank", joint=sixd.joints.Free(), mass=2.0, inertia=(0.02, 0.02, 0.02))
    for name, x in (("left", -0.3), ("right", 0.3)):
        builder.frame(name, "plank", xyz=(x, 0.0, 0.0))
    robot = builder.build()
    q = robot.integrate(robot.neutral(), [0.0, 0.1, 0.0, 0.0, 0.0, 0.0])
    q[6] = 0.3 * np.sin(0.1) - 0.001
    heights = [robot.pose(q, name)[2, 3] for name in ("left", "right")]
    assert min(heights) < 0.0 < max(heights)
    for law, integrator in (("rigid", None), ("compliant", "implicit"), ("compliant", "rk4")):
        more = {} if law == "rigid" else {"stiffness": 1e4}
        contacts = Contacts.of(robot, ["left", "right"], law=law, **more)
        run = Differentiable(robot, dt=1e-3, contacts=contacts, integrator=integrator)
        examine(run, q, np.zeros(6), bound=1e-5)


@pytest.mark.parametrize("integrator", [pytest.param(name, marks=LONG.get(name, ())) for name in WHOLE])
def test_force_elements_and_control_at_rest(integrator):
    """A symmetric robot at its target and at rest, with forces whose own derivatives are 0 / 0 there."""
    robot = twins()
    control = JointPD(20.0, 2.0)
    forces = [
        Drag("right", quadratic=0.5, angular_quadratic=0.1),
        JointStops(lower=-1.0, upper=1.0, joints=[joint.name for joint in robot.joints[1:]]),
        PointSpring("left", (0.0, 0.1, 0.0), 10.0),
        JointFriction(0.05),
    ]
    run = Differentiable(robot, dt=1e-3, control=control, forces=forces, integrator=integrator)
    examine(run, robot.neutral(), np.zeros(robot.nv), inputs={"q_target": robot.neutral()}, bound=1e-5)


def test_dry_friction_with_rigid_contact_at_rest():
    robot = slider(5.0)
    contacts = Contacts([], law=sixd.simulation.contact.Rigid(joint_friction=True))
    run = Differentiable(robot, dt=1e-3, contacts=contacts)
    for speed in (0.0, 1.0):
        examine(run, np.zeros(1), np.array([speed]))


@pytest.mark.parametrize("law", ["rigid", "compliant"])
def test_a_nan_is_one_in_its_own_sample(law):
    robot = body()
    contacts = Contacts.of(robot, ["body"], law=law)
    integrator = None if law == "rigid" else "implicit"
    run = Differentiable(robot, dt=1e-3, contacts=contacts, integrator=integrator)
    q = np.tile(standing(robot, "body", 0.5), (5, 1))
    qd, tau, bars = np.zeros((5, 6)), np.zeros((5, STEPS, 6)), np.ones((2, 5, 6))
    whole = run.vjp(q, qd, tau, *bars)[1], run.jvp(q, qd, tau, *bars, tau)[1]
    q[2, 4] = np.nan
    gradient, change = run.vjp(q, qd, tau, *bars)[1], run.jvp(q, qd, tau, *bars, tau)[1]
    others = [0, 1, 3, 4]
    for found, wanted in zip((*gradient[:3], *change), (*whole[0][:3], *whole[1]), strict=True):
        assert np.isfinite(wanted).all()
        np.testing.assert_array_equal(found[others], wanted[others])
        assert np.isnan(found[2]).all()
