"""A falling robot: its energy never grows, the books balance. Talos falls in the script; here it is a small robot."""

import re
from importlib import metadata

import numpy as np
import pytest

import sixd
from tests.examples.scripts import example


@pytest.fixture(scope="module")
def module():
    return example("falling_talos")


@pytest.fixture(scope="module")
def run(module):
    b = sixd.Builder("limp")
    b.link("trunk", mass=20.0, inertia=(0.5, 0.4, 0.3))
    for name, y in (("left", 0.3), ("right", -0.3)):
        options = {"mass": 3.0, "com": (0, 0, -0.2), "inertia": (0.04, 0.04, 0.01), "lower": -0.5, "upper": 0.5}
        b.body(name, parent="trunk", joint=sixd.joints.Revolute((0, 1, 0)), joint_name=name, xyz=(0, y, 0), **options)
    robot = b.build(base="free")
    q = robot.neutral()
    q[6] = 0.3
    return module.fall(robot, q, {"trunk": 0.15, "left": 0.05, "right": 0.05}, 1.0)


def test_a_limp_robot_falls(module, run, capsys):
    assert np.diff(run.energy).max() < 1e-9
    module.report(run)
    text = capsys.readouterr().out
    assert "hardest knock of trunk" in text
    assert "never grows" in text
    assert float(re.search(r": ([\d.]+) % is unaccounted", text)[1]) < 0.1


def test_the_picture(module, run, tmp_path):
    module.draw(str(tmp_path / "fall.png"), run)
    assert (tmp_path / "fall.png").stat().st_size > 10_000


def test_talos_stands_at_first(module):
    robot = module.talos()
    q = module.standing(robot)
    gaps = {frame: robot.pose(q, frame)[2, 3] - radius for frame, radius in module.SPHERES.items()}
    assert min(gaps.values()) == pytest.approx(0.0, abs=1e-12)
    assert sorted(gaps, key=gaps.get)[:2] == ["leg_left_6_link", "leg_right_6_link"]
    assert ((robot.lower <= q) & (q <= robot.upper)).all()


def test_talos_needs_its_files(module, monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(module.metadata, "files", missing)
    with pytest.raises(SystemExit, match="pip install example-robot-data"):
        module.talos()
