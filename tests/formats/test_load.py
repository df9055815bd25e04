"""`sixd.load` and `sixd.check` on descriptions good and bad."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import sixd

URDF = Path(__file__).parents[2] / "examples" / "two_link.urdf"


def test_sources():
    by_path, by_name = sixd.load(URDF), sixd.load(str(URDF))
    by_text, by_bytes = sixd.load(URDF.read_text()), sixd.load(URDF.read_bytes())
    with URDF.open() as file:
        by_file = sixd.load(file)
    assert by_path == by_name == by_text == by_bytes == by_file
    assert by_path.warnings == ()


def test_options():
    moon = sixd.load(URDF, gravity=(0, 0, -1.62), base="free")
    assert moon.gravity == (0.0, 0.0, -1.62)
    assert moon.joints.names == ("base", "shoulder", "elbow")
    with pytest.raises(sixd.ModelError, match="base must be"):
        sixd.load(URDF, base="flying")


def test_technical_data():
    robot = sixd.load(URDF)
    assert robot.joint("elbow").data.damping == (0.1,)
    assert robot.joint("elbow").data.friction == (0.05,)
    np.testing.assert_array_equal(robot.upper, [2.5, 2.8])
    np.testing.assert_array_equal(robot.effort_limit, [100, 60])
    assert "tool" in robot.frames
    assert robot.n_bodies == 2


ODD = URDF.read_text().replace('effort="60" ', "")


def test_warnings_are_announced_once_and_kept():
    with pytest.warns(sixd.ModelWarning, match="elbow") as seen:
        robot = sixd.load(ODD)
    assert len(seen) == 1
    assert len(robot.warnings) == 1
    assert robot.warnings[0].line
    with pytest.raises(sixd.ModelError, match="elbow"):
        sixd.load(ODD, strict=True)


def test_check_reports_warnings_of_the_reader():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = sixd.check(ODD)
    assert any("elbow" in f.message for f in report.findings)
    assert report.ok


def test_check_reports_what_does_not_load():
    report = sixd.check(URDF.read_text().replace('axis xyz="0 1 0"', 'axis xyz="0 0 0"'))
    assert not report.ok
    assert report.findings[0].code == "does-not-load"
    assert "axis" in str(report)


def test_check_of_a_sound_file():
    assert sixd.check(URDF).findings == ()


def test_missing_files():
    with pytest.raises((sixd.ModelError, FileNotFoundError), match="nowhere"):
        sixd.load("nowhere.urdf")
