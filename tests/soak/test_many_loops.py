"""A chain of a hundred closed loops: compiled in seconds, and as precise as one."""

from time import perf_counter

import numpy as np
import pytest

import sixd
from tests.constraints.ladder import ladder

pytestmark = pytest.mark.slow


def seconds(call):
    start = perf_counter()
    call()
    return perf_counter() - start


def test_a_hundred_loops(record_property):
    closed, q = ladder(100)
    rng = np.random.default_rng(0)
    q, qd = closed.project(q, 0.1 * rng.normal(size=closed.nv))
    tau = rng.normal(size=closed.nv)
    first = seconds(lambda: closed.forward_dynamics(q, qd, tau))
    again = min(seconds(lambda: closed.forward_dynamics(q, qd, tau)) for _ in range(20))
    qdd = closed.forward_dynamics(q, qd, tau)
    L, c = closed.constraint_jacobian(q), closed.constraint_bias(q, qd)
    assert np.abs(L @ qdd - c).max() < 1e-12 * np.abs(qdd).max()
    start = perf_counter()
    run = sixd.simulate(closed, q, qd, 0.2, dt=1e-3, integrator="rk4")
    simulated = perf_counter() - start
    assert np.abs(closed.constraint_error(run.q)).max() < 1e-13
    assert closed.mobility(q).dof == 100
    record_property("seconds", {"first": first, "again": again, "200 steps, with compiling": simulated})
    assert first < 20.0
    assert again < 1e-3
    assert simulated < 60.0
