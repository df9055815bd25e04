"""The URDF reader on real robots: every file of example-robot-data, against Pinocchio's reading of it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from sixd.errors import ModelError
from sixd.formats import read_urdf
from sixd.model import Model
from tests.robots import example_urdf, example_urdfs

ROBOTS = pytest.mark.parametrize("path", [pytest.param(path, id=name) for name, path in example_urdfs()])

#: Files that Pinocchio refuses, with what sixd says of them.
REFUSED = {"ur_description/ur3": "the description has no links"}


def load(path: Path, **options: bool) -> Model:
    return read_urdf(path, **options).builder.build()


def pinocchio_or_none(path: Path) -> pin.Model | None:
    try:
        return pin.buildModelFromUrdf(str(path))
    except ValueError:
        return None


def test_the_collection_is_there() -> None:
    assert len(example_urdfs()) >= 69


@ROBOTS
def test_what_pinocchio_loads_loads_here(path: Path, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.id
    assert (pinocchio_or_none(path) is None) == (name in REFUSED)
    if name in REFUSED:
        with pytest.raises(ModelError, match=REFUSED[name]) as info:
            read_urdf(path)
        assert info.value.file == str(path)
        return
    description = read_urdf(path)
    for base in ("fixed", "free"):
        description.builder.build(base=base)
    lines = path.read_text(encoding="utf-8").splitlines()
    for warning in description.warnings:
        assert warning.file == str(path)
        assert warning.element is not None
        assert f"<{warning.element.split()[0]}" in lines[warning.line - 1]


@ROBOTS
def test_structure_equals_pinocchio(path: Path) -> None:
    peer = pinocchio_or_none(path)
    if peer is None:
        pytest.skip("Pinocchio refuses this file")
    model = load(path, mimic=False)
    names = list(peer.names)
    assert set(model.joints.names) == set(names[1:])
    for k in range(1, peer.njoints):
        joint = model.joint(names[k])
        body = model.bodies[joint.index]
        above = model.bodies[body.parent].joint
        assert (above.name if above else "universe") == names[peer.parents[k]]
        same_place(body.placement.pose(), peer.jointPlacements[k])
        compare_inertia(body.inertia, peer.inertias[k])
        compare_limits(joint.data, peer, peer.joints[k])


@ROBOTS
def test_frames_equal_pinocchio(path: Path) -> None:
    peer = pinocchio_or_none(path)
    if peer is None:
        pytest.skip("Pinocchio refuses this file")
    model = load(path, mimic=False)
    links = {frame.name: frame for frame in peer.frames if frame.type == pin.FrameType.BODY}
    assert set(model.frames.names) == set(links)
    for frame in model.frames:
        joint = model.bodies[frame.body].joint
        assert (joint.name if joint else "universe") == peer.names[links[frame.name].parentJoint]
        same_place(frame.offset.pose(), links[frame.name].placement)


def same_place(pose: np.ndarray, peer: pin.SE3) -> None:
    np.testing.assert_allclose(pose, peer.homogeneous, rtol=0, atol=1e-14)


def compare_inertia(inertia: object, peer: pin.Inertia) -> None:
    """Mass, first moment and inertia about the origin; Pinocchio adds welded bodies through their centre of mass."""
    matrix = inertia.matrix().array()  # type: ignore[attr-defined]
    about_origin = np.roll(peer.matrix(), (3, 3), (0, 1))
    np.testing.assert_allclose(matrix, about_origin, rtol=0, atol=1e-13 * max(1.0, np.abs(matrix).max()))


def compare_limits(data: object, peer: pin.Model, joint: pin.JointModel) -> None:
    v = slice(joint.idx_v, joint.idx_v + joint.nv)
    if joint.nq == 1:
        q = slice(joint.idx_q, joint.idx_q + 1)
        np.testing.assert_array_equal(data.lower, peer.lowerPositionLimit[q])  # type: ignore[attr-defined]
        np.testing.assert_array_equal(data.upper, peer.upperPositionLimit[q])  # type: ignore[attr-defined]
    else:  # a continuous joint, (cos, sin) there
        assert data.lower == (-np.inf,)  # type: ignore[attr-defined]
        assert data.upper == (np.inf,)  # type: ignore[attr-defined]
    for mine, theirs in (
        ("velocity", "velocityLimit"),
        ("effort", "effortLimit"),
        ("damping", "damping"),
        ("friction", "friction"),
    ):
        np.testing.assert_array_equal(getattr(data, mine), getattr(peer, theirs)[v])


def test_warnings_of_real_files() -> None:
    """One file for each kind of warning that occurs in the collection."""
    expected = {
        "pr2_description/pr2": "link 'sensor_mount_link': no body has this inertia: .* above the sum of the others",
        "tiago_description/tiago": "link 'base_antenna_left_link': no body has this inertia: .* one of them negative",
        "bolt_description/bolt": "link 'FL_FOOT': no body has this inertia: the mass is zero",
        "alex_description/alex_psyonic_hands": "it mimics 'index_q1', which does not exist",
        "centauro_description/centauro": "joint 'j_wheel_1': the limits lower and upper are missing",
        "talos_data/talos_reduced_corrected": "the material 'FlatBlack' is not declared",
    }
    for name, message in expected.items():
        warnings = read_urdf(example_urdf(name)).warnings
        assert any(re.search(message, warning.message) for warning in warnings)
        with pytest.raises(ModelError, match=re.escape(warnings[0].message)):
            read_urdf(example_urdf(name), strict=True)


def test_mimics_of_real_files() -> None:
    romeo = load(example_urdf("romeo_description/romeo"))
    assert (romeo.n_bodies, romeo.nq) == (55, 33)
    panda = load(example_urdf("panda_description/panda"))
    mimic = panda.joint("panda_finger_joint2").mimic
    assert mimic is not None
    assert mimic.joint == "panda_finger_joint1"


def test_shapes_of_real_files() -> None:
    panda = load(example_urdf("panda_description/panda"))
    meshes = [visual for visual in panda.visuals if visual.mesh]
    assert len(meshes) > 10
    assert {visual.frame for visual in meshes} <= set(panda.frames.names)
