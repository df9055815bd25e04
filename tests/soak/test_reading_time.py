"""Reading takes time in proportion to the size of a description, whatever is in it."""

from __future__ import annotations

import pytest

from tests.adversarial import FAMILIES, seconds

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("family", FAMILIES)
def test_time_grows_with_size(family: str) -> None:
    """Four times the size takes at most six times as long; below some milliseconds, clocks and caches decide."""
    make = FAMILIES[family]
    small, large = (min(seconds(make(n)) for _ in range(3)) for n in (500, 2000))
    assert large < 6.0 * small + 0.02, f"{small:.4f} s, then {large:.4f} s"


@pytest.mark.parametrize("family", FAMILIES)
def test_time_of_the_largest(family: str) -> None:
    """Twenty megabytes, or twenty thousand links, at about a millisecond for each link."""
    assert seconds(FAMILIES[family](20_000)) < 60.0
