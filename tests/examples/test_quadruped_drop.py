"""Quadrupeds stand and land: no penetration, no slip, the ground carries the weight."""

import re
from importlib import metadata

import numpy as np
import pytest

from tests.examples.scripts import example


@pytest.fixture(scope="module")
def module():
    return example("quadruped_drop")


def test_standing_and_dropped(module, capsys):
    for height, deepest in ((0.0, 1e-12), (0.3, 1e-5)):
        run = module.drop(module.gallery_dog(), height, 3.0)
        module.report("dog", run)
        assert run.contact_points[..., 2].min() > -deepest
        late = run.t > 2.5
        assert np.ptp(run.contact_points[late, :, :2], axis=0).max() < 1e-6
        load = run.contact_forces[late][..., 2].sum(axis=1).mean() / (run.robot.mass * 9.81)
        assert load == pytest.approx(1.0, abs=1e-3)
    found = re.findall(r"load at the end (\d\.\d+) of the weight", capsys.readouterr().out)
    assert [round(float(x), 2) for x in found] == [1.0, 1.0]


def test_anymal_needs_its_files(module, capsys, monkeypatch):
    assert module.anymal()[0].nv == 18

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(module.metadata, "files", missing)
    assert module.anymal() is None
    assert "pip install example-robot-data" in capsys.readouterr().out


def test_the_picture(module, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "anymal", lambda: None)
    module.main(str(tmp_path / "drop.png"), 0.2)
    assert "quadruped, dropped" in capsys.readouterr().out
    assert (tmp_path / "drop.png").stat().st_size > 10_000
    assert (tmp_path / "drop.html").stat().st_size > 10_000
