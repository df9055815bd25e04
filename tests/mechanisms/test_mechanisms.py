"""What every mechanism of the registry keeps: its constraints, its freedoms, agreement of methods, energy."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.mechanisms import MECHANISMS, Mechanism
from tools import mechanisms as tool

EVERY = pytest.mark.parametrize("name", MECHANISMS)
#: Those whose forward dynamics is compiled in a second by every method.
SMALL = pytest.mark.parametrize("name", [name for name in MECHANISMS if MECHANISMS[name]().robot.nv <= 7])
#: What counting says: degrees of freedom less rows.
GRUEBLER = {
    "four_bar": -2,
    "slider_crank": -2,
    "five_bar": -1,
    "andrews": -8,
    "bricard": 0,
    "flyball_governor": -4,
    "delta_robot": 3,
    "stewart_platform": 6,
    "two_handed_grasp": 8,
    "standing_quadruped": 6,
}


@cache
def made(name: str) -> Mechanism:
    return MECHANISMS[name]()


@EVERY
def test_its_state_keeps_the_constraints(name):
    m = made(name)
    assert np.abs(m.robot.constraint_error(m.q)).max() < 1e-14
    assert np.abs(m.robot.constraint_jacobian(m.q) @ m.qd).max() < 1e-14
    assert (m.q.shape, m.qd.shape, m.tau.shape) == ((m.robot.nq,), (m.robot.nv,), (m.robot.nv,))
    assert (m.robot.clip(m.q) == m.q).all()


@EVERY
def test_its_freedoms_are_those_of_theory(name):
    m = made(name)
    found = m.robot.mobility(m.q)
    assert found.dof == m.freedoms == sum(m.robot.joint(joint).type.nv for joint in m.independent)
    assert found.gruebler == GRUEBLER[name]
    assert not len(found.singular)


@EVERY
def test_it_is_assembled_from_a_position_nearby(name):
    m = made(name)
    rng = np.random.default_rng(0)
    guess = m.robot.tree.integrate(m.q, 0.02 * rng.uniform(-1.0, 1.0, size=m.robot.nv))
    assert np.abs(m.robot.constraint_error(guess)).max() > 1e-4
    assert np.abs(m.robot.constraint_error(m.robot.assemble(guess))).max() < 1e-12


@EVERY
def test_the_independent_joints_determine_all_others(name):
    m = made(name)
    known = {k for joint in m.independent for k in range(m.robot.nv)[m.robot.joint(joint).v]}
    rest = [k for k in range(m.robot.nv) if k not in known]
    L = m.robot.constraint_jacobian(m.q)[:, rest]
    assert np.linalg.matrix_rank(L, tol=1e-7 * np.linalg.norm(L)) == len(rest)


@EVERY
def test_it_is_a_value(name):
    m = made(name)
    assert MECHANISMS[name]().robot == m.robot == pickle.loads(pickle.dumps(m.robot))
    assert not m.robot.warnings


@SMALL
def test_the_methods_agree(name):
    m = made(name)
    q, qd, tau = tool.states(m, 200, near=True)
    assert tool.differences(m, q, qd, tau, embedding=True).max() < 1e-9
    assert tool.differences(m, q, qd, tau, embedding=False).max() < 1e-10


@SMALL
def test_energy_and_constraints_are_kept(name):
    off = tool.drift(tool.conservative(name), 1.0 if name != "andrews" else 0.1)
    assert max(off.position, off.velocity) < 1e-11
    assert off.energy < 1e-8


def test_methods_agree_where_the_rank_drops():
    """Parallelograms that lie flat, at rest and along the motion in which they stay parallelograms."""
    rng = np.random.default_rng(0)
    for lengths in ((2.0, 1.0, 2.0, 1.0), (1.5, 1.2, 1.5, 1.2), (3.0, 0.25, 3.0, 0.25)):
        m = sixd.mechanisms.four_bar(*lengths, angle=0.0)
        assert m.robot.mobility(m.q).dof == 2
        tau = rng.normal(size=(100, 3))
        moving = np.array([1.0, -1.0, 1.0]) * rng.normal(size=(100, 1))
        for qd in (np.zeros((100, 3)), moving):
            found = [
                algorithm(m.robot, m.q, qd, tau)
                for algorithm in (
                    algorithms.constrained_forward_dynamics,
                    algorithms.constrained_forward_dynamics_kkt,
                    algorithms.constrained_forward_dynamics_nullspace,
                )
            ]
            assert np.ptp(found, axis=0).max() < 1e-11 * np.abs(found[0]).max()


def test_a_mechanism_simulates_itself():
    m = made("four_bar")
    run = m.simulate(0.1, record=None)
    again = sixd.simulate(m.robot, m.q, m.qd, 0.1, dt=m.dt, integrator="rk4", record=None)
    assert np.array_equal(run.q, again.q)
    assert m.simulate(0.1, dt=0.05, integrator="semi_implicit_euler").q.shape == (3, 3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sixd.mechanisms.four_bar(crank=-1.0), "crank must be a positive number, not -1.0"),
        (lambda: sixd.mechanisms.four_bar(coupler=0.1, rocker=0.2), "bars of 0.1 m and 0.2 m do not meet over"),
        (lambda: sixd.mechanisms.five_bar(distal=0.1), "five-bar: bars of 0.1 m and 0.1 m do not meet"),
        (lambda: sixd.mechanisms.slider_crank(crank=2.0), "a rod of 1 m does not reach the slider's line"),
        (lambda: sixd.mechanisms.flyball_governor(spin=1.0), "the balls hang down; turn it faster"),
        (lambda: sixd.mechanisms.delta_robot((1.0, 0.0, -0.5)), "delta robot: arm . does not reach"),
        (lambda: sixd.mechanisms.stewart_platform((0.0, 0.0, -1.0)), "height of -1 m is not above the feet"),
        (lambda: sixd.mechanisms.two_handed_grasp("box"), "box must be a number"),
        (lambda: sixd.mechanisms.andrews("much"), "drive must be a number"),
    ],
)
def test_mechanisms_that_cannot_be(make, words):
    with pytest.raises(sixd.SixdError, match=words):
        make()


@pytest.mark.slow
@EVERY
def test_a_minute(name):
    """The figures of docs/mechanisms.md."""
    m = tool.conservative(name)
    off = tool.drift(m, 60.0)
    assert off.position < 1e-8
    assert off.energy < 1e-6
    assert tool.differences(m, *tool.states(m, 1000, near=True), embedding=False).max() < 1e-10
