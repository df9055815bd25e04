"""Logs whose velocities are not the rates of their positions, nor accelerations those of velocities."""

import warnings

import numpy as np
import pytest

import sixd
from sixd import SixdError
from sixd.errors import ModelWarning
from sixd.identification import fit
from sixd.identification.logs import read_log
from tests.laws.trees import coupled

ARM = sixd.gallery.double_pendulum()


def motion(robot=ARM, samples=400, duration=4.0, seed=0):
    """A smooth motion through random positions, with its rates by differences of a finer one."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, duration, samples)
    a, phase = rng.normal(size=(2, 3, robot.nv))
    w = np.array([1.0, 2.3, 3.1])[:, None, None]
    angle = w * t[None, :, None] + phase[:, None, :]
    way = (a[:, None, :] * np.sin(angle)).sum(axis=0)
    qd = (a[:, None, :] * w * np.cos(angle)).sum(axis=0)
    qdd = (-a[:, None, :] * w**2 * np.sin(angle)).sum(axis=0)
    tau = robot.inverse_dynamics(way, qd, qdd)
    return {"t": t, "q": way, "qd": qd, "qdd": qdd, "tau": tau}


def test_a_motion_is_taken():
    read_log(ARM, motion())
    noisy = motion()
    rng = np.random.default_rng(1)
    noisy["q"] = noisy["q"] + 1e-3 * rng.normal(size=noisy["q"].shape)
    noisy["qd"] = noisy["qd"] + 0.1 * rng.normal(size=noisy["qd"].shape)
    noisy["qdd"] = noisy["qdd"] + 1.0 * rng.normal(size=noisy["qdd"].shape)
    read_log(ARM, noisy)
    read_log(ARM, motion(samples=40))
    joined = {name: np.concatenate([x, x]) for name, x in motion().items()}  # its times begin anew
    read_log(ARM, joined)
    wrapped = motion()
    wrapped["q"] = (wrapped["q"] + np.pi) % (2.0 * np.pi) - np.pi
    read_log(ARM, wrapped)


@pytest.mark.parametrize(
    ("name", "factor", "message"),
    [
        ("qd", 180 / np.pi, "qd of 'joint1' is 57.3 times the rate of q over t: degrees for radians"),
        ("qd", np.array([1.0, 180 / np.pi]), "qd of 'joint2' is 57.3 times"),
        ("qd", -1.0, "qd of 'joint1' is -1 times the rate of q over t: a sign"),
        ("qd", 1 / (2 * np.pi), "qd of 'joint1' is 0.159 times the rate of q over t: turns for radians"),
        ("qd", 60 / (2 * np.pi), "qd of 'joint1' is 9.55 times the rate of q over t: rpm for rad/s"),
        ("qdd", 180 / np.pi, "qdd of 'joint1' is 57.3 times the rate of qd over t: degrees for radians"),
        ("t", 1e3, "qd of 'joint1' is 1000 times the rate of q over t: mm for m, or ms for s"),
    ],
)
def test_multiples_of_a_rate_are_refused(name, factor, message):
    log = motion()
    log[name] = log[name] * factor
    names = [joint.name for joint in ARM.joints]
    expected = message.replace("joint1", names[0]).replace("joint2", names[1])
    with pytest.raises(SixdError, match=expected):
        fit(ARM, log)


def sampled(w, rate, duration=4.0, a=0.2):
    """Both joints by sines of angular frequency w, with their exact rates, at so many samples a second."""
    t = np.arange(0.0, duration, 1.0 / rate)
    shape = np.ones(2)
    q, qd, qdd = (x[:, None] * shape for x in (a * np.sin(w * t), a * w * np.cos(w * t), -a * w**2 * np.sin(w * t)))
    return {"t": t, "q": q, "qd": qd, "qdd": qdd, "tau": ARM.inverse_dynamics(q, qd, qdd)}


@pytest.mark.parametrize("samples", [3.2, 3.93, 5.0, 8.0])
def test_few_samples_per_period_are_taken(samples):
    log = sampled(40.0, samples * 40.0 / (2 * np.pi))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_log(ARM, log)
    with pytest.raises(SixdError, match="a sign"):
        read_log(ARM, {**motion(), "qd": -motion()["qd"]})


def test_a_multiple_that_no_unit_makes_is_told():
    log = motion()
    with pytest.warns(
        ModelWarning, match="is 2 times the rate of q, qd of .* over t; check their units and those of t"
    ):
        read_log(ARM, {**log, "qd": 2.0 * log["qd"], "qdd": 2.0 * log["qdd"]})


def locked(log, rng):
    """The second joint is locked, and its sensors are noisy."""
    for name, size in (("q", 1e-4), ("qd", 1e-2), ("qdd", 0.1)):
        log[name][:, 1] = 0.3 * (name == "q") + size * rng.normal(size=len(log["t"]))


def gap(log, rng):
    log["t"][200:] += 2.0


def paused(log, rng):
    keep = np.r_[0:150, 350:400]
    log |= {name: x[keep] for name, x in log.items()}


def bias(log, rng):
    log["qdd"] += 5.0


def slow_bias(log, rng):
    log["qd"] += 1.0


def static(log, rng):
    """Random poses, in each of which the robot rests."""
    log["q"] = rng.normal(size=log["q"].shape)
    log["qd"] = 1e-2 * rng.normal(size=log["q"].shape)
    log["qdd"] = np.zeros_like(log["q"])


def plateaus(log, rng):
    static(log, rng)
    log["q"] = np.repeat(log["q"][::10], 10, axis=0)


@pytest.mark.parametrize("change", [locked, gap, paused, bias, slow_bias, static, plateaus])
@pytest.mark.parametrize("seed", range(3))
def test_honest_logs_are_taken_without_a_word(change, seed):
    log = {name: x.copy() for name, x in motion(seed=seed).items()}
    change(log, np.random.default_rng(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_log(ARM, log)


def test_what_is_no_rate_at_all_is_told():
    log = motion()
    log["qd"] = log["qd"][np.random.default_rng(0).permutation(len(log["qd"]))]
    with pytest.warns(ModelWarning, match="not the rate over t that it should be: qd of"):
        read_log(ARM, log)


def test_times_that_do_not_fit():
    with pytest.raises(SixdError, match=r"t of log has shape \(3,\), but there are 400 samples"):
        read_log(ARM, {**motion(), "t": np.arange(3.0)})
    without = motion()
    del without["t"]
    read_log(ARM, {**without, "qd": 57.3 * without["qd"]})  # without times there is nothing to compare with


def test_joints_with_several_coordinates():
    robot = coupled()
    q, qd = robot.random(0), np.random.default_rng(0).normal(size=robot.nv)
    t = np.linspace(0.0, 1.0, 200)
    log = {"t": t, "q": robot.integrate(q, t[:, None] * qd), "qd": np.broadcast_to(qd, (200, robot.nv))}
    log |= {"qdd": np.zeros((200, robot.nv)), "tau": np.ones((200, robot.nv))}
    free = [k for joint in robot.joints if joint.type.has_rates for k in range(joint.v.start, joint.v.stop)]
    read_log(robot, log)
    wrong = np.where(np.isin(np.arange(robot.nv), free), qd, 57.3 * qd)
    with pytest.raises(SixdError, match="degrees for radians"):
        read_log(robot, {**log, "qd": np.broadcast_to(wrong, (200, robot.nv))})
