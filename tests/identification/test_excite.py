"""Exciting motions: within the limits, much better than random ones, by gradients that are right."""

import numpy as np
import pytest

import sixd
from sixd import SixdError
from sixd.identification import excite, fit
from sixd.identification.excitation_cost import Cost, Limits
from sixd.identification.fourier import basis_at
from sixd.identification.unknowns import Unknowns


@pytest.fixture(scope="module")
def arm():
    return sixd.gallery.seven_axis_arm()


@pytest.fixture(scope="module")
def found(arm):
    return excite(arm, iterations=60)


def test_it_is_better_than_random(found):
    assert found.condition < 0.3 * found.condition_before
    assert found.condition < 15.0


def test_it_stays_within_the_limits(arm, found):
    q, qd, qdd = found.at(np.linspace(0.0, found.duration, 5000))
    assert arm.within_limits(q).all()
    assert (np.abs(qd) <= arm.velocity_limit).all()
    assert (np.abs(arm.inverse_dynamics(q, qd, qdd, passive=True)) <= arm.effort_limit).all()
    assert np.abs(qd).max() > 0.9 * arm.velocity_limit.max()  # and uses them


def test_low_efforts_are_kept():
    robot = sixd.gallery.chain(2)
    effort = [4.0, 1.5]
    found = excite(robot, 4.0, velocity=[3.0, 3.0], effort=effort, iterations=40, harmonics=3)
    q, qd, qdd = found.at(np.linspace(0.0, 4.0, 2000))
    assert (np.abs(robot.inverse_dynamics(q, qd, qdd)) <= effort).all()
    assert found.condition < found.condition_before


def test_what_it_returns_fits_together(arm, found):
    for part, name in zip(found.at(found.t), ("q", "qd", "qdd"), strict=True):
        np.testing.assert_array_equal(part, getattr(found, name))
    np.testing.assert_allclose(found.tau, arm.inverse_dynamics(found.q, found.qd, found.qdd), atol=1e-12)
    h, middle = 1e-6, 0.37
    ahead, here, behind = (found.at([middle + d]) for d in (h, 0.0, -h))
    np.testing.assert_allclose((ahead.q - behind.q) / (2 * h), here.qd, atol=1e-8)
    np.testing.assert_allclose((ahead.qd - behind.qd) / (2 * h), here.qdd, atol=1e-7)
    np.testing.assert_allclose(found.at([0.0]).q, found.at([found.duration]).q, atol=1e-12)
    again = excite(arm, iterations=60)
    np.testing.assert_array_equal(again.coefficients, found.coefficients)


@pytest.mark.parametrize("joint", [(), ("damping", "rotor_inertia", "friction")])
def test_gradient(joint):
    """Against differences, also where limits are exceeded."""
    robot = sixd.gallery.chain(3)
    basis, rng = basis_at(np.arange(30) / 3.0, 10.0, 4), np.random.default_rng(0)
    cost = Cost(Unknowns(robot, joint), Limits.of(robot, [0.3] * 3, [5.0] * 3), basis)
    x, along = 0.5 * rng.normal(size=(2, 9, 3))
    h = 1e-5
    for weight in (0.0, 10.0):
        slope = np.sum(cost(x, weight)[1] * along)
        difference = (cost(x + h * along, weight)[0] - cost(x - h * along, weight)[0]) / (2 * h)
        assert slope == pytest.approx(difference, rel=1e-6)


def test_a_log_of_it_identifies_the_robot(arm, found):
    tau = found.tau + 0.05 * np.random.default_rng(0).normal(size=found.tau.shape)
    result = fit(arm, {"q": found.q, "qd": found.qd, "qdd": found.qdd, "tau": tau})
    assert result.base.count == 43
    np.testing.assert_allclose(result.noise, 0.05, rtol=0.3)


def test_mistakes(arm):
    with pytest.raises(SixdError, match="joint 'base' has a quaternion"):
        excite(sixd.gallery.quadruped())
    with pytest.raises(SixdError, match="joint 'joint1' has no velocity limit: give velocity=, 2"):
        excite(sixd.gallery.double_pendulum())
    with pytest.raises(SixdError, match="velocity must be 7 numbers"):
        excite(arm, velocity=[1.0])
    with pytest.raises(SixdError, match="velocity: limits must be positive"):
        excite(arm, velocity=[0.0] * 7)
    with pytest.raises(SixdError, match="duration"):
        excite(arm, 0.0)
    with pytest.raises(SixdError, match="samples must be a whole number of at least 12"):
        excite(arm, samples=5)
    with pytest.raises(SixdError, match="samples: 4 are too few to show 43"):
        excite(arm, samples=4, harmonics=1)
    with pytest.raises(SixdError, match="joint 'joint2' cannot hold the robot still"):
        excite(arm.with_gravity((9.81, 0.0, 0.0)), effort=[300.0, 0.1, *[300.0] * 5])


def test_joints_without_limits():
    """A slide and a wheel: a metre, and a turn."""
    b = sixd.Builder("cart").body("slide", joint=sixd.joints.Prismatic((1, 0, 0)), mass=1.0, upper=2.5)
    b.body("wheel", "slide", sixd.joints.Revolute((0, 1, 0)), mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    robot = b.build()
    limits = Limits.of(robot, [1.0, 1.0], None)
    np.testing.assert_array_equal(limits.upper - limits.lower, 2.0 * np.array([1.0, np.pi]))
    assert limits.upper[0] == 2.5
    q = excite(robot, velocity=[1.0, 1.0], iterations=5).q
    assert ((limits.lower < q) & (q < limits.upper)).all()
    with pytest.raises(SixdError, match="joint 'a_joint' has no room between its limits"):
        excite(sixd.Builder("fixed").body("a", joint=sixd.joints.Prismatic((1, 0, 0)), lower=1.0, upper=1.0).build())


def test_without_scipy(arm, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.optimize", None)
    with pytest.raises(SixdError, match="pip install scipy"):
        excite(arm)
