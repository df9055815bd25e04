"""Flexible links in robots: built, put in the place of rigid ones, compiled, stored, and refused."""

import pickle

import numpy as np
import pytest

import sixd
from sixd import ModelError, algorithms
from sixd.flexible import Beam
from sixd.joints import Flexure, Revolute
from sixd.joints.flexure import flexure_type
from sixd.testing import check_joint
from tests.flexible.beams import clamped, frequencies
from tests.laws.trees import flexible


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_flexures_keep_the_laws_of_joints(n):
    check_joint(flexure_type(n).examples()[0])


def test_flexures_are_one_class_for_each_number_of_coordinates():
    joint = Flexure(np.eye(6)[:3])
    assert type(joint) is flexure_type(3) is type(pickle.loads(pickle.dumps(joint)))
    assert (joint.nv, joint.name, repr(joint)) == (3, "flexure-3", "Flexure3()")
    assert "flexure-3" not in sixd.joints.JOINTS
    with pytest.raises(ModelError, match="has 3 coordinates, with six numbers for each: 2"):
        type(joint)(np.eye(6)[:2])
    with pytest.raises(ModelError, match="not symmetric at 1, 0"):
        Flexure(np.eye(6)[:2], np.arange(24.0).reshape(2, 2, 6))
    for wrong in ((), "x", 3.0, [[1.0, 2.0]], [[np.nan] * 6]):
        with pytest.raises(ModelError, match="flexure"):
            Flexure(wrong)


def test_names_and_coordinates():
    robot = flexible()
    assert [j.name for j in robot.joints if j.mimic is None] == ["shoulder", "upper_modes", "elbow", "fore_modes"]
    assert robot.frame("hand").body == robot.frame("fore_tip").body
    assert robot.joint("upper_modes").q == slice(1, 4)
    assert robot.nv == 7
    assert all(d > 0.0 for d in robot.joint("upper_modes").data.damping)


def test_compiled_in_batches_and_stored():
    robot = flexible()
    rng = np.random.default_rng(0)
    q, (qd, qdd) = robot.random(rng, 50), rng.normal(size=(2, 50, robot.nv))
    again = pickle.loads(pickle.dumps(robot))
    assert again == robot
    tau = again.inverse_dynamics(q, qd, qdd)
    for rolled in (False, True):
        kernel = sixd.compile(algorithms.rnea, robot, rolled=rolled)
        np.testing.assert_allclose(kernel(q, qd, qdd), tau, rtol=0, atol=1e-11 * np.abs(tau).max())
    np.testing.assert_allclose(robot.forward_dynamics(q, qd, tau), qdd, rtol=0, atol=1e-9)
    single = robot.inverse_dynamics(*(x.astype(np.float32) for x in (q, qd, qdd)))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, tau, rtol=0, atol=1e-4 * np.abs(tau).max())


def test_rate_of_the_mass_matrix_less_twice_coriolis_is_skew():
    robot = flexible()
    rng = np.random.default_rng(3)
    q, qd = robot.random(rng), rng.normal(size=robot.nv)
    rate = np.einsum("ijk,k->ij", robot.mass_matrix_derivative(q), qd)
    N = rate - 2.0 * robot.coriolis_matrix(q, qd)
    np.testing.assert_allclose(N, -N.T, atol=1e-13 * np.abs(N).max())


def test_linear_system_has_the_frequencies_of_the_beam():
    """Springs and dampers are part of the linear equations of motion."""
    robot = clamped(bending_y=0, bending_z=3)
    A, _ = robot.linearize(robot.neutral(), np.zeros(3), np.zeros(3), passive=True)
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(A).imag)[3:], frequencies(robot), rtol=1e-9)


def test_linear_system_is_the_derivative_of_the_motion_with_springs():
    robot, rng, h = flexible(), np.random.default_rng(2), 1e-6
    q, (qd, tau) = robot.random(rng), rng.normal(size=(2, robot.nv))
    A, B = robot.linearize(q, qd, tau, passive=True)
    n, step = robot.nv, h * np.eye(robot.nv)

    def slopes(which):
        """The derivatives of the acceleration by one argument, by differences."""
        ends = []
        for sign in (1.0, -1.0):
            state = [q, qd, tau]
            state[which] = state[which] + sign * step
            ends.append(robot.forward_dynamics(*state, passive=True))
        return (ends[0] - ends[1]).T / (2 * h)

    for which, found in enumerate((A[n:, :n], A[n:, n:], B[n:])):
        np.testing.assert_allclose(found, slopes(which), rtol=1e-5, atol=1e-6 * np.abs(found).max())


def two_links():
    builder = sixd.Builder("arm")
    inertia = {"mass": 1.0, "com": (0.2, 0.1, 0.0), "inertia": (0.1, 0.1, 0.1)}
    builder.body("upper", joint=Revolute("y"), joint_name="shoulder", **inertia)
    builder.body("fore", "upper", Revolute("y"), "elbow", xyz=(0.3, 0.0, 0.4), rpy=(0.1, 0.2, 0.3), **inertia)
    builder.body("fan", "upper", Revolute("z"), "fan_joint", xyz=(0.1, 0, 0), **inertia)
    return builder.frame("tool", on="fore", xyz=(0.5, 0, 0)).frame("mark", on="upper", xyz=(0.0, 0.1, 0.2)).build()


def test_a_rigid_link_is_replaced():
    rigid, beam = two_links(), Beam(0.5, 0.8, EI_y=50.0, EI_z=60.0)
    hub = sixd.Inertia.from_mass_com(0.2, (0, 0, 0), np.diag([0.01, 0.01, 0.01]))
    robot = rigid.with_flexible_link("upper", beam, "elbow", bending_y=2, bending_z=1, inertia=hub, keep=["fan_joint"])
    assert robot.body_list[robot.joint("fan_joint").index].parent == robot.bodies.index("upper")
    assert robot.body_list[robot.joint("elbow").index].parent == robot.bodies.index("upper_tip")
    assert robot.mass == pytest.approx(rigid.mass - 1.0 + 0.4 + 0.2)
    q = dict(zip(("shoulder", "elbow", "fan_joint"), (0.3, -0.4, 0.5), strict=True))
    at = np.zeros(robot.nq)
    for name, x in q.items():
        at[robot.joint(name).q] = x
    before = np.array([q[j.name] for j in rigid.joints])
    for frame in rigid.frames.names:  # at rest all frames are where they were
        np.testing.assert_allclose(robot.pose(at, frame), rigid.pose(before, frame), atol=1e-14)
    direction = robot.pose(np.zeros(robot.nq), "upper_tip")[:3, 0]
    np.testing.assert_allclose(direction, [0.6, 0.0, 0.8], atol=1e-15)


def test_the_rigid_limit():
    """With its modes locked, the flexible robot is a rigid one with the inertia of the bar."""
    rigid, beam = two_links(), Beam(0.5, 0.8, EI_y=50.0, inertia_per_length=(1e-3, 1e-3, 1e-3))
    locked = rigid.with_flexible_link("upper", beam, "elbow").lock({"upper_modes": None})
    turn = np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [-0.8, 0.0, 0.6]])
    bar = turn.T @ np.diag([5e-4, 5e-4 + 0.4 * 0.25 / 12, 5e-4 + 0.4 * 0.25 / 12]) @ turn
    same = rigid.with_inertia("upper", bar, mass=0.4, com=(0.15, 0.0, 0.2))
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 3))
    np.testing.assert_allclose(locked.inverse_dynamics(q, qd, qdd), same.inverse_dynamics(q, qd, qdd), atol=1e-13)


BEAM = Beam(0.5, 0.8, EI_y=50.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.with_flexible_link("upper", BEAM, "tool"), "'tool' is on 'fore', not on link 'upper'"),
        (lambda r: r.with_flexible_link("upper", Beam(0.4, 1, EI_y=1), "elbow"), "it is 0.5 m: give it that length"),
        (lambda r: r.with_flexible_link("base", BEAM, "shoulder"), "is the base, which does not move"),
        (lambda r: r.with_flexible_link("uper", BEAM, "elbow"), "upper"),
        (lambda r: r.with_flexible_link("upper", BEAM, "elbow", keep="shoulder"), "is no joint or frame that link"),
        (lambda r: r.with_flexible_link("upper", BEAM, "elbow", y=(0.6, 0, 0.8)), "is along the beam"),
        (lambda r: r.with_flexible_link("upper", BEAM, "elbow", inertia=2.0), "must be a Inertia"),
        (lambda r: r.with_flexible_link("upper", 3.0, "elbow"), "beam must be a Beam"),
        (lambda r: r.with_flexible_link("upper", BEAM, "elbow", bending_z=1), "need a finite stiffness EI_z"),
        (lambda r: r.with_flexible_link("upper", BEAM, "elbow", bending_y=0), "needs modes"),
        (lambda r: r.with_flexible_link("upper", BEAM, "elbow", bending_y=-1), "at least 0"),
        (lambda r: r.with_flexible_link("upper", BEAM, "elbow", shapes="hermite"), "'polynomial', 'cantilever'"),
        (lambda r: r.with_flexible_link("upper", BEAM, "elbow", shapes={"bend": "pinned"}), "a kind of shapes"),
        (lambda r: r.with_flexible_link("upper", BEAM, "elbow", damping_ratio=-1.0), "damping_ratio"),
        (lambda r: r.with_flexible_link("upper", BEAM, "elbow", stations=0), "stations must be"),
        (lambda r: r.with_flexible_link("upper", BEAM, "elbow", segments=0.5), "segments must be"),
    ],
)
def test_wrong_links(change, message):
    with pytest.raises(sixd.SixdError, match=message):
        change(two_links())


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([lambda s: 1.0, lambda s: 2.0], "shape 1 of bending_y is a sum of those before it"),
        ([lambda s: abs(s - 0.5)], "is not smooth"),
        ([lambda s: 0.0], "not zero everywhere"),
        ([lambda s: float("nan")], "must be finite"),
        ([3.0], "must be a function of x/L"),
        (3.0, "a name or functions of x/L"),
    ],
)
def test_wrong_shapes(shapes, message):
    with pytest.raises(ModelError, match=message):
        clamped(BEAM, shapes=shapes)


def test_shapes_and_numbers_that_do_not_fit():
    with pytest.raises(ModelError, match="bending_y has 2 modes but 1 shapes"):
        clamped(BEAM, bending_y=2, shapes=[lambda s: 1.0])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"length": 0.0}, "length of a beam must be positive and finite"),
        ({"mass_per_length": np.inf}, "mass_per_length of a beam must be positive and finite"),
        ({"EI_y": -1.0}, "EI_y of a beam must be positive, not"),
        ({"GJ": np.nan}, "GJ of a beam must be positive, not"),
        ({"inertia_per_length": (1.0, -1.0, 0.0)}, "must not be negative"),
        ({"section": ("star", (1.0,))}, "the section of a beam must be one of"),
    ],
)
def test_wrong_beams(values, message):
    with pytest.raises(sixd.SixdError, match=message):
        Beam(**{"length": 1.0, "mass_per_length": 1.0, **values})


def test_sections():
    """A square bar and a tube: second moments of area and torsional constants of the books."""
    bar = Beam.rectangular(2.0, 0.1, 0.1, E=200e9, density=7800.0, poisson=0.25)
    assert bar.mass == pytest.approx(2.0 * 0.01 * 7800.0)
    assert bar.EI_y == bar.EI_z == pytest.approx(200e9 * 1e-4 / 12.0)
    assert pytest.approx(80e9 * 0.1406e-4, rel=5e-3) == bar.GJ
    tube = Beam.circular(1.0, 0.05, 0.04, E=70e9, density=2700.0)
    I = np.pi / 4.0 * (0.05**4 - 0.04**4)
    assert (tube.EI_y, tube.GJ) == pytest.approx((70e9 * I, 70e9 / 2.6 * 2.0 * I))
    assert pytest.approx(70e9 * np.pi * 9e-4) == tube.EA
    assert tube.inertia_per_length == pytest.approx((2 * 2700 * I, 2700 * I, 2700 * I))
    for wrong in ({"radius": -1.0}, {"inner_radius": 2.0}, {"E": 0.0}, {"poisson": 0.7}):
        with pytest.raises(ModelError, match="of a beam must be"):
            Beam.circular(**{"length": 1.0, "radius": 0.1, "E": 1e9, "density": 1e3, **wrong})
    with pytest.raises(ModelError, match="no natural modes of torsion"):
        Beam(1.0, 1.0, GJ=1.0).frequencies("torsion")


def test_a_link_that_is_refused_leaves_nothing_behind():
    builder = sixd.Builder("b").body("arm_tip", mass=1.0)
    for wrong in ({"joint": 3.0}, {}, {"parent": "arm_tip", "lower": 1.0}):
        with pytest.raises(sixd.SixdError):
            builder.flexible_body("arm", BEAM, **{"joint": Revolute(), **wrong})
    assert (list(builder.links), list(builder.edges)) == (["base", "arm_tip"], ["arm_tip_joint"])
    with pytest.raises(ModelError, match="two links are named 'arm_tip', one of them by the flexible link 'arm'"):
        builder.flexible_body("arm", BEAM, joint=Revolute())


def test_pictures():
    robot = clamped(Beam.rectangular(1.0, 0.05, 0.01, E=70e9, density=2700.0), bending_z=0, bending_y=2)
    assert {v.shape for v in robot.visuals} == {"box"}
    assert sum(v.size[0] for v in robot.visuals) == pytest.approx(1.0)
    tube = clamped(Beam.circular(1.0, 0.05, E=70e9, density=2700.0), bending_z=0, bending_y=2)
    x_of_body = np.array(tube.visuals[0].offset.inverse().E.rows) @ [0.0, 0.0, 1.0]
    np.testing.assert_allclose(np.abs(x_of_body), [1.0, 0.0, 0.0])
