"""Fits: what is true is found, to the noise; bodies stay possible; what is not known is said."""

import warnings

import numpy as np
import pytest

import sixd
from sixd import SixdError
from sixd.identification import base_parameters, fit
from sixd.identification.consistent import is_consistent
from tests.identification.trials import changed, motion, trial
from tests.laws.trees import coupled


def arm():
    return sixd.gallery.seven_axis_arm()


@pytest.mark.parametrize("method", ["consistent", "least squares"])
def test_without_noise_the_combinations_are_found_exactly(method):
    rng = np.random.default_rng(0)
    true, start = arm(), changed(arm(), rng)
    found = quietly(fit, start, motion(true, rng, 100), method=method)
    wanted = found.base.matrix @ true.inertial_parameters
    np.testing.assert_allclose(found.base.matrix @ found.parameters, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
    np.testing.assert_allclose(found.estimates, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())
    assert found.base.count == found.structural == 43
    assert found.robot.inertial_parameters == pytest.approx(found.parameters)


@pytest.mark.parametrize("seed", range(8))
def test_torques_are_predicted_to_the_noise_by_bodies_that_can_exist(seed):
    assert trial(seed)


def test_deviations_are_those_of_the_estimates():
    """The errors, in units of their deviations, are normal: their mean square is 1 within 4 deviations of that."""
    true, squares = arm(), []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        found = fit(true, motion(true, rng, 60, noise=0.3))
        error = found.estimates - found.base.matrix @ true.inertial_parameters
        squares.append(error @ np.linalg.solve(found.covariance, error))
    n = 43 * 12
    assert abs(sum(squares) / n - 1.0) < 4.0 * np.sqrt(2.0 / n) + 0.1  # the noise is itself estimated
    assert found.deviations == pytest.approx(np.sqrt(np.diagonal(found.covariance)))


def test_noise_is_found_without_bias():
    """Of 630 joint forces, the fit takes up the scatter of 43: 7 %."""
    true = arm()
    found = [fit(true, motion(true, np.random.default_rng(seed), 90, noise=0.3)).noise for seed in range(15)]
    assert np.mean((np.array(found) / 0.3) ** 2) == pytest.approx(1.0, abs=0.04)


@pytest.mark.parametrize("samples", [8, 12, 20, 50, 200])
def test_any_number_of_samples_and_any_noise_gives_bodies_that_can_exist(samples):
    """With few samples a fit could meet all torques of one joint, as if it had no noise."""
    true = arm()
    for seed in range(5):
        log = motion(true, np.random.default_rng(seed), samples, noise=0.3)
        assert (fit(true, log).noise > 0.003).all()
        found = fit(true, log, noise=[1e-6] * 7)
        assert found.noise.mean() > 0.03
        assert all(map(is_consistent, found.parameters.reshape(-1, 10)))


def test_a_given_noise_weighs_the_joints():
    true, rng = arm(), np.random.default_rng(3)
    sizes = np.array([5.0, 5.0, 5.0, 0.01, 0.01, 0.01, 0.01])
    log = motion(true, rng, 120, noise=sizes)
    for found in (fit(true, log, noise=sizes), fit(true, log)):
        np.testing.assert_allclose(found.residual, sizes, rtol=0.3)
        np.testing.assert_allclose(found.noise, sizes, rtol=0.3)


def test_friction_and_rotors():
    rng, names = np.random.default_rng(0), ("rotor_inertia", "damping", "friction")
    true = sixd.gallery.random_tree(4, 3, joints=["revolute", "prismatic"], rotors=True, passive=True)
    start = true.with_inertial_parameters(1.2 * true.inertial_parameters)
    found = fit(start, motion(true, rng, 200), joint=names)
    tau, wanted = (r.inverse_dynamics(*state(true), passive=True) for r in (found.robot, true))
    np.testing.assert_allclose(tau, wanted, atol=1e-6 * np.abs(wanted).max())
    for joint in true.joints:
        again = found.robot.joint(joint.name).data
        assert again.damping == pytest.approx(joint.data.damping, rel=1e-5)
        assert again.friction == pytest.approx(joint.data.friction, rel=1e-5)
        assert again.stiffness == joint.data.stiffness


def test_joint_parameters_that_the_robot_does_not_have_yet():
    rng, true = np.random.default_rng(0), sixd.gallery.chain(3)
    log = motion(true, rng, 200)
    log["tau"] = log["tau"] + 0.7 * log["qd"] + 0.2 * np.sign(log["qd"]) + 0.01 * rng.normal(size=log["tau"].shape)
    found = fit(true, log, joint=("damping", "friction")).robot
    for joint in found.joints:
        assert joint.data.damping[0] == pytest.approx(0.7, abs=0.01)
        assert joint.data.friction[0] == pytest.approx(0.2, abs=0.01)


def state(robot, n=50):
    rng = np.random.default_rng(9)
    return robot.random(rng, n), *rng.normal(size=(2, n, robot.nv))


def test_a_free_base_with_mimic_joints_and_springs():
    rng, true = np.random.default_rng(1), coupled()
    found = fit(changed(true, rng), motion(true, rng, 200))
    tau, wanted = (r.inverse_dynamics(*state(true), passive=True) for r in (found.robot, true))
    np.testing.assert_allclose(tau, wanted, atol=1e-8 * np.abs(wanted).max())


def test_a_poor_log_tells_what_it_does_not_show():
    rng, true = np.random.default_rng(2), arm()
    log = motion(true, rng, 100)
    for name in ("q", "qd", "qdd"):
        log[name] = np.where(np.arange(7) == 0, log[name], log[name][:1] * (name == "q"))
    log["tau"] = true.inverse_dynamics(log["q"], log["qd"], log["qdd"])
    found = fit(changed(true, rng), log)
    assert found.base.count < found.structural == 43
    assert f"determine {found.base.count} of 43" in str(found)


def test_least_squares_leaves_what_has_no_effect():
    rng, true = np.random.default_rng(2), arm()
    start = changed(true, rng)
    found = quietly(fit, start, motion(true, rng, 100, noise=0.01), method="least squares")
    without = [found.base.names.index(name) for name in found.base.without_effect]
    np.testing.assert_array_equal(found.parameters[without], start.inertial_parameters[without])


def test_a_start_that_no_body_has():
    puma = sixd.gallery.puma560()
    log = motion(puma, np.random.default_rng(0), 50)
    with pytest.raises(SixdError, match=r"body 'link1'.*robot\.with_inertia"):
        fit(puma, log)
    with pytest.warns(sixd.ModelWarning, match="no body has this inertia"):
        found = fit(puma, log, method="least squares")
    assert found.base.count == base_parameters(puma).count == 36


def test_too_few_samples():
    robot = arm()
    with pytest.raises(SixdError, match=r"too few samples: 5 .* 35 equations for 43 .* at least 62"):
        fit(robot, motion(robot, np.random.default_rng(0), 5))


@pytest.mark.parametrize("noise", [[1.0], [0.0] * 7, [-1.0] * 7, "loud"])
def test_wrong_noise(noise):
    with pytest.raises(SixdError, match="noise"):
        fit(arm(), motion(arm(), np.random.default_rng(0), 20), noise=noise)


def test_least_squares_alone_may_give_bodies_that_cannot_exist():
    """So the test of the trials would fail without the constraint."""
    rng, true = np.random.default_rng(5), arm()
    log = motion(true, rng, 60, noise=0.1)
    assert not all(map(is_consistent, quietly(fit, true, log, method="least squares").parameters.reshape(-1, 10)))
    assert all(map(is_consistent, fit(true, log).parameters.reshape(-1, 10)))


def quietly(function, *given, **options):
    """A call whose result may be a robot with bodies that cannot exist."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)
        return function(*given, **options)


def test_a_robot_at_rest_shows_nothing():
    robot = sixd.gallery.double_pendulum().with_gravity((0.0, 9.81, 0.0))  # along the axes of its joints
    still = np.zeros((20, 2))
    with pytest.raises(SixdError, match="tau is zero in all samples"):
        fit(robot, {"q": still, "qd": still, "qdd": still, "tau": still})
    with pytest.raises(SixdError, match="depend on no parameter"):
        fit(robot, {"q": still, "qd": still, "qdd": still, "tau": still + 1.0})


def test_long_logs_are_taken_in_pieces(monkeypatch):
    log = motion(arm(), np.random.default_rng(0), 130, noise=0.1)
    whole = fit(arm(), log)
    monkeypatch.setattr("sixd.identification.noise._PIECE", 40)
    np.testing.assert_allclose(fit(arm(), log).parameters, whole.parameters, rtol=1e-6, atol=1e-9)
