"""Descriptions made to be slow to read are not: small ones here, time against size in tests/soak."""

from __future__ import annotations

import pytest

from sixd.errors import ModelError, NameNotFoundError, closest
from sixd.formats import read_urdf
from tests.adversarial import FAMILIES, seconds
from tests.formats.urdf_text import arm, link, robot


@pytest.mark.parametrize("family", FAMILIES)
def test_small_descriptions_are_read_at_once(family: str) -> None:
    """Eight thousand characters or 200 links; once, some took seconds."""
    assert seconds(FAMILIES[family](200)) < 1.0


def test_messages_stay_short() -> None:
    for text in (
        arm().replace('value="1"', f'value="{"9" * 10_000}x"', 1),
        arm().replace('"a"', f'"{"a" * 10_000}"'),
        arm(f"<{'limit' * 2000}/>").replace('link="b"', f'link="{"b" * 900}"'),
    ):
        with pytest.raises(ModelError) as info:
            read_urdf(text)
        assert len(str(info.value)) < 3000


def test_names_have_a_length() -> None:
    assert read_urdf(robot(link("a" * 1000))).builder.links
    with pytest.raises(ModelError, match="name is longer than 1000 characters"):
        read_urdf(robot(link("a" * 1001)))


def test_suggestions_are_bounded() -> None:
    assert closest("elbo", ["shoulder", "elbow"]) == ["elbow"]
    assert closest("x" * 65, ["x" * 64]) == []
    assert closest("elbo", ["wrist"] * 1_000_000 + ["elbow"]) == []
    assert len(str(NameNotFoundError("joint", "x" * 10_000, ["y" * 10_000] * 10_000))) < 3000
