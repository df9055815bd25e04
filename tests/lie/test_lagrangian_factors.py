"""PBP95 (30)-(51), (53), (54), (58)-(60), (65): the closed form of a chain's inertia matrix and gravity forces.

In root coordinates, at home: screws A_i, inertias D_i. Slips of the paper that are put right here: (32) and (39) drop
the factor 1/2 of the kinetic energy, (38) omits the joint rates, (58) and (59) have the sign of a gravity vector that
points up, and the two cases of (54) are exchanged.
"""

import numpy as np
import pytest
from scipy.linalg import block_diag

from sixd import Robot, algorithms
from sixd.joints import Helical, Prismatic, Revolute
from sixd.lie import body_jacobian_from_space, poe_space, se3
from sixd.model.random import random_tree
from sixd.spatial import Motion, Motions, Transform, Vector
from sixd.spatial.table1 import skew
from sixd.testing import derivative, precise

JOINTS = [Revolute((1, 2, 2)), Revolute((0, 0, 1)), Prismatic((0, 3, 4)), Helical((1, 0, 0), 0.2)]


class Chain:
    """A chain in the symbols of PBP95 section 4; indices count from 1, as there."""

    def __init__(self, seed, n=5, joints=JOINTS):
        rng = np.random.default_rng(seed)
        self.n, self.robot = n, Robot.of(random_tree(n, rng, joints=joints, branching=0.0))
        self.x, self.rates = rng.normal(size=(2, n))
        bodies = self.robot.body_list[1:]
        self.homes = algorithms.forward_kinematics(self.robot, np.zeros(n))[1:]
        self.S = [body.joint.type.subspace(Vector.zero(1))[0] for body in bodies]
        self.A = [X.inv @ s for X, s in zip(self.homes, self.S, strict=True)]
        self.J = [body.inertia for body in bodies]
        #: The frame at each centre of mass, at home: M_i = (Theta_i, b_i).
        self.M = [Transform.translation(I.com) @ X for I, X in zip(self.J, self.homes, strict=True)]
        self.D = [X.inv @ I for X, I in zip(self.homes, self.J, strict=True)]

    def Ad(self, i, j, m, x=None):
        """Ad_j^i m, (37): e^(-A_j x_j) ... e^(-A_i x_i) m e^(A_i x_i) ... e^(A_j x_j)."""
        x = self.x if x is None else x
        return poe_space(self.A[i - 1 : j], x[i - 1 : j], Transform.identity()) @ m

    def inner(self, k, a, b):
        """<a, b>_k of definition 1."""
        return a.dot(self.D[k - 1] @ b)


@pytest.fixture(params=range(4))
def chain(request):
    return Chain(request.param)


def close(found, wanted, tolerance=1e-12):
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert np.abs(found - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max())


def test_frames_at_the_centres_of_mass(chain):
    """PBP95 (30), (31): f_i = e^(A_1 x_1) ... e^(A_i x_i) M_i."""
    X = algorithms.forward_kinematics(chain.robot, chain.x)
    for i in range(1, chain.n + 1):
        found = poe_space(chain.A[:i], chain.x[:i], chain.M[i - 1])
        close(found.pose(), (Transform.translation(chain.J[i - 1].com) @ X[i]).pose())


def test_velocities_at_the_centres_of_mass(chain):
    """PBP95 (33), (34), (37), (38): Ad_(M_i^-1) sum_j Ad_i^(j+1) (A_j dx_j)."""
    v = algorithms.velocities(chain.robot, chain.x, chain.rates)
    for i in range(1, chain.n + 1):
        home, velocity = chain.M[i - 1], Motion.zero()
        for j in range(1, i + 1):
            velocity = velocity + chain.Ad(j + 1, i, chain.A[j - 1]) * chain.rates[j - 1]
        moved = home @ velocity
        close(moved.array(), (Transform.translation(chain.J[i - 1].com) @ v[i]).array())
        J = body_jacobian_from_space(Motions(chain.A[:i]), chain.x[:i], home)
        close((J @ Vector(chain.rates[:i])).array(), moved.array())
        Theta, b = home.E.T.array(), home.r.array()
        blocks = np.block([[Theta.T, np.zeros((3, 3))], [-skew(Theta.T @ b) @ Theta.T, Theta.T]])
        close(blocks @ velocity.array(), moved.array())
        close(se3.Ad_matrix(home.inverse()).array(), blocks)


def test_kinetic_energy(chain):
    """PBP95 (32), (35), (36), (39), each with the factor 1/2: 1/2 dx^T M dx = sum 1/2 <(w_i, v_i), (w_i, v_i)>_i."""
    total = 0.0
    for i in range(1, chain.n + 1):
        velocity = Motion.zero()
        for j in range(1, i + 1):
            velocity = velocity + chain.Ad(j + 1, i, chain.A[j - 1] * chain.rates[j - 1])
        own = 0.5 * chain.inner(i, velocity, velocity)
        close(chain.D[i - 1].kinetic_energy(velocity), own)
        total += own
    close(total, algorithms.kinetic_energy(chain.robot, chain.x, chain.rates))
    close(total, 0.5 * chain.rates @ algorithms.crba(chain.robot, chain.x) @ chain.rates)


def test_blocks_of_the_quadratic_form_at_home(chain):
    """PBP95 (36), (44): [I_i, m [b]; m [b]^T, m 1] with I_i = Theta Ibar Theta^T - m [b]^2."""
    for J, M, D in zip(chain.J, chain.M, chain.D, strict=True):
        Theta, b = M.E.T.array(), skew(M.r.array())
        I = Theta @ J.I_com.array() @ Theta.T - J.m * b @ b
        close(D.matrix().array(), np.block([[I, J.m * b], [J.m * b.T, J.m * np.eye(3)]]))


def test_entries_of_the_inertia_matrix(chain):
    """PBP95 (40): m_ij = sum_(k >= j) <Ad_k^(i+1) A_i, Ad_k^(j+1) A_j>_k."""
    H = algorithms.crba(chain.robot, chain.x)
    for j in range(1, chain.n + 1):
        for i in range(1, j + 1):
            terms = [
                chain.inner(k, chain.Ad(i + 1, k, chain.A[i - 1]), chain.Ad(j + 1, k, chain.A[j - 1]))
                for k in range(j, chain.n + 1)
            ]
            close([sum(terms)] * 2, [H[i - 1, j - 1], H[j - 1, i - 1]])


def lower_triangle(n, block):
    every = range(1, n + 1)
    return np.block([[block(r, c) if r > c else np.eye(6) * (r == c) for c in every] for r in every])


def test_factors_of_the_inertia_matrix(chain):
    """PBP95 (41)-(51): M = A^T L^T D L A = S^T G^T J G S, and the two sets of factors are related by Q."""
    n = chain.n
    A = block_diag(*(a.array()[:, None] for a in chain.A))
    D = block_diag(*(d.matrix().array() for d in chain.D))

    def Ad_matrix(r, c):
        """(42): the 6x6 matrix of Ad_r^(c+1)."""
        return poe_space(chain.A[c:r], chain.x[c:r], Transform.identity()).matrix().array()

    L = lower_triangle(n, Ad_matrix)
    H = algorithms.crba(chain.robot, chain.x)
    close(A.T @ L.T @ D @ L @ A, H)

    X = algorithms.forward_kinematics(chain.robot, chain.x)
    S = block_diag(*(s.array()[:, None] for s in chain.S))
    J = block_diag(*(inertia.matrix().array() for inertia in chain.J))
    G = lower_triangle(n, lambda r, c: (X[r] @ X[c].inv).matrix().array())
    close(S.T @ G.T @ J @ G @ S, H)

    Q = block_diag(*(se3.Ad_matrix(home).array() for home in chain.homes))
    inverse = np.linalg.inv(Q)
    close(Q @ S, A)
    close(Q @ G @ inverse, L, 1e-11)
    close(inverse.T @ J @ inverse, D, 1e-11)


def test_inertia_matrix_of_two_revolute_joints():
    """PBP95 (60)."""
    chain = Chain(3, n=2, joints=[Revolute((1, 2, 2)), Revolute((0, 0, 1))])
    A1, A2 = chain.A
    moved = chain.Ad(2, 2, A1)
    first = chain.inner(1, A1, A1) + chain.inner(2, moved, moved)
    mixed = chain.inner(2, moved, A2)
    close([[first, mixed], [mixed, chain.inner(2, A2, A2)]], algorithms.crba(chain.robot, chain.x))


def test_inertia_matrix_as_a_pullback(chain):
    """PBP95 (65) and after: J^T G J, where J stacks the Jacobians of all links and G their inertias."""
    J = np.vstack([algorithms.jacobian(chain.robot, chain.x, i) for i in range(1, chain.n + 1)])
    G = block_diag(*(inertia.matrix().array() for inertia in chain.J))
    close(J.T @ G @ J, algorithms.crba(chain.robot, chain.x))


def first_derivative(chain, i, j, k, B, x):
    """PBP95 (53): d/dx_k Ad_j^i B = Ad_j^k [Ad_(k-1)^i B, A_k] for i <= k <= j, else zero."""
    if not i <= k <= j:
        return Motion.zero()
    return chain.Ad(k, j, se3.ad(chain.Ad(i, k - 1, B, x), chain.A[k - 1]), x)


def second_derivative(chain, i, j, k, l, B):
    """PBP95 (54) for i <= l <= k <= j: Ad_j^k [Ad_(k-1)^l [Ad_(l-1)^i B, A_l], A_k]."""
    inside = se3.ad(chain.Ad(i, l - 1, B), chain.A[l - 1])
    return chain.Ad(k, j, se3.ad(chain.Ad(l, k - 1, inside), chain.A[k - 1]))


def by_differences(chain, function, k):
    """d/dx_k of a motion function(x), in sixty digits."""

    def moved(h):
        x = precise(chain.x)
        x[k - 1] = x[k - 1] + h
        return function(x).array()

    return derivative(moved)


def test_derivative_of_the_adjoint_along_the_chain(chain):
    """PBP95 (53), proposition 1."""
    B, i, j = Motion.from_array(np.random.default_rng(1).normal(size=6)), 2, 4
    for k in range(1, chain.n + 1):
        wanted = by_differences(chain, lambda x: chain.Ad(i, j, B, x), k)
        close(first_derivative(chain, i, j, k, B, chain.x).array(), wanted)


def test_second_derivative_of_the_adjoint_along_the_chain(chain):
    """PBP95 (54), proposition 2, with its two cases exchanged."""
    B, i, j = Motion.from_array(np.random.default_rng(2).normal(size=6)), 1, 4
    for k in range(i, j + 1):
        for l in range(i, k + 1):
            found = second_derivative(chain, i, j, k, l, B).array()
            close(found, by_differences(chain, lambda x, k=k: first_derivative(chain, i, j, k, B, x), l))
            close(found, by_differences(chain, lambda x, l=l: first_derivative(chain, i, j, l, B, x), k))


def test_potential_energy(chain):
    """PBP95 (58): U = -sum m_i g . f_i r with g pointing down; f_i r is the centre of mass of link i."""
    g, total = np.array(chain.robot.gravity), 0.0
    for i in range(1, chain.n + 1):
        place = poe_space(chain.A[:i], chain.x[:i], chain.M[i - 1]).pose() @ [0, 0, 0, 1]
        total -= chain.J[i - 1].m * g @ place[:3]
    close(total, algorithms.potential_energy(chain.robot, chain.x))


def test_gravity_forces(chain):
    """PBP95 (59): phi_k = -sum_(i >= k) m_i g . (f_i M_i^-1 Ad_i^(k+1)(A_k) M_i r)."""
    g = np.append(chain.robot.gravity, 0.0)
    phi = np.zeros(chain.n)
    for k in range(1, chain.n + 1):
        for i in range(k, chain.n + 1):
            M, f = chain.M[i - 1].pose(), poe_space(chain.A[:i], chain.x[:i], chain.M[i - 1]).pose()
            screw = chain.Ad(k + 1, i, chain.A[k - 1])
            hat = np.zeros((4, 4))
            hat[:3, :3], hat[:3, 3] = skew(screw.ang.array()), screw.lin.array()
            phi[k - 1] -= chain.J[i - 1].m * g @ (f @ np.linalg.inv(M) @ hat @ M @ [0, 0, 0, 1])
    close(phi, algorithms.gravity_forces(chain.robot, chain.x))
