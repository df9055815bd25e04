"""F10b Fig. 6 as printed, against the kinematics of the library."""

import importlib.util
import sys
from math import inf
from pathlib import Path

import numpy as np
import pytest

from sixd import Builder, Transform
from sixd.joints import Helical, Prismatic, Revolute
from sixd.lie import se3
from sixd.spatial import Motion
from sixd.spatial.table1 import XtoV


@pytest.fixture(scope="module")
def example():
    path = Path(__file__).parents[2] / "examples" / "ik_fig6.py"
    spec = importlib.util.spec_from_file_location("ik_fig6", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def robot_of(model):
    """The same arm, built with the library."""
    b = Builder("arm")
    for i in range(1, model.N + 1):
        pitch = model.pitch[i]
        joint = Revolute() if pitch == 0 else Prismatic() if pitch == inf else Helical(pitch=pitch)
        parent = "base" if model.parent[i] == 0 else f"link{model.parent[i]}"
        b.body(f"link{i}", parent=parent, joint=joint, at=Transform.from_matrix(model.Xtree[i]))
    return b.build()


@pytest.fixture(params=range(5))
def q(request):
    return np.random.default_rng(request.param).uniform(-1.0, 1.0, 6)


def test_bodypos_is_the_transform_of_the_body(example, q):
    """F10b (14), Fig. 6."""
    model = example.arm()
    robot = robot_of(model)
    for body in range(1, model.N + 1):
        X = Transform.from_matrix(example.bodypos(model, body, q))
        assert np.abs(X.pose() - robot.pose(q, f"link{body}")).max() < 1e-14


def test_bodyjac_is_the_jacobian_in_world_coordinates(example, q):
    """F10b (20), (21), Fig. 6; line 7 of IKpos is (25)."""
    model = example.arm()
    robot = robot_of(model)
    for body in range(1, model.N + 1):
        J = example.bodyJac(model, body, q)
        assert np.abs(J - robot.jacobian(q, f"link{body}", "world")).max() < 1e-14
        assert np.abs(example.bodypos(model, body, q) @ J - robot.jacobian(q, f"link{body}")).max() < 1e-14


def test_jcalc_is_the_joint_model(example):
    """F10b Fig. 4."""
    for pitch, joint in ((0.0, Revolute()), (inf, Prismatic()), (0.3, Helical(pitch=0.3))):
        XJ, s = example.jcalc(pitch, 0.7)
        assert np.abs(XJ - joint.transform([0.7]).matrix().array()).max() < 1e-15
        assert np.array_equal(s, joint.subspace([0.7]).columns[0].array())


def test_the_displacement_is_the_logarithm_to_second_order_and_the_same_in_both_frames(example):
    """F10b (15): the error diminishes with the square of the angle; X dp = dp."""
    direction = np.random.default_rng(0).normal(size=6)
    errors = []
    for angle in (1e-1, 1e-2):
        m = angle * direction / np.linalg.norm(direction[:3])
        X = se3.exp(Motion.from_array(m)).matrix().array()
        dp = XtoV(X)
        assert np.abs(X @ dp - dp).max() < 1e-14
        errors.append(np.abs(dp - m).max() / np.abs(m).max())
    assert errors[0] < 0.5 * 0.1**2
    assert errors[1] < 1.1e-2 * errors[0]


def test_a_small_joint_motion_displaces_the_body_by_the_jacobian(example, q):
    """F10b (16): dp = bJb dq to first order."""
    model, dq = example.arm(), np.random.default_rng(9).normal(size=6)
    X = example.bodypos(model, 6, q)
    J = robot_of(model).jacobian(q, "link6")
    assert np.abs(X @ example.bodyJac(model, 6, q) - J).max() < 1e-14
    for h in (1e-3, 1e-4):
        dp = XtoV(example.bodypos(model, 6, q + h * dq) @ np.linalg.inv(X))
        assert np.abs(dp / h - J @ dq).max() < 20.0 * h


def test_ikpos_finds_the_target_from_a_guess_nearby(example, q):
    """F10b (15), (16), Fig. 6."""
    model = example.arm()
    q_true = np.array([0.1, 0.3, -0.4, 0.8, 0.5, -0.3]) + 0.1 * q
    Xd = example.bodypos(model, 6, q_true)
    found = example.IKpos(model, 6, Xd, q_true + 0.1 * q[::-1])
    assert np.abs(example.bodypos(model, 6, found) - Xd).max() < 1e-12
    assert np.abs(found - q_true).max() < 1e-9


def test_the_example_runs(example, capsys):
    example.main()
    assert float(capsys.readouterr().out.rsplit(" ", 1)[1]) < 1e-12
