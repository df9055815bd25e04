"""The two-body example of F10a, (S1)-(S39): 3-D and spatial vectors give the same answer."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from sixd.spatial import Force, Motion, Transform


@pytest.fixture(scope="module")
def example():
    path = Path(__file__).parents[2] / "examples" / "two_body.py"
    spec = importlib.util.spec_from_file_location("two_body", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(params=range(10))
def rng(request):
    return np.random.default_rng(request.param)


def assert_same(a, b):
    assert np.abs(a - b).max() <= 1e-12 * max(1.0, np.abs(b).max())


def test_the_two_maps_are_the_same(example, rng):
    """F10a (S27)-(S31) and (S39)."""
    system = example.random_system(rng)
    assert_same(example.map_3d(system), example.map_at_com(system))


def test_the_map_is_symmetric_and_positive_definite(example, rng):
    """F10a after (S39)."""
    matrix = example.map_at_com(example.random_system(rng))
    assert_same(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix).min() > 0


def test_the_map_is_what_the_equations_say_one_after_the_other(example, rng):
    """F10a (S1)-(S19) against (S20)-(S31)."""
    system, (a1, dw1) = example.random_system(rng), rng.normal(size=(2, 3))
    f, n = example.forces_3d(system, a1, dw1)
    assert_same(np.concatenate([f, n]), example.map_3d(system) @ np.concatenate([a1, dw1]))


def test_accelerations_from_rest_are_the_same(example, rng):
    """F10a (S32) and (S39)."""
    system, (f, n) = example.random_system(rng), rng.normal(size=(2, 3))
    for flat, six in zip(example.acceleration_3d(system, f, n), example.acceleration_at_com(system, f, n), strict=True):
        assert_same(flat, six)


def test_accelerations_of_moving_bodies_are_the_same(example, rng):
    """F10a (S33)-(S39) with velocities, as the tutorial invites."""
    system, (f, n, w, v) = example.random_system(rng), rng.normal(size=(4, 3))
    given = example.Velocities(w, v, rng.normal())
    flat, six = example.acceleration_3d(system, f, n, given), example.acceleration_at_com(system, f, n, given)
    for a, b in zip(flat, six, strict=True):
        assert_same(a, b)


def test_moving_bodies_obey_the_equations_of_the_sidebar(example, rng):
    """F10a (S33)-(S36) with velocities: the answer satisfies every equation it was made from."""
    system = example.spatial(example.random_system(rng))
    f, v1, qd = Force.from_array(rng.normal(size=6)), Motion.from_array(rng.normal(size=6)), rng.normal()
    a1, v2 = example.acceleration_spatial(system, f, v1, qd), v1 + system.s * qd
    f_J = f - system.I1.force(a1, v1)
    a2 = Motion.from_array(np.linalg.solve(system.I2.matrix().array(), (f_J - system.I2.bias_force(v2)).array()))
    relative = (a2 - a1 - v1.cross(v2)).array()
    alpha = relative @ system.s.array() / (system.s.array() @ system.s.array())
    assert_same(relative, system.s.array() * alpha)
    assert abs(system.s.dot(f_J)) < 1e-12 * max(1.0, np.abs(f_J.array()).max())


def test_the_spatial_answer_does_not_depend_on_the_frame(example, rng):
    """F10a: "any frame will do"."""
    system = example.spatial(example.random_system(rng))
    X = Transform.from_quaternion(rng.normal(size=4), rng.normal(size=3))
    moved = example.SpatialTwoBodies(X @ system.I1, X @ system.I2, X @ system.s)
    f, v1 = Force.from_array(rng.normal(size=6)), Motion.from_array(rng.normal(size=6))
    expected = X @ example.acceleration_spatial(system, f, v1, 0.7)
    found = example.acceleration_spatial(moved, X @ f, X @ v1, 0.7)
    assert_same(found.array(), expected.array())


def test_the_example_runs_and_reports_agreement(example, capsys):
    example.main()
    printed = capsys.readouterr().out
    differences = [float(line.rsplit(" ", 1)[1]) for line in printed.splitlines() if "largest difference" in line]
    assert len(differences) == 3
    assert max(differences) < 1e-12
