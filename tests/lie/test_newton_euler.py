"""PBP95 (22)-(28) and its appendix, (67)-(83): the recursion in the operators of SE(3), against `sixd.algorithms`.

Three slips of the paper are put right here: (24)-(26) print Ad where the inverse is meant, which (70), (73) and (80)
derive; (73) prints V_i in the bracket where it has V_(i-1); (83) prints + m [w] [r]^2 w where the sign is minus.
"""

import numpy as np
import pytest

from sixd import Robot, algorithms
from sixd.errors import ShapeError, SpatialTypeError
from sixd.joints import Helical, Prismatic, Revolute
from sixd.lie import newton_euler, se3
from sixd.model.random import random_tree
from sixd.spatial import Inertia, Matrix, Motion, Transform, Vector
from sixd.spatial.table1 import skew
from tests.laws.trees import ALL, states, tree

JOINTS = [Revolute((1, 2, 2)), Revolute((0, 0, 1)), Prismatic((0, 3, 4)), Helical((1, 0, 0), 0.2)]


class Case:
    """A chain in the symbols of PBP95: frames f_(i-1,i) = M_i e^(S_i x_i), inertias J_i; its motion and its forces."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.robot = Robot.of(random_tree(6, rng, joints=JOINTS, branching=0.0))
        self.state = self.x, self.rates, self.accelerations = rng.normal(size=(3, 6))
        bodies = self.robot.body_list[1:]
        self.S = [body.joint.type.subspace(Vector.zero(1))[0] for body in bodies]
        self.M = [body.placement for body in bodies]
        self.J = [body.inertia for body in bodies]
        self.found = newton_euler(self.S, self.M, self.J, *self.state, -self.robot.gravity_acceleration)


@pytest.fixture(params=range(4))
def case(request):
    return Case(request.param)


def close(found, wanted):
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert np.abs(found - wanted).max() <= 1e-12 * max(1.0, np.abs(wanted).max())


def test_frames_are_products_of_exponentials(case):
    """PBP95 (23), (67): f_i = f_(0,1) f_(1,2) ... f_(i-1,i)."""
    found, X = algorithms.forward_kinematics(case.robot, case.x), Transform.identity()
    for S, x, M, X_i0 in zip(case.S, case.x, case.M, found[1:], strict=True):
        X = se3.exp(S * x) @ M @ X  # the pose product f g is X_g @ X_f: letters meet from right to left
        close(X.pose(), X_i0.pose())


def test_velocities_propagate_by_the_inverse_adjoint(case):
    """PBP95 (22), (24) as (70) derives it: V_i = Ad_f^-1 V_(i-1) + S_i dx_i."""
    for found, wanted in zip(case.found.V, algorithms.velocities(case.robot, case.x, case.rates)[1:], strict=True):
        close(found.array(), wanted.array())


def test_accelerations_propagate_by_the_inverse_adjoint_and_a_bracket(case):
    """PBP95 (22), (25) as (73) derives it: dV_i = Ad_f^-1 dV_(i-1) + [Ad_f^-1 V_(i-1), S_i dx_i] + S_i ddx_i."""
    motion = algorithms.body_motion(case.robot, *case.state, -case.robot.gravity_acceleration)
    for found, wanted in zip(case.found.dV, motion.a[1:], strict=True):
        close(found.array(), wanted.array())


def test_forces_and_torques(case):
    """PBP95 (26), (27), (80): F_i against the joint forces, tau_i = S_i^T F_i against the recursive algorithm."""
    for found, wanted in zip(case.found.F, algorithms.joint_forces(case.robot, *case.state)[1:], strict=True):
        close(found.array(), wanted.array())
    close(case.found.tau.array(), algorithms.rnea(case.robot, *case.state))


def test_without_gravity_the_base_is_at_rest(case):
    """PBP95 (22) as printed: dV_0 = 0."""
    found = newton_euler(case.S, case.M, case.J, *case.state)
    close(found.tau.array(), algorithms.rnea(case.robot.with_gravity((0.0, 0.0, 0.0)), *case.state))


@pytest.mark.parametrize("kind", ALL)
def test_the_recursion_on_trees(kind):
    """PBP95 (22)-(27) in Ad, ad and their duals, for trees of all joints: the same as the recursive algorithm."""
    robot = tree(kind)
    state = [x[0] for x in states(robot, 1)]
    f_ext = np.random.default_rng(1).normal(size=(robot.n_bodies, 6))
    found = algorithms.geometric_newton_euler(robot, *state, f_ext)
    close(found, algorithms.rnea(robot, *state, f_ext))


def test_chains_that_do_not_fit_are_refused(case):
    with pytest.raises(ShapeError, match="6 screws needs as many homes"):
        newton_euler(case.S, case.M[:5], case.J, *case.state)
    with pytest.raises(SpatialTypeError):
        newton_euler(case.S, case.M, case.M, *case.state)


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
    close(J.force(Vd, V).array(), F.array())

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
