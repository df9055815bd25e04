"""Which code the methods of robots run, and that it makes no difference but in time."""

import os
import subprocess
import sys

import numpy as np
import pytest

import sixd
from sixd import ChoiceError, algorithms, gallery
from sixd.compiler import choice as kernels
from sixd.compiler import taped
from sixd.compiler.request import Request
from sixd.compiler.robot_table import pairs_of
from sixd.ir import TooLargeError
from sixd.joints import AxisJoint
from sixd.joints.revolute import Revolute
from sixd.model.random import random_tree
from sixd.runtime.least_recently_used import Recent
from tests.laws.trees import coupled

ROBOTS = {
    "arm": gallery.seven_axis_arm,
    "quadruped": gallery.quadruped,
    "mimic": coupled,
    "long": lambda: sixd.Robot.of(random_tree(60, 0, joints=["revolute"], branching=0.2)),
}


@pytest.fixture(autouse=True)
def choice():
    yield
    sixd.set_kernels(None)


def results(robot):
    rng = np.random.default_rng(0)
    q, qd, x = robot.random(rng, 4), rng.normal(size=(4, robot.nv)), rng.normal(size=(4, robot.nv))
    frame = robot.frames[-1].name
    force = {frame: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    return {
        "inverse dynamics": robot.inverse_dynamics(q, qd, x),
        "with a force": robot.inverse_dynamics(q, qd, x, f_ext=force),
        "mass matrix": robot.mass_matrix(q),
        "poses": robot.poses(q),
        "pose": robot.pose(q, frame),
        "jacobian": robot.jacobian(q, frame, "world"),
        "velocity": robot.velocity(q, qd, frame, "aligned"),
        "acceleration": robot.acceleration(q, qd, x, frame),
        "bias": robot.bias_acceleration(q, qd, frame),
        "energy": robot.kinetic_energy(q, qd),
        "joint forces": robot.joint_forces(q, qd, x),
        "momentum": robot.momentum_matrix(q, "com"),
        "frame forces": robot.frame_forces(q, frame, force[frame]),
        "integrate": robot.integrate(q, x),
        "difference": robot.difference(q, robot.integrate(q, 0.1 * x)),
        "one": robot.inverse_dynamics(q[0], qd[0], x[0]),
    }


@pytest.mark.parametrize("kind", ["auto", "rolled", "unrolled"])
@pytest.mark.parametrize("name", list(ROBOTS))
def test_all_kinds_of_code_agree_with_python(name, kind):
    robot = ROBOTS[name]()
    sixd.set_kernels("python")
    expected = results(robot)
    sixd.set_kernels(kind)
    for quantity, found in results(robot).items():
        assert found.shape == expected[quantity].shape, quantity
        atol = 1e-12 * max(np.abs(expected[quantity]).max(), 1e-3)
        np.testing.assert_allclose(found, expected[quantity], rtol=0, atol=atol, err_msg=quantity)


def of_this_kind(seed, joints=("helical", "planar")):
    """A robot with types of joints that no other test uses together, so that it is among the first of its kind."""
    trees = (random_tree(4, s, joints=list(joints)) for s in range(100 * seed, 100 * seed + 100))
    return next(tree for tree in trees if {j.type.name for j in tree.joints} == set(joints))


def test_a_robot_has_code_of_its_own(monkeypatch):
    monkeypatch.setattr(kernels, "_FLEETS", Recent(10))
    assert not kernels.chooser(algorithms.rnea, of_this_kind(1), {}, {})().rolled


def test_many_robots_of_a_kind_share_code(monkeypatch):
    """The first ones have code of their own, whatever is called in between; for another algorithm they count anew."""
    monkeypatch.setattr(kernels, "_FLEETS", Recent(10))
    monkeypatch.setattr(kernels, "_CHOOSERS", Recent(100))
    monkeypatch.setattr(kernels, "FLEET", 2)
    fleet = [of_this_kind(seed) for seed in (1, 2, 3, 1, 4)]
    rolled = [kernels.chooser(algorithms.rnea, robot, {}, {})().rolled for robot in fleet]
    assert rolled == [False, False, True, False, True]
    assert not kernels.chooser(algorithms.crba, fleet[4], {}, {})().rolled
    for shared in fleet:
        robot = sixd.Robot.of(shared)
        q, x = robot.random(0), np.ones(robot.nv)
        np.testing.assert_allclose(robot.inverse_dynamics(q, x, x), algorithms.rnea(robot, q, x, x), rtol=1e-11)


def test_a_recording_too_large_stays_with_the_loops(monkeypatch):
    monkeypatch.setattr(sys.modules["sixd.compiler.compile"], "LARGE", 100)
    robot = sixd.Robot.of(random_tree(3, 78, joints=["revolute"]))
    assert kernels.chooser(algorithms.rnea, robot, {}, {})().rolled


def test_loops_within_loops_are_unrolled_for_larger_robots(monkeypatch):
    monkeypatch.setattr(sys.modules["sixd.compiler.compile"], "LARGE", 100)
    assert algorithms.rnea_derivatives.nested
    robot = sixd.Robot.of(random_tree(3, 78, joints=["revolute"]))
    assert not kernels.chooser(algorithms.rnea_derivatives, robot, {}, {})().rolled
    assert not sixd.compile(algorithms.rnea_derivatives, robot).rolled
    assert sixd.compile(algorithms.rnea, robot).rolled


def test_what_has_no_loops_is_written_out_up_to_the_limit_that_is_asked_for(monkeypatch):
    monkeypatch.setattr(sys.modules["sixd.compiler.compile"], "LARGE", 50)
    robot = sixd.Robot.of(random_tree(4, 79, joints=["revolute"]))
    choose = kernels.chooser(algorithms.inverse_mass_matrix, robot, {}, {})
    with pytest.raises(TooLargeError, match="inverse_mass_matrix has no code with loops, and written out more than 60"):
        choose(60)
    assert not choose().rolled


@pytest.fixture
def small_bound(tmp_path, monkeypatch):
    """Programs of more than 200 nodes are too large to be compiled, and the cache is empty."""
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(taped, "COMPILED", 200)
    return sixd.Robot.of(random_tree(4, 80, joints=["revolute"]))


def test_what_has_no_loops_and_is_too_large_runs_from_a_tape(small_bound):
    kernel = kernels.chooser(algorithms.inverse_mass_matrix, small_bound, {}, {})()
    assert kernel.kind == "taped"
    unrolled = sixd.compile(algorithms.inverse_mass_matrix, small_bound, rolled=False)
    assert unrolled.kind == "unrolled"
    q = small_bound.random(0, 11)
    np.testing.assert_array_equal(kernel(q), unrolled(q))
    assert sixd.compile(algorithms.inverse_mass_matrix, small_bound).kind == "taped", "whatever is on disk"
    assert sixd.compile(algorithms.rnea, small_bound).kind == "unrolled", "it has loops: other bounds hold"
    assert sixd.compile(lambda model, q: algorithms.inverse_mass_matrix(model, q), small_bound).kind == "taped"
    assert sixd.compile(lambda model, q: 2.0 * q, small_bound).kind == "unrolled"


def test_a_tape_is_refused_beyond_the_limit_that_is_asked_for(small_bound):
    request = Request(algorithms.inverse_mass_matrix, small_bound, {}, {})
    for _ in range(2):
        with pytest.raises(TooLargeError, match="more than 300"):
            kernels.Chooser(request)(300)
        assert kernels.Chooser(request)(10_000).kind == "taped"


def test_a_second_process_finds_the_tape_on_disk(small_bound, monkeypatch):
    request = Request(algorithms.inverse_mass_matrix, small_bound, {}, {})
    q = small_bound.random(0, 11)
    wanted = taped.compile_written_out(request)(q)
    monkeypatch.setattr("sixd.compiler.unrolled.record_unrolled", None)
    kernel = taped.compile_written_out(request)
    assert kernel.kind == "taped"
    np.testing.assert_array_equal(kernel(q), wanted)
    np.testing.assert_array_equal(kernel(q[0]), wanted[0])


def test_a_tape_is_made_once(small_bound, monkeypatch):
    made, make = [], taped.tape_of
    monkeypatch.setattr(taped, "tape_of", lambda program: made.append(program) or make(program))
    kernel = sixd.compile(algorithms.inverse_mass_matrix, small_bound)
    q = small_bound.random(0, 11)
    for array in (q[0], q, q.astype(np.float32)):
        kernel(array)
    assert len(made) == 1


def test_a_joint_type_of_the_same_name_is_another(monkeypatch):
    """As when a class is defined again in a notebook."""
    monkeypatch.delitem(sixd.joints.JOINTS, "ratchet", raising=False)

    def robot(sign):
        class Ratchet(AxisJoint):
            __slots__ = ()
            name, nq, nv, extent = "ratchet", 1, 1, (1.0,)

            def transform(self, q):
                return Revolute.transform(self, [sign * q[0]])

            def subspace(self, q):
                return Revolute.subspace(self, q) * sign

        sixd.joints.JOINTS.pop("ratchet")
        return sixd.Robot.of(random_tree(2, 0, joints=[Ratchet()]))

    first, second = robot(1.0), robot(-1.0)
    q = np.array([0.3, 0.4])
    np.testing.assert_allclose(first.gravity_forces(q), -second.gravity_forces(-q), rtol=1e-12)


def test_no_more_kernels_are_kept_than_agreed(monkeypatch):
    monkeypatch.setattr(kernels._CHOOSERS, "limit", 5)
    for seed in range(8):
        kernels.chooser(algorithms.rnea, random_tree(1, seed), {}, {})
    assert len(kernels._CHOOSERS) == 5


def test_wrong_kinds_are_refused(monkeypatch):
    with pytest.raises(ChoiceError, match="'fast'"):
        sixd.set_kernels("fast")
    monkeypatch.setenv("SIXD_KERNELS", "slow")
    with pytest.raises(ChoiceError, match="SIXD_KERNELS"):
        sixd.get_kernels()


def test_the_environment_chooses():
    code = "import sixd; print(sixd.get_kernels())"
    env = {**os.environ, "SIXD_KERNELS": "python"}
    found = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "python"


@pytest.fixture
def large_code(tmp_path, monkeypatch):
    """An arm too large for code of its own, which is in the cache nevertheless: someone has asked for it."""
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys.modules["sixd.compiler.compile"], "LARGE", 100)
    arm = gallery.seven_axis_arm()
    assert not sixd.compile(algorithms.rnea, arm, rolled=False).rolled
    return arm


def test_what_is_chosen_does_not_depend_on_the_cache(large_code):
    request = Request(algorithms.rnea, large_code, {}, {})
    choose = kernels.Chooser(request)
    for kind in ("auto", "unrolled", "rolled"):
        sixd.set_kernels(kind)
        assert kernels.Chooser(request)().rolled
        assert choose().rolled, "nor on what this process did before"


def test_what_is_compiled_does_not_depend_on_the_cache(large_code):
    assert sixd.compile(algorithms.rnea, large_code).rolled
    assert not sixd.compile(algorithms.rnea, large_code, rolled=False).rolled


@pytest.mark.parametrize(
    "kind", ["auto", "rolled", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("unrolled", "python"))]
)
def test_the_same_bits_in_every_process(tmp_path, kind):
    """Whatever earlier ones have left: nothing, shared code, code of the robot's own, or both."""
    code = (
        "import sys, numpy as np, sixd\n"
        "robot = sixd.gallery.seven_axis_arm()\n"
        "state = np.random.default_rng(0).normal(size=(3, 50, 7))\n"
        "for rolled in map(int, sys.argv[1:]):\n"
        "    sixd.compile(sixd.algorithms.rnea, robot, rolled=bool(rolled))\n"
        "print(robot.inverse_dynamics(*state).tobytes().hex())\n"
    )
    found = set()
    for k, before in enumerate(((), "0", "1", "01")):
        variables = {**os.environ, "SIXD_CACHE": str(tmp_path / str(k)), "SIXD_KERNELS": kind}
        for _ in range(2):
            command = [sys.executable, "-c", code, *before]
            found.add(subprocess.run(command, capture_output=True, check=True, env=variables).stdout)
    assert len(found) == 1


def test_rolled_code_of_loops_within_loops_is_for_the_pairs_of_types_that_occur():
    """A floating base carries all others and nothing carries it; robots with the same pairs share the code."""
    chains = [sixd.Robot.of(random_tree(n, 5, joints=["revolute"], branching=0.0)) for n in (4, 6)]
    floating, fixed = [chain.subtree("body1", base="free") for chain in chains], chains[0]
    kernels_ = [sixd.compile(algorithms.rnea_derivatives, robot, rolled=True) for robot in (*floating, fixed)]
    assert kernels_[0].code.module is kernels_[1].code.module
    assert kernels_[0].code.module is not kernels_[2].code.module
    pairs = {(a.name, b.name) for a, b in pairs_of(floating[1])}
    assert pairs == {("revolute", "free"), ("revolute", "revolute")}
    robot = floating[1]
    state = robot.random(0), *np.random.default_rng(0).normal(size=(2, robot.nv))
    for found, wanted in zip(kernels_[1](*state), algorithms.rnea_derivatives(robot, *state), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13 * np.abs(wanted).max())
