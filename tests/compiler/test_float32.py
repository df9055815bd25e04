"""Kernels of robots in single precision: agreement with double precision, bits, threads, the cache."""

import os
import subprocess
import sys

import numpy as np
import pytest

import sixd
from sixd import SingularError, algorithms, gallery
from sixd.backends.llvm.cache import Cache
from sixd.compiler.rolled import RollError
from tests.compiler.test_compile import ROBOTS

EPS = float(np.finfo(np.float32).eps)
SOLVES = ("aba", "inverse_mass_matrix", "forward_dynamics_crba", "relative_pivots")
#: What is compared on larger robots, with its arguments; tests/backends/test_conformance.py has all algorithms on a
#: small one.
CASES = {
    "rnea": ("q", "qd", "x"),
    "crba": ("q",),
    "aba": ("q", "qd", "x"),
    "bias_forces": ("q", "qd"),
    "gravity_forces": ("q",),
    "passive_forces": ("q", "qd"),
    "inverse_mass_matrix": ("q",),
    "forward_dynamics_crba": ("q", "qd", "x"),
    "kinetic_energy": ("q", "qd"),
    "potential_energy": ("q",),
    "center_of_mass": ("q",),
    "center_of_mass_jacobian": ("q",),
    "centroidal_momentum_matrix": ("q",),
    "relative_pivots": ("q",),
}
COMPARED = [(name, robot) for name in CASES for robot in ("arm", "quadruped")]
COMPARED += [("rnea", "all joints"), ("aba", "all joints"), ("rnea", "mimic"), ("inverse_mass_matrix", "mimic")]


def states(robot, n):
    rng = np.random.default_rng(0)
    return {"q": robot.random(rng, n), "qd": rng.normal(size=(n, robot.nv)), "x": rng.normal(size=(n, robot.nv))}


def single(robot, name, n=60):
    return [states(robot, n)[a].astype(np.float32) for a in CASES[name]]


@pytest.fixture
def threads():
    yield sixd.set_threads
    sixd.set_threads(None)


@pytest.mark.parametrize("rolled", [False, True])
@pytest.mark.parametrize(("name", "robot"), COMPARED)
def test_agrees_with_double_precision(name, robot, rolled):
    """To some units of the last place of the largest entry; more where a mass matrix is inverted."""
    model = ROBOTS[robot]()
    try:
        kernel = sixd.compile(getattr(algorithms, name), model, rolled=rolled)
    except RollError:
        pytest.skip("has no loops")
    args = single(model, name)
    found, exact = kernel(*args), kernel(*(a.astype(float) for a in args))
    assert found.dtype == np.float32
    bound = (60 if name in SOLVES else 8) * EPS
    np.testing.assert_allclose(found, exact, rtol=0, atol=bound * np.abs(exact).max())
    assert name == "passive_forces" or (found != exact).any(), "double precision, rounded"


@pytest.mark.parametrize("name", ["rnea", "aba", "crba"])
def test_a_long_chain(name):
    chain = gallery.chain(200)
    kernel = sixd.compile(getattr(algorithms, name), chain, rolled=True)
    args = single(chain, name, 20)
    found, exact = kernel(*args), kernel(*(a.astype(float) for a in args))
    np.testing.assert_allclose(found, exact, rtol=0, atol=100 * EPS * np.abs(exact).max())


@pytest.mark.parametrize("rolled", [False, True])
@pytest.mark.parametrize("name", ["rnea", "aba", "crba"])
def test_one_sample_has_the_same_bits_everywhere(name, rolled, threads):
    robot = gallery.quadruped()
    kernel = sixd.compile(getattr(algorithms, name), robot, rolled=rolled)
    args = single(robot, name, 4097)
    threads(1)
    wanted = kernel(*args)
    assert wanted.dtype == np.float32
    for n in (1, 3, 5):
        for start in (0, 1, 1000, 4097 - n):
            np.testing.assert_array_equal(kernel(*(a[start : start + n] for a in args)), wanted[start : start + n])
    np.testing.assert_array_equal(kernel(*(a[1234] for a in args)), wanted[1234])
    np.testing.assert_array_equal(kernel(*(a[::-3] for a in args)), wanted[::-3])
    np.testing.assert_array_equal(kernel(*(np.asfortranarray(a) for a in args)), wanted)
    many = [np.concatenate([a] * 20) for a in args]
    for n in (2, 3):
        threads(n)
        np.testing.assert_array_equal(kernel(*many), np.concatenate([wanted] * 20))


def test_the_first_call_may_come_from_several_threads_at_once(threads):
    robot = gallery.seven_axis_arm()
    args = single(robot, "rnea", 100_000)
    threads(2)
    found = sixd.compile(algorithms.rnea, robot, name="in_threads")(*args)
    threads(1)
    np.testing.assert_array_equal(found, sixd.compile(algorithms.rnea, robot)(*args))


@pytest.mark.parametrize("rolled", [False, True])
def test_nan_stays_in_its_sample(rolled):
    robot = gallery.quadruped()
    kernel = sixd.compile(algorithms.rnea, robot, rolled=rolled)
    args = single(robot, "rnea", 35)
    clean = kernel(*args)
    args[0][7] = np.nan
    found = kernel(*args)
    assert np.isnan(found[7]).all()
    np.testing.assert_array_equal(np.delete(found, 7, axis=0), np.delete(clean, 7, axis=0))


@pytest.mark.parametrize("rolled", [False, True])
def test_parameters(rolled):
    robot = gallery.seven_axis_arm()
    kernel = sixd.compile(algorithms.rnea, robot, parameters="inertia", rolled=rolled)
    args = [*single(robot, "rnea"), sixd.parameters(robot, "inertia").astype(np.float32)]
    found, exact = kernel(*args), kernel(*(a.astype(float) for a in args))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=0, atol=8 * EPS * np.abs(exact).max())


# ---- made when needed


@pytest.mark.parametrize("rolled", [False, True])
def test_the_code_is_made_when_needed_and_kept_on_disk(rolled, tmp_path, monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path))
    tmp_path.chmod(0o700)
    program = f"""
import numpy as np, sixd
from sixd.backends.llvm.cache import Cache, default_directory
kernel = sixd.compile(sixd.algorithms.rnea, sixd.gallery.seven_axis_arm(), rolled={rolled})
x = np.ones((3, 7))
kernel(x, x, x)
entries = len(Cache(default_directory()).entries())
kernel(x, x, x)
assert "float32" not in kernel.times and len(Cache(default_directory()).entries()) == entries
x = x.astype(np.float32)
result = kernel(x, x, x)
print(entries, len(Cache(default_directory()).entries()), kernel.times["float32"], result.tobytes().hex())
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    outputs = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout.split())
    before = 2 if rolled else 3  # the call of all kernels, and one piece of code, or one for one state, one for batches
    assert [[int(n) for n in o[:2]] for o in outputs] == [[before, before + 1], [before + 1, before + 1]]
    assert float(outputs[1][2]) < 0.3 * float(outputs[0][2]), "loaded, not compiled"
    assert outputs[0][3] == outputs[1][3]


def test_robots_share_the_code_of_loops():
    kernels = [sixd.compile(algorithms.rnea, gallery.chain(n), rolled=True) for n in (4, 5)]
    for kernel, n in zip(kernels, (4, 5), strict=True):
        x = np.ones((3, n), np.float32)
        kernel(x, x, x)
    assert kernels[1].times["float32"] < 0.1


def test_a_damaged_entry_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path))
    tmp_path.chmod(0o700)
    x = np.ones((3, 7), np.float32)
    robot = gallery.seven_axis_arm()
    wanted = sixd.compile(algorithms.rnea, robot)(x, x, x)
    for path in [tmp_path / entry.name for entry in Cache(tmp_path).entries()]:
        path.write_bytes(path.read_bytes()[:-7])
    np.testing.assert_array_equal(sixd.compile(algorithms.rnea, robot)(x, x, x), wanted)


def test_functions_of_ones_own_are_kept_by_their_program(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path))
    tmp_path.chmod(0o700)
    results = []
    for factor in (2.0, 3.0):
        kernel = sixd.compile(lambda model, q, factor=factor: factor * q, gallery.double_pendulum(), name="f")
        results.append(kernel(np.ones((3, 2), np.float32)))
    np.testing.assert_array_equal(results, [np.full((3, 2), 2.0), np.full((3, 2), 3.0)])
    assert len(Cache(tmp_path).entries()) == 4


@pytest.mark.parametrize("rolled", [False, True])
def test_reports_and_assembly(rolled):
    robot = gallery.seven_axis_arm()
    kernel = sixd.compile(algorithms.rnea, robot, rolled=rolled)
    assert "float32" not in kernel.report()
    kernel(*single(robot, "rnea", 3))
    assert "float32" in kernel.report()
    double, float32 = kernel.assembly(), kernel.assembly(np.float32)
    assert "sinf" in float32
    assert "sinf" not in double


# ---- methods of robots


def test_clipped_positions_are_within_the_limits():
    robot = gallery.seven_axis_arm()
    q = robot.clip(np.full((2, 7), 100.0, np.float32) * np.array([[1], [-1]], np.float32))
    assert q.dtype == np.float32
    assert robot.within_limits(q).all()
    np.testing.assert_allclose(q, [robot.upper, robot.lower], rtol=2 * EPS)
    assert robot.clip(np.full(7, 100.0)).tobytes() == robot.upper.tobytes()


def test_singular_mechanisms_are_found_out():
    """Rounding in single precision does not hide them."""
    b = sixd.Builder("broken")
    b.body("a", joint=sixd.joints.Revolute(), mass=1, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.2, 0.1))
    b.body("b", parent="a", joint=sixd.joints.Revolute((1, 0, 0)), rpy=(0.3, 0.2, 0.1))
    robot = b.build()
    q = robot.random(0, 5).astype(np.float32)
    for method in ("aba", "crba"):
        with pytest.raises(SingularError, match="robot 'broken': its mass matrix is singular"):
            robot.forward_dynamics(q, q, q, method=method)
    with pytest.raises(SingularError):
        robot.inverse_mass_matrix(q)
