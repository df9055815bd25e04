"""Where a URDF may come from, and how much of it is let in."""

from __future__ import annotations

import contextlib
import io
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from sixd.errors import ModelError
from sixd.formats import read_urdf
from sixd.formats.xml import parse
from tests.formats.urdf_text import LIMIT, arm, build, chain, joint, link, robot


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "robot.urdf"
    file.write_text(arm(), encoding="utf-8")
    return file


def test_sources(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    with path.open("rb") as binary, path.open(encoding="utf-8") as plain:
        sources = [path, str(path), text, text.encode(), binary, plain, io.StringIO(text), io.BytesIO(text.encode())]
        found = [read_urdf(source) for source in sources]
    assert {description.builder.build() for description in found} == {build(text)}
    name = str(path)
    assert [description.file for description in found] == [name, name, None, None, name, name, None, None]


@pytest.mark.parametrize(
    "lead",
    [
        "\n\n  ",
        "\ufeff",
        "\ufeff\n\n",
        '<?xml version="1.0"?>\n',
        '\n<?xml version="1.0"?>\n',
        '\ufeff<?xml version="1.0"?>\n',
        '\ufeff\r\n\n<?xml version="1.0" encoding="utf-8"?>\n',
    ],
)
def test_what_may_stand_before_the_root(lead: str) -> None:
    bad = arm().replace('<mass value="1"/>', '<mass value="x"/>')
    for source in (lead + bad, (lead + bad).encode(), io.StringIO(lead + bad)):
        with pytest.raises(ModelError) as info:
            read_urdf(source)
        assert info.value.line == 2 + lead.count("\n")


def test_the_declared_encoding_of_bytes_counts_and_that_of_text_does_not() -> None:
    text = '<?xml version="1.0" encoding="iso-8859-1"?>' + robot(link("größe"))
    assert build(text).bodies.names == ("größe",)
    assert read_urdf(text.encode("iso-8859-1")).builder.build().bodies.names == ("größe",)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_urdf(tmp_path / "none.urdf")
    with pytest.raises(FileNotFoundError):
        read_urdf("none.urdf")


@pytest.mark.parametrize("text", ["", "  \n", "robot name\n", "x<robot/>"])
def test_text_that_is_no_xml(text: str) -> None:
    with pytest.raises(ModelError, match="must be XML and start with '<'"):
        read_urdf(text)


def test_empty_file() -> None:
    with pytest.raises(ModelError, match="empty"):
        read_urdf(io.BytesIO(b" \n"))


@pytest.mark.parametrize(
    "data",
    [
        b'<?xml version="1.0" encoding="no-such"?><robot/>',
        b'<?xml version="1.0" encoding="big5"?><robot/>',
        b"<robot\xff/>",
    ],
)
def test_bytes_that_cannot_be_decoded(data: bytes) -> None:
    with pytest.raises(ModelError, match=r"decoded|well-formed"):
        read_urdf(data)


def test_text_that_is_no_unicode() -> None:
    with pytest.raises(ModelError, match="well-formed"):
        read_urdf('<robot name="\ud800"/>')


def test_the_size_is_bounded(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr("sixd.formats.source.MAX_BYTES", 100)
    text = path.read_text(encoding="utf-8")
    for source in (path, text, text.encode(), io.StringIO(text)):
        with pytest.raises(ModelError, match="longer than 100 bytes"):
            read_urdf(source)


def test_the_numbers_of_elements_and_attributes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    text = robot(link("a", ""), "<x/>", "<x/>")
    monkeypatch.setattr("sixd.formats.xml.MAX_ELEMENTS", 4)
    monkeypatch.setattr("sixd.formats.xml.MAX_ATTRIBUTES", 2)
    assert build(text).bodies.names == ("a",)
    for more, fault in (("<x/>", "there are more than 4 elements"), ('<x y="" z=""/>', "more than 2 attributes")):
        with pytest.raises(ModelError, match=fault) as info:
            read_urdf(text.replace("<x/>\n</robot>", ("<x/>\n" if more == "<x/>" else "") + more + "</robot>"))
        assert (info.value.line, info.value.element) == (5 if more == "<x/>" else 4, "x")


def test_elements_are_small() -> None:
    """Many elements take little memory: eight MiB of <a/> once took 510."""
    n = 20_000
    text = b"<robot>" + b"<a/>" * n + b"</robot>"
    tracemalloc.start()
    try:
        tree, _ = parse(text)
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(tree.children) == n
    assert size < 120 * n


def test_only_as_much_is_read_as_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixd.formats.source.MAX_BYTES", 100)
    endless = io.BytesIO(b" " * 1000)
    with pytest.raises(ModelError, match="longer"):
        read_urdf(endless)
    assert endless.tell() == 101


def test_long_chains_need_no_recursion() -> None:
    n = 3000
    links = [link(f"l{k}") for k in range(n + 1)]
    joints = [
        joint(f"j{k}", f"l{k}", f"l{k + 1}", LIMIT + (f'<mimic joint="j{k - 1}"/>' if k else "")) for k in range(n)
    ]
    assert build(robot(*links, *reversed(joints))).n_bodies == n


def test_damaged_files_raise_only_model_errors() -> None:
    text = chain('<mimic joint="j0" multiplier="2"/>') + "\n"
    words = [
        "nan",
        "inf",
        "-1",
        "1e999",
        "1e308",
        "",
        "x",
        "0 0 0",
        "fixed",
        "planar",
        "floating",
        "l1",
        "${x}",
        "\ud800",
    ]
    rng = np.random.default_rng(0)
    for _ in range(500):
        damaged = text
        for _ in range(rng.integers(1, 4)):
            if rng.random() < 0.7:
                values = list(re.finditer(r'"([^"]*)"', damaged))
                value = values[rng.integers(len(values))]
                damaged = damaged[: value.start(1)] + str(rng.choice(words)) + damaged[value.end(1) :]
            else:
                k = rng.integers(len(damaged))
                damaged = damaged[:k] + str(rng.choice(list("<>\"'&/x"))) + damaged[k + 1 :]
        with contextlib.suppress(ModelError):
            build(damaged)
