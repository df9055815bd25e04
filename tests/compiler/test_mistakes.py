"""A mistake inside the compiler comes out; it is never taken for "this cannot be rolled"."""

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery
from sixd.algorithms.algorithm import algorithm
from sixd.compiler import compile as compiling
from sixd.compiler.choice import chooser
from sixd.compiler.request import Request
from sixd.compiler.rolled import RollError
from sixd.compiler.rolled import kernel as rolled_kernels
from sixd.compiler.rolled.kernel import compile_rolled_if_possible, is_declared_possible
from sixd.ir import TraceError
from sixd.joints import JOINTS
from sixd.model.random import random_tree
from sixd.runtime.least_recently_used import Recent
from tests.laws.trees import coupled
from tests.rolling import Rolling


@pytest.fixture(autouse=True)
def _nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(rolled_kernels, "_SHARED", Recent(10))


def planted(kind):
    def fail(*args, **options):
        raise kind("a planted mistake")

    return fail


def fresh(seed):
    """A robot for which this process has no kernels."""
    return sixd.Robot.of(random_tree(4, seed, joints=["revolute"]))


@pytest.mark.parametrize("kind", [TypeError, AttributeError, KeyError, sixd.ModelError, RollError])
@pytest.mark.parametrize("place", ["improve_loops", "emit_loops", "table_of", "record_loops"])
def test_in_the_compiler(monkeypatch, kind, place):
    monkeypatch.setattr(rolled_kernels, place, planted(kind))
    monkeypatch.setattr(compiling, "LARGE", 10)
    with pytest.raises(kind, match="a planted mistake"):
        fresh(1001).inverse_dynamics(*np.zeros((3, 4)))
    with pytest.raises(kind, match="a planted mistake"):
        sixd.compile(algorithms.rnea, fresh(1001))


@algorithm
def misspelt(tree, q):
    out = tree.output()
    for i, _ in tree.outwards():
        out[i] = q[i]
    return out


@algorithm
def asks(tree, q):
    """It asks which bodies are on the base, so it can only be written out."""
    out = tree.output()
    for i, p in tree.outward():
        out[i] = q[i] * (2.0 if p == 0 else 1.0)
    return out


def test_in_an_algorithm_of_ones_own():
    with pytest.raises(AttributeError, match="outwards"):
        chooser(misspelt, fresh(1), {}, {})()


def test_an_algorithm_of_ones_own_that_cannot_be_rolled_is_written_out(monkeypatch):
    robot, q = gallery.seven_axis_arm(), np.arange(1.0, 8.0)
    monkeypatch.setattr(compiling, "LARGE", 1)
    for kernel in (chooser(asks, robot, {}, {})(), sixd.compile(asks, robot)):
        assert not kernel.rolled
        np.testing.assert_array_equal(kernel(q), q * [2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    with pytest.raises(RollError, match="question about the number of a body"):
        sixd.compile(asks, robot, rolled=True)


def test_what_is_declared_not_to_be_rolled_is_not_tried(monkeypatch):
    monkeypatch.setattr(rolled_kernels, "record_loops", planted(AssertionError))
    for name, function in algorithms.ALGORITHMS.items():
        if function.rolled is False:
            fixed = {k: 1 for k in ("body", "left", "right") if k in function.arguments}
            assert compile_rolled_if_possible(Request(function, fresh(2), {}, fixed)) is None, name
    never = algorithm(rolled=False)(asks.body)
    assert compile_rolled_if_possible(Request(never, fresh(2))) is None


def test_what_cannot_be_rolled_for_another_reason():
    """Couplings, a state that is no input, rotors of coupled joints that are inputs."""
    gripper, arm = coupled(), gallery.seven_axis_arm()
    for possible, request in (
        (True, Request(algorithms.aba, arm)),
        (False, Request(algorithms.aba, gripper)),
        (True, Request(algorithms.rnea, gripper)),
        (False, Request(algorithms.rnea, gripper, parameters=("rotor",))),
        (True, Request(algorithms.rnea, arm, parameters=("rotor",))),
        (True, Request(algorithms.rnea, arm, {}, {"qdd": None})),
        (False, Request(algorithms.rnea, arm, {}, {"qdd": np.zeros(7)})),
        (False, Request(lambda model, q: q, arm)),
    ):
        assert is_declared_possible(request) == possible
        if not possible:
            with pytest.raises(RollError):
                rolled_kernels.compile_rolled(request)


def test_a_joint_of_ones_own_that_cannot_be_rolled_is_written_out():
    """It asks for the value of a parameter, which is a number only where the code is for one robot."""

    class Choosy(Rolling):
        __slots__ = ()
        name = "choosy"

        def transform(self, q):
            assert self.parameters[0] > 0.1
            return super().transform(q)

    try:
        robot = sixd.Builder("b").body("wheel", joint=Choosy(0.3), mass=2.0, inertia=(0.1, 0.2, 0.1)).build()
        request = Request(algorithms.crba, robot)
        with pytest.raises(TraceError):
            rolled_kernels.compile_rolled(request)
        assert compile_rolled_if_possible(request) is None
        np.testing.assert_allclose(robot.mass_matrix([0.7]), [[2.0 * 0.3**2 + 0.2]], rtol=1e-14)
    finally:
        del JOINTS["choosy"]


def test_batch_axes_that_do_not_fit_are_shown():
    arm = sixd.gallery.double_pendulum()
    kernel = sixd.compile(sixd.algorithms.rnea, arm, shapes={"f_ext": (2, 6)})
    q = np.zeros((4, 2))
    with pytest.raises(sixd.SixdError, match=r"do not broadcast: q \(4,\), qd \(4,\), qdd \(4,\), f_ext \(3,\)"):
        kernel(q, q, q, np.zeros((3, 2, 6)))
