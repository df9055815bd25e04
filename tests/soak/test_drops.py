"""A thousand quadrupeds dropped in all attitudes: on their feet, on their sides, on their backs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulation.drops import LAWS, drop

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("tilt", [0.15, 1.0])
@pytest.mark.parametrize(("name", "law"), LAWS)
def test_a_thousand_drops(name: str, law: str, tilt: float) -> None:
    found = drop(name, law, 1000, 10.0, tilt)
    for figures in found:
        assert np.isfinite(figures).all()
    assert found.fastest.max() < 60.0
    assert np.allclose(found.support, 1.0, atol=0.1)
    assert found.deepest.max() < (1e-3 if law == "rigid" else 3e-2)
    if tilt < 0.5:
        assert np.quantile(found.slip, 0.99) < 1e-4
        assert (found.height > 0.8).mean() > 0.99
    for what, figures in found._asdict().items():
        print(f"{name} {law} {what}: median {np.median(figures):.1e}, 99 % {np.quantile(figures, 0.99):.1e}, ", end="")
        print(f"most {figures.max():.1e}")
