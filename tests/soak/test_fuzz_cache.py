"""A short run of the fuzz target for the cache; `make fuzz` runs longer."""

import random
from itertools import pairwise

import pytest

from sixd.backends.llvm.cache import Cache
from tests.fuzz import cache
from tests.fuzz.cache import ATTACKS, run


@pytest.mark.parametrize("seconds", [1.0, pytest.param(60.0, marks=pytest.mark.slow)])
def test_nothing_damaged_is_believed(seconds):
    counts = run(seconds, seed=0)
    assert counts["tried"] > 20 * seconds
    assert counts["believed"] == counts["crashed"] == 0


def test_the_attacks_would_be_seen(monkeypatch, tmp_path):
    """A cache that believes what it finds is caught, and one that fails."""
    monkeypatch.setattr(Cache, "load", lambda self, key: b"")
    assert cache._Bytes(random.Random(0), tmp_path / "cache")()

    def broken(self, key):
        if len(key) == 16:  # of the store of bytes
            raise RuntimeError(key)

    monkeypatch.setattr(Cache, "load", broken)
    assert run(0.2, seed=0)["crashed"] > 0


def test_every_attack_changes_something():
    data, other = (random.Random(k).randbytes(300) for k in range(2))
    for attack in ATTACKS:
        results = [attack(random.Random(k), data, other) for k in range(20)]
        assert any(a != data for a in results)
        assert attack.__name__ == "_swap" or any(a != b for a, b in pairwise(results)) or attack.__name__ == "_forge"
