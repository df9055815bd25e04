"""Every kind of odd URDF that still loads, with the place that the warning names."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

from sixd.errors import ModelError, ModelWarning
from sixd.formats import Description, read_urdf
from tests.formats.urdf_text import LIMIT, arm, broken, build, chain, joint, link, robot

WARNED = {
    "no robot name": (arm(attributes=""), 1, "robot", "the robot has no name"),
    "undeclared world": (
        robot(link("a"), joint("j", "world", "a")),
        3,
        'joint name="j"',
        "its parent link 'world' is not declared",
    ),
    "no limit": (arm(""), 4, 'joint name="j"', "a revolute joint should have a <limit>"),
    "no limit of a slide": (arm("", "prismatic"), 4, 'joint name="j"', "a prismatic joint should have a <limit>"),
    "no effort": (broken(' effort="3"', ""), 4, "limit", "joint 'j': the effort limit is missing"),
    "no velocity": (broken(' velocity="4"', ""), 4, "limit", "joint 'j': the velocity limit is missing"),
    "no position limits": (broken('lower="-1" upper="2" ', ""), 4, "limit", "leaves no range"),
    "limits crossed": (broken('lower="-1"', 'lower="5"'), 4, "limit", "the lower limit 5 is above the upper limit 2"),
    "negative effort": (broken('effort="3"', 'effort="-3"'), 4, "limit", "the effort limit is negative: -3"),
    "negative damping": (broken('damping="0"', 'damping="-1"'), 4, "dynamics", "damping is negative: -1"),
    "triangle rule": (
        broken('ixx="1"', 'ixx="3"'),
        2,
        "inertia",
        "link 'a': no body has this inertia: principal moments 1, 1, 3 kg m^2, the largest above the sum of the others",
    ),
    "negative moment": (broken('ixx="1"', 'ixx="-0.5"'), 2, "inertia", "one of them negative"),
    "indefinite by products": (broken('ixy="0"', 'ixy="2"'), 2, "inertia", "one of them negative"),
    "inertia without mass": (broken('mass value="1"', 'mass value="0"'), 2, "inertia", "the mass is zero, but not the"),
    "dangling mimic": (
        chain('<mimic joint="j00"/>'),
        4,
        "mimic",
        "joint 'j1': it mimics 'j00', which does not exist (did you mean 'j0'?); it moves on its own",
    ),
    "dangling mimic, nothing close": (chain('<mimic joint="x"/>'), 4, "mimic", "which does not exist; it moves"),
    "mimic by a fixed joint": (
        robot(*map(link, "abc"), joint("j", "a", "b"), joint("k", "b", "c", '<mimic joint="j"/>', "fixed")),
        6,
        "mimic",
        "joint 'k': <mimic> has no meaning for a fixed joint and is ignored",
    ),
    "axis of a slide not of unit length": (
        arm('<axis xyz="0 0 1.002"/>' + LIMIT, "prismatic"),
        4,
        "axis",
        "joint 'j': the axis has length 1.002, not 1; only its direction is used",
    ),
    "planar without axis": (arm("", "planar"), 4, 'joint name="j"', "by the format its normal is x"),
    "limit of a floating joint": (arm(LIMIT, "floating"), 4, "limit", "<limit> has no meaning for a floating joint"),
    "friction of a planar joint": (
        arm('<axis xyz="0 0 1"/><dynamics damping="1"/>', "planar"),
        4,
        "dynamics",
        "<dynamics> has no meaning for a planar joint",
    ),
    "shape without geometry": (robot(link("a", "<visual/>")), 2, "visual", "<geometry> is missing (line 2)"),
    "shape without form": (
        robot(link("a", "<collision><geometry><blob/></geometry></collision>")),
        2,
        "collision",
        "no shape inside; known are mesh, box, sphere, cylinder, capsule",
    ),
    "shape with bad number": (
        robot(link("a", '<visual>\n<geometry><box size="1 2"/></geometry></visual>')),
        2,
        "visual",
        "this visual is left out: link 'a': size needs 3 numbers, not '1 2' (line 3)",
    ),
    "undeclared material": (
        robot(link("a", '<visual><geometry><sphere radius="1"/></geometry><material name="red"/></visual>')),
        2,
        'material name="red"',
        "the material 'red' is not declared",
    ),
    "bad colour": (
        robot('<material name="red"><color rgba="red"/></material>', link("a")),
        2,
        "color",
        "this color is left out",
    ),
}


@pytest.mark.parametrize("case", WARNED)
def test_warnings_say_where_and_are_errors_if_strict(case: str, tmp_path: Path) -> None:
    text, line, element, message = WARNED[case]
    file = tmp_path / "odd.urdf"
    file.write_text(text, encoding="utf-8")
    description = read_urdf(file)
    assert isinstance(description, Description)
    (warning,) = description.warnings
    assert isinstance(warning, ModelWarning)
    assert (warning.file, warning.line, warning.element) == (str(file), line, element)
    assert message in warning.message
    description.builder.build()
    with pytest.raises(ModelError) as info:
        read_urdf(file, strict=True)
    assert (info.value.file, info.value.line) == (str(file), line)
    assert message in info.value.message


def test_a_clean_file_is_fine_if_strict() -> None:
    assert read_urdf(arm(), strict=True).warnings == ()


def test_what_a_warning_says_happens() -> None:
    assert build(WARNED["undeclared world"][0]).bodies.names == ("world", "a")
    data = build(arm("")).joint("j").data
    assert (data.lower, data.upper, data.effort, data.velocity) == ((-inf,), (inf,), (inf,), (inf,))
    assert build(WARNED["no effort"][0]).joint("j").data.effort == (inf,)
    assert build(WARNED["dangling mimic"][0]).nq == 2
    assert build(WARNED["shape with bad number"][0]).visuals == ()
    assert build(WARNED["no robot name"][0]).name == ""


def test_axes_that_are_rounded_or_only_turn_are_fine() -> None:
    for kind, axis in (("prismatic", "0.577 0.577 0.577"), ("prismatic", "0 0 -1"), ("revolute", "0 0 2")):
        assert read_urdf(arm(f'<axis xyz="{axis}"/>{LIMIT}', kind)).warnings == ()


def test_impossible_inertias_are_used_as_written() -> None:
    inertia = (
        build(
            WARNED["triangle rule"][0]
            .replace('<link name="a">', '<link name="c"/><link name="a">', 1)
            .replace("<joint", joint("i", "c", "a") + "<joint", 1)
        )
        .bodies["a"]
        .inertia
    )
    assert [inertia.I[k, k] for k in range(3)] == [3.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "moments", ['ixx="0" iyy="0" izz="0"', 'ixx="1" iyy="1" izz="2"', 'ixx="0.083333" iyy="0.083333" izz="0.16666605"']
)
def test_inertias_at_the_edge_of_the_possible_are_fine(moments: str) -> None:
    text = robot(link("a", f'<inertial><mass value="1"/><inertia {moments} ixy="0" ixz="0" iyz="0"/></inertial>'))
    assert read_urdf(text).warnings == ()
