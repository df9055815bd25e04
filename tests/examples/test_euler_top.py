"""The spinning box follows Jacobi's elliptic functions, and flips over."""

import numpy as np

import sixd
from tests.examples.scripts import example


def test_elliptic_functions_solve_euler_s_equations():
    top = example("euler_top")
    t, h = np.linspace(0.0, 9.0, 50), 1e-5
    w, rate = top.exact(t)[0], (top.exact(t + h)[0] - top.exact(t - h)[0]) / (2 * h)
    np.testing.assert_allclose(w[0], top.W0, atol=1e-12)
    np.testing.assert_allclose(top.I * rate + np.cross(w, top.I * w), 0.0, atol=1e-8)


def test_what_it_prints(capsys, tmp_path):
    top = example("euler_top")
    top.main(str(tmp_path / "top.png"))
    text = capsys.readouterr().out
    assert "it flips over every 4.1960 s: 3 times in 12 s" in text
    assert (tmp_path / "top.png").stat().st_size > 10_000
    assert (tmp_path / "top.html").stat().st_size > 10_000


def test_the_simulation_is_laid_on_the_elliptic_functions():
    top = example("euler_top")
    robot = top.box()
    run = sixd.simulate(robot, robot.neutral(), top.W0, 12.0, dt=0.1, integrator="dopri5", rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(run.qd, top.exact(run.t)[0], atol=2e-8)
