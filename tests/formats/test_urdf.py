"""What the URDF reader makes of small files."""

from __future__ import annotations

from math import inf, pi

import numpy as np
import pytest

import sixd
from sixd.formats import read_urdf
from sixd.joints import Free, Planar, Prismatic, Revolute
from sixd.model import Mimic
from tests.formats.urdf_text import LIMIT, arm, build, chain, joint, link, robot


def test_names_masses_and_structure() -> None:
    model = build(
        robot(
            link("base"),
            link("arm"),
            link("hand"),
            joint("shoulder", "base", "arm"),
            joint("wrist", "arm", "hand"),
            attributes='name="two"',
        )
    )
    assert model.name == "two"
    assert model.bodies.names == ("base", "arm", "hand")
    assert model.joints.names == ("shoulder", "wrist")
    assert model.parent == (-1, 0, 1)
    assert model.mass == 2.0


def test_joints_may_come_before_links_and_children_before_parents() -> None:
    model = build(robot(joint("k", "b", "c"), joint("j", "a", "b"), link("c"), link("b"), link("a")))
    assert model.joints.names == ("j", "k")


@pytest.mark.parametrize(
    ("kind", "type"),
    [
        ("revolute", Revolute),
        ("continuous", Revolute),
        ("prismatic", Prismatic),
        ("floating", Free),
        ("planar", Planar),
    ],
)
def test_joint_types(kind: str, type: type) -> None:
    inside = LIMIT if kind in ("revolute", "continuous", "prismatic") else ""
    model = build(arm('<axis xyz="0 0 1"/>' + inside, kind))
    assert isinstance(model.joint("j").type, type)


def test_the_axis_is_x_by_default_and_normalised() -> None:
    assert build(arm()).joint("j").type == Revolute((1, 0, 0))
    assert build(arm('<axis xyz="0 -2 0"/>' + LIMIT)).joint("j").type == Revolute((0, -1, 0))


def test_limits_and_friction() -> None:
    data = build(arm(LIMIT + '<dynamics damping="0.5" friction="0.25"/>')).joint("j").data
    assert (data.lower, data.upper, data.effort, data.velocity) == ((-1.0,), (2.0,), (3.0,), (4.0,))
    assert (data.damping, data.friction) == ((0.5,), (0.25,))


def test_limits_may_be_infinite() -> None:
    data = build(arm('<limit lower="-inf" upper="+Infinity" effort="INF" velocity="1"/>')).joint("j").data
    assert (data.lower, data.upper, data.effort) == ((-inf,), (inf,), (inf,))


def test_a_missing_position_limit_is_zero() -> None:
    assert build(arm('<limit upper="2" effort="3" velocity="4"/>')).joint("j").data.lower == (0.0,)


def test_a_continuous_joint_has_one_coordinate_and_no_position_limit() -> None:
    model = build(arm(LIMIT, "continuous"))
    data = model.joint("j").data
    assert (model.nq, data.lower, data.upper, data.effort, data.velocity) == (1, (-inf,), (inf,), (3.0,), (4.0,))
    assert read_urdf(arm("", "continuous")).warnings == ()


def test_places_are_position_and_roll_pitch_yaw() -> None:
    model = build(arm('<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>' + LIMIT))
    pose = model.bodies["b"].placement.pose()
    c, s = np.cos, np.sin
    roll = np.array([[1, 0, 0], [0, c(0.1), -s(0.1)], [0, s(0.1), c(0.1)]])
    pitch = np.array([[c(0.2), 0, s(0.2)], [0, 1, 0], [-s(0.2), 0, c(0.2)]])
    yaw = np.array([[c(0.3), -s(0.3), 0], [s(0.3), c(0.3), 0], [0, 0, 1]])
    np.testing.assert_allclose(pose[:3, :3], yaw @ pitch @ roll, atol=1e-16)
    np.testing.assert_array_equal(pose[:3, 3], [1, 2, 3])


def test_quaternions_of_version_1_1() -> None:
    model = build(arm('<origin quat_xyzw="2 0 0 2"/>' + LIMIT, attributes='name="r" version="1.1"'))
    np.testing.assert_allclose(model.bodies["b"].placement.rpy().array(), [pi / 2, 0, 0], atol=1e-15)


def test_inertia_is_given_at_the_centre_of_mass_in_a_turned_frame() -> None:
    inertial = (
        '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" iyz="0.3" izz="2"/></inertial>'
    )
    inertia = build(robot(link("a"), link("b", inertial), joint("j", "a", "b"))).bodies["b"].inertia
    R = sixd.Transform.from_rpy((0.4, 0.5, 0.6)).pose()[:3, :3]
    I = np.array([[1, 0.1, 0.2], [0.1, 1.5, 0.3], [0.2, 0.3, 2]])
    np.testing.assert_allclose(inertia.I_com.array(), R @ I @ R.T, atol=1e-15)
    np.testing.assert_allclose(inertia.com.array(), [0.1, 0.2, 0.3])
    assert inertia.m == 2.0


def test_a_link_without_inertial_has_no_mass() -> None:
    assert build(robot(link("a"), link("b", ""), joint("j", "a", "b"))).bodies["b"].inertia.m == 0.0


def test_fixed_joints_merge_bodies_and_keep_frames() -> None:
    model = build(
        robot(
            link("a"),
            link("b"),
            link("c"),
            joint("j", "a", "b"),
            joint("weld", "b", "c", '<origin xyz="0 0 2"/><axis xyz="0 0 0"/>', "fixed"),
        )
    )
    assert model.bodies.names == ("a", "b")
    assert model.frames.names == ("a", "b", "c")
    assert model.bodies["b"].inertia.m == 2.0
    assert list(model.bodies["b"].inertia.com) == [0.0, 0.0, 1.0]
    assert list(model.frames["c"].offset.r) == [0.0, 0.0, 2.0]


def test_what_other_programs_put_in_is_ignored() -> None:
    extra = '<gazebo reference="b"><mu1 value="${x}"/></gazebo><transmission name="t"><joint name="j"/></transmission>'
    inside = LIMIT + '<safety_controller k_velocity="x"/><calibration rising="x"/><hardwareInterface/>'
    text = robot(link("a"), link("b"), joint("j", "a", "b", inside), extra, "<sensor:ray xmlns:sensor='s'/>", "<p:q/>")
    assert read_urdf(text).warnings == ()


# ---- mimic


def test_mimic_has_defaults() -> None:
    model = build(chain('<mimic joint="j0"/>'))
    assert (model.nq, model.joint("j1").mimic) == (1, Mimic("j0", 1.0, 0.0))


def test_a_chain_of_mimics_multiplies() -> None:
    model = build(
        chain('<mimic joint="j2" multiplier="3" offset="1"/>', '<mimic joint="j0" multiplier="-2" offset="5"/>')
    )
    assert model.joint("j1").mimic == Mimic("j0", -6.0, 16.0)


def test_mimic_can_be_switched_off() -> None:
    model = build(chain('<mimic joint="j0"/>'), mimic=False)
    assert (model.nq, model.joint("j1").mimic) == (2, None)


# ---- planar


@pytest.mark.parametrize(
    ("axis", "x", "y"),
    [
        ("0 0 1", (1, 0, 0), (0, 1, 0)),
        ("1 0 0", (0, 1, 0), (0, 0, 1)),
        ("0 3 0", (0, 0, 1), (1, 0, 0)),
        ("0 0 -1", (1, 0, 0), (0, -1, 0)),
        ("0 3 4", (1, 0, 0), (0, 0.8, -0.6)),
    ],
)
def test_a_planar_joint_moves_across_its_axis(axis: str, x: tuple[float, ...], y: tuple[float, ...]) -> None:
    text = arm(f'<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="{axis}"/>', "planar")
    planar = sixd.load(text)
    place = sixd.Transform.from_rpy((0.1, 0.2, 0.3), (1, 2, 3)).pose()
    normal = np.array(axis.split(), dtype=float)
    turn = sixd.Transform.rotation(normal / np.linalg.norm(normal), 0.7).pose()
    turn[:3, 3] = 0.5 * np.array(x) + 0.25 * np.array(y)
    np.testing.assert_allclose(planar.pose([0, 0, 0], "b"), place, atol=1e-15)
    np.testing.assert_allclose(planar.pose([0.5, 0.25, 0.7], "b"), place @ turn, atol=1e-15)
    assert planar.joint("j").type == Planar(normal)
    assert (planar.joints.names, planar.bodies.names, planar.frames.names) == (("j",), ("a", "b"), ("a", "b"))
    assert planar.frames["b"].offset.pose().tolist() == np.eye(4).tolist()
    assert planar.mass == 1.0


@pytest.mark.parametrize(
    ("axis", "basis"),
    [
        ((0, 0, 7), [(0, 0, 1), (1, 0, 0), (0, 1, 0)]),
        ((3, 0, 0), [(1, 0, 0), (0, 1, 0), (0, 0, 1)]),
        ((0, 2, 0), [(0, 1, 0), (0, 0, 1), (1, 0, 0)]),
    ],
)
def test_planar_joints_about_coordinate_axes_have_exact_constants(
    axis: tuple[float, ...], basis: list[tuple[float, ...]]
) -> None:
    assert Planar(axis).parameters == tuple(float(x) for direction in basis for x in direction)


# ---- shapes


def test_shapes_are_kept_and_files_not_opened() -> None:
    shapes = (
        '<visual><origin xyz="1 0 0"/><geometry><mesh filename="package://no/such.stl" scale="1 2 3"/></geometry>'
        '<material name="red"/></visual>'
        '<visual><geometry><box size="1 2 3"/></geometry><material name=""><color rgba="0 1 0 1"/></material></visual>'
        '<collision><geometry><cylinder radius="1" length="2"/></geometry></collision>'
        '<collision><geometry><sphere radius="1"/></geometry></collision>'
        '<collision><geometry><capsule radius="1" length="2"/></geometry></collision>'
    )
    description = read_urdf(robot('<material name="red"><color rgba="1 0 0 1"/></material>', link("a", shapes)))
    mesh, box, cylinder, sphere, capsule = description.builder.build().visuals
    assert (mesh.shape, mesh.mesh, mesh.size) == ("mesh", "package://no/such.stl", (1.0, 2.0, 3.0))
    assert (mesh.frame, mesh.material, mesh.color, mesh.collision) == ("a", "red", (1.0, 0.0, 0.0, 1.0), False)
    assert list(mesh.offset.r) == [1.0, 0.0, 0.0]
    assert (box.shape, box.size, box.color) == ("box", (1.0, 2.0, 3.0), (0.0, 1.0, 0.0, 1.0))
    assert (cylinder.shape, cylinder.size, cylinder.collision) == ("cylinder", (1.0, 2.0), True)
    assert (sphere.shape, sphere.size) == ("sphere", (1.0,))
    assert (capsule.shape, capsule.size) == ("capsule", (1.0, 2.0))
    assert description.warnings == ()


def test_a_material_may_be_declared_in_another_link() -> None:
    def shape(material: str) -> str:
        return f'<visual><geometry><sphere radius="1"/></geometry>{material}</visual>'

    text = robot(
        link("a", shape('<material name="red"/>')),
        link("b", shape('<material name="red"><color rgba="1 0 0 1"/></material>')),
        joint("j", "a", "b"),
    )
    assert [v.color for v in build(text).visuals] == [(1.0, 0.0, 0.0, 1.0)] * 2
