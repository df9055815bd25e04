"""The kinds of constraints beside loops: their laws, and mechanisms whose motion is known."""

import numpy as np
import pytest

import sixd
from sixd import Builder, Coupling, Distance, Grasp, Loop, Prescribed, PrescribedFrame, Rolling, Transform, algorithms
from sixd.constraints import CONSTRAINTS
from sixd.joints import Free, Planar, Revolute
from sixd.model.random import random_tree
from sixd.testing.precise import derivative, precise
from tests.constraints.states import largest

TREE = sixd.Robot.of(random_tree(6, 5, joints=("revolute", "prismatic", "revolute"), rotors=True))
Q = TREE.random(3)
A, B = TREE.bodies[2].name, TREE.bodies[6].name
J = [joint.name for joint in TREE.joints]
X_BA = Transform.from_pose(np.linalg.inv(TREE.pose(Q, A)) @ TREE.pose(Q, B))
#: Every kind on a random tree, such that Q keeps it, except for the heights of rolling ones.
KINDS = {
    "coupling": Coupling({J[0]: 2.0, J[3]: -0.5, J[4]: 1.5}, constant=float(2 * Q[0] - 0.5 * Q[3] + 1.5 * Q[4])),
    "distance": Distance(A, B, float(np.linalg.norm(X_BA.r.array()))),
    "grasp": Grasp(A, B, X_BA),
    "loop": Loop(A, B, "universal", offset=X_BA),
    "prescribed": Prescribed(J[2], position=float(Q[2])),
    "prescribed frame": PrescribedFrame(A, B, "pose", at=(*sixd.lie.so3.log(X_BA.E.T), *X_BA.r)),
    "prescribed position": PrescribedFrame(A, B, "position", name="position", at=X_BA.r.array()),
    "prescribed rotation": PrescribedFrame(A, B, "rotation", name="rotation", at=sixd.lie.so3.log(X_BA.E.T).array()),
    "rolling": Rolling(A, B, 0.4),
    "rolling wheel": Rolling(A, B, 0.3, "wheel", axis=(1, 2, 3), name="wheel"),
}
EVERY = pytest.mark.parametrize("name", KINDS)


def moved(closed, q, qd, h):
    """The position after a time h, in high precision."""
    return algorithms.integrate(closed, precise(q), [x * h for x in precise(qd)])


def test_every_kind_is_here():
    own = {name for name, kind in CONSTRAINTS.items() if kind.__module__.startswith("sixd.")}
    assert {constraint.kind for constraint in KINDS.values()} == own


@EVERY
def test_rows_are_the_rates_of_errors(name):
    closed = TREE.close(KINDS[name])
    qd = np.random.default_rng(1).normal(size=closed.nv)
    rate = derivative(lambda h: algorithms.constraint_error(closed, moved(closed, Q, qd, h)))
    found, holonomic = closed.constraint_jacobian(Q) @ qd, np.array(KINDS[name].holonomic)
    np.testing.assert_allclose(found[holonomic], rate[holonomic], atol=1e-11)
    assert not rate[~holonomic].any()
    if KINDS[name].kind != "rolling":
        assert np.abs(closed.constraint_error(Q)).max() < 1e-12


@EVERY
def test_the_bias_is_the_rate_of_the_rows(name):
    closed = TREE.close(KINDS[name])
    qd = np.random.default_rng(2).normal(size=closed.nv)
    rate = derivative(lambda h: algorithms.constraint_jacobian(closed, moved(closed, Q, qd, h)) @ precise(qd))
    np.testing.assert_allclose(closed.constraint_bias(Q, qd), -rate, atol=1e-11 * max(1.0, np.abs(rate).max()))


@EVERY
def test_the_equations_of_motion_hold(name):
    closed = TREE.close(KINDS[name])
    rng = np.random.default_rng(3)
    qd, tau = rng.normal(size=(2, closed.nv))
    qd = closed.impulse(Q, qd).qd
    qdd, found = closed.forward_dynamics(Q, qd, tau), closed.constraint_forces(Q, qd, tau)
    L, H, C = closed.constraint_jacobian(Q), closed.tree.mass_matrix(Q), closed.tree.bias_forces(Q, qd)
    assert np.abs(L @ qd).max() < 1e-12
    assert largest(H @ qdd + C, tau + L.T @ found.multipliers) < 1e-11
    np.testing.assert_allclose(L @ qdd, closed.constraint_bias(Q, qd), atol=1e-10)
    for constraint, force in found.forces.items():
        power = force @ (closed.velocity(Q, qd, closed.constraints[constraint].frames[1]))
        assert np.isfinite(power)


def test_content_and_prefixes():
    closed = TREE.close(*KINDS.values())
    other = TREE.close(*KINDS.values()).join(closed, TREE.bodies[0].name, prefix="other ", xyz=(5, 0, 0))
    assert other.n_rows == 2 * closed.n_rows
    q = np.concatenate([Q, Q])
    phi = other.constraint_error(q)
    np.testing.assert_allclose(phi[: closed.n_rows], phi[closed.n_rows :], atol=1e-12)
    assert len({repr(c.content) for c in closed.constraint_list}) == len(KINDS)


def test_a_grasp_is_that_of_f10b_34():
    closed = TREE.close(KINDS["grasp"])
    qd = np.random.default_rng(4).normal(size=TREE.nv)
    left, right = TREE.grasp_constraint(Q, qd, A, B)
    to_b = Transform.from_pose(TREE.pose(Q, B)).matrix().array()
    np.testing.assert_allclose(closed.constraint_jacobian(Q), -to_b @ left, atol=1e-12)
    # (34) is about vectors that do not move, ours about coordinates in frame b: they agree where the grasp holds.
    qd = closed.impulse(Q, qd).qd
    _, right = TREE.grasp_constraint(Q, qd, A, B)
    np.testing.assert_allclose(closed.constraint_bias(Q, qd), -to_b @ right, atol=1e-11)


def test_a_gear_adds_inertias():
    b = Builder("gear").body("motor", "base", Revolute("z"), inertia=(1, 1, 0.02), mass=1.0)
    b.body("arm", "base", Revolute("z"), inertia=(2, 2, 3.0), mass=1.0)
    closed = b.build().close(Coupling({"motor_joint": 1, "arm_joint": -50}, name="gear"))
    qdd = closed.forward_dynamics([0.0, 0.0], [0.0, 0.0], [1.0, 0.0])
    np.testing.assert_allclose(qdd, np.array([50.0, 1.0]) * 50 / (50**2 * 0.02 + 3.0), rtol=1e-12)
    found = closed.constraint_forces([0.0, 0.0], [0.0, 0.0], [1.0, 0.0])
    assert np.isclose(-50 * found.multipliers[0], 3.0 * qdd[1])
    assert found.forces == {}


def test_a_distance_is_a_pendulum():
    b = Builder("bob").body("bob", "base", sixd.joints.Translational(), mass=2.0)
    closed = b.build().close(Distance("base", "bob", 1.5, name="string"))
    angle, speed = 0.4, 1.2
    q = 1.5 * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    qd = 1.5 * speed * np.array([np.cos(angle), 0.0, np.sin(angle)])
    qdd, found = closed.forward_dynamics(q, qd, np.zeros(3)), closed.constraint_forces(q, qd, np.zeros(3))
    along = np.array([np.cos(angle), 0.0, np.sin(angle)])
    assert np.isclose(qdd @ along, -9.81 * np.sin(angle), rtol=1e-12)
    assert np.isclose(-found.multipliers[0], 2.0 * (9.81 * np.cos(angle) + 1.5 * speed**2), rtol=1e-12)


def test_a_ball_rolls_down_a_slope():
    """a = 5/7 g sin(slope) for a solid ball, from its moment of inertia 2/5 m r^2."""
    slope, r = 0.3, 0.2
    b = Builder("ball").body("ball", "base", Free(), mass=1.0, inertia=(0.4 * r * r,) * 3)
    b.frame("plane", on="base", rpy=(0, slope, 0))
    closed = b.build().close(Rolling("plane", "ball", r))
    normal = np.array([np.sin(slope), 0, np.cos(slope)])
    q = np.concatenate([[0, 0, 0, 1], r * normal])
    assert np.abs(closed.constraint_error(q)).max() < 1e-15
    qdd = closed.forward_dynamics(q, np.zeros(6), np.zeros(6))
    down = np.array([np.cos(slope), 0, -np.sin(slope)])
    assert np.isclose(qdd[3:] @ down, 5 / 7 * 9.81 * np.sin(slope), rtol=1e-12)
    assert closed.mobility(q).dof == 3


def test_a_wheel_turns_in_a_circle():
    """A thin disc that rolls upright on a circle keeps its speed, and needs the force of the circle."""
    r, m, speed, turn = 0.3, 2.0, 4.0, 0.7
    b = Builder("disc").body("disc", "base", Free(), mass=m, inertia=(m * r * r / 4, m * r * r / 2, m * r * r / 4))
    closed = b.build().close(Rolling("base", "disc", r, "wheel", axis="y"))
    q = np.array([0, 0, 0, 1, 0, 0, r])
    qd = np.array([0, speed, turn, speed * r, 0, 0])
    assert np.abs(closed.constraint_jacobian(q) @ qd).max() < 1e-15
    force = closed.constraint_forces(q, qd, np.zeros(6)).multipliers
    qdd = closed.forward_dynamics(q, qd, np.zeros(6))
    assert np.abs(closed.constraint_jacobian(q) @ qdd - closed.constraint_bias(q, qd)).max() < 1e-12
    energy = qd @ closed.tree.mass_matrix(q) @ qdd + qd @ closed.tree.bias_forces(q, qd)
    assert abs(energy) < 1e-12
    assert np.isclose(force[2], m * 9.81, rtol=0.5)


def test_prescribed_motion():
    arm = sixd.gallery.double_pendulum()
    closed = arm.close(Prescribed("joint1", name="motor"))
    q, qd = np.array([0.3, 0.4]), np.array([1.5, -0.2])
    targets = {"motor": [0.3, 1.5, 7.0]}
    assert np.abs(closed.constraint_error(q, targets)).max() < 1e-15
    assert closed.constraint_error(q)[0] == 0.3
    qdd = closed.forward_dynamics(q, qd, np.zeros(2), targets=targets)
    assert np.isclose(qdd[0], 7.0, rtol=1e-13)
    force = closed.constraint_forces(q, qd, np.zeros(2), targets=targets).multipliers
    np.testing.assert_allclose(arm.inverse_dynamics(q, qd, qdd), [force[0], 0.0], atol=1e-12)
    np.testing.assert_allclose(closed.impulse(q, [0.0, 0.0], targets=targets).qd[0], 1.5)
    assert closed.assemble([1.0, 1.0], targets=targets)[0] == pytest.approx(0.3, abs=1e-11)
    many = closed.forward_dynamics(q, qd, np.zeros(2), targets={"motor": np.array([[0.3, 1.5, a] for a in (1.0, 2.0)])})
    np.testing.assert_allclose(many[:, 0], [1.0, 2.0], rtol=1e-13)
    point = arm.close(PrescribedFrame("base", "tip", "position", name="hand"))
    reach = point.assemble([0.4, 0.5], targets={"hand": [[0.5, 0, 0], [0, 0, 0], [-1.2, 0, 0]]}, fixed=())
    np.testing.assert_allclose(arm.pose(reach, "tip")[:3, 3], [0.5, 0.0, -1.2], atol=1e-10)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Coupling({"a": 1.0}), "two or more joints"),
        (lambda: Coupling({"a": 1.0, "b": 0.0}), "must be finite and not zero"),
        (lambda: Coupling(7), "map names of joints to numbers"),
        (lambda: TREE.close(Coupling({J[0]: 1.0, "nowhere": 1.0})), "no joint named 'nowhere'"),
        (lambda: Distance("a", "b", 0.0), r"must be positive, not 0; for none, take sixd.Loop\(a, b, 'point'\)"),
        (lambda: Rolling("a", "b", -1.0), "radius must be positive"),
        (lambda: Rolling("a", "b", 1.0, "cube"), "must be one of 'sphere', 'wheel'"),
        (lambda: Rolling("a", "b", 1.0, "wheel"), "a wheel needs an axis"),
        (lambda: Grasp("a", "b", np.ones((4, 4))), "offset is a Transform or a pose"),
        (lambda: Prescribed(3), "must be a name"),
        (lambda: Prescribed("a", position=np.nan), "finite"),
        (lambda: PrescribedFrame("a", "b", "place"), "must be one of 'position', 'rotation', 'pose'"),
        (lambda: PrescribedFrame("a", "b", "pose", at=(1, 2)), "must be 6 numbers"),
        (
            lambda: sixd.gallery.quadruped().close(Prescribed("base")),
            "joint 'base' is free; it must",
        ),
        (
            lambda: sixd.gallery.double_pendulum().close(Coupling({"joint1": 1, "joint2": 1})).lock({"joint1": 0.0}),
            "joint 'joint1' cannot be locked: constraint 'coupling joint1 joint2' ties it",
        ),
    ],
)
def test_mistakes(make, words):
    with pytest.raises(sixd.SixdError, match=words):
        make()


def test_prescribed_joints_with_several_coordinates():
    b = Builder("plate").body("plate", "base", Planar("z"), mass=1.0, inertia=(1, 1, 1))
    closed = b.build().close(Prescribed("plate_joint", position=(1.0, 2.0, 0.5)))
    assert np.allclose(closed.assemble(np.zeros(3)), [1.0, 2.0, 0.5])
    with pytest.raises(sixd.ShapeError, match=r"\(\.\.\., 3, 3\)"):
        closed.constraint_error(np.zeros(3), {"prescribed plate_joint": [1.0, 2.0, 3.0]})
