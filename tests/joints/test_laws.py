"""Every registered joint type, the user-defined one included, keeps the contract."""

import math

import mpmath
import numpy as np
import pytest

from sixd import Builder, ModelError
from sixd.dual import moving, rates
from sixd.joints import (
    JOINTS,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    SphericalEuler,
    Universal,
)
from sixd.spatial import Motion, Motions, Transform, Vector
from sixd.spatial.table1 import rotz, xlt
from sixd.testing import check_joint
from tests.rolling import Rolling

EXAMPLES = [joint for kind in JOINTS.values() for joint in kind.examples()]


@pytest.mark.parametrize("joint", EXAMPLES, ids=repr)
def test_joint_laws(joint):
    check_joint(joint)


def test_every_joint_type_of_the_library_is_registered():
    promised = {
        "revolute",
        "prismatic",
        "helical",
        "cylindrical",
        "universal",
        "spherical",
        "spherical-euler",
        "planar",
        "translational",
        "free",
        "rolling",
    }
    assert promised <= set(JOINTS)


def test_jcalc_of_figure_4():
    """F10b Fig. 4: revolute, prismatic and helical joints about z, as 6x6 matrices."""
    q, pitch = 0.7, 0.3
    cases = {
        Revolute(): (rotz(q), [0, 0, 1, 0, 0, 0]),
        Prismatic(): (xlt([0.0, 0.0, q]), [0, 0, 0, 0, 0, 1]),
        Helical(pitch=pitch): (rotz(q) @ xlt([0.0, 0.0, q * pitch]), [0, 0, 1, 0, 0, pitch]),
    }
    for joint, (X, s) in cases.items():
        np.testing.assert_allclose(joint.transform(Vector((q,))).matrix().array(), X, atol=1e-16)
        np.testing.assert_array_equal(joint.subspace(Vector((q,))).array()[:, 0], s)


def test_power_balance_of_a_joint():
    """F10b (7): tau . qd = f . v_J for any force."""
    rng = np.random.default_rng(3)
    from sixd.spatial import Force

    for joint in EXAMPLES:
        q = Vector.from_array(joint.random(rng, *joint.limits()))
        qd = Vector.from_array(rng.normal(size=joint.nv))
        f, S = Force.from_array(rng.normal(size=6)), joint.subspace(q)
        assert (S.T @ f) @ qd == pytest.approx((S @ qd).dot(f), rel=1e-13, abs=1e-13)


def test_a_wrong_subspace_is_found():
    class Wrong(Revolute):
        def subspace(self, q):
            return Motions([Motion(self.axis * 1.001, Vector.zero())])

    with pytest.raises(AssertionError, match="S is the derivative of the transform"):
        check_joint(Wrong((0, 0, 1)))


def test_a_wrong_bias_is_found():
    class Wrong(Planar):
        def subspace_rate(self, q, qd):
            return Motions([Motion.zero()] * 3)

    with pytest.raises(AssertionError, match="dS/dt"):
        check_joint(Wrong())


@pytest.mark.parametrize("kind", [Planar, Universal, SphericalEuler, Rolling])
def test_two_methods_are_enough_where_the_subspace_varies(kind, monkeypatch):
    """dS/dt and what derivatives of the dynamics need are found by dual numbers from `subspace`."""
    monkeypatch.setattr(kind, "subspace_rate", Joint.subspace_rate)
    check_joint(kind())


def test_a_joint_type_that_cannot_be_pickled_says_so():
    class Inside(Revolute): ...

    with pytest.raises(ModelError, match="define it at the top level of a module"):
        check_joint(Inside())


@pytest.mark.parametrize("law", ["subspace_derivative", "bias_derivative", "bias_derivative_by_velocity"])
def test_wrong_derivatives_are_found(law):
    class Wrong(Planar): ...

    def wrong(self, q, qd):
        return getattr(Planar, law)(self, q, qd) * 1.001

    setattr(Wrong, law, wrong)
    with pytest.raises(AssertionError, match=f"{law} is the derivative"):
        check_joint(Wrong())


def test_derivatives_of_derivatives():
    """Dual numbers within dual numbers: each has an infinitesimal of its own."""
    q, qd = Vector([0.3, -0.4, 0.5]), Vector([0.7, 0.2, -0.6])
    joint = SphericalEuler()
    inner, level = moving([0.0, 1.0, 0.0])
    found = joint.bias_derivative(Vector(a + b for a, b in zip(q, inner, strict=True)), qd)
    h = mpmath.mpf(10) ** -12
    with mpmath.workdps(40):
        there = [Vector([q[0], q[1] + s * h, q[2]]) for s in (1, -1)]
        up, down = (np.array(joint.bias_derivative(x, qd).components()) for x in there)
    slope = ((up - down) / (2 * h)).astype(float)
    np.testing.assert_allclose(np.array(rates(found.components(), level), dtype=float), slope, atol=1e-12)


@pytest.mark.parametrize("axis", [(0, 0, 0), (1, 2), (float("nan"), 0, 1), (float("inf"), 0, 0)])
def test_bad_axes_are_refused(axis):
    with pytest.raises(ModelError, match="axis of a revolute joint"):
        Revolute(axis)


def test_axes_are_normalised():
    assert Revolute((0, 0, 5)) == Revolute((0, 0, 1))
    assert Revolute((0, 3, 4)).parameters == pytest.approx((0.0, 0.6, 0.8), rel=1e-15)
    for size in (1e-320, 1e-200, 1e200):
        assert Revolute((size, 0, size)).parameters == pytest.approx((0.5**0.5, 0, 0.5**0.5), rel=1e-15)


def test_pitch_must_be_finite():
    with pytest.raises(ModelError, match="pitch"):
        Helical(pitch=float("inf"))


def test_quaternions_need_not_be_normalised():
    q = np.array([0.1, -0.2, 0.3, 0.9])
    joint = Spherical()
    scaled = [joint.transform(Vector.from_array(s * q)).E.array() for s in (1.0, 2.5, -1.0)]
    np.testing.assert_allclose(scaled[1], scaled[0], atol=1e-15)
    np.testing.assert_allclose(scaled[2], scaled[0], atol=1e-15)


def test_random_positions_keep_limits():
    rng = np.random.default_rng(0)
    q = Revolute().random(rng, (-0.1,), (0.2,), (1000,))
    assert q.min() >= -0.1
    assert q.max() <= 0.2


@pytest.mark.parametrize(
    ("limits", "reached"),
    [
        ((-0.1, 0.2), (-0.1, 0.2)),
        ((1.0, np.inf), (1.0, 1.0 + 2 * np.pi)),
        ((-np.inf, 1.0), (1.0 - 2 * np.pi, 1.0)),
        ((-np.inf, np.inf), (-np.pi, np.pi)),
    ],
)
def test_random_positions_fill_their_range(limits, reached):
    """All of it, and no more: without one limit, a turn from the other; without both, a turn about zero."""
    q = Revolute().random(np.random.default_rng(0), limits[:1], limits[1:], (10_000,))
    length = reached[1] - reached[0]
    assert reached[0] <= q.min() < reached[0] + 1e-2 * length
    assert reached[1] - 1e-2 * length < q.max() <= reached[1]


@pytest.mark.parametrize("joint", [joint for joint in EXAMPLES if joint.nq != joint.nv], ids=repr)
def test_quaternions_that_joints_make_have_length_one(joint):
    rng = np.random.default_rng(0)
    q = Vector.from_array(3.0 * joint.random(rng, (-np.inf,) * joint.nq, (np.inf,) * joint.nq))
    step = Vector.from_array(rng.normal(size=joint.nv))
    drawn = Vector.from_array(joint.random(rng, (-np.inf,) * joint.nq, (np.inf,) * joint.nq))
    for made in (joint.neutral(), joint.integrate(q, step), drawn):
        assert np.linalg.norm(list(made)[:4]) == pytest.approx(1.0, rel=1e-15)
    assert joint.valid(q)
    assert not joint.valid(q * 0.0)


def test_a_joint_is_its_class_and_its_parameters():
    class Slow(Revolute):
        def transform(self, q):
            return super().transform(q * 0.5)

    def arm(joint):
        return Builder().body("a", joint=joint, mass=1).build()

    assert arm(Slow((0, 0, 1))) != arm(Revolute((0, 0, 1)))
    assert arm(Slow((0, 0, 1))).fingerprint != arm(Revolute((0, 0, 1))).fingerprint
    assert arm(Revolute((-0.0, 0, 1))).fingerprint == arm(Revolute((0.0, 0, 1))).fingerprint


def test_what_is_not_in_the_parameters_is_found():
    class Scaled(Prismatic):
        __slots__ = ("k",)

        def __init__(self, k=2.0):
            super().__init__()
            self.k = k

        def transform(self, q):
            return super().transform(q * getattr(self, "k", 1.0))

        def subspace(self, q):
            return Motions([Motion(Vector.zero(), self.axis * getattr(self, "k", 1.0))])

    with pytest.raises(AssertionError, match="the parameters tell all"):
        check_joint(Scaled())


def test_names_of_joint_types_are_unique():
    with pytest.raises(TypeError, match="a joint type named 'revolute' exists already"):
        type("Other", (Revolute,), {"name": "revolute", "__module__": "elsewhere"})


def test_a_joint_type_needs_its_attributes():
    with pytest.raises(TypeError, match="the joint type Bare needs the attributes nq, nv, extent"):
        type("Bare", (Joint,), {"name": "bare", "__qualname__": "Bare"})


def test_mistakes_in_a_joint_are_explained():
    class Branches(Revolute):
        def transform(self, q):
            return super().transform(q) if q[0] > 0 else super().transform(q * 1.0)

    class Floats(Revolute):
        def transform(self, q):
            return Transform.rotation(self.axis, np.float64(1.0) * math.sin(math.asin(math.sin(q[0] / 9))) * 9)

    class Forgets(Prismatic):
        def subspace(self, q):
            return Motions([Motion(Vector.zero(), self.direction)])

    with pytest.raises(AssertionError, match=r"sixd.ops.where instead of if"):
        check_joint(Branches())
    with pytest.raises(AssertionError, match=r"Floats|sixd.ops"):
        check_joint(Floats())
    with pytest.raises(AssertionError, match="has no attribute 'direction'"):
        check_joint(Forgets())


def test_axes_by_letter():
    assert Revolute("z") == Revolute((0, 0, 1))
    assert Prismatic("-y") == Prismatic((0, -1, 0))
    assert repr(Revolute("-x")) == "Revolute('-x')"
    with pytest.raises(ModelError, match="three numbers or a letter like 'z': 'up'"):
        Revolute("up")
