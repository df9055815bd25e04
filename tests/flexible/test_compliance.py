"""Elastic joints and compliant bearings against the frequencies of two masses and a spring."""

from math import inf

import numpy as np
import pytest

import sixd
from sixd import ModelError
from sixd.joints import Prismatic, Revolute, Spherical
from tests.flexible.beams import frequencies

I, B, K = 0.7, 0.2, 30.0


def wheel(**options):
    builder = sixd.Builder("wheel", gravity=(0, 0, 0))
    builder.body("disc", joint=Revolute("z"), joint_name="axle", mass=2.0, inertia=(I, I, I), **options)
    return builder.frame("rim", on="disc", xyz=(0.3, 0, 0)).build()


def test_motor_and_link_swing_against_each_other():
    robot = wheel(rotor_inertia=B).with_elastic_joint("axle", K)
    assert [joint.name for joint in robot.joints] == ["axle", "axle_spring"]
    np.testing.assert_allclose(frequencies(robot), [0.0, np.sqrt(K * (1.0 / I + 1.0 / B))], rtol=1e-12, atol=1e-7)
    held = robot.lock({"axle": 0.0})
    np.testing.assert_allclose(frequencies(held), [np.sqrt(K / I)], rtol=1e-12)


def test_equations_of_spong():
    """I d2(q) + d(q' - t') + k (q - t) = 0 and B d2(t) = tau + ..., in the angles of link q and motor t."""
    robot = wheel().with_elastic_joint("axle", K, damping=0.4, rotor_inertia=B)
    rng = np.random.default_rng(0)
    x, v, tau = rng.normal(size=2), rng.normal(size=2), np.array([1.3, 0.0])
    a = robot.forward_dynamics(x, v, tau, passive=True)
    pull = K * x[1] + 0.4 * v[1]
    assert a.sum() == pytest.approx(-pull / I, rel=1e-13)
    assert a[0] == pytest.approx((tau[0] + pull) / B, rel=1e-13)


def test_the_stiff_limit_is_the_rigid_joint():
    rigid = sixd.gallery.puma560()
    joint = rigid.joints[1].name
    soft = rigid.with_elastic_joint(joint, 1e4, rotor_inertia=2.0)
    again = soft.lock({f"{joint}_spring": 0.0})
    q, qd, qdd = rigid.random(0), *np.random.default_rng(1).normal(size=(2, rigid.nv))
    rotor = np.array([2.0 - rigid.joints[1].data.rotor_inertia[0] if k == 1 else 0.0 for k in range(rigid.nv)])
    np.testing.assert_allclose(
        again.inverse_dynamics(q, qd, qdd), rigid.inverse_dynamics(q, qd, qdd) + rotor * qdd, rtol=1e-12
    )
    assert soft.nv == rigid.nv + 1
    assert set(rigid.frames.names) < set(soft.frames.names)


def test_a_bearing_gives_way_in_its_own_directions():
    m, k, stiff = 2.0, 500.0, (40.0, 90.0, inf, 500.0, inf, inf)
    robot = wheel().with_compliant_bearing("axle", stiff)
    assert robot.joint("axle_bearing").type.nv == 3
    expected = np.sort([0.0, np.sqrt(40.0 / I), np.sqrt(90.0 / I), np.sqrt(k / m)])
    np.testing.assert_allclose(frequencies(robot), expected, rtol=1e-12, atol=1e-7)
    q = np.array([0.02, -0.01, 0.03, 0.5])
    still = robot.lock({"axle": 0.0})
    np.testing.assert_allclose(still.pose(q[:3], "disc")[:3, 3], [0.03, 0.0, 0.0], atol=1e-15)
    tau = robot.inverse_dynamics(q, q, q)
    np.testing.assert_allclose(robot.forward_dynamics(q, q, tau), q, atol=1e-12)


def test_a_housing_with_inertia_may_turn_about_the_axis():
    """The wheel is free on its axle, so the housing alone swings: sqrt(k / J)."""
    housing = sixd.Inertia.from_mass_com(0.5, (0, 0, 0), np.diag([0.1, 0.1, 0.1]))
    robot = wheel().with_compliant_bearing("axle", (inf, inf, 20.0, inf, inf, inf), inertia=housing)
    np.testing.assert_allclose(frequencies(robot), [0.0, np.sqrt(20.0 / 0.1)], rtol=1e-12, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.with_elastic_joint("axle", K), "needs a rotor_inertia above zero"),
        (lambda r: r.with_elastic_joint("axle", 0.0, rotor_inertia=B), "stiffness must be above zero"),
        (lambda r: r.with_elastic_joint("axel", K), "axle"),
        (lambda r: r.with_elastic_joint("axle", (1.0, 2.0), rotor_inertia=B), "stiffness must be 1 numbers"),
        (lambda r: r.with_compliant_bearing("axle", (1, 1, 1, 1, 1, 1)), "turning about z.*infinite, or give"),
        (lambda r: r.with_compliant_bearing("axle", [inf] * 6), "is rigid"),
        (lambda r: r.with_compliant_bearing("axle", (1, 1, 1)), "must be 6 numbers"),
        (lambda r: r.with_compliant_bearing("axle", (1, 1, inf, -1, 1, 1)), "above zero"),
        (lambda r: r.with_compliant_bearing("axle", (1, 1, inf, 1, 1, 1), inertia=3.0), "must be a Inertia"),
    ],
)
def test_wrong_compliance(change, message):
    with pytest.raises(sixd.SixdError, match=message):
        change(wheel())


def test_joints_that_cannot_be_elastic():
    ball = sixd.Builder().body("ball", joint=Spherical(), joint_name="socket", mass=1.0, inertia=(1, 1, 1)).build()
    with pytest.raises(ModelError, match="whose position is a vector"):
        ball.with_elastic_joint("socket", 1.0, rotor_inertia=1.0)
    pair = sixd.Builder().body("a", joint=Prismatic(), joint_name="one", mass=1.0)
    pair = pair.body("b", joint=Prismatic(), joint_name="two", mass=1.0, mimic=sixd.Mimic("one")).build()
    with pytest.raises(ModelError, match="'two' follows 'one' and has no motor"):
        pair.with_elastic_joint("two", 1.0, rotor_inertia=1.0)
