"""Mimic joints are exact linear couplings: everything follows from the uncoupled robot by projection."""

import numpy as np
import pytest

from sixd import Builder, Mimic, ModelError
from sixd.joints import Planar, Revolute, Spherical, Universal
from tests.laws.trees import coupled

RATIOS = {"forearm_joint": ("arm_joint", -0.5, 0.2), "right_joint": ("left_joint", 1.0, 0.0)}
RATIOS["tip_joint"] = ("left_joint", 3.0, -0.1)


@pytest.fixture(scope="module")
def case():
    """The coupled robot, the same with every joint free, and q_free(q), G with qd_free = G qd."""
    tied, loose = coupled(), coupled(mimic=False)
    G = np.zeros((loose.nv, tied.nv))
    offsets = np.zeros(loose.nq)
    Q = np.zeros((loose.nq, tied.nq))
    for joint in loose.joints:
        source, ratio, offset = RATIOS.get(joint.name, (joint.name, 1.0, 0.0))
        mine = tied.joint(source)
        G[joint.v, mine.v] = ratio * np.eye(joint.type.nv)
        Q[joint.q, mine.q] = ratio * np.eye(joint.type.nq)
        offsets[joint.q] = offset
    rng = np.random.default_rng(0)
    q, qd, qdd = tied.random(rng, 4), rng.normal(size=(4, tied.nv)), rng.normal(size=(4, tied.nv))
    return tied, loose, G, q, qd, qdd, q @ Q.T + offsets


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_a_mimic_joint_has_no_coordinate(case):
    tied, loose, *_ = case
    assert (tied.nv, loose.nv) == (8, 11)
    assert tied.joint("right_joint").v == tied.joint("left_joint").v


def test_a_mimic_of_a_mimic_is_resolved(case):
    assert case[0].joint("tip_joint").mimic == Mimic("left_joint", 3.0, -0.1)


def test_poses_and_jacobians(case):
    tied, loose, G, q, _, _, q_free = case
    close(tied.poses(q), loose.poses(q_free))
    for frame in tied.frames.names:
        close(tied.jacobian(q, frame, "world"), loose.jacobian(q_free, frame, "world") @ G)


def test_inverse_dynamics_is_projected(case):
    tied, loose, G, q, qd, qdd, q_free = case
    close(tied.inverse_dynamics(q, qd, qdd), loose.inverse_dynamics(q_free, qd @ G.T, qdd @ G.T) @ G)


def test_mass_matrix_is_projected(case):
    tied, loose, G, q, *_, q_free = case
    for method in ("crba", "naive", "energy"):
        close(tied.mass_matrix(q, method), G.T @ loose.mass_matrix(q_free) @ G)


def test_inverse_mass_matrix(case):
    tied, loose, G, q, *_, q_free = case
    close(tied.inverse_mass_matrix(q), np.linalg.inv(G.T @ loose.mass_matrix(q_free) @ G))


def test_forward_dynamics_is_that_of_the_constrained_system(case):
    """FO00 (20): the loose robot with the coupling as a constraint and its Lagrange multipliers."""
    tied, loose, G, q, qd, qdd, q_free = case
    tau = tied.inverse_dynamics(q, qd, qdd)
    n, m = G.shape
    null = np.linalg.svd(G.T)[2][m:]  # K with K G = 0
    for k in range(4):
        H, C = loose.mass_matrix(q_free[k]), loose.bias_forces(q_free[k], G @ qd[k])
        tau_free = np.linalg.lstsq(G.T, tau[k], rcond=None)[0]
        A = np.block([[H, null.T], [null, np.zeros((n - m, n - m))]])
        a = np.linalg.solve(A, np.concatenate([tau_free - C, np.zeros(n - m)]))[:n]
        for method in ("aba", "crba", "naive"):
            close(G @ tied.forward_dynamics(q[k], qd[k], tau[k], method=method), a)


def test_energy_momentum_and_passive_forces(case):
    tied, loose, G, q, qd, _, q_free = case
    close(tied.kinetic_energy(q, qd), loose.kinetic_energy(q_free, qd @ G.T))
    close(tied.potential_energy(q), loose.potential_energy(q_free))
    close(tied.spring_energy(q), loose.spring_energy(q_free))
    close(tied.momentum_matrix(q), loose.momentum_matrix(q_free) @ G)
    close(tied.passive_forces(q, qd), loose.passive_forces(q_free, qd @ G.T) @ G)


def build(**mimics):
    b = Builder("fingers")
    for name in "abc":
        b.body(name, joint=Revolute(), joint_name=name + "_joint", mass=1, mimic=mimics.get(name))
    return b


@pytest.mark.parametrize(
    ("mimics", "message"),
    [
        ({"a": Mimic("b_joint"), "b": Mimic("a_joint")}, "loop: a_joint -> b_joint -> a_joint"),
        ({"a": Mimic("a_joint")}, "loop"),
        ({"a": Mimic("nowhere")}, "'a_joint' mimics 'nowhere', which is not a moving joint"),
        ({"a": Mimic("b_joint", 1e200), "b": Mimic("c_joint", 1e200)}, "must be finite"),
    ],
)
def test_impossible_couplings_are_refused(mimics, message):
    with pytest.raises(ModelError, match=message):
        build(**mimics).build()


def test_only_joints_with_as_many_coordinates_couple():
    with pytest.raises(ModelError, match="a spherical joint cannot mimic another: its position is no vector"):
        Builder().body("ball", joint=Spherical(), mimic=Mimic("x"))
    with pytest.raises(ModelError, match="with several coordinates mimics another with ratio 1 and offset 0 only"):
        Builder().body("table", joint=Planar(), mimic=Mimic("x", 2.0))
    b = Builder().body("plate", joint=Planar(), joint_name="plate_joint", mass=1)
    with pytest.raises(ModelError, match="not an independent joint with 2 coordinates"):
        b.body("hook", parent="plate", joint=Universal(), mimic=Mimic("plate_joint"), mass=1).build()
    b = Builder()
    b.body("ball", joint=Spherical(), joint_name="ball_joint", mass=1)
    b.body("finger", parent="ball", joint=Revolute(), mimic=Mimic("ball_joint"), mass=1)
    with pytest.raises(ModelError, match="not an independent joint with one coordinate"):
        _ = b.build().coordinates


def test_a_follower_of_a_follower_has_the_product_of_the_ratios():
    """b = 2 a + 0.1 and c = -0.5 b + 0.3 make c = -a + 0.25, whichever joint is given first."""
    b = Builder()
    for name, mimic in (("a", None), ("b", Mimic("a", 2.0, 0.1)), ("c", Mimic("b", -0.5, 0.3))):
        b.body(f"link {name}", joint=Revolute((0, 0, 1)), joint_name=name, mass=1.0, mimic=mimic)
    tied = b.build()
    assert (tied.nq, tied.nv) == (1, 1)
    for name, angle, rate in (("a", 0.7, 3.0), ("b", 1.5, 6.0), ("c", -0.45, -3.0)):
        pose = tied.pose([0.7], f"link {name}")
        np.testing.assert_allclose(pose[:2, 0], [np.cos(angle), np.sin(angle)], rtol=1e-14)
        np.testing.assert_allclose(tied.velocity([0.7], [3.0], f"link {name}")[2], rate, rtol=1e-14)


def test_joints_with_several_coordinates_share_them():
    """Two tables that slide and turn alike: limits are the narrower ones, forces are added, both lock together."""
    b = Builder()
    inertia = {"mass": 1.0, "com": (0.1, 0.2, 0.0), "inertia": (0.1, 0.1, 0.1)}
    b.body("first", joint=Planar(), joint_name="table", lower=(-1, -2, -3), upper=(1, 2, 3), velocity=5.0, **inertia)
    b.body("second", joint=Planar("y"), mimic=Mimic("table"), lower=-1.5, upper=1.5, velocity=(9, 4, 9), **inertia)
    robot = b.build()
    assert (robot.nq, robot.nv) == (3, 3)
    np.testing.assert_array_equal(robot.lower, [-1.0, -1.5, -1.5])
    np.testing.assert_array_equal(robot.velocity_limit, [5.0, 4.0, 5.0])
    alone = [Builder().body("one", joint=Planar(axis), **inertia).build() for axis in ("z", "y")]
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 3))
    tau = robot.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(tau, sum(each.inverse_dynamics(q, qd, qdd) for each in alone), atol=1e-14)
    np.testing.assert_allclose(robot.forward_dynamics(q, qd, tau), qdd, atol=1e-13)
    locked = robot.lock({"table": q})
    assert locked.nv == 0
    np.testing.assert_allclose(locked.pose([], "second"), robot.pose(q, "second"), atol=1e-15)
