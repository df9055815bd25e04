"""Derivatives of velocities, accelerations, Jacobians and momenta on random trees of every joint type."""

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.dual import Dual, derivatives, moving, rates
from sixd.joints import JOINTS
from sixd.model.random import random_tree
from sixd.spatial import Transform
from tests.laws.trees import coupled
from tests.rolling import Rolling

assert Rolling.name in JOINTS
OFFSET = Transform.rotation((0.0, 0.6, 0.8), 0.7) @ Transform.translation((0.1, -0.2, 0.3))
ROBOTS = {
    **{
        f"tree{seed}": lambda seed=seed: sixd.Robot.of(random_tree(6, seed, joints=sorted(JOINTS), rotors=True))
        for seed in range(8)
    },
    "mimic": coupled,
}


@pytest.fixture(scope="module", params=ROBOTS)
def case(request):
    robot, rng = ROBOTS[request.param](), np.random.default_rng(0)
    return robot, robot.random(rng), *rng.normal(size=(2, robot.nv))


def slopes(robot, run):
    """The derivatives of ``run(step)`` by the entries of the step (nv), by dual numbers."""
    columns = []
    for e in np.eye(robot.nv):
        step, _ = moving(e.tolist())
        columns.append(np.asarray(derivatives(np.ravel(np.array(run(step), dtype=object))), dtype=float))
    return np.stack(columns, axis=-1)


def moved(robot, q, step):
    return algorithms.integrate(robot, list(q), step)


def faster(qd, step):
    return [a + b for a, b in zip(qd, step, strict=True)]


def close(found, wanted, rtol=1e-13):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=rtol * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("expressed_in", ["body", "world", "aligned"])
def test_velocity_and_acceleration(case, expressed_in):
    robot, q, qd, qdd = case
    frame = robot.n_bodies, OFFSET, expressed_in
    found = algorithms.motion_derivatives(robot, q, qd, qdd, *frame)

    def v(q, qd):
        return algorithms.velocity(robot, q, qd, *frame).components()

    def a(q, qd):
        return algorithms.acceleration(robot, q, qd, list(qdd), *frame).components()

    close(found.velocity_dq, slopes(robot, lambda s: v(moved(robot, q, s), list(qd))))
    close(found.acceleration_dq, slopes(robot, lambda s: a(moved(robot, q, s), list(qd))))
    close(found.acceleration_dqd, slopes(robot, lambda s: a(list(q), faster(qd, s))))


@pytest.mark.parametrize("expressed_in", ["body", "world", "aligned"])
def test_jacobian(case, expressed_in):
    robot, q, _, _ = case
    frame = robot.n_bodies, OFFSET, expressed_in
    found = np.stack(algorithms.jacobian_derivative(robot, q, *frame))
    wanted = slopes(robot, lambda s: algorithms.jacobian(robot, moved(robot, q, s), *frame))
    close(found, wanted.reshape(6, robot.nv, robot.nv))


def rate(robot, momentum, q, qd, qdd):
    """The time derivative of a momentum along the motion."""
    step, level = moving(qd, beside=(*q, *qd, *qdd))
    speed = [Dual(a, b, level) for a, b in zip(qd, qdd, strict=True)]
    return rates(momentum(robot, algorithms.integrate(robot, q, step), speed).components(), level)


@pytest.mark.parametrize("about", ["origin", "com"])
def test_momentum_and_its_rate(case, about):
    robot, q, qd, qdd = case
    momentum = algorithms.momentum if about == "origin" else algorithms.centroidal_momentum
    found = algorithms.momentum_derivatives(robot, q, qd, qdd, about)

    def h(q):
        return momentum(robot, q, list(qd)).components()

    close(found.momentum_dq, slopes(robot, lambda s: h(moved(robot, q, s))))
    close(found.rate_dq, slopes(robot, lambda s: rate(robot, momentum, moved(robot, q, s), list(qd), list(qdd))))
    close(found.rate_dqd, slopes(robot, lambda s: rate(robot, momentum, list(q), faster(qd, s), list(qdd))))


def test_methods_run_what_the_algorithms_say():
    robot = sixd.Robot.of(random_tree(4, 1, joints=["revolute", "universal", "spherical"]))
    rng = np.random.default_rng(1)
    q, qd, qdd = robot.random(rng, 4), *rng.normal(size=(2, 4, robot.nv))
    frame = robot.body_list[-1].name
    for expressed_in in ("body", "aligned"):
        place = robot.n_bodies, None, expressed_in
        wanted = algorithms.motion_derivatives(robot, q, qd, qdd, *place)
        for a, b in zip(robot.motion_derivatives(q, qd, qdd, frame, expressed_in), wanted, strict=True):
            close(a, b)
        J = robot.jacobian_derivative(q, frame, expressed_in)
        assert J.shape == (4, 6, robot.nv, robot.nv)
        # along the motion it is the rate of the Jacobian
        close(np.einsum("sijk,sk->sij", J, qd), robot.jacobian_rate(q, qd, frame, expressed_in))
    for about in ("origin", "com"):
        wanted = algorithms.momentum_derivatives(robot, q, qd, qdd, about)
        for a, b in zip(robot.momentum_derivatives(q, qd, qdd, about), wanted, strict=True):
            close(a, b)
    with pytest.raises(sixd.ChoiceError, match="about must be one of"):
        robot.momentum_derivatives(q, qd, qdd, "centre")
