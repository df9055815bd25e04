"""Compiled algorithms against the same algorithms on floats."""

import os
import subprocess
import sys

import numpy as np
import pytest

import sixd
from sixd import ModelError, ShapeError, algorithms, gallery, ops
from sixd.algorithms import ALGORITHMS
from sixd.algorithms.algorithm import algorithm
from sixd.compiler.request import Request
from sixd.compiler.unrolled import compile_unrolled
from sixd.ir import TooLargeError
from sixd.joints import JOINTS
from sixd.model.random import random_tree
from sixd.runtime.batches import by_sample
from tests.algorithms.calls import NAMED, TASKS, fixed_for, robot_for, shapes_for, state, suited
from tests.laws.trees import coupled

ROBOTS = {
    "arm": gallery.seven_axis_arm,
    "quadruped": gallery.quadruped,
    "all joints": lambda: sixd.Robot.of(random_tree(11, 3, joints=sorted(JOINTS), rotors=True, passive=True)),
    "mimic": coupled,
}


#: What is solved with the mass matrix loses digits with its condition.
SOLVES = (
    *("aba", "forward_dynamics_crba", "forward_dynamics_naive"),
    *("inverse_mass_matrix", "relative_pivots"),
    *("hybrid_dynamics", "relative_pivots_of_hybrid", *TASKS),
    "inverse_operational_inertia",
)
#: Larger recordings take seconds to compile, and are left to the tests on smaller trees.
MOST = 12_000


def parts(result, name):
    """The results of an algorithm, each as an array by sample."""
    ranks, several = ALGORITHMS[name].ranks, ALGORITHMS[name].result.several
    values = [tuple(part) if isinstance(part, list) else part for part in (result if several else (result,))]
    return [by_sample(part, rank) for part, rank in zip(values, ranks, strict=True)]


#: Arms and quadrupeds have no joint that the tree of all joints does not have.
LONG = [pytest.param(name, marks=pytest.mark.slow) if name in ("arm", "quadruped") else name for name in ROBOTS]


@pytest.mark.parametrize("robot", LONG)
@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_compiled_interpreted_and_eager_agree(name, robot):
    own = name in ("screw_jacobian", *NAMED)
    model = robot_for(name) if own else suited(name, ROBOTS[robot]())
    given, fixed = state(name, model, 9), fixed_for(name, model)
    try:
        kernel = compile_unrolled(Request(ALGORITHMS[name], model, shapes_for(name, model), fixed), MOST)
    except TooLargeError:
        pytest.skip(f"more than {MOST} nodes")
    bound, arguments = 1e-12, [given[port.name] for port in kernel.inputs]
    if name in SOLVES:
        bound = max(bound, 1e-15 * model.nv * np.linalg.cond(model.mass_matrix(arguments[0])).max())
    runs = kernel(*arguments), kernel.interpret(*arguments), ALGORITHMS[name](model, **given, **fixed)
    for found, defined, eager in zip(*(parts(run, name) for run in runs), strict=True):
        scale = bound * max(np.nanmax(np.abs(eager)), 1e-12)
        np.testing.assert_allclose(defined, np.broadcast_to(eager, defined.shape), rtol=0, atol=scale)
        np.testing.assert_allclose(found, defined, rtol=0, atol=scale)


def test_what_does_not_fit_the_function():
    arm = gallery.double_pendulum()
    for options, message in (
        ({"foo": 1}, "names 'foo', but the function has no such argument"),
        ({"shapes": {"foo": (1,)}}, "names 'foo', but the function has no such argument"),
        ({"shapes": {"q": (7, 7)}}, r"q has shape \(2,\) for this model, not \(7, 7\)"),
    ):
        with pytest.raises(sixd.SixdError, match=message):
            sixd.compile(algorithms.gravity_forces, arm, **options)
    for rolled in (True, False):
        for body in (b"link1", True, 1.0):
            with pytest.raises(sixd.SixdError, match="body must be the number of a body"):
                sixd.compile(algorithms.pose, arm, body=body, rolled=rolled)
        with pytest.raises(sixd.NameNotFoundError, match="no frame named 'link3'"):
            sixd.compile(algorithms.pose, arm, body="link3", rolled=rolled)
        with pytest.raises(sixd.SixdError, match="offset takes a Transform"):
            sixd.compile(algorithms.pose, arm, body=1, offset=np.eye(4), rolled=rolled)
    with pytest.raises(sixd.SixdError, match="missing a required argument"):
        algorithms.gravity_forces(arm)


@pytest.mark.parametrize("expressed_in", ["body", "world", "aligned"])
def test_arguments_may_be_fixed(expressed_in):
    arm = gallery.seven_axis_arm()
    frame = arm.frame("tool")
    kernel = sixd.compile(
        algorithms.jacobian, arm, body=frame.body, offset=frame.offset, expressed_in=expressed_in, name="tool_jacobian"
    )
    q = arm.random(0, (2, 3))
    np.testing.assert_allclose(kernel(q), arm.jacobian(q, "tool", expressed_in), atol=1e-14)
    assert kernel.__name__ == "tool_jacobian"


def test_typed_results():
    arm = gallery.seven_axis_arm()
    q, qd = arm.random(0, 4), np.ones(7)
    pose = sixd.compile(algorithms.pose, arm, body=7)
    np.testing.assert_allclose(pose(q), arm.pose(q, "link7"), atol=1e-15)
    momentum = sixd.compile(algorithms.momentum, arm)
    np.testing.assert_allclose(momentum(q, qd), arm.momentum(q, qd), atol=1e-13)


def test_external_forces():
    arm = gallery.seven_axis_arm()
    kernel = sixd.compile(algorithms.rnea, arm, shapes={"f_ext": (7, 6)})
    q, f = arm.random(0), np.random.default_rng(0).normal(size=(7, 6))
    np.testing.assert_allclose(kernel(q, q, q, f), algorithms.rnea(arm, q, q, q, f), rtol=1e-12)


def test_a_function_of_ones_own():
    arm = gallery.seven_axis_arm()

    def power(model, q, qd, gains):
        tau = algorithms.gravity_forces(model, q)
        return sum(g * t * v for g, t, v in zip(gains, tau, qd, strict=True)), ops.sqrt(gains @ gains)

    kernel = sixd.compile(power, arm, shapes={"gains": (7,)})
    q, qd, gains = np.random.default_rng(0).normal(size=(3, 7))
    value, size = kernel(q, qd, gains)
    assert value == pytest.approx((gains * arm.gravity_forces(q) * qd).sum(), rel=1e-12)
    assert size == pytest.approx(np.linalg.norm(gains), rel=1e-15)


def test_unknown_shapes_and_wrong_ones_are_named():
    arm = gallery.seven_axis_arm()
    with pytest.raises(ModelError, match="the shape of argument 'gains' is not known"):
        sixd.compile(lambda model, q, gains: q, arm)
    kernel = sixd.compile(algorithms.crba, arm)
    with pytest.raises(ShapeError, match=r"q has shape \(3, 6\), but \(\.\.\., 7\) is needed"):
        kernel(np.zeros((3, 6)))


def test_reports():
    kernel = sixd.compile(algorithms.rnea, gallery.puma560())
    assert "loads" in kernel.report()
    assert f", {kernel.stack_bytes()} of stack" in kernel.report()
    assert "operations" in repr(kernel)
    assert kernel.gufunc.signature == "(6),(6),(6)->(6)"


def test_stages_can_be_shown():
    code = "import sixd; sixd.compile(sixd.algorithms.crba, sixd.gallery.pendulum())"
    shown = os.environ | {"SIXD_DEBUG": "3", "SIXD_CACHE": "off"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=shown)
    assert "program crba" in run.stderr
    assert "define" in run.stderr


def test_one_state_is_interpreted_to_a_single_number():
    arm = gallery.seven_axis_arm()
    q, qd = np.linspace(-1.0, 1.0, 7), np.linspace(0.0, 1.0, 7)
    kernel = sixd.compile(algorithms.kinetic_energy, arm)
    assert np.shape(kernel.interpret(q, qd)) == ()
    np.testing.assert_allclose(kernel.interpret(q, qd), kernel(q, qd), rtol=1e-13)


def test_scalars_go_in_and_come_out_as_numbers(monkeypatch):
    """An argument of shape () is a number in the function; one number comes out as np.float64, many as an array."""
    arm, q = gallery.double_pendulum(), np.array([0.1, 0.2])

    @algorithm
    def work(tree, q, qd, dt):
        assert not isinstance(dt, np.ndarray)
        return algorithms.kinetic_energy(tree, q, qd) * dt

    expected = arm.kinetic_energy(q, q)
    for rolled in (False, True):
        kernel = sixd.compile(work, arm, shapes={"dt": ()}, rolled=rolled)
        for run in (kernel, kernel.interpret):
            for dt in (2, 2.0, np.float64(2.0), np.float32(2.0), np.array(2.0)):
                assert type(run(q, q, dt)) is np.float64
                assert run(q, q, dt) == pytest.approx(2.0 * expected, rel=1e-15)
            assert run(q, q, [1.0, 2.0, 3.0]).shape == (3,)
            assert run([q], q, 1.0).shape == (1,)
    assert work(arm, q, q, 2.0) == pytest.approx(2.0 * expected, rel=1e-15)
    for kind in ("rolled", "unrolled", "python"):
        monkeypatch.setenv("SIXD_KERNELS", kind)
        assert type(arm.kinetic_energy(q, q)) is np.float64
        assert type(arm.kinetic_energy([q], q)) is np.ndarray
