"""The registry of formats: how a reader is found, and what every reader has to do.

A format has a sample in ``tests/formats/samples``, named as the format in small letters, with one of its suffixes.
"""

from __future__ import annotations

import io
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import sixd
from sixd.errors import ChoiceError, ModelError
from sixd.formats import FORMATS, Description, Format, read_source, register
from sixd.formats.document import Document
from sixd.joints import Revolute
from sixd.model import ModelBuilder

SAMPLES = Path(__file__).parent / "samples"


def sample(name: str) -> Path:
    (found,) = SAMPLES.glob(f"{name.lower()}.*")
    return found


def pendulum(source, *, strict=False, mimic=True):
    """A format of plain text: the length and the mass of a pendulum in one line."""
    content = read_source(source)
    length, mass = (float(word) for word in content.text().split())
    builder = ModelBuilder("pendulum").link("base")
    builder.body("bob", "base", Revolute((0, 1, 0)), mass=mass, com=(0.0, 0.0, -length))
    return Description(builder, file=content.file)


def pendulum_xml(source, *, strict=False, mimic=True):
    """The same in XML."""
    document = Document(source, strict)
    root = document.root
    return pendulum(f"{document.number(root, 'length')} {document.number(root, 'mass')}".encode())


@pytest.fixture(autouse=True)
def _registry_of_its_own(monkeypatch):
    monkeypatch.setattr("sixd.formats.registry.FORMATS", FORMATS.copy())


# ---- how a reader is found


def test_a_text_format_is_found_by_its_suffix(tmp_path):
    register(Format("pendulum", pendulum, suffixes=(".pend",)))
    file = tmp_path / "swing.PEND"
    file.write_text("0.5 2.0")
    with file.open() as stream:
        robots = [sixd.load(source) for source in (file, str(file), stream)]
    for robot in robots:
        np.testing.assert_allclose(robot.mass_matrix([0.3]), [[0.5]], rtol=1e-14)
        assert robot.source == str(file)
    assert sixd.check(file).ok


def test_an_xml_format_is_found_by_its_root_tag(tmp_path):
    register(Format("pendulum", pendulum_xml, tags=("pendulum",)))
    text = '<?xml version="1.0"?>\n<!-- a swing -->\n<pendulum length="0.5" mass="2.0"/>'
    (tmp_path / "swing.anything").write_text(text)
    for source in (text, text.encode(), text.encode("utf-16"), io.StringIO(text), tmp_path / "swing.anything"):
        np.testing.assert_allclose(sixd.load(source).mass_matrix([0.3]), [[0.5]], rtol=1e-14)


def test_the_root_tag_counts_before_the_suffix(tmp_path):
    register(Format("pendulum", pendulum, suffixes=(".pend",)))
    file = tmp_path / "robot.pend"
    file.write_text(sample("URDF").read_text())
    assert sixd.load(file) == sixd.load(sample("URDF"))


def test_the_longest_suffix_counts(tmp_path):
    for name, suffix in (("short", ".pend"), ("long", ".double.pend"), ("other", ".pe")):
        reader = pendulum if name == "long" else None
        register(Format(name, reader, suffixes=(suffix,)))
    (tmp_path / "a.double.pend").write_text("0.5 2.0")
    assert sixd.load(tmp_path / "a.double.pend").nv == 1


def test_a_root_tag_far_from_the_start_is_found():
    text = f"\n\n<!--{'x' * 10_000}-->\n{sample('URDF').read_text()}"
    assert sixd.load(text) == sixd.load(sample("URDF"))


def test_options_reach_the_reader(tmp_path):
    seen = {}

    def reader(source, *, strict=False, mimic=True):
        seen.update(strict=strict, mimic=mimic)
        return pendulum(source)

    register(Format("pendulum", reader, suffixes=(".pend",)))
    (tmp_path / "a.pend").write_text("1 1")
    sixd.load(tmp_path / "a.pend", strict=True, mimic=False)
    assert seen == {"strict": True, "mimic": False}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("<mujoco/>", 1, r"this is a MuJoCo model \(MJCF\); sixd reads URDF \(<robot>, \*\.urdf\)"),
        ("\n<sdf/>", 2, r"this is an SDF model; sixd reads URDF"),
        ("<COLLADA/>", 1, r"this is a mesh \(COLLADA\); sixd reads URDF"),
        ("<xacro:macro/>", 1, r"xacro file, which has to be expanded first: xacro file\.xacro > file\.urdf"),
        ("\n\n<html/>", 3, r"this is <html>; sixd reads URDF"),
        ("solid cube\nfacet", 1, r"this is no XML, and no suffix tells what it is; sixd reads URDF"),
        ("<!-- -->\n<!-- ", 2, r"not well-formed XML"),
        ("<!DOCTYPE robot>\n<robot/>", 1, r"a DOCTYPE is not allowed"),
    ],
)
def test_what_is_of_no_format(tmp_path, text, line, message):
    file = tmp_path / "file.stl"
    file.write_text(text)
    for source, name in ((file, str(file)), (text.encode(), None)):
        with pytest.raises(ModelError, match=message) as info:
            sixd.load(source)
        assert (info.value.file, info.value.line) == (name, line)


def test_xacro_is_told_where_it_stands():
    with pytest.raises(ModelError, match="expand it first: xacro") as info:
        sixd.load('<robot name="r">\n<link name="${x}"/></robot>')
    assert info.value.line == 2


def test_no_two_formats_share_a_sign():
    for new in (
        Format("URDF", pendulum, suffixes=(".other",)),
        Format("other", pendulum, suffixes=(".urdf",)),
        Format("other", pendulum, tags=("robot",)),
        Format("other", pendulum),
    ):
        with pytest.raises(ChoiceError, match=r"is registered already, for the format URDF|neither suffixes nor"):
            register(new)


# ---- what every reader has to do


@pytest.mark.parametrize("name", FORMATS)
def test_a_sample_loads(name):
    each, file = FORMATS[name], sample(name)
    assert file.suffix in each.suffixes
    robot = sixd.load(file)
    assert robot.source == str(file)
    assert robot.n_bodies > 0
    assert sixd.load(file.read_bytes() if each.tags else file) == robot
    description = each.reader(file)
    assert (description.file, description.builder.build()) == (str(file), robot)


def spoilt(name: str) -> dict[str, bytes]:
    """Contents that no reader may take: nothing, no text, a NUL, and the sample with each number beyond all."""
    good = sample(name).read_bytes()
    found = {
        "empty": b"",
        "blank": b" \n\t\n",
        "garbage": bytes(range(128, 256)) * 8,
        "NUL": good + b"\0",
        "NULs": b"\0" * 9,
    }
    for number in re.finditer(rb"(?<![\w.-])-?\d+(\.\d*)?(?![\w.])", good):
        for huge in (b"1e999", b"-1e999", b"nan", b"9" * 400):
            text = good[: number.start()] + huge + good[number.end() :]
            found[f"{huge[:6].decode()} at {number.start()}"] = text
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_wrong_is_refused_with_its_place(name, tmp_path):
    contents, file = spoilt(name), tmp_path / sample(name).name
    assert len(contents) > 50
    for case, content in contents.items():
        file.write_bytes(content)
        for read in (FORMATS[name].reader, sixd.load):
            with pytest.raises(ModelError) as info:
                read(file)
            assert info.value.file == str(file), case
            assert info.value.line is not None, case


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_cut_off_anywhere_loads_or_is_refused(name, tmp_path):
    good, file = sample(name).read_bytes(), tmp_path / sample(name).name
    for end in range(0, len(good), 7):
        file.write_bytes(good[:end])
        with suppress(ModelError):
            sixd.load(file)
