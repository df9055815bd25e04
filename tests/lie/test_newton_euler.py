"""PBP95 (22)-(28) and its appendix, (67)-(83): the recursion in the operators of SE(3), against `sixd.algorithms`.

Three slips of the paper are put right here: (24)-(26) print Ad where the inverse is meant, which (70), (73) and (80)
derive; (73) prints V_i in the bracket where it has V_(i-1); (83) prints + m [w] [r]^2 w where the sign is minus.
"""

import numpy as np
import pytest

from sixd import Robot, algorithms
from sixd.joints import Helical, Prismatic, Revolute
from sixd.lie import se3
from sixd.model.random import random_tree
from sixd.spatial import Force, Inertia, Matrix, Motion, Transform, Vector
from sixd.spatial.table1 import skew

JOINTS = [Revolute((1, 2, 2)), Revolute((0, 0, 1)), Prismatic((0, 3, 4)), Helical((1, 0, 0), 0.2)]


class Chain:
    """A chain in the symbols of PBP95: frames f_(i-1,i) = M_i e^(S_i x_i), inertias J_i."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.robot = Robot.of(random_tree(6, rng, joints=JOINTS, branching=0.0))
        self.x, self.rates, self.accelerations = rng.normal(size=(3, 6))
        bodies = self.robot.body_list[1:]
        self.S = [body.joint.type.subspace(Vector.zero(1))[0] for body in bodies]
        self.M = [body.placement for body in bodies]
        self.J = [body.inertia for body in bodies]
        # The pose product f g is X_g @ X_f: letters meet from right to left.
        self.f = [se3.exp(S * x) @ M for S, x, M in zip(self.S, self.x, self.M, strict=True)]

    def motions(self):
        """(22)-(25), with the inverse of Ad; the base accelerates against gravity."""
        V, Vd = [Motion.zero()], [-self.robot.gravity_acceleration]
        for f, S, rate, acceleration in zip(self.f, self.S, self.rates, self.accelerations, strict=True):
            carried = se3.Ad(f.inverse(), V[-1])
            Vd.append(S * acceleration + se3.Ad(f.inverse(), Vd[-1]) + se3.ad(carried, S * rate))
            V.append(carried + S * rate)
        return V, Vd

    def forces(self):
        """(26), with the dual of the inverse: F_i = Ad*_(f^-1) F_(i+1) + J_i dV_i - ad*_V (J_i V_i)."""
        V, Vd = self.motions()
        F = [Force.zero()]
        steps = [*self.f[1:], Transform.identity()]
        for J, step, v, vd in reversed(list(zip(self.J, steps, V[1:], Vd[1:], strict=True))):
            F.append(se3.Ad_dual(step.inverse(), F[-1]) + J @ vd - se3.ad_dual(v, J @ v))
        return F[:0:-1]


@pytest.fixture(params=range(4))
def chain(request):
    return Chain(request.param)


def close(found, wanted):
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert np.abs(found - wanted).max() <= 1e-12 * max(1.0, np.abs(wanted).max())


def test_frames_are_products_of_exponentials(chain):
    """PBP95 (23), (67): f_i = f_(0,1) f_(1,2) ... f_(i-1,i)."""
    found, X = algorithms.forward_kinematics(chain.robot, chain.x), Transform.identity()
    for f, X_i0 in zip(chain.f, found[1:], strict=True):
        X = f @ X
        close(X.pose(), X_i0.pose())


def test_velocities_propagate_by_the_inverse_adjoint(chain):
    """PBP95 (22), (24) as (70) derives it: V_i = Ad_f^-1 V_(i-1) + S_i dx_i."""
    V, _ = chain.motions()
    for found, wanted in zip(V, algorithms.velocities(chain.robot, chain.x, chain.rates), strict=True):
        close(found.array(), wanted.array())


def test_accelerations_propagate_by_the_inverse_adjoint_and_a_bracket(chain):
    """PBP95 (22), (25) as (73) derives it: dV_i = Ad_f^-1 dV_(i-1) + [Ad_f^-1 V_(i-1), S_i dx_i] + S_i ddx_i."""
    _, Vd = chain.motions()
    motion = algorithms.body_motion(
        chain.robot, chain.x, chain.rates, chain.accelerations, -chain.robot.gravity_acceleration
    )
    for found, wanted in zip(Vd, motion.a, strict=True):
        close(found.array(), wanted.array())


def test_forces_and_torques(chain):
    """PBP95 (26), (27), (80): F_i against the joint forces, tau_i = S_i^T F_i against the recursive algorithm."""
    state = chain.x, chain.rates, chain.accelerations
    F = chain.forces()
    for found, wanted in zip(F, algorithms.joint_forces(chain.robot, *state)[1:], strict=True):
        close(found.array(), wanted.array())
    close([S.dot(f) for S, f in zip(chain.S, F, strict=True)], algorithms.rnea(chain.robot, *state))


def random_body(rng):
    root = rng.normal(size=(3, 3))
    return rng.uniform(0.5, 2.0), rng.normal(size=3), root @ root.T


def test_blocks_of_the_inertia_of_a_link():
    """PBP95 (21), and (28): Featherstone's older arrangement has the same blocks with its rows exchanged."""
    m, r, I = random_body(np.random.default_rng(0))
    J = Inertia.from_mass_com(m, r, Matrix.from_array(I)).matrix().array()
    x = skew(r)
    close(J, np.block([[I - m * x @ x, m * x], [-m * x, m * np.eye(3)]]))
    older = np.block([[-m * x, m * np.eye(3)], [I - m * x @ x, m * x]])
    close(np.roll(J, 3, axis=0), older)


@pytest.mark.parametrize("seed", range(4))
def test_newton_and_euler_about_any_point_of_the_link(seed):
    """PBP95 (74)-(79) in three dimensions, and (81)-(83): the blocks of J dV - ad*_V J V."""
    rng = np.random.default_rng(seed)
    m, r, I = random_body(rng)
    w, v, dw, dv = rng.normal(size=(4, 3))
    J, V, Vd = Inertia.from_mass_com(m, r, Matrix.from_array(I)), Motion(w, v), Motion(dw, dv)
    F = J @ Vd - se3.ad_dual(V, J @ V)

    a = dv + np.cross(w, v)  # (76)
    a_com = a + np.cross(dw, r) + np.cross(w, np.cross(w, r))  # (77)
    force = m * a_com  # (74)
    moment = I @ dw + np.cross(w, I @ w) + np.cross(r, m * a_com)  # (75)
    close(F.lin.array(), force)
    close(F.ang.array(), moment)
    close(Vd.conventional(V).lin.array(), a)

    x, y, W, dW = skew(r), skew(v), skew(w), skew(dw)
    close(m * (dv + W @ v + dW @ r + W @ W @ r), force)  # (78), (81)
    close(I @ dw + np.cross(w, I @ w) + m * x @ (dv + W @ v + dW @ r + W @ W @ r), moment)  # (79)
    turned = -m * W @ x @ x @ w + m * W @ x @ v + m * y @ W @ r
    close(I @ dw - m * x @ x @ dw + m * x @ dv + W @ I @ w + turned, moment)  # (82), (83)
