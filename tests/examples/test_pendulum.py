"""Pendulums: the energy of Runge-Kutta drifts, that of the variational integrator does not."""

import re

import pytest

from tests.examples.scripts import example


def test_which_integrators_keep_the_energy():
    pendulum = example("pendulum")
    for name in pendulum.ROBOTS:
        t, drift = pendulum.errors(name, "rk4", 100.0)
        assert drift[-1] > 10.0 * drift[t <= 5.0][-1]
        t, bounded = pendulum.errors(name, "variational", 100.0)
        assert bounded[-1] < 1.2 * bounded[t <= 5.0][-1] < 0.01
    assert pendulum.errors("pendulum", "semi_implicit_euler", 100.0)[1][-1] < 0.2
    t, lost = pendulum.errors("double pendulum", "semi_implicit_euler", 100.0)
    assert t[-1] < 20.0
    assert lost[-1] > 100.0


def test_the_period():
    simulated, exact = example("pendulum").period()
    assert simulated == pytest.approx(exact, rel=2e-9)


def test_what_it_prints(capsys, tmp_path):
    example("pendulum").main(str(tmp_path / "pendulum.png"), 10.0)
    text = capsys.readouterr().out
    simulated, exact = re.search(r"pendulum: ([\d.]+) s; in closed form: ([\d.]+) s", text).groups()
    assert simulated[:-2] == exact[:-2]
    assert (tmp_path / "pendulum.png").stat().st_size > 10_000
    assert "double pendulum" in (tmp_path / "pendulum.html").read_text()
