"""A satellite with an arm: momentum stays zero, and the satellite turns."""

import re

import numpy as np

from tests.examples.scripts import example


def test_momentum_is_conserved_and_the_satellite_turns():
    module = example("satellite_arm")
    run = module.fly(4.0)
    assert np.abs(run.robot.momentum(run.q, run.qd)).max() < 1e-6
    assert np.ptp(run.center_of_mass, axis=0).max() < 1e-6
    assert np.abs(module.spin(run)).max() > 3.0
    assert np.abs(run.q[-1, 7:]).max() < 1e-4
    assert abs(module.turned(run)[-1] + 17.0) < 0.1


def test_how_far_it_turns_depends_on_the_way_and_not_on_the_speed(capsys, tmp_path):
    module = example("satellite_arm")
    module.main(str(tmp_path / "satellite.png"), 6.0)
    turned = float(re.search(r"turned by +([-\d.]+) degrees", capsys.readouterr().out)[1])
    assert abs(turned + 17.0) < 0.5
    assert (tmp_path / "satellite.png").stat().st_size > 10_000
    assert "satellite" in (tmp_path / "satellite.html").read_text()
