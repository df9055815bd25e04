"""The examples run as they are printed."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_demo(capsys):
    runpy.run_path(str(EXAMPLES / "demo.py"), run_name="__main__")
    text = capsys.readouterr().out
    assert "accelerations back [ 0.2 -0.4]" in text
    assert "target reached" in text
    assert "out of reach" in text
    assert "no findings" in text


def test_pictures(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    picture = tmp_path / "robots.png"
    monkeypatch.setattr(sys, "argv", ["draw_robots.py", str(picture)])
    runpy.run_path(str(EXAMPLES / "draw_robots.py"), run_name="__main__")
    assert picture.stat().st_size > 10_000
