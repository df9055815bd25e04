"""Quadrupeds dropped from random poses: nothing blows up, and those that land on their feet stand still."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulation.drops import LAWS, drop


@pytest.mark.parametrize(("name", "law"), LAWS)
def test_dropped_quadrupeds_stand(name: str, law: str) -> None:
    found = drop(name, law, 20, 10.0, tilt=0.15)
    assert found.fastest.max() < 30.0
    assert found.height.min() > 0.8
    assert np.allclose(found.support, 1.0, atol=1e-3)
    assert found.speed.max() < 1e-5
    assert found.slip.max() < 1e-5
    assert found.depth.max() < (1e-9 if law == "rigid" else 5e-3)
    assert found.deepest.max() < (1e-3 if law == "rigid" else 3e-2)
