"""Simulations whose step is too large to be compiled: the same motion to the bit, from a tape."""

import numpy as np
import pytest

import sixd
from sixd.runtime.least_recently_used import Recent
from sixd.simulation import kept
from tests.constraints.mechanisms import four_bar
from tests.simulation.test_closed import start


def open_tree():
    """A robot with a quaternion, and a state to start from."""
    robot = sixd.gallery.quadruped()
    return robot, robot.neutral(), np.full(robot.nv, 0.1)


@pytest.mark.parametrize("make", [open_tree, lambda: start(four_bar())], ids=["quadruped", "four-bar"])
def test_the_same_motion_from_a_tape(make, monkeypatch):
    robot, q, qd = make()
    motions = []
    for bound, kind in ((10**6, "unrolled"), (0, "taped")):
        monkeypatch.setattr("sixd.compiler.rollout.COMPILED_STEP", bound)
        monkeypatch.setattr(kept, "_ROLLOUTS", Recent(4))
        one = sixd.simulate(robot, q, qd, 0.02, integrator="semi_implicit_euler", energy_check="off")
        many = sixd.simulate(robot, np.stack([q] * 11), qd, 0.01, integrator="semi_implicit_euler", energy_check="off")
        assert {rollout.kind for rollout in kept._ROLLOUTS.items.values()} == {kind}
        motions.append([one.q, one.qd, many.q, many.qd])
    for compiled, taped in zip(*motions, strict=True):
        np.testing.assert_array_equal(taped, compiled)


def test_a_chain_of_a_hundred_bodies_starts_at_once():
    """A step of four stages has more than 100,000 nodes, and is what four calls of forward dynamics say."""
    chain, h = sixd.gallery.chain(100), 1e-3
    rng = np.random.default_rng(0)
    q, qd = chain.random(rng), 0.1 * rng.normal(size=chain.nv)
    run = sixd.simulate(chain, q, qd, h, dt=h, integrator="rk4")
    kinds = [rollout.kind for rollout in kept._ROLLOUTS.items.values() if len(rollout.program.nodes) > 100_000]
    assert kinds == ["taped"]

    def slope(state):
        return np.stack([state[1], chain.forward_dynamics(state[0], state[1], np.zeros(chain.nv))])

    x = np.stack([q, qd])
    k1 = slope(x)
    k2 = slope(x + h / 2 * k1)
    k3 = slope(x + h / 2 * k2)
    k4 = slope(x + h * k3)
    found, wanted = np.stack([run.q[-1], run.qd[-1]]), x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())
