"""An arm in fluids: what drag takes is what the energy loses; what is as heavy as water hangs still."""

import re

import pytest

from tests.examples.scripts import example


@pytest.fixture(scope="module")
def module():
    return example("underwater_arm")


def test_water_stops_the_arm(module, tmp_path):
    run = module.swing(1000.0, 6.0)
    assert run.kinetic_energy[-1] < 0.01 * run.kinetic_energy.max()
    assert abs(run.q[-1]).max() < 0.2
    module.draw(str(tmp_path / "arm.png"), dict.fromkeys(module.FLUIDS, run))
    assert (tmp_path / "arm.png").stat().st_size > 10_000


def test_what_it_prints(module, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "draw", lambda path, runs: None)
    module.main(str(tmp_path / "arm.png"), 1.5)
    text = capsys.readouterr().out
    rows = re.findall(r"^(\w+) +drag does +([-+.\d]+) J, energy changes by +([-+.\d]+) J", text, re.MULTILINE)
    drag = {name: float(work) for name, work, _ in rows}
    for name, work, change in rows:
        assert float(work) == pytest.approx(float(change), abs=2e-4), name
    assert drag["vacuum"] == 0.0
    assert drag["water"] < drag["air"] < -1.0
    assert "it moves by 0e+00 rad" in text
    assert (tmp_path / "arm.html").stat().st_size > 10_000
