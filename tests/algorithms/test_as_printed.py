"""The algorithms as F10b and FO00 print them, in 6x6 matrices of Table 1, against those of the library.

F10b Fig. 1 (the MATLAB code; Fig. 5 is its pseudocode), Fig. 7, Fig. 9 with I^a and p^a in its sums as (64), (65) have
them, the sums (40)-(45) that CRBA is derived from, and FO00 (9)-(14) in world coordinates.
"""

from math import inf

import numpy as np
import pytest

from sixd import Builder, Transform, algorithms
from sixd.joints import Helical, Prismatic, Revolute
from sixd.spatial.table1 import crf, crm, mcI, rotx, roty, rotz, xlt

KINDS = {0.0: Revolute(), inf: Prismatic(), 0.3: Helical(pitch=0.3)}


def jcalc(pitch, q):
    """F10b Fig. 4."""
    if pitch == 0:
        return rotz(q), np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    if pitch == inf:
        return xlt([0.0, 0.0, q]), np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    return rotz(q) @ xlt([0.0, 0.0, q * pitch]), np.array([0.0, 0.0, 1.0, 0.0, 0.0, pitch])


class Model:
    """The tutorial's model data structure, bodies counted from 1, in a random state, and the same robot in sixd."""

    def __init__(self, seed, N=7):
        rng = np.random.default_rng(seed)
        self.N = N
        self.parent = [-1] + [int(rng.integers(max(0, i - 3), i)) for i in range(1, N + 1)]
        self.pitch = [None] + [list(KINDS)[int(rng.integers(3))] for _ in range(N)]
        self.Xtree, self.I = [None], [None]
        b = Builder("printed")
        b.link("base")
        for i in range(1, N + 1):
            a, e, c = rng.uniform(-3, 3, size=3)
            self.Xtree.append(rotx(a) @ roty(e) @ rotz(c) @ xlt(rng.normal(size=3)))
            m, com, root = rng.uniform(0.5, 2.0), rng.normal(size=3), rng.normal(size=(3, 3))
            spread = root @ root.T  # second moments, of which any real body has some
            I_c = np.trace(spread) * np.eye(3) - spread
            self.I.append(mcI(m, com, I_c))
            b.body(
                f"body{i}",
                parent=f"body{self.parent[i]}" if self.parent[i] else "base",
                joint=KINDS[self.pitch[i]],
                mass=m,
                com=com,
                inertia=I_c,
                at=Transform.from_matrix(self.Xtree[i]),
            )
        self.q, self.qd, self.qdd = rng.normal(size=(3, N))
        self.bodies = range(1, N + 1)
        self.robot = b.build()
        # The builder numbers depth first; the tutorial's numbering is any with parent(i) < i.
        self.number = [0] + [self.robot.bodies.names.index(f"body{i}") for i in self.bodies]

    def order(self, x):
        """A vector by the tutorial's numbers in the order of the robot's coordinates."""
        out = np.empty(self.N)
        out[[self.number[i] - 1 for i in self.bodies]] = x
        return out

    def kinematics(self):
        """Xup and s of every body: lines 3 to 5 of Fig. 1."""
        Xup, s = [None], [None]
        for i in self.bodies:
            XJ, axis = jcalc(self.pitch[i], self.q[i - 1])
            Xup.append(XJ @ self.Xtree[i])
            s.append(axis)
        return Xup, s

    def world(self):
        """iX0 and the axes in world coordinates."""
        Xup, s = self.kinematics()
        X = [np.eye(6)]
        for i in self.bodies:
            X.append(Xup[i] @ X[self.parent[i]])
        return X, [None] + [np.linalg.solve(X[i], s[i]) for i in self.bodies]

    def kappa(self, i):
        return {i} | self.kappa(self.parent[i]) if i else set()

    def nu(self, i):
        return {k for k in self.bodies if i in self.kappa(k)}


@pytest.fixture(params=range(5))
def model(request):
    return Model(request.param)


def close(found, wanted, tolerance=1e-11):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert np.abs(found - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max())


def ID(model, q, qd, qdd):
    """F10b Fig. 1, line by line."""
    s, Xup, v, a, f = ([None] * (model.N + 1) for _ in range(5))
    tau = np.zeros(model.N)
    for i in model.bodies:
        XJ, s[i] = jcalc(model.pitch[i], q[i - 1])
        vJ = s[i] * qd[i - 1]
        Xup[i] = XJ @ model.Xtree[i]
        p = model.parent[i]
        if p == 0:
            v[i] = vJ
            a[i] = Xup[i] @ [0, 0, 0, 0, 0, 9.81] + s[i] * qdd[i - 1]
        else:
            v[i] = Xup[i] @ v[p] + vJ
            a[i] = Xup[i] @ a[p] + s[i] * qdd[i - 1] + crm(v[i]) @ vJ
        f[i] = model.I[i] @ a[i] + crf(v[i]) @ model.I[i] @ v[i]
    for i in reversed(model.bodies):
        tau[i - 1] = s[i] @ f[i]
        p = model.parent[i]
        if p != 0:
            f[p] = f[p] + Xup[i].T @ f[i]
    return tau


def test_recursive_newton_euler(model):
    """F10b (1), (3), (9)-(13), Figs. 1 and 5; FO00's complete Newton-Euler algorithm."""
    state = model.q, model.qd, model.qdd
    close(model.order(ID(model, *state)), model.robot.inverse_dynamics(*map(model.order, state)))


def CRBA(model):
    """F10b Fig. 7, line by line."""
    Xup, s = model.kinematics()
    H, Ic = np.zeros((model.N, model.N)), list(model.I)
    for i in reversed(model.bodies):
        p = model.parent[i]
        if p != 0:
            Ic[p] = Ic[p] + Xup[i].T @ Ic[i] @ Xup[i]
        f = Ic[i] @ s[i]
        H[i - 1, i - 1] = f @ s[i]
        j = i
        while model.parent[j] != 0:
            f = Xup[j].T @ f
            j = model.parent[j]
            H[i - 1, j - 1] = H[j - 1, i - 1] = f @ s[j]
    return H


def mass_matrix(model):
    """The library's mass matrix, by the tutorial's numbers."""
    which = [model.number[i] - 1 for i in model.bodies]
    return model.robot.mass_matrix(model.order(model.q))[np.ix_(which, which)]


def test_composite_rigid_bodies(model):
    """F10b (46)-(48), Fig. 7."""
    close(CRBA(model), mass_matrix(model))


def test_mass_matrix_as_a_sum_over_common_subtrees(model):
    """F10b (42), (43): H_ij = sum of s_i^T I_k s_j over the bodies that both joints carry."""
    X, s = model.world()
    I = [None] + [X[k].T @ model.I[k] @ X[k] for k in model.bodies]
    H = np.zeros((model.N, model.N))
    for i in model.bodies:
        for j in model.bodies:
            common = model.nu(i) & model.nu(j)
            assert common == (model.nu(i) if i in model.nu(j) else model.nu(j) if j in model.nu(i) else set())
            H[i - 1, j - 1] = sum(s[i] @ I[k] @ s[j] for k in common)
    close(H, mass_matrix(model))


def test_mass_matrix_in_world_coordinates(model):
    """F10b (44), (45); FO00 (9), (10): s_i^T I_i^c s_j if j is on the way from i to the base."""
    X, s = model.world()
    Ic = [None] + [X[k].T @ model.I[k] @ X[k] for k in model.bodies]
    for i in reversed(model.bodies):
        if model.parent[i]:
            Ic[model.parent[i]] = Ic[model.parent[i]] + Ic[i]
    H = np.zeros((model.N, model.N))
    for i in model.bodies:
        for j in model.kappa(i):
            H[i - 1, j - 1] = H[j - 1, i - 1] = s[i] @ Ic[i] @ s[j]
    close(H, mass_matrix(model))


def test_kinetic_energy_as_a_sum_over_paths(model):
    """F10b (40), (41): both orders of summation."""
    X, s = model.world()
    I = [None] + [X[k].T @ model.I[k] @ X[k] for k in model.bodies]
    qd = [None, *model.qd]

    def term(i, j, k):
        return 0.5 * s[i] @ I[k] @ s[j] * qd[i] * qd[j]

    by_body = sum(term(i, j, k) for k in model.bodies for i in model.kappa(k) for j in model.kappa(k))
    by_pair = sum(term(i, j, k) for i in model.bodies for j in model.bodies for k in model.nu(i) & model.nu(j))
    T = model.robot.kinetic_energy(model.order(model.q), model.order(model.qd))
    close([by_body, by_pair], [T, T])


def articulated_bodies(model, tau):
    """F10b Fig. 9, passes 1 and 2, with I^a, p^a in the sums: everything that pass 3 needs."""
    Xup, s = model.kinematics()
    v, c, p, h, d, u = ([np.zeros(6)] * (model.N + 1) for _ in range(6))
    IA, pA = list(model.I), [None] * (model.N + 1)
    for i in model.bodies:
        v[i] = Xup[i] @ v[model.parent[i]] + s[i] * model.qd[i - 1]
        c[i] = crm(v[i]) @ s[i] * model.qd[i - 1]
        p[i] = pA[i] = crf(v[i]) @ model.I[i] @ v[i]
    for i in reversed(model.bodies):
        h[i] = IA[i] @ s[i]
        d[i] = s[i] @ h[i]
        u[i] = tau[i - 1] - s[i] @ pA[i]
        if model.parent[i]:
            Ia = IA[i] - np.outer(h[i], h[i]) / d[i]
            pa = pA[i] + Ia @ c[i] + h[i] * u[i] / d[i]
            IA[model.parent[i]] = IA[model.parent[i]] + Xup[i].T @ Ia @ Xup[i]
            pA[model.parent[i]] = pA[model.parent[i]] + Xup[i].T @ pa
    return Xup, s, c, IA, pA, h, d, u


def FD(model, tau):
    """F10b Fig. 9: joint accelerations, and the accelerations of the bodies."""
    Xup, s, c, _, _, h, d, u = articulated_bodies(model, tau)
    a, qdd = [np.array([0, 0, 0, 0, 0, 9.81])], np.zeros(model.N)
    for i in model.bodies:
        a_ = Xup[i] @ a[model.parent[i]] + c[i]
        qdd[i - 1] = (u[i] - h[i] @ a_) / d[i]
        a.append(a_ + s[i] * qdd[i - 1])
    return qdd, a


def test_articulated_bodies(model):
    """F10b (35), (54)-(58), (62)-(68), Fig. 9."""
    tau = np.random.default_rng(1).normal(size=model.N)
    found = model.robot.forward_dynamics(*map(model.order, (model.q, model.qd, tau)))
    close(model.order(FD(model, tau)[0]), found, 1e-9)


def test_articulated_body_equation(model):
    """F10b (49)-(53), FO00 (11): f_i = I_i^A a_i + p_i^A is the force that joint i transmits."""
    tau = np.random.default_rng(2).normal(size=model.N)
    qdd, a = FD(model, tau)
    _, s, _, IA, pA, *_ = articulated_bodies(model, tau)
    forces = model.robot.joint_forces(*map(model.order, (model.q, model.qd, qdd)))
    for i in model.bodies:
        found = IA[i] @ a[i] + pA[i]
        close(found, forces[model.number[i] - 1], 1e-9)
        close(s[i] @ found, tau[i - 1], 1e-9)


def test_articulated_bodies_in_world_coordinates(model):
    """FO00 (3), (4), (12)-(14), with tau_j in (13), where the paper prints tau_i; gravity accelerates the base."""
    tau = np.random.default_rng(3).normal(size=model.N)
    X, s = model.world()
    I = [None] + [X[k].T @ model.I[k] @ X[k] for k in model.bodies]
    v, c = [np.zeros(6)], [None]
    for i in model.bodies:
        v.append(v[model.parent[i]] + s[i] * model.qd[i - 1])
        c.append(crm(v[i]) @ s[i] * model.qd[i - 1])
    IA, pA = list(I), [None] + [crf(v[k]) @ I[k] @ v[k] for k in model.bodies]
    p_alpha = [None] * (model.N + 1)
    for j in reversed(model.bodies):
        p_alpha[j] = pA[j] + IA[j] @ c[j]
        column, d = IA[j] @ s[j], s[j] @ IA[j] @ s[j]
        i = model.parent[j]
        if i:
            IA[i] = IA[i] + IA[j] - np.outer(column, column) / d
            pA[i] = pA[i] + p_alpha[j] + column * (tau[j - 1] - s[j] @ p_alpha[j]) / d
    a, qdd = [np.array([0, 0, 0, 0, 0, 9.81])], np.zeros(model.N)
    for i in model.bodies:
        above = a[model.parent[i]]
        qdd[i - 1] = (tau[i - 1] - s[i] @ (IA[i] @ above + p_alpha[i])) / (s[i] @ IA[i] @ s[i])
        a.append(above + c[i] + s[i] * qdd[i - 1])
    close(model.order(qdd), model.robot.forward_dynamics(*map(model.order, (model.q, model.qd, tau))), 1e-9)


def test_jacobian_as_columns_on_the_path(model):
    """F10b (17)-(22): column i is s_i if joint i is on the way to the body, else zero."""
    X, s = model.world()
    velocities = algorithms.velocities(model.robot, *map(model.order, (model.q, model.qd)))
    for b in model.bodies:
        J = np.column_stack([s[i] * (i in model.kappa(b)) for i in model.bodies])
        found = algorithms.jacobian(model.robot, model.order(model.q), model.number[b], expressed_in="world")
        close(found[:, [model.number[i] - 1 for i in model.bodies]], J)
        velocity = sum(s[i] * model.qd[i - 1] for i in model.kappa(b))
        close(J @ model.qd, velocity)
        close(X[b] @ velocity, velocities[model.number[b]])
