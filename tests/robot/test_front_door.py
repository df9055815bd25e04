"""What people call: every method on robots of every size, how quick it is, and what it makes of unusual arguments."""

import inspect
import time
import warnings
from contextlib import suppress
from functools import cache

import numpy as np
import pytest

import sixd
from sixd import ArgumentError, ModelError, ShapeError, algorithms, gallery
from sixd.robot import dynamics
from sixd.robot.evaluator import Method
from tests.robot.calls import calls
from tests.robots import example_urdf

ROBOTS = {
    "Panda": lambda: sixd.load(example_urdf("panda_description/panda")),
    "ANYmal": lambda: sixd.load(example_urdf("anymal_b_simple_description/anymal"), base="free"),
    "Talos": lambda: sixd.load(example_urdf("talos_data/talos_reduced"), base="free"),
    "chain": lambda: gallery.chain(60),
}
#: Seconds that a call for one state may take. Python needs from 10 ms (Panda) to seconds; LAPACK and batches of a
#: hundred states for one result need less than 1 ms.
BOUND = 5e-3


@cache
def robot(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # inertias that no body has
        return ROBOTS[name]()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name != "Panda" else []) for name in ROBOTS]
)
def test_no_method_runs_in_python(name):
    found = {}
    for label, method, arguments in calls(robot(name)):
        method(**arguments)
        times = []
        for _ in range(20):
            start = time.thread_time()
            method(**arguments)
            times.append(time.thread_time() - start)
        if min(times) > BOUND:
            found[label] = min(times)
    assert not found
    code = robot(name)._code
    assert len(code) > 20
    assert all(method.kernel is not None for method in code.values())


@pytest.mark.parametrize("name", ["Panda", "ANYmal", "chain"])
@pytest.mark.parametrize("lead", [(), (3,)], ids=["one state", "batch"])
def test_results_can_be_written_to_arrays(name, lead):
    for label, method, arguments in calls(robot(name), lead, options=False):
        if "out" not in inspect.signature(method).parameters:
            continue  # several results
        wanted = method(**arguments)
        out = np.full_like(wanted, 7.0)
        assert method(**arguments, out=out) is out, label
        np.testing.assert_array_equal(out, wanted, err_msg=label)
        for wrong in ([0.0], "text", np.empty((*wanted.shape, 2)) if wanted.shape != lead else 1.0):
            with pytest.raises(sixd.SixdError):
                method(**arguments, out=wrong)


@pytest.mark.parametrize("lead", [(), (2,)])
def test_large_robots_compose_what_is_not_written_out(monkeypatch, lead):
    """As robots of hundreds of bodies do: from batches of inverse dynamics, energies and forward dynamics."""
    monkeypatch.setattr(dynamics, "DIRECT", 10)
    monkeypatch.setattr(dynamics, "LARGE", 10)
    small = gallery.quadruped().with_gravity((0.0, 0.0, -1.6))  # no other test has made code of it without the limits
    q, qd, tau = small.random(1, lead), *np.random.default_rng(1).normal(size=(2, *lead, small.nv))
    H = small.mass_matrix(q)
    scale = np.abs(H).max()
    force = {small.frames[-1].name: np.arange(6.0)}
    for method in ("naive", "energy"):
        np.testing.assert_allclose(small.mass_matrix(q, method), H, rtol=0, atol=1e-13 * scale)
    H_inv = small.inverse_mass_matrix(q)
    np.testing.assert_allclose(H_inv @ H, np.broadcast_to(np.eye(small.nv), H.shape), rtol=0, atol=1e-10)
    np.testing.assert_array_equal(H_inv, np.swapaxes(H_inv, -1, -2))
    for f_ext in (None, force):
        wanted = small.forward_dynamics(q, qd, tau, f_ext)
        for method in ("crba", "naive"):
            found = small.forward_dynamics(q, qd, tau, f_ext, method=method)
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())
    assert small._too_large


def test_a_zero_quaternion_is_named_for_one_state_and_in_a_batch():
    quadruped = gallery.quadruped()
    q = quadruped.random(0, 5)
    assert np.isfinite(quadruped.gravity_forces(q)).all()
    q[3, :4] = 0.0
    for wrong in (q, q[3], q[3].tolist()):
        with pytest.raises(ModelError, match="q is no position of joint 'base': its quaternion is zero"):
            quadruped.gravity_forces(wrong)
    with pytest.raises(ModelError, match="q1 is no position"):
        quadruped.difference(q[0], q[3])
    q[3, 3] = 1e-300
    assert np.isfinite(quadruped.gravity_forces(q[3])).all()
    q[3, 2] = np.nan
    assert np.isnan(quadruped.gravity_forces(q)).all(axis=-1).tolist() == [False, False, False, True, False]


def test_code_is_chosen_anew_when_the_setting_changes():
    arm = gallery.seven_axis_arm()
    q = arm.random(0)
    arm.gravity_forces(q)
    kernel = arm._code[algorithms.gravity_forces].kernel
    assert not kernel.rolled
    try:
        sixd.set_kernels("rolled")
        arm.gravity_forces(q)
        assert arm._code[algorithms.gravity_forces].kernel.rolled
        sixd.set_kernels("python")
        assert arm.gravity_forces(q).shape == (7,)
        assert arm._code[algorithms.gravity_forces].kernel is None
    finally:
        sixd.set_kernels(None)
    assert arm._code[algorithms.gravity_forces].kernel is kernel


def test_what_is_kept_at_hand_is_bounded(monkeypatch):
    monkeypatch.setattr("sixd.robot.evaluator.KEPT", 3)
    arm = gallery.seven_axis_arm()
    q = arm.random(0)
    for frame in arm.frames:
        arm.pose(q, frame.name)
    assert len(arm._code) == 3
    with pytest.raises(ArgumentError, match="methods run algorithms, made by @algorithm, not"):
        arm._code[lambda tree, q: q]


def test_errors_of_the_quick_way_are_those_of_the_slow_one():
    arm = gallery.seven_axis_arm()
    q = arm.random(0)
    arm.inverse_dynamics(q, q, q)
    with pytest.raises(ShapeError, match=r"qd has shape \(6,\), but \(..., 7\) is needed: nv of seven-axis arm"):
        arm.inverse_dynamics(q, q[:6], q)
    with pytest.raises(ShapeError, match="the batch axes of the arguments do not broadcast"):
        arm.inverse_dynamics(np.zeros((2, 7)), np.zeros((3, 7)), q)


def test_warm_up_makes_every_method_ready():
    arm = gallery.double_pendulum()
    arm.warm_up("tip", tensors=True)
    ready = dict(arm._code)
    for _, method, arguments in calls(arm, options=False):
        if not {"left", "right", "known"} & arguments.keys() and arguments.get("frame", "tip") == "tip":
            with suppress(sixd.SingularError):  # a planar arm has no operational space of six dimensions
                method(**arguments)
    assert {key: method for key, method in arm._code.items() if method is not ready.get(key)} == {}
    assert all(isinstance(method, Method) for method in ready.values())
    with pytest.raises(sixd.NameNotFoundError, match="tip"):
        arm.warm_up("tipp")


def test_warm_up_of_a_robot_that_is_singular():
    massless = sixd.Builder("massless").body("a", joint=sixd.joints.Revolute()).build()
    massless.warm_up()
    assert algorithms.aba in massless._code
