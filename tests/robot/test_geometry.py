"""Methods of robots about the geometry of the mass matrix: batches, large robots, numbers that are not finite."""

from functools import partial

import numpy as np
import pytest

import sixd
from sixd import Robot, algorithms, gallery
from sixd.ir import TooLargeError
from sixd.joints import JOINTS, Joint
from sixd.model.random import random_tree
from sixd.ops import sin
from sixd.robot import geometry
from sixd.spatial import Motion, Motions, Transform, Vector

METHODS = ("christoffel", "mass_matrix_derivative", "curvature", "scalar_curvature", "sectional_curvature")


def arguments(robot, name, n=(), seed=0):
    """A state, and a plane for the method that takes one."""
    rng = np.random.default_rng(seed)
    q = robot.random(rng, n)
    return [q, *rng.normal(size=(2, *n, robot.nv))] if name == "sectional_curvature" else [q]


def tree(n=4, seed=3):
    return Robot.of(random_tree(n, seed, joints=["revolute", "universal", "spherical", "prismatic"], rotors=True))


@pytest.fixture
def large(monkeypatch):
    """Every robot is too large for unrolled code of these methods."""
    monkeypatch.setattr(geometry, "DIRECT", 0)


@pytest.mark.parametrize("kinds", [("revolute",), ("free", "revolute"), ("spherical", "planar", "universal")])
@pytest.mark.parametrize("name", METHODS)
def test_large_robots_go_another_way_to_the_same_numbers(name, kinds, large):
    model = random_tree(3, 8, joints=kinds, rotors=True)
    robot = Robot.of(model)
    given = arguments(robot, name, (2, 3))
    found = getattr(robot, name)(*given)
    assert (getattr(algorithms, name), "direct") not in robot._code
    wanted = sixd.compile(getattr(algorithms, name), robot, rolled=False)(*given)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-11 * np.abs(wanted).max())


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("name", METHODS)
def test_batches_out_and_numbers_that_are_not_finite(name, direct, monkeypatch):
    if not direct:
        monkeypatch.setattr(geometry, "DIRECT", 0)
    robot = tree()
    method = getattr(robot, name)
    given = arguments(robot, name, (2, 2))
    found = method(*given)
    assert found.shape[:2] == (2, 2)
    one = method(*(x[1, 0] for x in given))
    np.testing.assert_allclose(one, found[1, 0], rtol=0, atol=1e-13 * np.abs(one).max())
    out = np.empty_like(found)
    assert method(*given, out=out) is out
    np.testing.assert_array_equal(out, found)
    given[0][0, 1, 0] = np.nan
    lost = method(*given)
    assert np.isnan(lost[0, 1]).all()
    np.testing.assert_array_equal(lost[[0, 1, 1], [0, 0, 1]], found[[0, 1, 1], [0, 0, 1]])


@pytest.mark.parametrize("name", ["christoffel", "mass_matrix_derivative"])
def test_tensors_that_are_mostly_zero(name):
    """One state, whose zeros are written at once, against a batch, bit by bit, and against the algorithm."""
    robot = gallery.quadruped()
    q = robot.random(0, 5)
    together, out = getattr(robot, name)(q), np.full((robot.nv,) * 3, 7.0)
    assert (together == 0.0).mean() > 0.5
    for k in range(5):
        np.testing.assert_array_equal(getattr(robot, name)(q[k], out=out), together[k])
    wanted = getattr(algorithms, name)(robot, q[0])
    np.testing.assert_allclose(together[0], wanted, rtol=0, atol=1e-13 * np.abs(wanted).max())


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("name", METHODS)
def test_arrays_of_dask(name, direct, monkeypatch):
    import dask.array as da

    if not direct:
        monkeypatch.setattr(geometry, "DIRECT", 0)
    robot = tree(3)
    given = arguments(robot, name, (4,))
    later = getattr(robot, name)(*(da.from_array(x, chunks=(2, -1)) for x in given))
    assert isinstance(later, da.Array)
    now = getattr(robot, name)(*given)
    np.testing.assert_allclose(later.compute(), now, rtol=0, atol=1e-13 * np.abs(now).max())


@pytest.mark.parametrize("name", METHODS)
def test_single_precision(name):
    robot = gallery.double_pendulum()
    given = arguments(robot, name, (5,))
    exact, found = getattr(robot, name)(*given), getattr(robot, name)(*(x.astype(np.float32) for x in given))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=0, atol=2e-5 * np.abs(exact).max())


def test_without_machine_code():
    sixd.set_kernels("python")
    try:
        robot = tree(3)
        for name in METHODS:
            given = arguments(robot, name, (2,))
            wanted = sixd.compile(getattr(algorithms, name), robot, rolled=False)(*given)
            found = getattr(robot, name)(*given)
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
    finally:
        sixd.set_kernels("auto")


def test_a_robot_that_does_not_move():
    robot = sixd.Builder("rock").link("rock", mass=1.0).build()
    assert robot.christoffel([]).shape == (0, 0, 0)
    assert robot.curvature(np.zeros((2, 0))).shape == (2, 0, 0, 0, 0)


def test_curvature_has_a_limit_and_planes_have_none(monkeypatch):
    chain = gallery.chain(120)
    q = chain.random(0)
    with pytest.raises(TooLargeError, match=r"120 degrees of freedom.*sectional_curvature"):
        chain.curvature(q)
    u, v = np.random.default_rng(1).normal(size=(2, chain.nv))
    K, turned = chain.sectional_curvature(q, u, v), chain.sectional_curvature(q, u - v, u + 2.0 * v)
    assert np.isfinite(K)
    np.testing.assert_allclose(turned, K, rtol=1e-6)
    Gamma = chain.christoffel(q)
    np.testing.assert_allclose(np.einsum("ijk,i->kj", Gamma, u), chain.coriolis_matrix(q, u), rtol=0, atol=1e-9)


@pytest.fixture
def turntable():
    """A type of joint whose velocity is no rate of its coordinates, by a factor that varies."""

    class Turntable(Joint):
        """q: angle and height. Velocity: that of the angle, and that of the height divided by 2 + sin(angle)."""

        __slots__ = ()
        name, nq, nv, extent = "turntable of a test", 2, 2, (3.0, 1.0)
        constant_subspace = False

        def transform(self, q):
            return Transform.rotation((0.0, 0.0, 1.0), q[0]) @ Transform.translation((0.0, 0.0, q[1]))

        def subspace(self, q):
            zero = Vector.zero()
            return Motions([Motion((0.0, 0.0, 1.0), zero), Motion(zero, (0.0, 0.0, 2.0 + sin(q[0])))])

        def integrate(self, q, dv):  # right for small steps
            return Vector([q[0] + dv[0], q[1] + dv[1] * (2.0 + sin(q[0]))])

    yield Turntable
    del JOINTS[Turntable.name]


def test_velocities_whose_brackets_vary(turntable, large):
    """Curvature is a tensor: that of the same robot in coordinates, times the factor for each index."""
    own, plain = (
        sixd.Builder("b")
        .body("a", joint=joint, mass=1.0, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
        .body("c", "a", sixd.joints.Revolute((1, 2, 3)), mass=0.5, com=(0.3, 0.0, 0.2), inertia=(0.1, 0.1, 0.1))
        .build()
        for joint in (turntable(), sixd.joints.Cylindrical("z"))
    )
    q, J = np.array([0.4, 0.3, -0.7]), np.diag([1.0, 2.0 + np.sin(0.4), 1.0])
    np.testing.assert_allclose(own.mass_matrix(q), J @ plain.mass_matrix(q) @ J)
    R = np.einsum("abcd,ai,bj,ck,dl->ijkl", plain.curvature(q), J, J, J, J)
    assert np.abs(R).max() > 0.001
    np.testing.assert_allclose(own.curvature(q), R, rtol=0, atol=1e-12 * np.abs(R).max())
    u, v = np.random.default_rng(0).normal(size=(2, 3))
    K = plain.sectional_curvature(q, J @ u, J @ v)
    np.testing.assert_allclose(own.sectional_curvature(q, u, v), K, rtol=1e-11)


def random_arm(seed):
    return Robot.of(random_tree(8, seed, joints=["revolute", "prismatic", "helical"], rotors=True))


ARMS = [gallery.seven_axis_arm, *(partial(random_arm, seed) for seed in range(5))]


@pytest.mark.parametrize("make", ARMS)
def test_the_coriolis_matrix_of_pinocchio(make):
    """That of joints with one freedom, where it is made of Christoffel symbols too."""
    import pinocchio as pin

    from tests.golden.pinocchio_model import build, q_of, v_of

    robot, rng = make(), np.random.default_rng(1)
    peer, _ = build(robot)
    q, qd = robot.random(rng), rng.normal(size=robot.nv)
    wanted = pin.computeCoriolisMatrix(peer, peer.createData(), q_of(robot, q), v_of(robot, qd))
    order = v_of(robot, np.arange(robot.nv))
    found = robot.coriolis_matrix(q, qd)[np.ix_(order, order)]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
