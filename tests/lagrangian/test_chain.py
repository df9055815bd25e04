"""PBP95 (29)-(60), (65): the closed form of a chain's dynamics, against `sixd.algorithms`.

Slips of the paper that are put right: (32) and (39) drop the factor 1/2 of the kinetic energy, (38) omits the joint
rates, (58) and (59) have the sign of a gravity vector that points up, and the two cases of (54) are exchanged.
"""

import mpmath
import numpy as np
import pytest

import sixd
from sixd import Robot, algorithms, lagrangian
from sixd.errors import ArgumentError, ModelError, OutOfRangeError, ShapeError
from sixd.joints import Helical, Prismatic, Revolute
from sixd.lagrangian import Chain, LinkFactors, SpaceFactors
from sixd.lie import body_jacobian_from_space, poe_space, se3
from sixd.model.random import random_tree
from sixd.spatial import Motion, Motions, Transform, Vector
from sixd.spatial.table1 import skew
from sixd.testing import derivative, precise
from tests.laws.trees import coupled

JOINTS = [Revolute((1, 2, 2)), Revolute((0, 0, 1)), Prismatic((0, 3, 4)), Helical((1, 0, 0), 0.2)]


class Case:
    """A random robot, its chain, and a state."""

    def __init__(self, seed, n=5, joints=JOINTS):
        rng = np.random.default_rng(seed)
        self.robot = Robot.of(random_tree(n, rng, joints=joints, branching=0.0))
        self.chain = Chain.of(self.robot)
        self.x, self.rates, self.accelerations = rng.normal(size=(3, n))
        #: The frame at each centre of mass at home, M_i = (Theta_i, b_i) of section 4.
        self.M = [self.chain.frame(i, np.zeros(n)) for i in self.links]

    @property
    def links(self):
        return range(1, self.robot.n_bodies + 1)


@pytest.fixture(params=range(4))
def case(request):
    return Case(request.param)


def close(found, wanted, tolerance=1e-12):
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max())


def test_frames_at_the_centres_of_mass(case):
    """PBP95 (30), (31): f_i = e^(A_1 x_1) ... e^(A_i x_i) M_i."""
    X = algorithms.forward_kinematics(case.robot, case.x)
    for i, M in zip(case.links, case.M, strict=True):
        found = case.chain.frame(i, case.x)
        close(found.pose(), (Transform.translation(case.robot.body_list[i].inertia.com) @ X[i]).pose())
        close(found.pose(), poe_space(case.chain.A[:i], case.x[:i], M).pose())


def test_velocities_at_the_centres_of_mass(case):
    """PBP95 (33), (34), (37), (38): Ad_(M_i^-1) sum_j Ad_i^(j+1) (A_j dx_j)."""
    v = algorithms.velocities(case.robot, case.x, case.rates)
    for i, home in zip(case.links, case.M, strict=True):
        velocity = case.chain.velocity(i, case.x, case.rates)
        moved = home @ velocity
        close(moved.array(), (Transform.translation(case.chain.J[i - 1].com) @ v[i]).array())
        J = body_jacobian_from_space(Motions(case.chain.A[:i]), case.x[:i], home)
        close((J @ Vector(case.rates[:i])).array(), moved.array())
        Theta, b = home.E.T.array(), home.r.array()
        blocks = np.block([[Theta.T, np.zeros((3, 3))], [-skew(Theta.T @ b) @ Theta.T, Theta.T]])
        close(blocks @ velocity.array(), moved.array())
        close(se3.Ad_matrix(home.inverse()).array(), blocks)


def test_kinetic_energy(case):
    """PBP95 (32), (35), (36), (39), each with the factor 1/2: 1/2 dx^T M dx = sum 1/2 <(w_i, v_i), (w_i, v_i)>_i."""
    T = lagrangian.kinetic_energy(case.chain, case.x, case.rates)
    close(T, algorithms.kinetic_energy(case.robot, case.x, case.rates))
    close(T, 0.5 * case.rates @ lagrangian.inertia_matrix(case.chain, case.x).array() @ case.rates)
    for i, D in zip(case.links, case.chain.D, strict=True):
        v = case.chain.velocity(i, case.x, case.rates)
        close(0.5 * case.chain.inner(i, v, v), D.kinetic_energy(v))


def test_blocks_of_the_quadratic_form_at_home(case):
    """PBP95 (36), (44): [I_i, m [b]; m [b]^T, m 1] with I_i = Theta Ibar Theta^T - m [b]^2."""
    for J, M, D in zip(case.chain.J, case.M, case.chain.D, strict=True):
        Theta, b = M.E.T.array(), skew(M.r.array())
        I = Theta @ J.I_com.array() @ Theta.T - J.m * b @ b
        close(D.matrix().array(), np.block([[I, J.m * b], [J.m * b.T, J.m * np.eye(3)]]))


def test_entries_of_the_inertia_matrix(case):
    """PBP95 (40): m_ij = sum_(k >= j) <Ad_k^(i+1) A_i, Ad_k^(j+1) A_j>_k."""
    close(lagrangian.inertia_matrix(case.chain, case.x).array(), algorithms.crba(case.robot, case.x))


def test_factors_of_the_inertia_matrix(case):
    """PBP95 (41)-(51): M = A^T L^T D L A = S^T G^T J G S, and the two sets of factors are related by Q."""
    H, n = algorithms.crba(case.robot, case.x), case.chain.n
    space, link = SpaceFactors.of(case.chain, case.x), LinkFactors.of(case.chain, case.x)
    close(space.M.array(), H)
    close(link.M.array(), H)
    for found, wanted in zip(vars(link.in_space()).values(), vars(space).values(), strict=True):
        close(found.array(), wanted.array(), 1e-11)
    close((link.Q @ link.Q_inv).array(), np.eye(6 * n))
    assert space.A.shape == link.S.shape == (6 * n, n)
    for factor in (space.L, link.G):
        blocks = factor.array().reshape(n, 6, n, 6).swapaxes(1, 2)
        assert all((blocks[r, c] == np.eye(6) * (r == c)).all() for r in range(n) for c in range(r, n))
    other = SpaceFactors.of(case.chain, case.x + 1.0)  # only L depends on x
    close(other.A.array(), space.A.array(), 0.0)
    close(other.D.array(), space.D.array(), 0.0)


def test_inertia_matrix_of_two_revolute_joints():
    """PBP95 (60)."""
    case = Case(3, n=2, joints=JOINTS[:2])
    A1, A2 = case.chain.A
    moved = case.chain.Ad(2, 2, A1, case.x)
    inner = case.chain.inner
    first, mixed = inner(1, A1, A1) + inner(2, moved, moved), inner(2, moved, A2)
    wanted = [[first, mixed], [mixed, inner(2, A2, A2)]]
    close(wanted, lagrangian.inertia_matrix(case.chain, case.x).array())
    close(wanted, algorithms.crba(case.robot, case.x))


def test_inertia_matrix_as_a_pullback(case):
    """PBP95 (65) and after: J^T G J, where J stacks the Jacobians of all links and G their inertias."""
    found, n = lagrangian.pullback(case.chain, case.x), case.chain.n
    close(found.M.array(), algorithms.crba(case.robot, case.x))
    homes = [X.matrix().array() for X in case.chain.homes]
    J = np.vstack([algorithms.jacobian(case.robot, case.x, i) for i in case.links])
    close(np.vstack([X @ part for X, part in zip(homes, np.split(found.J.array(), n), strict=True)]), J)


def by_differences(case, function, k):
    """d/dx_k of a motion function(x), in sixty digits."""

    def moved(h):
        x = precise(case.x)
        x[k - 1] = x[k - 1] + h
        return function(x).array()

    return derivative(moved)


def test_derivative_of_the_adjoint_along_the_chain(case):
    """PBP95 (53), proposition 1."""
    chain, B, i, j = case.chain, Motion.from_array(np.random.default_rng(1).normal(size=6)), 2, 4
    for k in case.links:
        wanted = by_differences(case, lambda x: chain.Ad(i, j, B, x), k)
        close(chain.derivative(i, j, k, B, case.x).array(), wanted)


def test_second_derivative_of_the_adjoint_along_the_chain(case):
    """PBP95 (54), proposition 2, with its two cases exchanged."""
    chain, B, i, j = case.chain, Motion.from_array(np.random.default_rng(2).normal(size=6)), 1, 4
    for k in case.links:
        for l in case.links:
            wanted = by_differences(case, lambda x, k=k: chain.derivative(i, j, k, B, x), l)
            close(chain.second_derivative(i, j, k, l, B, case.x).array(), wanted)


def test_christoffel_symbols_by_three_cases(case):
    """PBP95 (55)-(57) against (52), whose derivatives of M are found by the tracer, and against the fast form."""
    found = lagrangian.christoffel(case.chain, case.x)
    d = sixd.compile(sixd.jacobian(algorithms.crba, "q"), case.robot).interpret(case.x)
    close(found, 0.5 * (d.transpose(2, 1, 0) + d.transpose(1, 2, 0) - d))
    close(found, case.robot.christoffel(case.x))
    for cases in (((2, 3, 1), (3, 5, 2)), ((1, 4, 2), (2, 5, 3)), ((1, 2, 4), (2, 3, 5))):
        values = [found[i - 1, j - 1, k - 1] for i, j, k in cases]
        close([lagrangian.christoffel_symbol(case.chain, j, i, k, case.x) for i, j, k in cases], values)
    k, i, j = np.indices(found.shape)[[2, 0, 1]]
    for cases in ((k <= i) & (i <= j), (i < k) & (k <= j), (i <= j) & (j < k)):
        assert np.abs(found[cases]).max() > 1e-3


def test_coriolis_terms(case):
    C = lagrangian.coriolis_matrix(case.chain, case.x, case.rates).array()
    close(C, case.robot.coriolis_matrix(case.x, case.rates))


def test_equations_of_motion(case):
    """PBP95 (29)."""
    state = case.x, case.rates, case.accelerations
    close(lagrangian.inverse_dynamics(case.chain, *state).array(), algorithms.rnea(case.robot, *state))


def test_potential_energy(case):
    """PBP95 (58): U = -sum m_i g . f_i r with g pointing down; f_i r is the centre of mass of link i."""
    found = lagrangian.potential_energy(case.chain, case.x)
    close(found, algorithms.potential_energy(case.robot, case.x))
    places = [case.chain.frame(i, case.x).pose() @ [0, 0, 0, 1] for i in case.links]
    close(found, -sum(J.m * case.chain.g.array() @ p[:3] for J, p in zip(case.chain.J, places, strict=True)))


def test_gravity_forces(case):
    """PBP95 (59) as printed, in 4x4 matrices: phi_k = -sum_(i >= k) m_i g . (f_i M_i^-1 Ad_i^(k+1)(A_k) M_i r)."""
    found = lagrangian.potential_forces(case.chain, case.x).array()
    close(found, algorithms.gravity_forces(case.robot, case.x))
    g, phi = np.append(case.robot.gravity, 0.0), np.zeros(case.chain.n)
    for k in case.links:
        for i in range(k, case.chain.n + 1):
            M, f = case.M[i - 1].pose(), case.chain.frame(i, case.x).pose()
            screw = case.chain.Ad(k + 1, i, case.chain.A[k - 1], case.x)
            hat = np.zeros((4, 4))
            hat[:3, :3], hat[:3, 3] = skew(screw.ang.array()), screw.lin.array()
            phi[k - 1] -= case.chain.J[i - 1].m * g @ (f @ np.linalg.inv(M) @ hat @ M @ [0, 0, 0, 1])
    close(found, phi)


def test_batches_and_other_numbers():
    case, rng = Case(1, n=3), np.random.default_rng(0)
    x, dx, ddx = rng.normal(size=(3, 4, 3))
    together = lagrangian.inverse_dynamics(case.chain, x, dx, ddx).array()
    close(together, case.robot.inverse_dynamics(x, dx, ddx))
    close(lagrangian.christoffel(case.chain, x), case.robot.christoffel(x))
    with mpmath.workdps(40):
        exact = lagrangian.inverse_dynamics(case.chain, *(precise(part[0]) for part in (x, dx, ddx)))
    close([float(t) for t in exact], together[0])


def test_robots_that_are_no_chains_are_refused():
    branching = random_tree(4, 3, joints=["revolute"], branching=1.0)
    with pytest.raises(ModelError, match=r"joint .* makes a branch.*subtree"):
        Chain.of(branching)
    with pytest.raises(ModelError, match=r"is spherical.*revolute, prismatic and helical.*lock"):
        Chain.of(random_tree(1, 0, joints=["spherical"]))
    with pytest.raises(ModelError, match="is a mimic"):
        Chain.of(coupled().subtree("palm"))
    with pytest.raises(ArgumentError, match="made of a robot"):
        Chain.of("panda.urdf")


def test_wrong_arguments():
    chain = Case(0, n=2).chain
    with pytest.raises(ShapeError, match="x needs 2 entries"):
        lagrangian.inertia_matrix(chain, [1.0])
    with pytest.raises(ShapeError, match="dx needs 2 entries"):
        lagrangian.kinetic_energy(chain, [1.0, 2.0], [1.0])
    with pytest.raises(OutOfRangeError, match="from 1 to 2"):
        lagrangian.christoffel_symbol(chain, 0, 1, 2, [1.0, 2.0])
    with pytest.raises(ShapeError, match="as many screws"):
        Chain(chain.S[:1], chain.M, chain.J, chain.g)
