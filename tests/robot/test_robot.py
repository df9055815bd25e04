"""The robot's methods as users call them: shapes, broadcasting, precision, forces by name, clear errors."""

import numpy as np
import pytest

import sixd
from sixd import Builder, ModelWarning, NameNotFoundError, ShapeError, SingularError, gallery
from sixd.joints import Prismatic, Revolute, SphericalEuler


@pytest.fixture(scope="module")
def arm():
    return gallery.seven_axis_arm()


@pytest.fixture(scope="module")
def dog():
    return gallery.quadruped()


def calls(robot, q, qd, frame):
    """Every method that takes a state, with the shape of one state's result."""
    n, N = robot.nv, robot.n_bodies
    return {
        "inverse_dynamics": (lambda: robot.inverse_dynamics(q, qd, qd), (n,)),
        "forward_dynamics": (lambda: robot.forward_dynamics(q, qd, qd), (n,)),
        "forward_dynamics crba": (lambda: robot.forward_dynamics(q, qd, qd, method="crba"), (n,)),
        "mass_matrix": (lambda: robot.mass_matrix(q), (n, n)),
        "inverse_mass_matrix": (lambda: robot.inverse_mass_matrix(q), (n, n)),
        "bias_forces": (lambda: robot.bias_forces(q, qd), (n,)),
        "gravity_forces": (lambda: robot.gravity_forces(q), (n,)),
        "passive_forces": (lambda: robot.passive_forces(q, qd), (n,)),
        "joint_forces": (lambda: robot.joint_forces(q, qd, qd), (N, 6)),
        "pose": (lambda: robot.pose(q, frame), (4, 4)),
        "poses": (lambda: robot.poses(q), (len(robot.frames), 4, 4)),
        "velocity": (lambda: robot.velocity(q, qd, frame), (6,)),
        "acceleration": (lambda: robot.acceleration(q, qd, qd, frame), (6,)),
        "bias_acceleration": (lambda: robot.bias_acceleration(q, qd, frame), (6,)),
        "jacobian": (lambda: robot.jacobian(q, frame), (6, n)),
        "jacobian_rate": (lambda: robot.jacobian_rate(q, qd, frame), (6, n)),
        "frame_forces": (lambda: robot.frame_forces(q, frame, np.ones(6, dtype=q.dtype)), (n,)),
        "kinetic_energy": (lambda: robot.kinetic_energy(q, qd), ()),
        "potential_energy": (lambda: robot.potential_energy(q), ()),
        "spring_energy": (lambda: robot.spring_energy(q), ()),
        "center_of_mass": (lambda: robot.center_of_mass(q), (3,)),
        "center_of_mass_jacobian": (lambda: robot.center_of_mass_jacobian(q), (3, n)),
        "momentum": (lambda: robot.momentum(q, qd), (6,)),
        "momentum com": (lambda: robot.momentum(q, qd, about="com"), (6,)),
        "momentum_matrix": (lambda: robot.momentum_matrix(q), (6, n)),
        "composite_inertia": (lambda: robot.composite_inertia(q), (6, 6)),
        "integrate": (lambda: robot.integrate(q, qd), (robot.nq,)),
        "difference": (lambda: robot.difference(q, q), (n,)),
    }


@pytest.mark.parametrize("lead", [(), (1,), (3,), (2, 3), (0,), (2, 0)], ids=str)
@pytest.mark.parametrize("name", list(calls(gallery.quadruped(), np.zeros(19), np.zeros(18), "trunk")))
def test_shapes(dog, name, lead):
    rng = np.random.default_rng(0)
    q, qd = dog.random(rng, lead), rng.normal(size=(*lead, dog.nv))
    call, core = calls(dog, q, qd, "FL_foot")[name]
    result = call()
    assert result.shape == lead + core
    assert result.dtype == np.float64
    assert np.isfinite(result).all()


@pytest.mark.parametrize("lead", [(), (4,)], ids=str)
@pytest.mark.parametrize("name", list(calls(gallery.quadruped(), np.zeros(19), np.zeros(18), "trunk")))
def test_float32_in_gives_float32_out(dog, name, lead):
    rng = np.random.default_rng(0)
    q, qd = dog.random(rng, lead), rng.normal(size=(*lead, dog.nv))
    exact = calls(dog, q, qd, "FL_foot")[name][0]()
    single = calls(dog, q.astype(np.float32), qd.astype(np.float32), "FL_foot")[name][0]()
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, exact, atol=3e-4 * max(1.0, np.abs(exact).max()))


def test_arguments_broadcast(arm):
    rng = np.random.default_rng(0)
    q, qd = arm.random(rng, (5, 1)), rng.normal(size=(3, 7))
    tau = arm.inverse_dynamics(q, qd, np.zeros(7))
    assert tau.shape == (5, 3, 7)
    np.testing.assert_allclose(tau[4, 2], arm.inverse_dynamics(q[4, 0], qd[2], np.zeros(7)), rtol=1e-12, atol=1e-12)


def test_lists_and_integers_are_fine(arm):
    tau = arm.inverse_dynamics([0] * 7, [1] * 7, [0.5] * 7)
    assert tau.shape == (7,)


def test_strided_and_read_only_input(arm):
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(6, 14))
    q = wide[::-2, ::2]
    frozen = q.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(arm.mass_matrix(q), arm.mass_matrix(frozen))


def test_a_batch_larger_than_a_chunk(arm):
    q = arm.random(0, 5000)
    H = arm.gravity_forces(q)
    np.testing.assert_allclose(H[[0, 2047, 2048, 4999]], arm.gravity_forces(q[[0, 2047, 2048, 4999]]))


def test_results_that_depend_on_nothing_fill_the_batch():
    slide = Builder().body("a", joint=Prismatic((0, 0, 1)), mass=2).build()
    assert slide.mass_matrix(np.zeros((4, 1))).shape == (4, 1, 1)
    np.testing.assert_array_equal(slide.gravity_forces(np.zeros((4, 1))), np.full((4, 1), 2 * 9.81))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.inverse_dynamics(np.zeros(6), np.zeros(7), np.zeros(7)), r"q has shape \(6,\), but \(\.\.\., 7\)"),
        (lambda r: r.inverse_dynamics(np.zeros(7), np.zeros((2, 5)), np.zeros(7)), r"qd has shape \(2, 5\)"),
        (lambda r: r.mass_matrix(0.0), r"q has shape \(\), but \(\.\.\., 7\)"),
        (lambda r: r.mass_matrix("home"), "q must be an array of real floats, not 'home'"),
        (lambda r: r.mass_matrix(["0"] * 7), "q must be an array of real floats"),
        (lambda r: r.mass_matrix([1j] * 7), "real floats, .*; for numbers of other kinds call sixd.algorithms"),
        (lambda r: r.mass_matrix(None), "q must be an array of real floats, not None"),
        (lambda r: r.mass_matrix([[0] * 7, [0] * 6]), "q must be an array of numbers"),
        (lambda r: r.bias_forces(np.zeros((2, 7)), np.zeros((3, 7))), r"do not broadcast: q \(2,\), qd \(3,\)"),
        (lambda r: r.frame_forces(np.zeros(7), "tool", np.zeros(3)), r"force has shape \(3,\), but \(\.\.\., 6\)"),
        (
            lambda r: r.inverse_dynamics(*np.zeros((3, 7)), f_ext={"tool": [0, 0, 9]}),
            r"f_ext\['tool'\] has shape \(3,\), but \(\.\.\., 6\) is needed: moment, then force",
        ),
        (lambda r: r.inverse_dynamics(*np.zeros((3, 7)), f_ext=np.ones(6)), "f_ext must map frame names"),
    ],
)
def test_wrong_shapes_name_the_argument(arm, call, message):
    with pytest.raises(ShapeError, match=message):
        call(arm)


def test_wrong_choices_list_the_right_ones(arm):
    z = np.zeros(7)
    with pytest.raises(ValueError, match="'aba', 'crba', 'naive', not 'lagrange'"):
        arm.forward_dynamics(z, z, z, method="lagrange")
    with pytest.raises(ValueError, match="'crba', 'naive', 'energy', not 'x'"):
        arm.mass_matrix(z, method="x")
    with pytest.raises(ValueError, match="'body', 'world', 'aligned', not 'local'"):
        arm.jacobian(z, "tool", "local")
    with pytest.raises(ValueError, match="'origin', 'com', not 'base'"):
        arm.momentum(z, z, about="base")
    with pytest.raises(NameNotFoundError, match="did you mean 'tool'"):
        arm.pose(z, "tol")
    with pytest.raises(NameNotFoundError):
        arm.inverse_dynamics(z, z, z, f_ext={"tol": np.zeros(6)})


def test_external_forces_at_any_frame(arm):
    """A force at the tool is the same as its equivalent at the link that carries it; on the base it does nothing."""
    rng = np.random.default_rng(0)
    q, qd, qdd, f = arm.random(rng), *rng.normal(size=(2, 7)), rng.normal(size=6)
    at_tool = arm.inverse_dynamics(q, qd, qdd, f_ext={"tool": f})
    at_link = np.concatenate([f[:3] + np.cross([0, 0, 0.1], f[3:]), f[3:]])
    np.testing.assert_allclose(arm.inverse_dynamics(q, qd, qdd, f_ext={"link7": at_link}), at_tool, rtol=1e-12)
    none = arm.inverse_dynamics(q, qd, qdd)
    # Kernels with and without f_ext may be of different kinds.
    np.testing.assert_allclose(arm.inverse_dynamics(q, qd, qdd, f_ext={"base": f}), none, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(arm.inverse_dynamics(q, qd, qdd, f_ext={}), none, rtol=1e-12, atol=1e-12)
    both = arm.inverse_dynamics(q, qd, qdd, f_ext={"tool": f, "link3": f})
    third = arm.inverse_dynamics(q, qd, qdd, f_ext={"link3": f})
    np.testing.assert_allclose(both - none, (at_tool - none) + (third - none), rtol=1e-9, atol=1e-12)


def test_external_forces_in_batches(arm):
    f = np.random.default_rng(0).normal(size=(4, 6))
    tau = arm.inverse_dynamics(*np.zeros((3, 7)), f_ext={"tool": f})
    assert tau.shape == (4, 7)
    np.testing.assert_allclose(tau[2], arm.inverse_dynamics(*np.zeros((3, 7)), f_ext={"tool": f[2]}), atol=1e-14)


def test_passive_forces():
    b = Builder().body("a", joint=Revolute(), mass=1, damping=0.5, friction=0.2, stiffness=3.0, rest=0.1)
    robot = b.build(gravity=(0, 0, 0))
    np.testing.assert_allclose(robot.passive_forces([0.4], [2.0]), [-0.5 * 2 - 0.2 - 3.0 * 0.3])
    np.testing.assert_allclose(robot.passive_forces([0.1], [-2.0]), [0.5 * 2 + 0.2])
    np.testing.assert_allclose(robot.passive_forces([0.1], [0.0]), [0.0])
    assert robot.spring_energy([0.4]) == pytest.approx(0.5 * 3 * 0.09)


def test_passive_forces_enter_on_request():
    b = Builder().body("a", joint=Revolute(), mass=1, inertia=(1, 1, 1), damping=0.5, stiffness=3.0)
    robot = b.build(gravity=(0, 0, 0))
    q, qd, qdd = [0.4], [2.0], [0.7]
    motor = robot.inverse_dynamics(q, qd, qdd, passive=True)
    np.testing.assert_allclose(motor, robot.inverse_dynamics(q, qd, qdd) + 0.5 * 2.0 + 3.0 * 0.4)
    np.testing.assert_allclose(robot.forward_dynamics(q, qd, motor, passive=True), qdd)


def test_rotor_inertia_enters_everything():
    def spindle(rotor):
        return Builder().body("a", joint=Revolute(), mass=1, inertia=(1, 1, 2), rotor_inertia=rotor).build()

    bare, geared = spindle(0.0), spindle(0.5)
    assert geared.mass_matrix([0.0])[0, 0] == bare.mass_matrix([0.0])[0, 0] + 0.5
    assert geared.kinetic_energy([0.0], [2.0]) == bare.kinetic_energy([0.0], [2.0]) + 0.5 * 0.5 * 4
    np.testing.assert_allclose(geared.inverse_dynamics([0], [0], [1.0]), [2.5])
    np.testing.assert_allclose(geared.forward_dynamics([0], [0], [2.5]), [1.0])
    np.testing.assert_allclose(geared.inverse_mass_matrix([0]), [[1 / 2.5]])


def test_a_joint_that_moves_nothing_is_refused_by_name():
    b = Builder("broken").body("a", joint=Revolute(), mass=1, inertia=(1, 1, 1))
    robot = b.body("tip", parent="a", joint=Revolute((1, 0, 0)), joint_name="wrist").build()
    z = np.zeros(2)
    np.testing.assert_allclose(robot.inverse_dynamics(z, z, [1, 1]), [1, 0])
    culprit = r"^robot 'broken': its mass matrix is singular, because a motion of joint 'wrist' moves no inertia.*lock"
    for method in ("aba", "crba", "naive"):
        with pytest.raises(SingularError, match=culprit):
            robot.forward_dynamics(z, z, z, method=method)
    with pytest.raises(SingularError, match="wrist"):
        robot.inverse_mass_matrix(z)


def test_a_rotor_makes_a_massless_tip_regular():
    b = Builder().body("a", joint=Revolute(), mass=1, inertia=(1, 1, 1))
    robot = b.body("tip", parent="a", joint=Revolute((1, 0, 0)), rotor_inertia=0.2).build()
    np.testing.assert_allclose(robot.forward_dynamics(np.zeros(2), np.zeros(2), [1, 1]), [1, 5])


def test_singular_states_are_flagged_one_by_one():
    """Three revolute joints with massless bodies: singular only where the first and last axis coincide."""
    b = Builder("gimbal")
    for k, axis in enumerate(((0, 0, 1), (0, 1, 0), (1, 0, 0))):
        mass = {"mass": 1, "com": (0.1, 0.2, 0.3), "inertia": (0.1, 0.1, 0.1)} if k == 2 else {}
        b.body(f"b{k}", parent=f"b{k - 1}" if k else "base", joint=Revolute(axis), **mass)
    robot = b.build()
    q = np.array([[0.1, 0.2, 0.3], [0.1, np.pi / 2, 0.3], [0.4, -0.2, 0.1]])
    with pytest.warns(ModelWarning, match="in 1 of 3 states") as told:
        qdd = robot.forward_dynamics(q, 0 * q, 0 * q)
    assert [warning.filename for warning in told] == [__file__]
    np.testing.assert_array_equal(np.isnan(qdd).all(axis=1), [False, True, False])
    np.testing.assert_allclose(qdd[0], robot.forward_dynamics(q[0], 0 * q[0], 0 * q[0]))


def test_integrate_and_difference(dog):
    rng = np.random.default_rng(0)
    q, dv = dog.random(rng, 4), 0.5 * rng.normal(size=(4, dog.nv))
    np.testing.assert_allclose(dog.difference(q, dog.integrate(q, dv)), dv, atol=1e-14)
    assert np.linalg.norm(dog.integrate(q, dv)[:, :4], axis=-1) == pytest.approx(1.0)


def test_random_positions_are_reproducible_and_within_limits(arm):
    q = arm.random(3, 1000)
    np.testing.assert_array_equal(q, arm.random(np.random.default_rng(3), (1000,)))
    assert (q >= arm.lower).all()
    assert (q <= arm.upper).all()
    assert arm.random().shape == (7,)


def test_limits_by_coordinate(arm):
    assert arm.upper[3] == 2.0
    assert arm.effort_limit[0] == 320.0
    assert arm.velocity_limit.shape == (7,)
    dog = gallery.quadruped()
    assert np.isinf(dog.lower[:7]).all()
    assert dog.lower[dog.joint("FL_knee").q] == -2.7


def test_impossible_limits_are_named():
    robot = Builder().body("a", joint=Revolute(), joint_name="elbow", mass=1, lower=2, upper=1).build()
    with pytest.raises(sixd.ModelError, match="joint 'elbow' has no positions"):
        robot.random()


def test_conventional_acceleration_of_a_turning_point():
    """A point at radius r of a steadily spinning body accelerates inwards by w^2 r; its spatial one is zero."""
    wheel = Builder().body("wheel", joint=Revolute(), mass=1).frame("rim", on="wheel", xyz=(0.5, 0, 0)).build()
    q, qd, qdd = [0.3], [4.0], [0.0]
    inward = wheel.acceleration(q, qd, qdd, "rim", conventional=True)
    np.testing.assert_allclose(inward, [0, 0, 0, -16 * 0.5, 0, 0], atol=1e-14)
    np.testing.assert_allclose(wheel.acceleration(q, qd, qdd, "rim"), np.zeros(6), atol=1e-14)
    aligned = wheel.acceleration(q, qd, qdd, "rim", "aligned", conventional=True)
    np.testing.assert_allclose(aligned[3:], -8.0 * np.array([np.cos(0.3), np.sin(0.3), 0]), atol=1e-14)


@pytest.mark.parametrize("lead", [(), (3,), (0,)], ids=str)
def test_a_robot_that_cannot_move(lead):
    statue = gallery.seven_axis_arm().lock({f"joint{k}": 0.1 for k in range(1, 8)})
    nothing = np.zeros((*lead, 0))
    for name, (call, core) in calls(statue, nothing, nothing, "tool").items():
        if "center_of_mass" in name or name == "momentum com" or name == "momentum_matrix":
            continue  # nothing moves, so there is no centre of mass
        assert call().shape == lead + core, name


def test_the_base_has_frames_too(dog):
    q, qd = dog.random(0), np.ones(dog.nv)
    np.testing.assert_array_equal(dog.pose(q, "world"), np.eye(4))
    np.testing.assert_array_equal(dog.velocity(q, qd, "world", "aligned"), np.zeros(6))
    np.testing.assert_array_equal(dog.jacobian(q, "world"), np.zeros((6, dog.nv)))


def test_joints_whose_axes_fall_together_are_singular():
    ball = Builder("ball").body("a", joint=SphericalEuler(), mass=1, com=(0.1, 0.2, 0.3), inertia=(1, 1, 1)).build()
    with pytest.raises(SingularError, match=r"^robot 'ball': its mass matrix is singular, because .* joint 'a_joint'"):
        ball.forward_dynamics([0.1, np.pi / 2, 0.3], np.zeros(3), np.ones(3))
    assert np.isfinite(ball.forward_dynamics([0.1, 0.2, 0.3], np.zeros(3), np.ones(3))).all()


def test_a_negative_rotor_that_cancels_the_inertia_is_singular():
    robot = Builder().body("a", joint=Revolute(), mass=1, inertia=(1, 1, 1), rotor_inertia=-1.0).build()
    with pytest.raises(SingularError):
        robot.forward_dynamics([0.0], [0.0], [1.0])


def test_rotors_everywhere_need_no_check():
    assert not gallery.puma560().may_be_singular
    assert not gallery.quadruped().may_be_singular


def test_nan_is_not_taken_for_singular():
    b = Builder().body("cross", joint=Revolute((0, 1, 0)))
    b.body("end", parent="cross", joint=Revolute((1, 0, 0)), mass=1, com=(0, 0.3, 0.3), inertia=(1, 1, 1))
    robot = b.build()
    assert robot.may_be_singular
    assert np.isnan(robot.forward_dynamics([np.nan, 0.0], [0, 0], [0, 0])).all()


def test_two_hands():
    """F10b (34) by frames: accelerations that satisfy A qdd = b move both feet alike."""
    dog = gallery.quadruped()
    rng = np.random.default_rng(0)
    q, qd = dog.random(rng, 3), rng.normal(size=(3, dog.nv))
    A, b = dog.grasp_constraint(q, qd, "FL_foot", "FR_foot")
    assert A.shape == (3, 6, dog.nv)
    qdd = np.einsum("kij,kj->ki", np.linalg.pinv(A), b)
    left, right = (dog.acceleration(q, qd, qdd, foot, "world") for foot in ("FL_foot", "FR_foot"))
    np.testing.assert_allclose(left, right, atol=1e-10)


def test_a_conventional_acceleration_has_no_place_at_the_origin(arm):
    z = np.zeros(7)
    with pytest.raises(sixd.ChoiceError, match="belongs to a point"):
        arm.acceleration(z, z, z, "tool", "world", conventional=True)


@pytest.mark.parametrize("expressed_in", ["body", "world", "aligned"])
def test_bias_acceleration_is_the_rate_of_the_jacobian_times_the_velocity(arm, expressed_in):
    rng = np.random.default_rng(0)
    q, qd = arm.random(rng), rng.normal(size=7)
    bias = arm.bias_acceleration(q, qd, "tool", expressed_in, conventional=expressed_in == "aligned")
    np.testing.assert_allclose(arm.jacobian_rate(q, qd, "tool", expressed_in) @ qd, bias, atol=1e-13)


def test_momentum_matrix_and_momentum_have_one_default(arm):
    rng = np.random.default_rng(0)
    q, qd = arm.random(rng), rng.normal(size=7)
    np.testing.assert_allclose(arm.momentum_matrix(q) @ qd, arm.momentum(q, qd), atol=1e-13)


def test_more_wrong_arguments(arm):
    z = np.zeros(7)
    with pytest.raises(ShapeError, match="tau has shape"):
        arm.forward_dynamics(z, z, np.zeros(3), passive=True)
    with pytest.raises(ShapeError, match=r"the batch axes of f_ext do not broadcast: tool \(2,\), link3 \(3,\)"):
        arm.inverse_dynamics(z, z, z, f_ext={"tool": np.zeros((2, 6)), "link3": np.zeros((3, 6))})
    with pytest.raises(sixd.ModelError, match="given by its name"):
        arm.inverse_dynamics(z, z, z, f_ext={7: np.zeros(6)})


def test_a_zero_quaternion_is_refused_by_name(dog):
    z = np.zeros(dog.nv)
    with pytest.raises(sixd.ModelError, match="q is no position of joint 'base': its quaternion is zero; start from"):
        dog.inverse_dynamics(np.zeros(dog.nq), z, z)
    with pytest.raises(sixd.ModelError, match="q0 is no position"):
        dog.difference(np.zeros(dog.nq), dog.neutral())
    assert np.isnan(dog.inverse_dynamics(np.full(dog.nq, np.nan), z, z)).all()


def test_limits_of_positions(dog):
    q = dog.neutral()
    assert not dog.within_limits(q)
    assert dog.within_limits(dog.clip(q))
    np.testing.assert_array_equal(dog.within_limits(dog.random(0, (2, 3))), np.ones((2, 3), dtype=bool))
