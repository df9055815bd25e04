"""Random trees of every joint type that both libraries know, against Pinocchio."""

import numpy as np
import pinocchio as pin
import pytest

from sixd import Robot, algorithms
from sixd.model.random import KINDS, random_tree
from tests.golden.pinocchio_model import build, q_of, v_of

SEEDS = range(12)
TURN = np.r_[3:6, 0:3]  # Pinocchio's linear-first order to ours


@pytest.fixture(scope="module", params=SEEDS, ids=lambda s: f"tree{s}")
def case(request):
    seed = request.param
    kinds = KINDS if seed % 2 else ["revolute", "prismatic", "spherical", "free"]
    robot = Robot.of(random_tree(1 + seed, seed, joints=kinds, rotors=True))
    peer, at = build(robot)
    rng = np.random.default_rng(seed)
    q, qd, qdd = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    return robot, peer, peer.createData(), at, q, qd, qdd


def close(found, wanted, rtol=1e-12, scale=None):
    size = np.abs(wanted).max() if scale is None else scale
    np.testing.assert_allclose(found, wanted, rtol=0, atol=rtol * size)


def test_inverse_dynamics(case):
    robot, peer, data, _, q, qd, qdd = case
    tau = pin.rnea(peer, data, q_of(robot, q), v_of(robot, qd), v_of(robot, qdd))
    close(v_of(robot, robot.inverse_dynamics(q, qd, qdd)), tau)


def test_mass_matrix(case):
    robot, peer, data, _, q, *_ = case
    P = v_of(robot, np.arange(robot.nv))
    x, zero = q_of(robot, q), np.zeros(robot.nv)
    g = pin.rnea(peer, data, x, zero, zero)
    H = np.array([pin.rnea(peer, data, x, zero, e) - g for e in np.eye(robot.nv)])
    close(robot.mass_matrix(q)[np.ix_(P, P)], H, rtol=1e-11)


def test_forward_dynamics(case):
    robot, peer, data, _, q, qd, tau = case
    a = pin.aba(peer, data, q_of(robot, q), v_of(robot, qd), v_of(robot, tau))
    close(v_of(robot, robot.forward_dynamics(q, qd, tau)), a, 1e-15 * np.linalg.cond(robot.mass_matrix(q)) * 10)


def test_poses_velocities_accelerations(case):
    robot, peer, data, at, q, qd, qdd = case
    pin.forwardKinematics(peer, data, q_of(robot, q), v_of(robot, qd), v_of(robot, qdd))
    motion = algorithms.body_motion(robot, q, qd, qdd)
    for i in range(1, robot.n_bodies + 1):
        close(robot.pose(q, robot.bodies[i].name), data.oMi[at[i]].homogeneous)
        close(motion.v[i].array(), data.v[at[i]].vector[TURN])
        close(motion.a[i].array(), data.a[at[i]].vector[TURN])


def test_jacobians(case):
    robot, peer, data, at, q, qd, _ = case
    x, P = q_of(robot, q), v_of(robot, np.arange(robot.nv))
    pin.computeJointJacobiansTimeVariation(peer, data, x, v_of(robot, qd))
    expressions = {
        "body": pin.ReferenceFrame.LOCAL,
        "world": pin.ReferenceFrame.WORLD,
        "aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    }
    for ours, theirs in expressions.items():
        name = robot.bodies[robot.n_bodies].name
        J = pin.getJointJacobian(peer, data, at[-1], theirs)[TURN]
        close(robot.jacobian(q, name, ours)[:, P], J)
        if any(j.type.name == "spherical-euler" for j in robot.joints):
            continue  # Pinocchio's rate leaves out that the axes of this joint move in its successor
        Jd = pin.getJointJacobianTimeVariation(peer, data, at[-1], theirs)[TURN]
        close(robot.jacobian_rate(q, qd, name, ours)[:, P], Jd, scale=np.abs(J).max() * np.abs(qd).max())


def test_energy_and_momentum(case):
    robot, peer, data, _, q, qd, _ = case
    x, v = q_of(robot, q), v_of(robot, qd)
    rotors = 0.5 * sum(np.sum(np.asarray(j.data.rotor_inertia) * qd[j.v] ** 2) for j in robot.joints)
    close(robot.kinetic_energy(q, qd) - rotors, pin.computeKineticEnergy(peer, data, x, v) - _rotors_in(peer, v))
    close(robot.potential_energy(q), pin.computePotentialEnergy(peer, data, x))
    close(robot.center_of_mass(q), pin.centerOfMass(peer, data, x))
    P = v_of(robot, np.arange(robot.nv))
    close(robot.center_of_mass_jacobian(q)[:, P], pin.jacobianCenterOfMass(peer, data, x))
    pin.ccrba(peer, data, x, v)
    close(robot.momentum(q, qd, about="com"), data.hg.vector[TURN])
    close(robot.momentum_matrix(q, about="com")[:, P], data.Ag[TURN])


def _rotors_in(peer, v):
    """The rotors' share of Pinocchio's kinetic energy, if its version counts them."""
    bare = peer.copy()
    bare.armature = np.zeros(peer.nv)
    q = pin.neutral(peer)
    with_rotors = pin.computeKineticEnergy(peer, peer.createData(), q, v)
    return with_rotors - pin.computeKineticEnergy(bare, bare.createData(), q, v)


@pytest.mark.parametrize("method", ["inverse", "forward"])
def test_derivatives_of_dynamics(case, method):
    robot, peer, data, _, q, qd, x = case
    if not all(joint.type.constant_subspace for joint in robot.joints):
        return  # Pinocchio leaves out how S varies with q: next test
    state = q_of(robot, q), v_of(robot, qd), v_of(robot, x)
    if method == "inverse":
        wanted, found = pin.computeRNEADerivatives(peer, data, *state), algorithms.rnea_derivatives(robot, q, qd, x)
    else:
        wanted, found = pin.computeABADerivatives(peer, data, *state), algorithms.aba_derivatives(robot, q, qd, x)
    P = v_of(robot, np.arange(robot.nv))
    bound = 1e-11 if method == "inverse" else 1e-14 * np.linalg.cond(robot.mass_matrix(q)) * 10
    for name, block, theirs in zip(found._fields, found, wanted, strict=True):
        theirs = np.triu(theirs) + np.triu(theirs, 1).T if name in ("dqdd", "dtau") else theirs
        close(block[np.ix_(P, P)], theirs, bound)


def test_derivatives_by_position_against_differences_of_pinocchio(case):
    """Also where S varies with q, by differences of its inverse dynamics along its own tangent space."""
    robot, peer, data, _, q, qd, qdd = case
    at, v, a = q_of(robot, q), v_of(robot, qd), v_of(robot, qdd)
    h = 1e-5
    ends = [[pin.rnea(peer, data, pin.integrate(peer, at, s * h * e), v, a) for e in np.eye(robot.nv)] for s in (1, -1)]
    P = v_of(robot, np.arange(robot.nv))
    dq = algorithms.rnea_derivatives(robot, q, qd, qdd).dq
    close(dq[np.ix_(P, P)], (np.array(ends[0]) - np.array(ends[1])).T / (2 * h), 1e-7)


def test_regressors(case):
    """Of torques and of energies; Pinocchio has the moments in the order xx, xy, yy, xz, yz, zz."""
    robot, peer, data, at, q, qd, qdd = case
    x, v, a = q_of(robot, q), v_of(robot, qd), v_of(robot, qdd)
    order = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]
    columns = [10 * (j - 1) + k for j in at[1:] for k in order]
    P = v_of(robot, np.arange(robot.nv))
    wanted = pin.computeJointTorqueRegressor(peer, data, x, v, a)[:, columns]
    close(robot.regressor(q, qd, qdd)[P], wanted)
    kinetic, potential = robot.energy_regressor(q, qd)
    close(kinetic, np.ravel(pin.computeKineticEnergyRegressor(peer, data, x, v))[columns])
    close(potential, np.ravel(pin.computePotentialEnergyRegressor(peer, data, x))[columns])
