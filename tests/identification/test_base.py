"""Base parameters: their number as published, and the law that torques depend on nothing else."""

import numpy as np
import pytest

import sixd
from sixd import SixdError
from sixd.identification import base_parameters
from sixd.identification.combinations import combinations_of
from sixd.joints import Prismatic, Revolute
from tests.laws.trees import ALL, states, tree


def arm(joints, places):
    """A chain of bodies, link1, link2, ..., each placed on the one before."""
    builder, parent = sixd.Builder("arm"), "base"
    for k, (joint, place) in enumerate(zip(joints, places, strict=True), 1):
        inertia = (0.02, 0.03, 0.04)
        builder.body(
            f"link{k}", parent, joint, f"joint{k}", xyz=place, mass=1.0, com=(0.1, 0.02, 0.03), inertia=inertia
        )
        parent = f"link{k}"
    return builder.build()


Z = Revolute((0, 0, 1))


def test_puma():
    """36 of 60: M. Gautier, W. Khalil, "Direct Calculation of Minimum Set of Inertial Parameters", 1990."""
    found = base_parameters(sixd.gallery.puma560())
    assert (found.count, len(found.names)) == (36, 60)
    assert found.gap > 1e10
    assert {"link1.m", "link1.mz", "link1.Ixx"} < set(found.without_effect)
    assert {"link6.mx", "link6.Ixy", "link6.Izz"} < set(found.alone)


def test_planar_arm_in_a_horizontal_plane():
    """Gravity has no effect: Izz1 + l^2 m2, mx2, my2, Izz2."""
    found = base_parameters(arm([Z, Z], [(0, 0, 0), (0.5, 0, 0)]))
    assert found.lines() == ["link1.Izz + 0.25 link2.m", "link2.mx", "link2.my", "link2.Izz"]
    assert str(found).startswith("4 combinations of 20 parameters")


def test_planar_arm_in_a_vertical_plane():
    robot = arm([Z, Z], [(0, 0, 0), (0.5, 0, 0)]).with_gravity((0, -9.81, 0))
    assert base_parameters(robot).lines() == [
        "link1.mx + 0.5 link2.m",
        "link1.my",
        "link1.Izz + 0.25 link2.m",
        "link2.mx",
        "link2.my",
        "link2.Izz",
    ]


def test_scara():
    """ZZ1, MX2, MY2, ZZ2, MX3, MY3, ZZ3, M4: W. Khalil, E. Dombre, "Modeling, Identification and Control of Robots"."""
    scara = arm([Z, Z, Z, Prismatic((0, 0, 1))], [(0, 0, 0), (0.4, 0, 0), (0.3, 0, 0), (0, 0, 0)])
    found = base_parameters(scara)
    assert found.count == 8
    assert [found.names[k] for k in found.leading] == [
        "link1.Izz", "link2.mx", "link2.my", "link2.Izz", "link3.mx", "link3.my", "link3.Izz", "link4.m"
    ]  # fmt: skip


def test_a_rotor_is_not_told_from_the_inertia_of_its_link_at_the_first_joint():
    found = base_parameters(arm([Z, Z], [(0, 0, 0), (0.5, 0, 0)]), joint=("rotor_inertia", "damping", "friction"))
    assert found.count == 4 + 1 + 2 + 2
    assert found.lines()[0] == "link1.Izz + 0.25 link2.m + joint1.rotor_inertia"
    assert {"joint2.rotor_inertia", "joint1.damping", "joint2.friction"} < set(found.alone)


@pytest.mark.parametrize("kind", ALL)
def test_torques_depend_on_the_combinations_alone(kind):
    robot = tree(kind)
    found, p = base_parameters(robot), robot.inertial_parameters
    Y = robot.regressor(*states(robot, 20, seed=4))
    tau = Y @ p
    condition = found.singular_values[0] / found.singular_values[found.count - 1]  # digits are lost with it
    bound = max(1e-12, 1e-16 * condition) * np.abs(tau).max()
    np.testing.assert_allclose(Y[..., found.leading] @ (found.matrix @ p), tau, rtol=0, atol=bound)
    assert np.linalg.matrix_rank(found.matrix) == found.count
    np.testing.assert_array_equal(found.matrix[:, found.leading], np.eye(found.count))
    assert found.gap > 1e6


def test_a_motion_of_one_joint_determines_less():
    robot, rng = arm([Z, Z], [(0, 0, 0), (0.5, 0, 0)]), np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 30, 2))
    assert base_parameters(robot, q, qd, qdd).count == 4
    still = np.array([1.0, 0.0])
    assert base_parameters(robot, q * still, qd * still, qdd * still).count == 3  # one in tau1, two more in tau2


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ([[1.0, -2.0, 0.0], [2.0, -4.0, 0.0]], ["a - 2 b"]),
        ([[0.0, 1.0, 0.5]], ["b + 0.5 c"]),
        ([[1.0, 0.0, 0.0], [0.0, 0.0, -3.0]], ["a", "c"]),
        ([[0.0, 0.0, 0.0]], []),
    ],
)
def test_combinations(rows, lines):
    assert combinations_of(np.array(rows), ("a", "b", "c")).lines() == lines


def test_mistakes():
    robot = sixd.gallery.double_pendulum()
    with pytest.raises(SixdError, match="qd, qdd is missing"):
        base_parameters(robot, [[0.0, 0.0]])
    with pytest.raises(SixdError, match="joint must be one of"):
        base_parameters(robot, joint="stiffness")
    with pytest.raises(SixdError, match="twice"):
        base_parameters(robot, joint=["damping", "damping"])
    with pytest.raises(SixdError, match="must be a Robot"):
        base_parameters("arm.urdf")
    with pytest.raises(SixdError, match="no moving body"):
        base_parameters(sixd.Builder("post").link("base").build())
