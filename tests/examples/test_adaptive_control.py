"""The example of adaptive control: the error goes to zero, without adaptation it does not."""

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "adaptive_control.py")


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(EXAMPLE)


def test_the_error_goes_to_zero(example):
    t, error, mass = example["run"](12.0, adapt=True)
    by_period = example["by_period"](t, error)
    assert len(by_period) == 4
    assert (np.diff(by_period) < 0.0).all()
    assert by_period[-1] < 3e-4
    assert mass[-1] == pytest.approx(3.4, abs=0.05)
    fixed = example["by_period"](*example["run"](6.0, adapt=False)[:2])
    assert fixed[-1] > 0.1


def test_what_it_prints(example, capsys):
    example["main"](["--seconds", "3"])
    text = capsys.readouterr().out
    assert "period   fixed  adaptive" in text
    assert "true: 3.40" in text
