"""FS, the slides on spatial vector algebra: velocities and forces at another point, a body whose motion is constrained,
and the chain with a force at its end.
"""

import numpy as np
import pytest
from scipy.linalg import null_space

from sixd import Builder, Robot, algorithms
from sixd.joints import JOINTS
from sixd.model import ModelTree
from sixd.model.random import random_tree
from sixd.spatial import Force, Motion, Transform

KINDS = [(name, k) for name in sorted(JOINTS) for k in range(len(JOINTS[name].examples()))]


class Body:
    """One body on one joint, in a random state: S, c = (dS/dt) qd, v and I in body coordinates."""

    def __init__(self, name, k, seed=0):
        rng = np.random.default_rng(seed)
        joint, root = JOINTS[name].examples()[k], rng.normal(size=(3, 3))
        spread = root @ root.T  # second moments, of which any real body has some
        inertia = np.trace(spread) * np.eye(3) - spread
        b = Builder("one").body(
            "body", joint=joint, mass=1.5, com=rng.normal(size=3), inertia=inertia, rpy=(0.3, -0.2, 0.5)
        )
        self.robot = b.build(gravity=(0.0, 0.0, 0.0))
        self.q, self.qd = self.robot.random(rng), rng.normal(size=joint.nv)
        self.f, self.tau = rng.normal(size=6), np.zeros(joint.nv)
        view = ModelTree(self.robot)
        Q, V = view.positions(self.q)[1], view.velocities(self.qd)[1]
        S = joint.subspace(Q)
        self.S, self.v = S.array(), S @ V
        self.c = (joint.bias(Q, V) + self.v.cross(S @ V)).array()
        self.inertia = view.inertia(1)
        self.I = self.inertia.matrix().array()


@pytest.fixture(params=KINDS, ids=str)
def body(request):
    return Body(*request.param)


def close(found, wanted, tolerance=1e-11):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max())


def test_velocity_and_moment_at_another_point():
    """FS: v_O = v_P + OP x w, n_O = n_P + OP x f."""
    w, v, n, f, OP = np.random.default_rng(0).normal(size=(5, 3))
    to_P = Transform.translation(OP)
    close((to_P.inv @ Motion(w, v)).array(), [*w, *(v + np.cross(OP, w))])
    close((to_P.inv @ Force(n, f)).array(), [*(n + np.cross(OP, f)), *f])


def test_a_force_on_a_constrained_body_at_rest(body):
    """FS, constrained motion analysis: a = S (S^T I S)^-1 S^T f, from rest."""
    S, I = body.S, body.I
    a = S @ np.linalg.solve(S.T @ I @ S, S.T @ body.f)
    still = np.zeros_like(body.qd)
    qdd = body.robot.forward_dynamics(body.q, still, body.tau, {"body": body.f})
    close(body.robot.acceleration(body.q, still, qdd, "body"), a)


def test_a_force_on_a_constrained_body_in_motion(body):
    """FS, the relevant equations with v != 0: a = S dalpha + dS/dt alpha, S^T f_c = 0, f + f_c = I a + v x* I v."""
    S, I, p = body.S, body.I, body.inertia.bias_force(body.v).array()
    a = body.c + S @ np.linalg.solve(S.T @ I @ S, S.T @ (body.f - I @ body.c - p))
    qdd = body.robot.forward_dynamics(body.q, body.qd, body.tau, {"body": body.f})
    close(body.robot.acceleration(body.q, body.qd, qdd, "body"), a)
    f_c = body.robot.joint_forces(body.q, body.qd, qdd, {"body": body.f})[0]
    close(body.f + f_c, I @ a + p)
    close(S.T @ f_c, np.zeros(S.shape[1]))


def test_the_subspace_of_constraint_forces(body):
    """FS: T = {f | f . v = 0 for v in S}, dim T = 6 - dim S, S^T T = 0; what the joint transmits is in T."""
    T = null_space(body.S.T)
    assert T.shape == (6, 6 - body.S.shape[1])
    qdd = body.robot.forward_dynamics(body.q, body.qd, body.tau, {"body": body.f})
    f_c = body.robot.joint_forces(body.q, body.qd, qdd, {"body": body.f})[0]
    close(T @ (T.T @ f_c), f_c)


@pytest.mark.parametrize("seed", range(4))
def test_a_chain_with_a_force_at_its_end(seed):
    """FS, the recursive Newton-Euler algorithm in world coordinates: f_(n+1) = f_ee, exerted by the last link."""
    rng = np.random.default_rng(seed)
    robot = Robot.of(random_tree(5, rng, branching=0.0).with_gravity((0, 0, 0)))
    q, qd, qdd = robot.random(rng), *rng.normal(size=(2, robot.nv))
    f_ee = rng.normal(size=6)
    view, X = ModelTree(robot), algorithms.forward_kinematics(robot, q)
    Q, V, A = view.positions(q), view.velocities(qd), view.velocities(qdd)
    v, a, s = [Motion.zero()], [Motion.zero()], [None]
    for i in range(1, robot.n_bodies + 1):
        joint = view.joint(i)
        s.append(X[i].inv @ joint.subspace(Q[i]))
        v.append(v[i - 1] + s[i] @ V[i])
        a.append(a[i - 1] + v[i].cross(s[i] @ V[i]) + X[i].inv @ joint.bias(Q[i], V[i]) + s[i] @ A[i])
    f, tau = Force.from_array(f_ee), view.output()
    for i in range(robot.n_bodies, 0, -1):
        I = X[i].inv @ view.inertia(i)
        f = f + I @ a[i] + v[i].cross(I @ v[i])
        tau[i] = s[i].T @ f
    f_ext = {robot.bodies.names[-1]: -f_ee}  # what the environment exerts in return
    close(robot.inverse_dynamics(q, qd, qdd, f_ext, expressed_in="world"), tau.array(), 1e-12)
