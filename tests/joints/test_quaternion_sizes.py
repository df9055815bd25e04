"""Any nonzero quaternion counts: attitudes do not depend on the norm, from the smallest number to the largest."""

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery
from sixd.algorithms import difference, integrate
from sixd.joints import Revolute, Spherical
from sixd.layouts import bullet_layout, drake_layout
from sixd.lie import quaternion_log
from sixd.spatial import Transform, Vector

UNIT = np.array([0.1, -0.7, 0.4, 0.58])
#: Powers of two, so that every scaled component is exact; the smallest of double precision keep six digits.
SIZES = {np.float64: (-1052, -900, -637, -520, -300, -100, -30, 30, 100, 300, 520, 700, 900, 1023)}
SIZES[np.float32] = (-130, -120, -75, -60, -30, 30, 60, 75, 100, 126)


def scaled(q, power, dtype=np.float64):
    """2^power q, made without a factor that is out of range."""
    q = np.asarray(q, dtype)
    with np.errstate(under="ignore"):
        return np.ldexp(q, power).astype(dtype)


CASES = [(dtype, power) for dtype, powers in SIZES.items() for power in powers]


@pytest.mark.parametrize(("dtype", "power"), CASES)
def test_the_attitude_is_that_of_the_unit_quaternion(dtype, power):
    """On floats, on arrays and in both precisions, without a complaint of NumPy's."""
    q = scaled(UNIT, power, dtype)
    exact = scaled(q, -power, dtype)  # the digits that are left of it
    wanted = Transform.from_quaternion(exact.astype(float)).E.array()
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(Transform.from_quaternion(q).E.array(), wanted, atol=8 * eps)
    batch = Transform.from_quaternion(np.stack([q, q])).E.array()
    assert batch.dtype == dtype
    np.testing.assert_allclose(batch[1], wanted, atol=8 * eps)
    angles = quaternion_log(np.stack([q, q])).array()[0]
    np.testing.assert_allclose(angles, quaternion_log(exact.astype(float)).array(), atol=16 * eps)


@pytest.mark.parametrize("how", ["python", "unrolled", "rolled"])
@pytest.mark.parametrize(("dtype", "power"), CASES)
def test_dynamics_in_all_ways_of_running(dtype, power, how):
    robot = _ROBOT
    rng = np.random.default_rng(0)
    q = robot.random(rng, 3).astype(dtype)
    exact, q = q.copy(), q.copy()
    q[:, :4] = scaled(q[:, :4], power, dtype)
    exact[:, :4] = scaled(q[:, :4], -power, dtype)
    qd, qdd = rng.normal(size=(2, 3, robot.nv)).astype(dtype)
    wanted = algorithms.rnea(robot, exact.astype(float), qd.astype(float), qdd.astype(float))
    found = _kernel(how)(q, qd, qdd)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=40 * np.finfo(dtype).eps * np.abs(wanted).max())


_ROBOT = gallery.quadruped()
_KERNELS = {}


def _kernel(how):
    if how == "python":
        return lambda *state: algorithms.rnea(_ROBOT, *state)
    if how not in _KERNELS:
        _KERNELS[how] = sixd.compile(algorithms.rnea, _ROBOT, rolled=how == "rolled")
    return _KERNELS[how]


@pytest.mark.parametrize("power", SIZES[np.float64])
def test_steps_and_differences(power):
    """`integrate` gives unit quaternions, `difference` their angles, whatever the norms."""
    robot = gallery.quadruped()
    rng = np.random.default_rng(1)
    q0, q1 = robot.random(rng, 2)
    dv = rng.normal(size=robot.nv)
    big0, big1 = q0.copy(), q1.copy()
    big0[:4], big1[:4] = scaled(q0[:4], power), scaled(q1[:4], -power if power > -1000 else 1023)
    q0[:4], q1[:4] = scaled(big0[:4], -power), scaled(big1[:4], power if power > -1000 else -1023)
    np.testing.assert_allclose(robot.integrate(big0, dv), robot.integrate(q0, dv), atol=1e-14)
    np.testing.assert_allclose(robot.difference(big0, big1), robot.difference(q0, q1), atol=1e-13)
    np.testing.assert_allclose(integrate(robot, big0, dv), integrate(robot, q0, dv), atol=1e-14)
    np.testing.assert_allclose(difference(robot, big0, big1), difference(robot, q0, q1), atol=1e-13)
    ball = Spherical()
    u, v = Vector(big0[:4].tolist()), Vector(big1[:4].tolist())
    wanted = ball.difference(Vector(q0[:4].tolist()), Vector(q1[:4].tolist()))
    np.testing.assert_allclose(ball.difference(u, v).array(), wanted.array(), atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(ball.integrate(u, Vector.zero()).array()), 1.0, rtol=1e-15)


@pytest.mark.parametrize("power", [-900, -520, -100, 0, 100, 520, 900])
def test_derivatives_by_the_coordinates(power):
    """dE/dq at c q is 1/c of that at q: the attitude does not depend on c."""
    builder = sixd.Builder("ball")
    builder.body("ball", joint=Spherical(), mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.1, 0.2, 0.3))
    robot = builder.build()
    kernel = sixd.compile(sixd.jacobian(algorithms.gravity_forces, "q"), robot)
    wanted = kernel(UNIT)
    np.testing.assert_allclose(wanted @ UNIT, 0.0, atol=1e-14)
    found = kernel(scaled(UNIT, power))
    np.testing.assert_allclose(scaled(found, power), wanted, rtol=0, atol=1e-14 * np.abs(wanted).max())


def test_a_quaternion_of_ordinary_size_keeps_its_bits():
    """E is that of the formula in F10b's notation, to the bit."""
    x, y, z, w = UNIT.tolist()
    s = 2.0 / (x * x + y * y + z * z + w * w)
    assert Transform.from_quaternion(UNIT).E[0, 1] == s * x * y + s * z * w


def test_zero_is_refused_and_nan_stays():
    """Beside a sample that is NaN too."""
    robot = gallery.quadruped()
    zero, nan, tiny = robot.neutral(), robot.neutral(), robot.neutral()
    zero[:4], nan[0], tiny[:4] = 0.0, np.nan, [0.0, 0.0, 0.0, 5e-324]
    with pytest.raises(sixd.ModelError, match=r"'base'.*quaternion is zero"):
        robot.gravity_forces(zero)
    with pytest.raises(sixd.ModelError, match="quaternion is zero"):
        robot.gravity_forces(np.stack([nan, zero]))
    both = robot.gravity_forces(np.stack([nan, tiny]))
    assert np.isnan(both[0]).any()
    np.testing.assert_allclose(both[1], robot.gravity_forces(robot.neutral()), rtol=1e-15)


@pytest.mark.parametrize("power", [-1000, -520, 520, 1020])
def test_layouts_of_other_libraries(power):
    """They get unit quaternions."""
    robot = gallery.quadruped()
    q = robot.random(0)
    large = q.copy()
    large[:4] = scaled(q[:4], power)
    names = [joint.name for joint in robot.joints]
    for layout in (bullet_layout(robot, names), drake_layout(robot, names)):
        np.testing.assert_allclose(layout.q_to(large), layout.q_to(q), atol=1e-15)


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e200, 1.7e308])
def test_axes(size):
    assert Revolute((size, 0.0, 0.0)) == Revolute("x")
    np.testing.assert_allclose(Revolute((size, -size, 0.0)).axis.array(), [0.5**0.5, -(0.5**0.5), 0.0], rtol=1e-15)
