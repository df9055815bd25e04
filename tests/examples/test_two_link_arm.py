"""PBP95 (60)-(64) as the example writes them, with numbers and with symbols, against the library."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from sixd import Builder, lagrangian
from sixd.joints import Revolute
from sixd.lagrangian import Chain


@pytest.fixture(scope="module")
def example():
    path = Path(__file__).parents[2] / "examples" / "two_link_arm.py"
    spec = importlib.util.spec_from_file_location("two_link_arm", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize("seed", range(5))
def test_inertia_and_coriolis_matrix_of_two_revolute_joints(example, seed):
    """PBP95 (60)-(64)."""
    rng = np.random.default_rng(seed)
    robot = example.random_arm(rng)
    chain, (x, dx) = Chain.of(robot), rng.normal(size=(2, 2))
    M, C = example.inertia_matrix(chain, x).array(), example.coriolis_matrix(chain, x, dx).array()
    for found, wanted in ((M, lagrangian.inertia_matrix(chain, x)), (C, lagrangian.coriolis_matrix(chain, x, dx))):
        np.testing.assert_allclose(found, wanted.array(), rtol=0, atol=1e-14 * np.abs(M).max())
    np.testing.assert_allclose(M, robot.mass_matrix(x), rtol=0, atol=1e-14 * np.abs(M).max())
    np.testing.assert_allclose(C, robot.coriolis_matrix(x, dx), rtol=0, atol=1e-14 * np.abs(M).max())


def printed_entries(chain, x, dx):
    """(61)-(63) as the paper prints them."""
    from sixd.lie import se3

    A1, A2 = chain.A
    B, D = chain.Ad(2, 2, A1, x), chain.Ad(2, 2, se3.ad(A1, A2), x)
    k, p = chain.inner(2, D, B), chain.inner(2, D, A2)
    return k * dx[0] * dx[1], k * dx[0] * dx[1] + p * dx[1] ** 2, k * dx[0] ** 2


def test_what_the_paper_prints(example):
    """PBP95 (61)-(64): entries with the rate that they meet, and no minus in c_21."""
    rng = np.random.default_rng(9)
    robot = example.random_arm(rng)
    chain, (x, dx) = Chain.of(robot), rng.normal(size=(2, 2))
    C = example.coriolis_matrix(chain, x, dx).array()
    c11, c12, c21 = printed_entries(chain, x, dx)
    np.testing.assert_allclose(C * dx, [[c11, c12], [-c21, 0.0]], rtol=0, atol=1e-15)


def test_the_example_runs_and_reports_agreement(example, capsys):
    example.main()
    printed = capsys.readouterr().out
    differences = [float(x) for x in re.findall(r"largest difference: (\S+)", printed)]
    assert len(differences) == 2
    assert max(differences) < 1e-12
    letters = dict(re.findall(r"^(\w+) = (.*)$", printed, re.MULTILINE))
    assert len(letters) == 11
    check_letters(letters)


def check_letters(letters):
    """What is printed in letters, evaluated, against the methods of a robot with the same data."""
    data = {"m1": 1.5, "m2": 0.8, "l1": 0.7, "c1": 0.3, "c2": 0.45, "I1": 0.2, "I2": 0.1}
    builder = Builder("planar")
    for n, parent, at in (("1", "base", 0.0), ("2", "upper", data["l1"])):
        body = {"mass": data["m" + n], "com": (data["c" + n], 0, 0), "inertia": (0.1, 0.1, data["I" + n])}
        builder.body("upper" if n == "1" else "lower", parent, Revolute("z"), xyz=(at, 0, 0), **body)
    robot = builder.build(gravity=(0.0, -9.81, 0.0))
    x, dx = np.array([0.3, -0.8]), np.array([0.5, 1.2])
    names = data | {"x1": x[0], "x2": x[1], "dx1": dx[0], "dx2": dx[1], "sin": np.sin, "cos": np.cos}
    wanted = {"R_1212": robot.curvature(x)[0, 1, 0, 1]}
    for i in range(2):
        wanted[f"phi_{i + 1}"] = robot.gravity_forces(x)[i]
        for j in range(2):
            wanted[f"m_{i + 1}{j + 1}"] = robot.mass_matrix(x)[i, j]
            wanted[f"c_{i + 1}{j + 1}"] = robot.coriolis_matrix(x, dx)[i, j]
    for name, value in wanted.items():
        found = eval(letters[name], {"__builtins__": {}}, names)
        assert abs(found - value) < 1e-12, name
