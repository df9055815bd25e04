"""Derivatives of the dynamics on random trees of every joint type, against high precision and against each other."""

import mpmath
import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.joints import JOINTS
from sixd.model.random import random_tree
from sixd.testing.precise import precise
from tests.laws.trees import coupled, flexible
from tests.rolling import Rolling

assert Rolling.name in JOINTS
ROBOTS = {
    **{
        f"tree{seed}": lambda seed=seed: sixd.Robot.of(random_tree(7, seed, joints=sorted(JOINTS), rotors=True))
        for seed in range(20)
    },
    "mimic": coupled,
    "flexible": flexible,
}


FEW = ["tree0", "mimic"]  # their kernels are compiled


@pytest.fixture(scope="module")
def case(request):
    robot, rng = ROBOTS[request.param](), np.random.default_rng(0)
    q, (qd, x) = robot.random(rng), rng.normal(size=(2, robot.nv))
    return robot, q, qd, x, rng.normal(size=(robot.n_bodies, 6))


def slopes(robot, run, q, qd, x):
    """The derivatives of ``run(q, qd, x)`` in 20 digits, by differences from one state: in the tangent space for q."""
    q, qd, x = precise(q), precise(qd), precise(x)
    with mpmath.workdps(60):
        h, start = mpmath.mpf(10) ** -20, run(q, qd, x)

        def along(k, which):
            state = [q, qd, x]
            step = [h if j == k else mpmath.mpf(0) for j in range(robot.nv)]
            if which == 0:
                state[0] = algorithms.integrate(robot, q, step)
            else:
                state[which] = [a + b for a, b in zip(state[which], step, strict=True)]
            return (run(*state) - start) / h

        return [np.array([along(k, which) for k in range(robot.nv)]).T.astype(float) for which in range(3)]


def close(found, wanted, rtol):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=rtol * np.abs(wanted).max())


@pytest.mark.parametrize("case", ROBOTS, indirect=True)
def test_derivatives_of_inverse_dynamics(case):
    robot, q, qd, qdd, f = case
    found = algorithms.rnea_derivatives(robot, q, qd, qdd, f)
    forces = np.array(precise(f.ravel()), dtype=object).reshape(f.shape)
    wanted = slopes(robot, lambda *state: algorithms.rnea(robot, *state, forces), q, qd, qdd)
    for block, slope in zip(found, wanted, strict=True):
        close(block, slope, 1e-13)


@pytest.mark.parametrize("case", ROBOTS, indirect=True)
def test_derivatives_of_forward_dynamics(case):
    robot, q, qd, tau, f = case
    found = algorithms.aba_derivatives(robot, q, qd, tau, f)
    forces = np.array(precise(f.ravel()), dtype=object).reshape(f.shape)
    wanted = slopes(robot, lambda *state: algorithms.aba(robot, *state, forces), q, qd, tau)
    bound = 1e-15 * np.linalg.cond(robot.mass_matrix(q))
    for block, slope in zip(found, wanted, strict=True):
        close(block, slope, max(1e-13, bound))


@pytest.mark.parametrize("case", FEW, indirect=True)
def test_methods_run_what_the_algorithms_say(case):
    robot, q, qd, x, f = case
    names = [body.name for body in robot.body_list[1:]]
    by_name = {name: f[robot.frames[name].body - 1] for name in names}
    pairs = [
        (robot.inverse_dynamics_derivatives, algorithms.rnea_derivatives),
        (robot.forward_dynamics_derivatives, algorithms.aba_derivatives),
    ]
    for method, algorithm in pairs:
        for given, forces in (((), ()), ((by_name,), (f,))):
            found, wanted = method(q, qd, x, *given), algorithm(robot, q, qd, x, *forces)
            assert found._fields == wanted._fields
            for a, b in zip(found, wanted, strict=True):
                close(a, b, 1e-12)


@pytest.mark.parametrize("case", FEW, indirect=True)
def test_automatic_derivatives_agree(case):
    robot, q, qd, qdd, _ = case
    found = robot.inverse_dynamics_derivatives(q, qd, qdd)
    for name, block in zip(("q", "qd", "qdd"), found, strict=True):
        automatic = sixd.compile(sixd.jacobian(algorithms.rnea, name, tangent=True), robot)
        close(block, automatic(q, qd, qdd), 1e-12)


@pytest.mark.parametrize("case", FEW, indirect=True)
def test_inverse_and_forward_dynamics_undo_each_other(case):
    """ID(q, qd, FD(q, qd, tau)) = tau: d ID/dq + H d FD/dq = 0, d ID/dqd + H d FD/dqd = 0, H d FD/dtau = 1."""
    robot, q, qd, tau, _ = case
    qdd = robot.forward_dynamics(q, qd, tau)
    inverse = robot.inverse_dynamics_derivatives(q, qd, qdd)
    forward = robot.forward_dynamics_derivatives(q, qd, tau)
    H = robot.mass_matrix(q)
    bound = 1e-14 * np.linalg.cond(H)
    close(inverse.dqdd, H, 1e-14)
    close(H @ forward.dq, -inverse.dq, bound)
    close(H @ forward.dqd, -inverse.dqd, bound)
    close(forward.dtau, robot.inverse_mass_matrix(q), 1e-15 * np.linalg.cond(H))


def test_a_free_body_does_not_feel_where_it_is():
    """Moving the whole robot changes no force; turning it changes them by gravity alone."""
    robot = sixd.Robot.of(random_tree(6, 4, joints=["revolute", "spherical"])).subtree("body1", base="free")
    rng = np.random.default_rng(0)
    q, qd, qdd = robot.random(rng, 5), rng.normal(size=(5, robot.nv)), rng.normal(size=(5, robot.nv))
    columns = robot.joints[0].v
    dq = robot.inverse_dynamics_derivatives(q, qd, qdd).dq[..., columns]
    assert (dq[..., 3:] == 0.0).all()
    weightless = robot.with_gravity((0.0, 0.0, 0.0))
    assert np.abs(dq[..., :3]).max() > 1e-3
    assert (weightless.inverse_dynamics_derivatives(q, qd, qdd).dq[..., columns] == 0.0).all()


def second(robot, run, q, qd, x, first, then):
    """The second derivatives by two of (q, qd, x) in 60 digits: mixed differences; of a position along `integrate`."""
    n = robot.nv
    found = np.zeros((n, n, n))
    with mpmath.workdps(60):
        h = mpmath.mpf(10) ** -15
        for j in range(n):
            for k in range(n):
                total = 0
                for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                    steps = [[mpmath.mpf(0)] * n for _ in range(3)]
                    steps[first][j] += a * h
                    steps[then][k] += b * h
                    moved = [precise(q), precise(qd), precise(x)]
                    at = algorithms.integrate(robot, moved[0], steps[0])
                    rest = [[u + s for u, s in zip(moved[w], steps[w], strict=True)] for w in (1, 2)]
                    total = total + a * b * np.array(run(at, *rest), dtype=object)
                found[:, j, k] = (total / (4 * h * h)).astype(float)
    return found


@pytest.mark.parametrize("kinds", [("revolute", "universal"), ("spherical", "prismatic"), ("planar",)], ids="-".join)
def test_second_derivatives(kinds):
    robot = sixd.Robot.of(random_tree(2, 1, joints=kinds, branching=0.0, rotors=True))
    rng = np.random.default_rng(0)
    q, (qd, x) = robot.random(rng), rng.normal(size=(2, robot.nv))
    pairs = {"dq_dq": (0, 0), "dq_dqd": (0, 1), "dqd_dqd": (1, 1)}
    inverse = robot.inverse_dynamics_second_derivatives(q, qd, x)
    forward = robot.forward_dynamics_second_derivatives(q, qd, x)
    for result, run, last in ((inverse, algorithms.rnea, "dq_dqdd"), (forward, algorithms.aba, "dq_dtau")):
        for name, block in zip(result._fields, result, strict=True):
            which = pairs.get(name, (0, 2))
            wanted = second(robot, lambda *s, run=run: run(robot, *s), q, qd, x, *which)
            assert name in pairs or name == last
            size = max(np.abs(wanted).max(), 1e-3)
            np.testing.assert_allclose(block, wanted, rtol=0, atol=1e-11 * size, err_msg=name)
            if which[0] == which[1]:
                np.testing.assert_allclose(block, np.swapaxes(block, -1, -2), rtol=0, atol=1e-12 * size)
