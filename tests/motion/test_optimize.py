"""Motions of least cost: closed forms, geodesics, limits, gradients, mistakes."""

import numpy as np
import pytest

import sixd
from sixd import SixdError
from sixd.joints import JOINTS, Prismatic, Revolute
from sixd.model.random import random_tree
from sixd.motion import COSTS, check_gradient, optimize
from sixd.motion.limits import LIMITS, constraints_of
from sixd.motion.problem import Problem
from sixd.motion.splines import Spline

#: The joint types that have a dq/dt.
VECTORS = sorted(name for name, kind in JOINTS.items() if kind.nq == kind.nv)


def slider(mass=2.0, **more):
    return sixd.Builder("slider").body("cart", joint=Prismatic((1, 0, 0)), mass=mass, **more).build()


def gantry():
    b = sixd.Builder("gantry").body("x", joint=Prismatic((1, 0, 0)), mass=3.0)
    return b.body("y", "x", Prismatic((0, 1, 0)), mass=2.0).body("z", "y", Prismatic((0, 0, 1)), mass=1.0).build()


@pytest.fixture(scope="module")
def arm():
    return sixd.gallery.seven_axis_arm()


ENDS = np.array([[0.0, 0.6, 0.0, 1.2, 0.0, 0.6, 0.0], [1.6, 1.0, -0.7, 0.4, 1.0, -0.8, 0.5]])


# ---- closed forms


def test_flat_metrics_have_straight_geodesics():
    """A gantry: q is linear in time to rounding, and the cost is that of a constant velocity."""
    robot, q1 = gantry(), np.array([1.0, -2.0, 0.5])
    found = optimize(robot, np.zeros(3), q1, 2.0)
    assert found.success
    np.testing.assert_allclose(found.q, found.t[:, None] / 2.0 * q1, atol=1e-12)
    assert found.cost == pytest.approx(2.0 * 0.5 * (6.0 * 0.25 + 3.0 * 1.0 + 1.0 * 0.0625), rel=1e-13)


def test_a_polar_arm_moves_on_a_straight_line():
    """A mass on a slide on a pivot is a point in a plane: its geodesics are straight lines in the plane."""
    b = sixd.Builder("polar").body("arm", joint=Revolute((0, 0, 1)))
    robot = b.body("mass", "arm", Prismatic((1, 0, 0)), mass=2.0).frame("tip", on="mass").build()
    found = optimize(robot, [0.3, 1.0], [2.1, 1.5], 3.0, pieces=20)
    place = robot.pose(found.q, "tip")[:, :2, 3]
    straight = place[0] + found.t[:, None] / 3.0 * (place[-1] - place[0])
    np.testing.assert_allclose(place, straight, atol=2e-6)
    assert found.cost == pytest.approx(0.5 * 2.0 * np.sum((place[-1] - place[0]) ** 2) / 3.0, rel=1e-10)
    curved = optimize(robot, [0.3, 1.0], [2.1, 1.5], 3.0, "curvature", pieces=20)  # flat: the same
    assert curved.cost == pytest.approx(found.cost, rel=1e-10)


def test_least_torque_of_a_slider():
    """From rest to rest, q is a cubic in time and the force linear: 12 m^2 d^2 / T^3."""
    found = optimize(slider(), [0.0], [1.5], 2.0, "torque")
    s = found.t / 2.0
    np.testing.assert_allclose(found.q[:, 0], 1.5 * s * s * (3.0 - 2.0 * s), atol=1e-7)
    np.testing.assert_allclose(found.tau[:, 0], 2.0 * 1.5 * (6.0 - 12.0 * s) / 4.0, atol=1e-5)
    assert found.cost == pytest.approx(12.0 * 4.0 * 1.5**2 / 8.0, rel=1e-12)
    assert found.success
    np.testing.assert_allclose(found.qd[[0, -1]], 0.0, atol=1e-12)


def test_without_rest_the_slider_needs_no_force():
    found = optimize(slider(), [0.0], [1.5], 2.0, "torque", rest=False)
    np.testing.assert_allclose(found.tau, 0.0, atol=1e-5)


# ---- geodesics


@pytest.mark.parametrize("seed", range(3))
def test_geodesics(seed):
    """On random trees: T is constant, and H qdd + C qd = 0, up to what a spline of 30 pieces can follow."""
    robot = sixd.Robot.of(random_tree(4, seed, joints=VECTORS, rotors=True))
    q0, way = robot.random(seed), np.random.default_rng(seed).normal(size=robot.nv)
    found = optimize(robot, q0, q0 + 0.7 * way, 1.0, pieces=30, limits=())
    assert found.success, found
    T = robot.kinetic_energy(found.q, found.qd)
    np.testing.assert_allclose(T, found.cost, rtol=1e-5)
    C_qd = np.einsum("sijk,si,sj->sk", robot.christoffel(found.q), found.qd, found.qd)
    H_qdd = np.einsum("sij,sj->si", robot.mass_matrix(found.q), found.qdd)
    np.testing.assert_allclose(H_qdd + C_qd, 0.0, atol=1e-3 * np.abs(C_qd).max())
    assert found.cost < found.cost_before


def test_geodesics_converge(arm):
    """With twice the pieces, T is constant to many more digits: a spline of degree 5 has small errors."""
    weightless, spread = arm.with_gravity((0, 0, 0)), []
    for pieces in (8, 16):
        found = optimize(weightless, *ENDS, 2.0, pieces=pieces, limits=())
        T = arm.kinetic_energy(found.q, found.qd)
        spread.append(np.ptp(T) / T.mean())
    assert spread[1] < spread[0] / 8.0
    assert spread[1] < 1e-4
    np.testing.assert_allclose(found.tau, 0.0, atol=0.02)


def test_a_geodesic_is_what_a_free_robot_does(arm):
    """From the start of a geodesic, forward dynamics without forces and gravity leads to its end."""
    weightless = arm.with_gravity((0, 0, 0))
    found = optimize(weightless, *ENDS, 2.0, pieces=24, limits=())
    q, qd, steps = found.q[0], found.qd[0], 400
    h, zero = 2.0 / steps, np.zeros(7)

    def rates(q, qd):
        return qd, weightless.forward_dynamics(q, qd, zero)

    for _ in range(steps):  # the classical Runge-Kutta method
        a = rates(q, qd)
        b = rates(q + h / 2 * a[0], qd + h / 2 * a[1])
        c = rates(q + h / 2 * b[0], qd + h / 2 * b[1])
        d = rates(q + h * c[0], qd + h * c[1])
        q, qd = (x + h / 6 * (i + 2 * j + 2 * k + l) for x, i, j, k, l in zip((q, qd), a, b, c, d, strict=True))
    np.testing.assert_allclose(q, ENDS[1], atol=1e-4)


# ---- other costs


@pytest.mark.parametrize("cost", COSTS)
def test_neighbours_are_no_better(cost):
    """The gradient by the control points is zero, and any change of them by a little costs more."""
    robot, ends = sixd.gallery.double_pendulum(), ([0.3, -0.4], [1.5, 1.0])
    found = optimize(robot, *ends, 1.0, cost, pieces=4)
    assert found.success, found
    problem, rng = Problem(robot, *ends, 1.0, cost, 4, None), np.random.default_rng(0)
    gradient = problem.scale.T @ problem.value_and_gradient(found.control_points)[1].ravel()
    assert np.abs(gradient).max() < 1e-5 * np.sqrt(found.cost)
    assert problem.value_and_gradient(found.control_points)[0] == pytest.approx(problem.value(found.control_points))
    for _ in range(20):
        moved = found.control_points.copy()
        moved[problem.free] += 0.02 * rng.normal(size=moved[problem.free].shape)
        assert problem.value(moved) > found.cost
    assert found.cost < found.cost_before


def test_curvature_avoids_what_is_curved(arm):
    short, flat = (optimize(arm, *ENDS, 2.0, cost, limits=()) for cost in ("energy", "curvature"))

    def mean_square(found):
        return np.mean(arm.scalar_curvature(found.q) ** 2)

    assert mean_square(flat) < 0.5 * mean_square(short)
    assert arm.kinetic_energy(flat.q, flat.qd).mean() > arm.kinetic_energy(short.q, short.qd).mean()


# ---- gradients


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("rest", [False, True])
def test_gradients(cost, rest):
    """Of every cost, on a random tree of every joint type that is allowed, in five draws."""
    for seed in range(5):
        robot = sixd.Robot.of(random_tree(3, seed, joints=VECTORS, rotors=True))
        q0, q1 = robot.random(seed, 2)
        if robot.nv > 6 and cost == "curvature":
            continue
        found = check_gradient(robot, q0, q1, 1.3, cost, rest=rest, pieces=2, seed=seed)
        assert found.error < 1e-9
        assert found.gradient.shape == (2 + 5 - (4 if rest else 2), robot.nv)


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("cost", COSTS)
def test_gradients_of_each_joint(name, cost):
    robot = sixd.Robot.of(random_tree(2, 1, joints=[name], rotors=True))
    assert check_gradient(robot, *robot.random(0, 2), 1.0, cost, pieces=2).error < 1e-9


@pytest.mark.parametrize("cost", COSTS)
def test_gradients_with_a_mimic_joint(cost):
    b = sixd.Builder("gripper").body("a", joint=Revolute((0, 1, 0)), joint_name="lead", mass=1.0, com=(0.3, 0, 0))
    b.body("b", "a", Revolute((0, 1, 0)), xyz=(0.6, 0, 0), mass=1.0, com=(0.3, 0, 0), mimic=sixd.Mimic("lead", -0.5))
    robot = b.body("c", "b", Revolute((0, 0, 1)), mass=0.5, com=(0.3, 0, 0.1), inertia=(0.1, 0.1, 0.1)).build()
    assert robot.nv == 2
    assert check_gradient(robot, [0.0, 0.0], [1.0, 1.0], 1.0, cost).error < 1e-9


def test_a_wrong_gradient_is_found(monkeypatch):
    right = COSTS["energy"].__call__

    def wrong(self, motion):
        value, by = right(self, motion)
        return value, by._replace(q=1.001 * by.q)

    monkeypatch.setattr(COSTS["energy"], "__call__", wrong)
    assert check_gradient(sixd.gallery.double_pendulum(), [0.0, 0.0], [1.0, 1.0], 1.0).error > 1e-5


@pytest.mark.parametrize("name", LIMITS)
def test_jacobians_of_limits(arm, name):
    problem = Problem(arm, *ENDS, 2.0, "torque", 3, None)
    (constraint,) = constraints_of(problem, (name,))
    y, along = np.random.default_rng(0).normal(size=(2, problem.scale.shape[0]))
    h = 1e-5
    difference = (constraint.margin(y + h * along) - constraint.margin(y - h * along)) / (2 * h)
    np.testing.assert_allclose(constraint.jacobian(y) @ along, difference, atol=1e-6 * np.abs(difference).max())


# ---- splines


def test_splines():
    spline = Spline(2.0, 7)
    t = np.linspace(0.0, 2.0, 50)
    basis = spline.at(t)
    np.testing.assert_allclose(basis.q.sum(axis=1), 1.0, atol=1e-13)
    np.testing.assert_allclose(basis.q @ spline.centers, t, atol=1e-13)
    X = np.random.default_rng(0).normal(size=(spline.functions, 2))
    velocity = spline.velocity_points @ X
    assert (np.abs(basis.qd @ X).max(axis=0) <= np.abs(velocity).max(axis=0)).all()
    np.testing.assert_allclose((basis.qd @ X)[[0, -1]], velocity[[0, -1]], atol=1e-12)
    times, weights = spline.quadrature()
    for power in range(12):
        assert weights @ times**power == pytest.approx(2.0 ** (power + 1) / (power + 1), rel=1e-13)


# ---- limits


def test_limits_of_positions_are_kept_at_every_time():
    """The geodesic of a double pendulum would fold the elbow further than it can."""
    b = sixd.Builder("arm").body("upper", joint=Revolute((0, 0, 1)), mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    more = {"xyz": (1.0, 0, 0), "mass": 1.0, "com": (0.5, 0, 0), "inertia": (0.0, 0.1, 0.1)}
    b.body("lower", "upper", Revolute((0, 0, 1)), **more, lower=-0.2, upper=1.2)
    robot = b.build()
    ends = [0.0, 0.6], [2.5, 0.6]
    free, kept = (optimize(robot, *ends, 1.0, limits=limits) for limits in ((), "position"))
    assert np.abs(free.q[:, 1]).max() > 1.3
    q = kept.at(np.linspace(0.0, 1.0, 3000)).q[:, 1]
    assert kept.success
    assert -0.2 - 1e-9 < q.min() < q.max() < 1.2 + 1e-9
    assert q.max() > 1.15  # and the limit is used
    assert free.cost < kept.cost < kept.cost_before


def test_limits_of_velocity_and_effort():
    """A weak arm with a mass that can be pulled in, lifted over the top."""
    b = sixd.Builder("arm").body("a", joint=Revolute((0, 1, 0)), mass=1.0, com=(0.3, 0, 0), effort=4.0, velocity=2.5)
    robot = b.body("b", "a", Prismatic((1, 0, 0)), mass=1.0, lower=0.1, upper=0.6, velocity=1.0).build()
    ends, t = ([-1.4, 0.5], [1.4, 0.5]), np.linspace(0.0, 2.0, 2000)
    free = optimize(robot, *ends, 2.0, "torque", limits=())
    kept = optimize(robot, *ends, 2.0, "torque", limits=("position", "velocity", "effort"))
    assert kept.success, kept
    assert np.abs(free.tau[:, 0]).max() > 4.5
    q, qd, qdd = kept.at(t)
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert np.abs(tau[:, 0]).max() < 4.0 * 1.01  # between the places that are compared it may be a little more
    assert (np.abs(qd) <= np.array([2.5, 1.0]) + 1e-9).all()
    assert (np.abs(robot.clip(q) - q) < 1e-9).all()
    assert kept.cost > free.cost


# ---- results


def test_what_it_returns_fits_together(arm):
    found = optimize(arm, *ENDS, 2.0)
    for part, name in zip(found.at(found.t), ("q", "qd", "qdd"), strict=True):
        np.testing.assert_allclose(part, getattr(found, name), atol=1e-12)
    np.testing.assert_array_equal(found.q[[0, -1]], ENDS)
    np.testing.assert_allclose(found.tau, arm.inverse_dynamics(found.q, found.qd, found.qdd), atol=1e-12)
    T = arm.kinetic_energy(found.q, found.qd)
    assert np.trapezoid(T, found.t) == pytest.approx(found.cost, rel=1e-4)
    text = str(found)
    assert text.startswith("motion of 7 degrees of freedom in 2 s, of least energy")
    assert " converged after" in text
    h, t = 1e-6, 0.7
    ahead, here, behind = (found.at(t + d) for d in (h, 0.0, -h))
    np.testing.assert_allclose((ahead.q - behind.q) / (2 * h), here.qd, atol=1e-8)
    np.testing.assert_allclose((ahead.qd - behind.qd) / (2 * h), here.qdd, atol=1e-7)
    with pytest.raises(SixdError, match="t must be from 0 to 2"):
        found.at([2.1])
    with pytest.raises(SixdError, match="t must be from 0 to 2"):
        found.at([np.nan])


def test_what_has_not_converged_says_so(arm):
    found = optimize(arm, *ENDS, 2.0, "torque", iterations=2)
    assert not found.success
    assert "NOT converged after 2 iterations" in str(found)
    assert "limit" in found.message.lower()
    weak = slider(effort=0.1)
    assert not optimize(weak, [0.0], [1.0], 1.0, "torque", limits="effort").success


def test_no_way_to_go(arm):
    found = optimize(arm, ENDS[0], ENDS[0], 1.0)
    assert found.success
    assert found.cost < 1e-20
    np.testing.assert_allclose(found.q, np.broadcast_to(ENDS[0], found.q.shape), atol=1e-12)


# ---- mistakes


def test_mistakes(arm):
    with pytest.raises(SixdError, match="joint 'base' has a quaternion"):
        optimize(sixd.gallery.quadruped(), [0.0], [0.0], 1.0)
    with pytest.raises(SixdError, match=r"q0: joint 'joint2' must be between -2 and 2, not at 2\.5"):
        optimize(arm, [0, 2.5, 0, 0, 0, 0, 0], ENDS[1], 1.0)
    with pytest.raises(SixdError, match=r"duration: joint 'joint1', .* cannot move by 1\.6"):
        optimize(arm, *ENDS, 0.5)
    with pytest.raises(SixdError, match="cost must be one of 'energy', 'torque', 'curvature'"):
        optimize(arm, *ENDS, 1.0, "speed")
    with pytest.raises(SixdError, match="limits must be one of 'position'"):
        optimize(arm, *ENDS, 1.0, limits="speed")
    with pytest.raises(SixdError, match="twice"):
        optimize(arm, *ENDS, 1.0, limits=("effort", "effort"))
    for duration in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(SixdError, match="duration must be positive"):
            optimize(arm, *ENDS, duration)
    for value in (np.nan, np.inf):
        with pytest.raises(SixdError, match="q1 must be 7 finite numbers"):
            optimize(arm, ENDS[0], [value] * 7, 1.0)
    with pytest.raises(SixdError, match="'curvature' is for at most 8 degrees of freedom, not 9"):
        optimize(sixd.gallery.chain(9), np.zeros(9), np.ones(9), 1.0, "curvature")
    with pytest.raises(SixdError, match="no degree of freedom"):
        optimize(sixd.gallery.pendulum().lock({"pivot": 0.0}), [], [], 1.0)
    with pytest.raises(SixdError, match="'cart_joint' has an effort limit of 0"):
        optimize(slider(effort=0.0), [0.0], [1.0], 1.0, limits="effort")


@pytest.mark.parametrize("module", ["scipy.optimize", "scipy.interpolate"])
def test_without_scipy(arm, monkeypatch, module):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(SixdError, match="needs SciPy: pip install scipy"):
        optimize(arm, *ENDS, 2.0)
