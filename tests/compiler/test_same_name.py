"""Functions, joints and values that share a name, but not what they compute, never share machine code."""

import functools

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery
from sixd.algorithms.algorithm import algorithm
from sixd.compiler.request import Request, is_own
from sixd.compiler.unrolled import unrolled_key
from sixd.joints import JOINTS, Revolute
from sixd.spatial import Force, Motion, Transform


@pytest.fixture(autouse=True)
def _cache_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "cache"))


STATE = np.random.default_rng(0).normal(size=(3, 2))


def test_derivatives_under_one_name():
    arm = gallery.double_pendulum()
    kernels = {wrt: sixd.compile(sixd.jacobian(algorithms.rnea, wrt), arm, name="k") for wrt in ("q", "qd", "qdd")}
    found = {wrt: kernel(*STATE) for wrt, kernel in kernels.items()}
    np.testing.assert_allclose(found["qdd"], arm.mass_matrix(STATE[0]), rtol=1e-13)
    assert not np.allclose(found["q"], found["qd"])
    assert not np.allclose(found["qd"], found["qdd"])


def test_a_function_around_an_algorithm():
    """functools.wraps copies the name, the module and all attributes."""
    arm = gallery.double_pendulum()

    @functools.wraps(algorithms.rnea)
    def doubled(model, q, qd, qdd):
        return 2.0 * algorithms.rnea(model, q, qd, qdd)

    plain = sixd.compile(algorithms.rnea, arm)(*STATE)
    np.testing.assert_allclose(sixd.compile(doubled, arm)(*STATE), 2.0 * plain, rtol=1e-14)
    with pytest.raises(sixd.SixdError, match="no algorithm of a tree"):
        sixd.compile(doubled, arm, rolled=True)
    assert is_own(algorithms.rnea)
    assert not is_own(doubled)


def test_an_algorithm_around_an_algorithm_rolls_in_the_frames_that_bodies_have():
    """It may look at single components, which sixd's own algorithms do not."""
    arm = gallery.seven_axis_arm()

    @functools.wraps(algorithms.kinetic_energy)
    def spin(tree, q, qd):
        v = algorithms.velocities(tree, q, qd)
        total = tree.cell(0.0)
        for i, _ in tree.outward():
            total.now = total.now + v[i].ang[0]
        return total.now

    spin = algorithm(spin)
    q, qd = np.random.default_rng(0).normal(size=(2, 7))
    rolled, unrolled = (sixd.compile(spin, arm, rolled=kind)(q, qd) for kind in (True, False))
    np.testing.assert_allclose(rolled, spin(arm, q, qd), rtol=1e-13)
    np.testing.assert_allclose(unrolled, spin(arm, q, qd), rtol=1e-13)


def test_what_is_replaced_is_not_sixds_own(monkeypatch):
    """Under the name of an algorithm there may be something else: it is not kept under that name."""
    import sys

    arm, q = gallery.double_pendulum(), np.ones(2)
    original = algorithms.gravity_forces

    @functools.wraps(original)
    def doubled(model, q):
        return 2.0 * original(model, q)

    with monkeypatch.context() as patch:
        patch.setattr(sys.modules[original.__module__], original.__name__, doubled)
        np.testing.assert_allclose(sixd.compile(doubled, arm)(q), 2.0 * original(arm, q), rtol=1e-14)
    np.testing.assert_allclose(sixd.compile(original, arm)(q), original(arm, q), rtol=1e-14)


def test_a_class_derived_from_a_robot_is_no_part_of_what_is_kept_under_a_name():
    """Recorded under a name is what the model's numbers say, which the name is kept with, not what a method says."""

    class Odd(sixd.Robot):
        def path(self, body):
            return super().path(body)[:-1]

    arm, q = gallery.double_pendulum(), np.array([0.3, -0.4])
    for robot in (Odd.of(arm), arm):  # the second one is found in the cache
        found = sixd.compile(algorithms.jacobian, robot, body=2)(q)
        np.testing.assert_allclose(found, algorithms.jacobian(arm, q, body=2), rtol=1e-14)


def test_rolled_code_of_ones_own_follows_what_it_refers_to():
    arm, q = gallery.seven_axis_arm(), np.arange(1.0, 8.0)
    gain = [1.0]

    @algorithm
    def scaled(tree, q, other=None):
        out = tree.output()
        for i, _ in tree.outward():
            out[i] = q[i] * (gain[0] if other is None else other.gravity[2])
        return out

    for factor in (1.0, 2.0):
        gain[0] = factor
        np.testing.assert_array_equal(sixd.compile(scaled, arm, rolled=True, other=None)(q), factor * q)
    for g in (-9.81, -1.62):  # a robot's text does not tell its gravity
        moved = arm.with_gravity((0.0, 0.0, g))
        np.testing.assert_array_equal(sixd.compile(scaled, arm, rolled=True, other=moved)(q), g * q)


def test_values_of_different_types_with_the_same_numbers():
    numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    requests = [
        Request(
            algorithms.frame_forces, gallery.double_pendulum(), {}, {"body": 2, "force": kind.from_components(numbers)}
        )
        for kind in (Motion, Force)
    ]
    first, second = map(unrolled_key, requests)
    assert first is not None
    assert first != second


def test_a_type_of_ones_own_is_not_known_by_its_text():
    class Text(str):
        __slots__ = ()

    arm = gallery.double_pendulum()
    fixed = {"body": 2, "expressed_in": Text("body")}
    assert not Request(algorithms.velocity, arm, {}, fixed).known_by_name()
    assert Request(algorithms.velocity, arm, {}, {**fixed, "expressed_in": "body"}).known_by_name()
    assert Request(algorithms.pose, arm, {}, {"body": 2, "offset": Transform.identity()}).known_by_name()


def make_joint(sign):
    """A class that is defined anew at each call, as where a notebook's cell is run again."""

    class Twice(Revolute):
        __slots__ = ()
        name = "twice"

        def transform(self, q):
            return super().transform(sign * q)

        def subspace(self, q):
            return sign * super().subspace(q)

    return Twice


def test_joint_classes_of_one_name():
    robots = []
    try:
        for sign in (1.0, -1.0):
            builder = sixd.Builder("arm").body("link", joint=make_joint(sign)((0, 1, 0)), mass=1.0, com=(0.5, 0.0, 0.0))
            robots.append(builder.frame("tip", on="link", xyz=(1.0, 0.0, 0.0)).build())
    finally:
        del JOINTS["twice"]
    assert robots[0] != robots[1]
    poses = [robot.pose([0.3], "tip")[:3, 3] for robot in robots]
    np.testing.assert_allclose(poses, [[np.cos(0.3), 0.0, -np.sin(0.3)], [np.cos(0.3), 0.0, np.sin(0.3)]], atol=1e-15)
    found = [robot.inverse_kinematics("tip", poses[0], q0=[0.0]).q for robot in robots]
    np.testing.assert_allclose(found, [[0.3], [-0.3]], atol=1e-7)
