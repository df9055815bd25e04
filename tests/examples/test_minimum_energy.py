"""The example of motions of least cost: each is the best by its own measure; what is printed, and the picture."""

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "minimum_energy.py")


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(EXAMPLE)


def test_each_motion_is_the_best_by_its_own_measure(example, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    picture = tmp_path / "paths.png"
    example["main"](["--plot", str(picture)])
    text = capsys.readouterr().out
    assert text.count(" converged after") == 3
    table = (line.split() for line in text.splitlines() if line.startswith(("straight", *example["COSTS"])))
    rows = {name: np.array(numbers, float) for name, *numbers in table}
    energy, torque, curvature, straight = (rows[name] for name in ("energy", "torque", "curvature", "straight"))
    assert energy[0] < min(curvature[0], straight[0], torque[0])
    assert energy[1] < 2e-3 * energy[0]  # constant
    assert torque[2] < min(energy[2], curvature[2], straight[2])
    assert curvature[3] < min(energy[3], straight[3], torque[3])
    assert picture.stat().st_size > 10_000
