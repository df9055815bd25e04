"""Short runs of the fuzz targets; `make fuzz` runs longer."""

import pytest

import sixd
from tests.fuzz import TARGETS, files, kernels


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", list(TARGETS))
def test_nothing_is_found(name, seed):
    counts = TARGETS[name].run(30.0, seed)
    assert counts["tried"] > 100
    assert not [what for what in TARGETS[name].BAD if counts[what]], counts


def test_files_in_short():
    counts = files.run(3.0, 0, 300)
    assert counts["tried"] > 30
    assert not [what for what in files.BAD if counts[what]], counts
    assert counts["loaded"]
    assert counts["refused"]


@pytest.mark.parametrize("factor", [1.0 + 1e-9, float("nan")])
def test_wrong_results_would_be_seen(monkeypatch, factor):
    """Numbers off by 1e-9, and NaN where there is none."""
    right = sixd.Kernel.interpret

    def wrong(self, *arrays):
        found = right(self, *arrays)
        return tuple(x * factor for x in found) if isinstance(found, tuple) else found * factor

    monkeypatch.setattr(sixd.Kernel, "interpret", wrong)
    assert kernels.run(0.0, 3, 20)["wrong"] > 0
