"""A short run of the fuzz target for files; `python -m tests.fuzz.files` runs longer."""

from __future__ import annotations

import pytest

from tests.fuzz.files import run

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(3))
def test_mutated_files_load_or_are_refused(seed: int) -> None:
    counts = run(seconds=5.0, seed=seed)
    assert counts["tried"] > 500
    assert counts["loaded"] > 0
    assert counts["refused"] > 0
    assert (counts["crashed"], counts["slow"], counts["not_finite"]) == (0, 0, 0)
