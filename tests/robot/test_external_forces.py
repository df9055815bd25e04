"""External forces in the coordinates that users have them in: those of the frame, of the world, or aligned with it."""

import numpy as np
import pytest

from sixd import Builder, ChoiceError, ModelError, NameNotFoundError, ShapeError, gallery
from sixd.joints import Prismatic, Revolute, Spherical

EXPRESSIONS = ("body", "world", "aligned")


@pytest.fixture(scope="module")
def arm():
    """With two frames on the last link, both away from its origin and turned."""
    arm = gallery.seven_axis_arm()
    return arm.with_frame("grip", on="link7", xyz=(0.1, -0.2, 0.3), rpy=(0.4, 0.5, 0.6))


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(0)


def same_force(robot, q, frame, f):
    """A force (6,) in frame coordinates, and the same one in the other expressions, by F10a (12)."""
    pose = robot.pose(q, frame)
    R, p = pose[..., :3, :3], pose[..., :3, 3]
    n, force = (np.einsum("...ij,...j->...i", R, x) for x in (f[..., :3], f[..., 3:]))
    aligned = np.concatenate([n, force], axis=-1)
    return {
        "body": f,
        "aligned": aligned,
        "world": np.concatenate([n + np.cross(p, force), force], axis=-1),
    }


def test_one_force_in_three_expressions(arm, rng):
    """The same force gives the same joint forces, accelerations and loads of bearings, and the same power f . v."""
    q, qd, qdd = arm.random(rng), *rng.normal(size=(2, 7))
    forces = same_force(arm, q, "grip", rng.normal(size=6))
    powers, found = [], {}
    for name, f in forces.items():
        powers.append(f @ arm.velocity(q, qd, "grip", name))
        f_ext = {"grip": f}
        found[name] = [
            arm.inverse_dynamics(q, qd, qdd, f_ext, expressed_in=name),
            arm.inverse_dynamics(q, qd, qdd, f_ext, passive=True, expressed_in=name),
            arm.forward_dynamics(q, qd, qdd, f_ext, expressed_in=name),
            arm.bias_forces(q, qd, f_ext, expressed_in=name),
            arm.joint_forces(q, qd, qdd, f_ext, expressed_in=name),
            arm.frame_forces(q, "grip", f, name),
        ]
    np.testing.assert_allclose(powers, powers[0], rtol=1e-13)
    for name in EXPRESSIONS[1:]:
        for a, b in zip(found["body"], found[name], strict=True):
            np.testing.assert_allclose(b, a, rtol=0, atol=1e-12 * np.abs(a).max())
    without = arm.inverse_dynamics(q, qd, qdd)
    assert np.abs(found["body"][0] - without).max() > 0.1


def test_a_weight_hangs_down():
    """A slide along the vertical and a hinge: a weight of 20 N at the tip, given in the world's axes."""
    b = Builder().body("slide", joint=Prismatic((0, 0, 1)), mass=1.0)
    b.body("link", parent="slide", joint=Revolute((0, 1, 0)), mass=0.0).frame("tip", on="link", xyz=(0.5, 0.0, 0.0))
    robot = b.build(gravity=(0, 0, 0))
    q, still = [0.3, np.pi / 3], [0.0, 0.0]
    weight = [0, 0, 0, 0, 0, -20.0]
    held = robot.inverse_dynamics(q, still, still, {"tip": weight}, expressed_in="aligned")
    np.testing.assert_allclose(held, [20.0, -20.0 * 0.5 * np.cos(np.pi / 3)], rtol=1e-14)
    # On a line through the world's origin it has no moment about the hinge, which is above the origin.
    through_origin = robot.inverse_dynamics(q, still, still, {"tip": weight}, expressed_in="world")
    np.testing.assert_allclose(through_origin, [20.0, 0.0], atol=1e-14)


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_batch_axes_of_forces_and_states_broadcast(arm, rng, expressed_in):
    q, qd, qdd = arm.random(rng, (4, 1)), *rng.normal(size=(2, 3, 7))
    f_ext = {"grip": rng.normal(size=(2, 1, 1, 6)), "tool": rng.normal(size=6), "link3": rng.normal(size=(3, 6))}
    tau = arm.inverse_dynamics(q, qd, qdd, f_ext, expressed_in=expressed_in)
    assert tau.shape == (2, 4, 3, 7)
    for i, j, k in np.ndindex(2, 4, 3):
        one = {"grip": f_ext["grip"][i, 0, 0], "tool": f_ext["tool"], "link3": f_ext["link3"][k]}
        wanted = arm.inverse_dynamics(q[j, 0], qd[k], qdd[k], one, expressed_in=expressed_in)
        np.testing.assert_allclose(tau[i, j, k], wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
    q0 = q[0, 0]
    many = arm.inverse_dynamics(q0, qd[0], qdd[0], {"grip": f_ext["grip"]}, expressed_in=expressed_in)
    assert many.shape == (2, 1, 1, 7)


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_frames_on_the_base_and_no_forces(arm, rng, expressed_in):
    q, qd, qdd = arm.random(rng), *rng.normal(size=(2, 7))
    wanted = arm.inverse_dynamics(q, qd, qdd)
    for f_ext in ({"base": rng.normal(size=6)}, {}, None):
        found = arm.inverse_dynamics(q, qd, qdd, f_ext, expressed_in=expressed_in)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_single_precision(arm, rng, expressed_in):
    q, qd, qdd = arm.random(rng, (5,)), *rng.normal(size=(2, 5, 7))
    f = rng.normal(size=(5, 6))
    exact = arm.inverse_dynamics(q, qd, qdd, {"grip": f}, expressed_in=expressed_in)
    q, qd, qdd, f = (x.astype(np.float32) for x in (q, qd, qdd, f))
    found = arm.inverse_dynamics(q, qd, qdd, {"grip": f}, expressed_in=expressed_in)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=0, atol=8 * np.finfo(np.float32).eps * np.abs(exact).max())
    assert arm.inverse_dynamics(q, qd, qdd, {"grip": f.astype(float)}, expressed_in=expressed_in).dtype == np.float64


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_a_bad_sample_stays_alone(arm, rng, expressed_in):
    q, qd, qdd = arm.random(rng, (3,)), *rng.normal(size=(2, 3, 7))
    f = {"grip": rng.normal(size=(3, 6))}
    clean = arm.inverse_dynamics(q, qd, qdd, f, expressed_in=expressed_in)
    q[1] = np.nan
    found = arm.inverse_dynamics(q, qd, qdd, f, expressed_in=expressed_in)
    np.testing.assert_array_equal(found[[0, 2]], clean[[0, 2]])
    assert np.isnan(found[1]).all()


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "bias_forces", "joint_forces"])
@pytest.mark.parametrize(
    ("error", "message", "f_ext", "expressed_in"),
    [
        (ChoiceError, "expressed_in must be one of 'body', 'world', 'aligned', not 'base'", {"tool": [0] * 6}, "base"),
        (ChoiceError, "not None", {"tool": [0] * 6}, None),
        (ShapeError, r"f_ext\['tool'\] has shape \(3,\), but \(\.\.\., 6\)", {"tool": [0, 0, 9]}, "world"),
        (ShapeError, "f_ext must map frame names", [0.0] * 6, "aligned"),
        (ShapeError, r"do not broadcast: q \(2,\), f_ext\['tool'\] \(3,\)", {"tool": np.zeros((3, 6))}, "world"),
        (NameNotFoundError, "did you mean 'tool'", {"tol": [0] * 6}, "world"),
    ],
)
def test_what_is_wrong_is_named(arm, name, error, message, f_ext, expressed_in):
    count = 2 if name == "bias_forces" else 3
    with pytest.raises(error, match=message):
        getattr(arm, name)(*np.zeros((count, 2, 7)), f_ext=f_ext, expressed_in=expressed_in)


def test_the_choice_is_no_word_about_the_result(arm):
    """Loads of joints stay in the coordinates of their successors; who asks for others is told."""
    z = np.zeros(7)
    with pytest.raises(ChoiceError, match="the result is in the coordinates of each joint's successor"):
        arm.joint_forces(z, z, z, expressed_in="world")
    with pytest.raises(ChoiceError, match="not 'base'"):
        arm.inverse_dynamics(z, z, z, expressed_in="base")


def test_no_position_is_told_of(rng):
    ball = Builder().body("ball", joint=Spherical(), mass=1.0, inertia=(1, 1, 1)).build()
    with pytest.raises(ModelError, match="its quaternion is zero"):
        ball.bias_forces(np.zeros(4), np.ones(3), {"ball": np.ones(6)}, expressed_in="world")
