"""Reading takes time in proportion to the size of a description, whatever is in it."""

from __future__ import annotations

from time import process_time

import pytest

import sixd
from sixd import layouts
from tests.adversarial import FAMILIES, seconds

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("family", FAMILIES)
def test_time_grows_with_size(family: str) -> None:
    """Four times the size takes at most six times as long; below some milliseconds, clocks and caches decide."""
    make = FAMILIES[family]
    small, large = (min(seconds(make(n)) for _ in range(3)) for n in (500, 2000))
    assert large < 6.0 * small + 0.02, f"{small:.4f} s, then {large:.4f} s"


def test_layouts_take_time_in_proportion_to_the_joints() -> None:
    def seconds_of(n: int) -> float:
        chain = sixd.gallery.chain(n)
        start = process_time()
        layouts.drake_layout(chain, chain.joints.names)
        return process_time() - start

    small, large = (min(seconds_of(n) for _ in range(3)) for n in (1000, 4000))
    assert large < 6.0 * small + 0.02, f"{small:.4f} s, then {large:.4f} s"


@pytest.mark.parametrize("family", FAMILIES)
def test_time_of_the_largest(family: str) -> None:
    """Twenty megabytes, or twenty thousand links, at about a millisecond for each link."""
    assert seconds(FAMILIES[family](20_000)) < 60.0
