"""The line on the terminal while something takes long: only there, only then, and gone afterwards."""

import io
import re

import numpy as np
import pytest

import sixd
from sixd.backends.llvm import pieces
from sixd.compiler import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def kernel(monkeypatch):
    """Compiles some hundred nodes in pieces, each in a module of its own."""
    monkeypatch.setenv("SIXD_CACHE", "off")
    monkeypatch.setattr(pieces, "WHOLE", 0)
    monkeypatch.setattr(pieces, "SIZE", 50)
    monkeypatch.setattr(pieces, "TOGETHER", 1)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    return lambda: sixd.compile(sixd.algorithms.rnea, sixd.gallery.puma560())


def test_a_long_job_is_shown_on_a_terminal(kernel, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    kernel()
    lines = terminal.getvalue().split("\r")
    done = [int(m[1]) for line in lines if (m := re.match(r"sixd: compiling rnea, \d+ nodes, (\d+)% \.\.\.", line))]
    assert len(done) > 4
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] > 50
    assert lines[-1] == ""
    assert lines[-2].strip() == "", "the line is wiped"


def test_recordings_are_shown_too(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr("sixd.ir.tracer.REPORT", 100)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("SIXD_CACHE", "off")  # what is found there is not recorded
    sixd.compile(sixd.algorithms.rnea, sixd.gallery.puma560(), rolled=False)
    assert "sixd: recording rnea, 101 nodes" in terminal.getvalue()


@pytest.mark.parametrize("stream", [io.StringIO, Terminal, lambda: None])
def test_nothing_is_shown_of_short_jobs_or_elsewhere(kernel, monkeypatch, stream):
    shown = stream()
    if not isinstance(shown, Terminal):
        monkeypatch.setattr(progress, "PATIENCE", 0.0)
    else:
        monkeypatch.setattr(progress, "PATIENCE", np.inf)
    monkeypatch.setattr("sys.stderr", shown)
    kernel()
    assert shown is None or shown.getvalue() == ""
