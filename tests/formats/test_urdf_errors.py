"""Every kind of wrong URDF, with the file, the line and the element that the error names."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixd.errors import ModelError
from sixd.formats import read_urdf
from tests.formats.urdf_text import INERTIAL, LIMIT, arm, broken, chain, joint, link, robot

PLACED = {
    "misspelt element": (
        robot(link("a", "<intertial/>")),
        2,
        'link name="a"',
        "unknown element 'intertial'; did you mean 'inertial'?",
    ),
    "misspelt attribute": (
        chain('<mimic joint="j0" multipler="2"/>'),
        4,
        "mimic",
        "unknown attribute 'multipler'; did you mean 'multiplier'?",
    ),
    "misspelt attribute of a mass": (
        broken('<mass value="1"/>', '<mass value="1" valeu="2"/>'),
        2,
        "mass",
        "did you mean 'value'?",
    ),
    "misspelt parent": (
        robot(link("base"), link("arm"), joint("j", "baze", "arm")),
        4,
        'joint name="j"',
        "its parent link 'baze' does not exist; did you mean 'base'?",
    ),
    "mass is no number": (broken('mass value="1"', 'mass value="one"'), 2, "mass", "not a finite number: 'one'"),
    "mass is missing": (broken('<mass value="1"/>', ""), 2, "inertial", "link 'a': <mass> is missing"),
    "mass has no value": (broken('mass value="1"', "mass"), 2, "mass", "link 'a': attribute 'value' is missing"),
    "mass is empty": (broken('mass value="1"', 'mass value=""'), 2, "mass", "link 'a': attribute 'value' is empty"),
    "mass is NaN": (broken('mass value="1"', 'mass value="nan"'), 2, "mass", "not a finite number: 'nan'"),
    "mass is infinite": (broken('mass value="1"', 'mass value="inf"'), 2, "mass", "not a finite number: 'inf'"),
    "mass is too large": (broken('mass value="1"', 'mass value="1e999"'), 2, "mass", "not a finite number: '1e999'"),
    "mass is negative": (broken('mass value="1"', 'mass value="-1"'), 2, "mass", "link 'a': the mass is negative: -1"),
    "mass is two numbers": (broken('mass value="1"', 'mass value="1 2"'), 2, "mass", "needs one number, not '1 2'"),
    "mass with underscore": (broken('mass value="1"', 'mass value="1_0"'), 2, "mass", "not a finite number"),
    "mass in hexadecimal": (broken('mass value="1"', 'mass value="0x1p0"'), 2, "mass", "not a finite number"),
    "mass with comma": (broken('mass value="1"', 'mass value="1,5"'), 2, "mass", "not a finite number: '1,5'"),
    "mass in Arabic digits": (broken('mass value="1"', 'mass value="١"'), 2, "mass", "not a finite number"),
    "inertia is missing": (
        robot(link("a", '<inertial><mass value="1"/></inertial>')),
        2,
        "inertial",
        "<inertia> is missing",
    ),
    "inertia lacks a product": (broken(' ixy="0"', ""), 2, "inertia", "link 'a': attribute 'ixy' is missing"),
    "inertia is NaN": (broken('ixx="1"', 'ixx="NaN"'), 2, "inertia", "ixx is not a finite number: 'NaN'"),
    "inertia overflows": (
        robot(link("a", f'<inertial><origin xyz="1e200 0 0"/>{INERTIAL[10:]}')),
        2,
        "inertial",
        "not finite",
    ),
    "two inertials": (
        robot(link("a", INERTIAL + "\n" + INERTIAL)),
        3,
        "inertial",
        "a second <inertial>; the first is in line 2",
    ),
    "link without name": (robot(link("a"), "<link/>"), 3, "link", "attribute 'name' is missing"),
    "link with empty name": (robot(link("")), 2, "link", "attribute 'name' is empty"),
    "two links of a name": (robot(link("a"), link("b"), link("a")), 4, 'link name="a"', "the first is in line 2"),
    "no links": (robot(), 1, 'robot name="r"', "no links"),
    "joint without name": (broken('joint name="j"', "joint"), 4, "joint", "attribute 'name' is missing"),
    "two joints of a name": (
        robot(*map(link, "abc"), joint("j", "a", "b"), joint("j", "a", "c")),
        6,
        'joint name="j"',
        "two joints are named 'j': the first is in line 5",
    ),
    "joint without type": (broken(' type="revolute"', ""), 4, 'joint name="j"', "attribute 'type' is missing"),
    "unknown joint type": (
        broken('type="revolute"', 'type="spherical"'),
        4,
        'joint name="j"',
        "joint 'j': unknown type 'spherical'; known are revolute, continuous, prismatic, fixed, floating, planar",
    ),
    "joint without parent": (broken('<parent link="a"/>', ""), 4, 'joint name="j"', "<parent> is missing"),
    "joint without child": (broken('<child link="b"/>', ""), 4, 'joint name="j"', "<child> is missing"),
    "parent without link": (broken('<parent link="a"/>', "<parent/>"), 4, "parent", "attribute 'link' is missing"),
    "two parents in a joint": (
        broken('<parent link="a"/>', '<parent link="a"/>\n<parent link="a"/>'),
        5,
        "parent",
        "a second <parent>",
    ),
    "unknown parent": (
        broken('parent link="a"', 'parent link="x"'),
        4,
        'joint name="j"',
        "parent link 'x' does not exist",
    ),
    "unknown child": (broken('child link="b"', 'child link="x"'), 4, 'joint name="j"', "child link 'x' does not exist"),
    "link with two parents": (
        robot(*map(link, "abc"), joint("j", "a", "c"), joint("k", "b", "c")),
        6,
        'joint name="k"',
        "link 'c' has two parents: it is also the child of joint 'j' (line 5)",
    ),
    "two roots": (
        robot(*map(link, "abc"), joint("j", "a", "b")),
        4,
        'link name="c"',
        "2 roots: 'a' (line 2), 'c' (line 4)",
    ),
    "cycle of all links": (
        robot(*map(link, "ab"), joint("j", "a", "b"), joint("k", "b", "a")),
        4,
        'joint name="j"',
        "form a cycle: 'b' -> 'a'",
    ),
    "cycle beside a tree": (
        robot(*map(link, "abcd"), joint("j", "a", "b"), joint("k", "c", "d"), joint("l", "d", "c")),
        7,
        'joint name="k"',
        "form a cycle: 'd' -> 'c'",
    ),
    "joint from a link to itself": (robot(link("a"), joint("j", "a", "a")), 3, 'joint name="j"', "form a cycle: 'a'"),
    "axis is zero": (broken('axis xyz="0 0 1"', 'axis xyz="0 0 -0.0"'), 4, "axis", "joint 'j': the axis is zero"),
    "axis is too long": (broken('axis xyz="0 0 1"', 'axis xyz="1.7e308 1.7e308 0"'), 4, "axis", "the axis is too long"),
    "axis is too short": (
        broken('axis xyz="0 0 1"', 'axis xyz="1e-320 0 1e-320"'),
        4,
        "axis",
        "joint 'j': the axis is too short to have a direction",
    ),
    "normal is too short": (
        arm('<axis xyz="1e-151 0 0"/>', "planar"),
        4,
        "axis",
        "joint 'j': the axis is too short to have a direction",
    ),
    "axis is empty": (broken('axis xyz="0 0 1"', "axis"), 4, "axis", "attribute 'xyz' is missing"),
    "axis has two numbers": (broken('axis xyz="0 0 1"', 'axis xyz="0 1"'), 4, "axis", "needs 3 numbers, not '0 1'"),
    "axis is NaN": (broken('axis xyz="0 0 1"', 'axis xyz="0 0 nan"'), 4, "axis", "not a finite number: 'nan'"),
    "origin is no number": (broken('rpy="0 0 0"', 'rpy="0 0 pi"'), 4, "origin", "rpy is not a finite number: 'pi'"),
    "limit is NaN": (broken('effort="3"', 'effort="nan"'), 4, "limit", "effort is not a finite number: 'nan'"),
    "limit is no number": (broken('lower="-1"', 'lower="-1rad"'), 4, "limit", "lower is not a finite number"),
    "damping is infinite": (broken('damping="0"', 'damping="inf"'), 4, "dynamics", "damping is not a finite number"),
    "quaternion in version 1.0": (
        broken('rpy="0 0 0"', 'quat_xyzw="0 0 0 1"'),
        4,
        "origin",
        'quat_xyzw needs <robot version="1.1">',
    ),
    "rpy and quaternion": (
        arm('<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>', attributes='name="r" version="1.2"'),
        4,
        "origin",
        "give either rpy or quat_xyzw",
    ),
    "quaternion is zero": (
        arm('<origin quat_xyzw="0 0 0 0"/>', attributes='name="r" version="1.1"'),
        4,
        "origin",
        "the quaternion is zero",
    ),
    "unknown version": (arm(attributes='name="r" version="2.0"'), 1, 'robot name="r"', "unknown URDF version '2.0'"),
    "mimic of itself": (
        chain('<mimic joint="j1"/>'),
        4,
        "mimic",
        "joint 'j1': joints mimic each other in a loop: 'j1' -> 'j1'",
    ),
    "mimic loop": (
        chain('<mimic joint="j2"/>', '<mimic joint="j3"/>', '<mimic joint="j2"/>'),
        5,
        "mimic",
        "in a loop: 'j2' -> 'j3' -> 'j2'",
    ),
    "mimic without joint": (chain("<mimic/>"), 4, "mimic", "attribute 'joint' is missing"),
    "mimic with bad ratio": (
        chain('<mimic joint="j0" multiplier="x"/>'),
        4,
        "mimic",
        "multiplier is not a finite number",
    ),
    "mimic of a fixed joint": (
        robot(*map(link, "abc"), joint("j", "a", "b", "", "fixed"), joint("k", "b", "c", LIMIT + '<mimic joint="j"/>')),
        6,
        "mimic",
        "it mimics 'j', a fixed joint",
    ),
    "mimic of a floating joint": (
        robot(
            *map(link, "abc"), joint("j", "a", "b", "", "floating"), joint("k", "b", "c", LIMIT + '<mimic joint="j"/>')
        ),
        6,
        "mimic",
        "it mimics 'j', a floating joint",
    ),
    "mimic by a floating joint": (
        robot(*map(link, "abc"), joint("j", "a", "b"), joint("k", "b", "c", '<mimic joint="j"/>', "floating")),
        6,
        "mimic",
        "a floating joint has several coordinates",
    ),
    "xacro element": (
        robot(link("a"), '<xacro:property name="x" value="1"/>'),
        3,
        'xacro:property name="x"',
        "this is a xacro file; expand it first: xacro file.xacro > file.urdf",
    ),
    "xacro expression": (broken('mass value="1"', 'mass value="${m}"'), 2, "mass", "this is a xacro file"),
    "xacro argument": (arm(attributes='name="$(arg name)"'), 1, 'robot name="$(arg name)"', "this is a xacro file"),
    "MJCF": ("<mujoco/>", 1, "mujoco", "this is a MuJoCo model"),
    "SDF": ("<sdf/>", 1, "sdf", "this is an SDF model"),
    "something else": ("<html/>", 1, "html", "a URDF starts with <robot>; this is <html>"),
    "DOCTYPE": (f"<!DOCTYPE robot>\n{arm()}", 1, "!DOCTYPE", "a DOCTYPE is not allowed"),
    "entity": (
        f'\n\n<!DOCTYPE robot [<!ENTITY a "x"><!ENTITY b SYSTEM "file:///etc/passwd">]>\n{arm()}',
        3,
        "!DOCTYPE",
        "a DOCTYPE is not allowed",
    ),
    "undefined entity": (broken('mass value="1"', 'mass value="&x;"'), 2, None, "undefined entity"),
    "not well-formed": (robot(link("a"), "<link>"), 4, None, "not well-formed XML: mismatched tag"),
    "cut off": (robot(link("a"))[:-10], 2, None, "not well-formed XML"),
    "attribute twice": (broken('mass value="1"', 'mass value="1" value="2"'), 2, None, "duplicate attribute"),
    "two roots of XML": (arm() + "\n<robot/>", 6, None, "junk after document element"),
    "too deep": (robot("<x>" * 64), 2, "x", "nested more than 64 deep"),
}


@pytest.mark.parametrize("case", PLACED)
def test_errors_say_where(case: str, tmp_path: Path) -> None:
    text, line, element, message = PLACED[case]
    file = tmp_path / "bad.urdf"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError) as info:
        read_urdf(file)
    error = info.value
    assert (error.file, error.line, error.element) == (str(file), line, element)
    assert message in error.message
    assert str(error).startswith(f"{file}:{line}")
    with pytest.raises(ModelError) as info:
        read_urdf(text)
    assert (info.value.file, info.value.line) == (None, line)
