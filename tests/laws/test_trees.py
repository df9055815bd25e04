"""Laws that tie the algorithms to each other, on random trees of every joint type, to rounding."""

import numpy as np
import pytest

from sixd import Robot, algorithms
from sixd.algorithms import inverse_dynamics, mass_matrix
from sixd.model.random import random_tree
from sixd.testing import derivative, precise
from tests.laws.trees import TREES, states, tree

pytestmark = pytest.mark.parametrize("kind", TREES)

EXPRESSIONS = ("body", "world", "aligned")


def close(found, wanted, rtol=1e-12, scale=None):
    """Equal to rounding, relative to the largest entry (or a given scale); what should vanish may be 1e-30."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    size = np.abs(wanted).max() if scale is None else scale
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=rtol * size + 1e-30)


def moved(robot: Robot, q, qd, h):
    """q after a time h at the velocity qd, in high precision."""
    q, qd = precise(q), precise(qd)
    out = [None] * robot.nq
    from sixd.spatial import Vector

    for joint in robot.joints:
        if joint.mimic is None:
            out[joint.q] = joint.type.integrate(Vector(q[joint.q]), Vector(x * h for x in qd[joint.v])).entries
    return out


def test_forward_after_inverse_is_the_identity(kind):
    robot = tree(kind)
    q, qd, qdd = states(robot)
    tau = robot.inverse_dynamics(q, qd, qdd)
    bound = 1e-15 * np.linalg.cond(robot.mass_matrix(q)).max() * robot.nv
    for method in ("aba", "crba", "naive"):
        close(robot.forward_dynamics(q, qd, tau, method=method), qdd, rtol=max(1e-12, bound))


def test_both_factorizations_solve(kind):
    robot = tree(kind)
    q, qd, qdd = states(robot, 1)
    tau = robot.inverse_dynamics(q[0], qd[0], qdd[0])
    for name in ("ltl", "ltdl"):
        found = algorithms.forward_dynamics_crba(robot, q[0], qd[0], tau, factorization=name)
        close(found, qdd[0], rtol=1e-15 * np.linalg.cond(robot.mass_matrix(q[0])) * robot.nv)


def test_factors_multiply_back_and_keep_the_sparsity(kind):
    robot = tree(kind)
    H = robot.mass_matrix(states(robot, 1).q[0])
    parents = robot.dof_parent
    L = np.array(algorithms.ltl(H.tolist(), parents), dtype=float)
    close(L.T @ L, H)
    U, D = (np.array(x, dtype=float) for x in algorithms.ltdl(H.tolist(), parents))
    close(U.T @ np.diag(D) @ U, H)
    reached = np.eye(robot.nv, dtype=bool)
    for k, before in enumerate(parents):
        reached[k] |= reached[before] if before >= 0 else False
    for factor in (L, U):
        assert not factor[~reached].any()


def test_inverse_dynamics_is_linear_in_the_accelerations(kind):
    """F10b (36), FDSV (1), (8): tau = H qdd + C."""
    robot = tree(kind)
    q, qd, qdd = states(robot)
    H, C = robot.mass_matrix(q), robot.bias_forces(q, qd)
    close(np.einsum("kij,kj->ki", H, qdd) + C, robot.inverse_dynamics(q, qd, qdd))


def test_three_mass_matrices_agree(kind):
    """F10b (38)-(48), FDSV (10), (11), FO00 (9), (10)."""
    robot = tree(kind)
    q = states(robot).q
    H = robot.mass_matrix(q)
    close(robot.mass_matrix(q, method="naive"), H, rtol=1e-11)
    close(robot.mass_matrix(q, method="energy"), H)
    close(H, np.swapaxes(H, -1, -2))
    assert np.linalg.eigvalsh(H).min() > 0.0


def test_columns_of_the_mass_matrix_at_the_given_velocity(kind):
    """FDSV (10), (11): H_i = ID(q, qd, delta_i) - ID(q, qd, 0) at any velocity; it cancels but for rounding."""
    robot = tree(kind)
    q, qd, _ = (x[0] for x in states(robot, 1))
    H = robot.mass_matrix(q)
    for speed in (1.0, 30.0):
        C = robot.bias_forces(q, speed * qd)
        found = algorithms.mass_matrix_naive(robot, q, speed * qd)
        close(found, H, rtol=1e-13, scale=np.abs(H).max() + np.abs(C).max())
        columns = [robot.inverse_dynamics(q, speed * qd, e) - C for e in np.eye(robot.nv)]
        close(found, np.stack(columns, axis=1), rtol=1e-13, scale=np.abs(H).max() + np.abs(C).max())


def test_forward_dynamics_from_n_plus_1_calls_of_inverse_dynamics(kind, monkeypatch):
    """FDSV (6)-(11): one call for C and one for each column, all at the given velocity and with the given forces."""
    robot = tree(kind)
    q, qd, qdd = (x[0] for x in states(robot, 1))
    calls = []

    def counted(view, q, qd, qdd, f_ext=None):
        calls.append((qd.values, f_ext.values))
        return rnea(view, q, qd, qdd, f_ext)

    rnea = algorithms.rnea
    for module in (inverse_dynamics, mass_matrix):
        monkeypatch.setattr(module, "rnea", counted)
    f_ext = np.ones((robot.n_bodies, 6))
    tau = rnea(robot, q, qd, qdd, f_ext)
    found = algorithms.forward_dynamics_naive(robot, q, qd, tau, f_ext)
    assert len(calls) == robot.nv + 1
    assert all(np.array_equal(speeds, qd) for speeds, _ in calls)
    assert all(np.array_equal(forces, f_ext.ravel()) for _, forces in calls)
    close(found, qdd, rtol=1e-14 * np.linalg.cond(robot.mass_matrix(q)) * robot.nv)


def test_mass_matrix_is_sparse_where_branches_part(kind):
    """F10b (43), (45): H_ij is exactly zero unless one body carries the other."""
    robot = tree(kind)
    if robot.is_coupled:
        pytest.skip("couplings join branches")
    H = robot.mass_matrix(states(robot, 1).q[0])
    apart = [
        (a, b)
        for a in robot.joints
        for b in robot.joints
        if a.index not in robot.path(b.index) and b.index not in robot.path(a.index)
    ]
    assert bool(apart) == any(len(children) > 1 for children in robot.children)
    for a, b in apart:
        assert not H[a.v, b.v].any()


def test_relative_pivots_make_the_determinant(kind):
    """The product of the pivots of H, each relative to its entry of the diagonal: in (0, 1], together det H."""
    robot = tree(kind)
    q = states(robot, 1).q[0]
    H, ratio = robot.mass_matrix(q), algorithms.relative_pivots(robot, q)
    assert np.all((ratio > 0.0) & (ratio <= 1.0 + 1e-14))
    found = np.log(ratio).sum() + np.log(np.diag(H)).sum()
    np.testing.assert_allclose(found, np.linalg.slogdet(H)[1], rtol=0, atol=1e-14 * robot.nv * np.linalg.cond(H))


def test_inverse_mass_matrix(kind):
    robot = tree(kind)
    q = states(robot).q
    H = robot.mass_matrix(q)
    one = np.broadcast_to(np.eye(robot.nv), H.shape)
    close(robot.inverse_mass_matrix(q) @ H, one, rtol=1e-15 * robot.nv * np.linalg.cond(H).max())


def test_absolute_coordinates_give_the_same_forces(kind):
    """F10b (9)-(13) as printed, in one coordinate system."""
    robot = tree(kind)
    q, qd, qdd = states(robot)
    f_ext = np.random.default_rng(1).normal(size=(3, robot.n_bodies, 6))
    close(
        algorithms.rnea_absolute(robot, q, qd, qdd, f_ext),
        algorithms.rnea(robot, q, qd, qdd, f_ext),
    )


def test_kinetic_energy(kind):
    """F10b (38), (39): T = 1/2 qd^T H qd."""
    robot = tree(kind)
    q, qd, _ = states(robot)
    close(robot.kinetic_energy(q, qd), 0.5 * np.einsum("ki,kij,kj->k", qd, robot.mass_matrix(q), qd))


def test_gravity_forces_are_the_gradient_of_the_potential_energy(kind):
    robot = tree(kind)
    q = states(robot, 1).q[0]
    gradient = [
        derivative(lambda h, e=e: algorithms.potential_energy(robot, moved(robot, q, e, h))) for e in np.eye(robot.nv)
    ]
    close(gradient, robot.gravity_forces(q))


def test_power_balance(kind):
    """The joint forces' power is the rate of the energy: d(T + U)/dt = tau . qd."""
    robot = tree(kind)
    q, qd, qdd = (x[0] for x in states(robot, 1))
    speed, gain = precise(qd), precise(qdd)

    def energy(h):
        where = moved(robot, q, qd, h)
        now = [v + a * h for v, a in zip(speed, gain, strict=True)]
        return algorithms.kinetic_energy(robot, where, now) + algorithms.potential_energy(robot, where)

    power = robot.inverse_dynamics(q, qd, qdd) * qd
    close(derivative(energy), power.sum(), scale=np.abs(power).sum())


def test_mass_matrix_rate_and_coriolis_forces_do_no_work_together(kind):
    """qd^T (dH/dt - 2 C) qd = 0, with C qd the velocity part of the bias forces."""
    robot = tree(kind)
    q, qd, _ = (x[0] for x in states(robot, 1))
    rate = derivative(lambda h: algorithms.crba(robot, moved(robot, q, qd, h)).ravel()).reshape(robot.nv, robot.nv)
    coriolis = robot.bias_forces(q, qd) - robot.gravity_forces(q)
    terms = np.array([qd @ rate @ qd, -2.0 * qd @ coriolis])
    scale = np.abs(np.outer(qd, qd) * rate).sum() + np.abs(qd * robot.bias_forces(q, qd)).sum()
    close(terms.sum(), 0.0, scale=scale)


def test_momentum_changes_by_the_forces_on_the_robot(kind):
    """F10a (29) for all bodies: dh/dt = what the base exerts + gravity."""
    robot = tree(kind)
    q, qd, qdd = (x[0] for x in states(robot, 1))
    speed, gain = precise(qd), precise(qdd)

    def momentum(h):
        now = [v + a * h for v, a in zip(speed, gain, strict=True)]
        return algorithms.momentum(robot, moved(robot, q, qd, h), now).components()

    from_base = algorithms.joint_forces(robot, q, qd, qdd)[0].array()
    weight = robot.mass * np.array(robot.gravity)
    gravity = np.concatenate([np.cross(robot.center_of_mass(q), weight), weight])
    close(derivative(momentum), from_base + gravity)


def test_momentum_matrices(kind):
    robot = tree(kind)
    q, qd, _ = states(robot)
    for about in ("origin", "com"):
        A = robot.momentum_matrix(q, about=about)
        close(np.einsum("kij,kj->ki", A, qd), robot.momentum(q, qd, about=about))
    h, hG, c = robot.momentum(q, qd), robot.momentum(q, qd, about="com"), robot.center_of_mass(q)
    close(hG[:, 3:], h[:, 3:])
    close(h[:, :3], hG[:, :3] + np.cross(c, h[:, 3:]))


def test_center_of_mass_and_its_jacobian(kind):
    robot = tree(kind)
    q, qd, _ = states(robot)
    J = robot.center_of_mass_jacobian(q)
    close(robot.mass * np.einsum("kij,kj->ki", J, qd), robot.momentum(q, qd)[:, 3:])
    rate = derivative(lambda h: algorithms.center_of_mass(robot, moved(robot, q[0], qd[0], h)))
    close(J[0] @ qd[0], rate)


def test_composite_inertia_is_the_sum_of_the_bodies(kind):
    """F10a (24), (26): in world coordinates."""
    robot = tree(kind)
    q = states(robot, 1).q[0]
    X = algorithms.forward_kinematics(robot, q)
    total = sum(
        X[i].matrix().array().T @ body.inertia.matrix().array() @ X[i].matrix().array()
        for i, body in enumerate(robot.bodies)
        if i
    )
    close(robot.composite_inertia(q), total)


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_jacobian_maps_velocities(kind, expressed_in):
    """F10b (17), (23), (25), (26)."""
    robot = tree(kind)
    q, qd, _ = states(robot)
    for frame in robot.frames.names[1:]:
        J = robot.jacobian(q, frame, expressed_in)
        v = robot.velocity(q, qd, frame, expressed_in)
        close(np.einsum("kij,kj->ki", J, qd), v, scale=np.abs(J).max() * np.abs(qd).max())


def test_velocity_is_the_derivative_of_the_pose(kind):
    robot = tree(kind)
    q, qd, _ = (x[0] for x in states(robot, 1))
    for frame in robot.frames:
        if frame.body == 0:
            continue
        rate = derivative(
            lambda h, f=frame: algorithms.pose(robot, moved(robot, q, qd, h), f.body, f.offset).pose().ravel()
        ).reshape(4, 4)
        w, v = np.split(robot.velocity(q, qd, frame.name, "aligned"), 2)
        R = robot.pose(q, frame.name)[:3, :3]
        close(rate[:3, 3], v, scale=np.abs(qd).sum() + 1.0)
        close(rate[:3, :3], -np.cross(np.eye(3), w).T @ R, scale=np.abs(w).max() + 1.0)


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_jacobian_rate_is_the_derivative_of_the_jacobian(kind, expressed_in):
    robot = tree(kind)
    q, qd, _ = (x[0] for x in states(robot, 1))
    frame = robot.frames[-1]
    place = frame.body, frame.offset, expressed_in
    rate = derivative(lambda h: algorithms.jacobian(robot, moved(robot, q, qd, h), *place).ravel())
    scale = np.abs(robot.jacobian(q, frame.name, expressed_in)).max() * np.abs(qd).max()
    close(rate.reshape(6, robot.nv), robot.jacobian_rate(q, qd, frame.name, expressed_in), scale=scale)


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_acceleration_from_the_jacobian(kind, expressed_in):
    """F10b (32), (33): a = J qdd + (dJ/dt) qd; aligned with the world this is the conventional acceleration."""
    robot = tree(kind)
    q, qd, qdd = states(robot)
    frame = robot.frames[-1].name
    J, Jd = robot.jacobian(q, frame, expressed_in), robot.jacobian_rate(q, qd, frame, expressed_in)
    found = np.einsum("kij,kj->ki", J, qdd) + np.einsum("kij,kj->ki", Jd, qd)
    a = robot.acceleration(q, qd, qdd, frame, expressed_in, conventional=expressed_in == "aligned")
    close(found, a)
    if expressed_in != "aligned":
        bias = robot.bias_acceleration(q, qd, frame, expressed_in)
        close(np.einsum("kij,kj->ki", J, qdd) + bias, a)


def test_accelerations_as_sums_over_the_path(kind):
    """F10b (28)-(31): the sum form in world coordinates against the recursion."""
    robot = tree(kind)
    q, qd, qdd = (x[0] for x in states(robot, 1))
    X = algorithms.forward_kinematics(robot, q)
    motion = algorithms.body_motion(robot, q, qd, qdd)
    from sixd.model import ModelTree
    from sixd.spatial import Motion

    view = ModelTree(robot)
    Q, V, A = view.positions(q), view.velocities(qd), view.velocities(qdd)
    bias = algorithms.bias_accelerations(robot, q, qd)
    for b in range(1, robot.n_bodies + 1):
        total, products = Motion.zero(), Motion.zero()
        for i in robot.path(b):
            joint = view.joint(i)
            s = X[i].inv @ joint.subspace(Q[i])
            total = total + s @ A[i]
            products = products + X[i].inv @ joint.bias(Q[i], V[i])
            for j in robot.path(i):
                products = products + (X[j].inv @ (view.joint(j).subspace(Q[j]) @ V[j])).cross(s @ V[i])
        close((X[b] @ (total + products)).array(), motion.a[b].array())
        close((X[b] @ products).array(), bias[b].array(), scale=np.abs(motion.a[b].array()).max())


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_forces_map_through_the_transposed_jacobian(kind, expressed_in):
    """F10b (27)."""
    robot = tree(kind)
    q = states(robot).q
    f = np.random.default_rng(2).normal(size=(3, 6))
    frame = robot.frames[-1].name
    J = robot.jacobian(q, frame, expressed_in)
    close(robot.frame_forces(q, frame, f, expressed_in), np.einsum("kij,ki->kj", J, f))


def test_external_forces_act_like_their_joint_forces(kind):
    """FO00 (7): an external force on a body is J^T f at the joints, in inverse and forward dynamics."""
    robot = tree(kind)
    q, qd, qdd = states(robot)
    f = np.random.default_rng(2).normal(size=(3, 6))
    frame = robot.frames[-1].name
    tau_f = robot.frame_forces(q, frame, f)
    tau = robot.inverse_dynamics(q, qd, qdd)
    close(robot.inverse_dynamics(q, qd, qdd, f_ext={frame: f}), tau - tau_f, scale=np.abs(tau).max())
    cond = np.linalg.cond(robot.mass_matrix(q)).max() * 1e-15 * robot.nv
    for method in ("aba", "crba", "naive"):
        found = robot.forward_dynamics(q, qd, tau - tau_f, f_ext={frame: f}, method=method)
        close(found, qdd, rtol=max(1e-12, cond))


@pytest.mark.parametrize("expressed_in", EXPRESSIONS)
def test_external_forces_in_any_expression(kind, expressed_in):
    """FDSV (15) and F10b (27): f_ext in these coordinates takes J^T f from the joints, J expressed alike."""
    robot = tree(kind)
    q, qd, qdd = states(robot)
    rng = np.random.default_rng(4)
    frames = robot.frames.names[-2:]
    f_ext = {frame: rng.normal(size=(3, 6)) for frame in frames}
    tau_f = sum(np.einsum("kij,ki->kj", robot.jacobian(q, f, expressed_in), f_ext[f]) for f in frames)
    tau, C = robot.inverse_dynamics(q, qd, qdd), robot.bias_forces(q, qd)
    found = robot.inverse_dynamics(q, qd, qdd, f_ext, expressed_in=expressed_in)
    close(found, tau - tau_f, scale=np.abs(tau).max() + np.abs(tau_f).max())
    close(
        robot.bias_forces(q, qd, f_ext, expressed_in=expressed_in),
        C - tau_f,
        scale=np.abs(C).max() + np.abs(tau_f).max(),
    )
    bound = 1e-15 * np.linalg.cond(robot.mass_matrix(q)).max() * robot.nv
    again = robot.forward_dynamics(q, qd, found, f_ext, expressed_in=expressed_in)
    close(again, qdd, rtol=max(1e-12, bound))


def test_external_forces_in_world_coordinates_as_printed(kind):
    """FDSV (15): f_i = X f_(i+1) + I_i a_i + v_i x I_i v_i - X_i,-1 f_i^x, with f_i^x in world coordinates."""
    robot = tree(kind)
    q, qd, qdd = (x[0] for x in states(robot, 1))
    f_x = np.random.default_rng(6).normal(size=(robot.n_bodies, 6))
    X, v, a = algorithms.body_motion(robot, q, qd, qdd, -robot.gravity_acceleration)
    X_0 = [x.force_matrix().array() for x in algorithms.forward_kinematics(robot, q)]
    f = [np.zeros(6)] * (robot.n_bodies + 1)
    for i in range(robot.n_bodies, 0, -1):
        f[i] = f[i] + robot.bodies[i].inertia.force(a[i], v[i]).array() - X_0[i] @ f_x[i - 1]
        p = robot.parent[i]
        f[p] = f[p] + X[i].inverse().force_matrix().array() @ f[i]
    f_ext = {body.name: f_x[i] for i, body in enumerate(robot.bodies[1:])}
    found = robot.joint_forces(q, qd, qdd, f_ext, expressed_in="world")
    close(found, np.array(f[1:]))


def test_joint_forces_hold_the_joint_variables(kind):
    """F10b (13): tau_i = S_i^T f_Ji, apart from rotors."""
    robot = tree(kind)
    q, qd, qdd = (x[0] for x in states(robot, 1))
    forces = robot.joint_forces(q, qd, qdd)
    from sixd.model import ModelTree
    from sixd.spatial import Force

    view = ModelTree(robot)
    Q, A, tau = view.positions(q), view.velocities(qdd), view.output()
    for i, _ in view.outward():
        tau[i] = view.joint(i).subspace(Q[i]).T @ Force.from_array(forces[i - 1]) + view.rotor_inertia(i) @ A[i]
    close(tau.array(), robot.inverse_dynamics(q, qd, qdd))


def test_the_last_frame_of_a_tree_is_not_that_of_its_body(kind):
    """Else laws of frames would say nothing of their offsets."""
    frame = tree(kind).frames[-1]
    assert frame.body == tree(kind).n_bodies
    assert np.abs(frame.offset.pose() - np.eye(4)).max() > 0.1


def test_two_hands_on_one_object(kind):
    """F10b (34): accelerations that keep two bodies at equal acceleration satisfy A qdd = b, and the reverse."""
    robot = tree(kind)
    if robot.n_bodies < 2:
        pytest.skip("needs two bodies")
    q, qd, qdd = (x[0] for x in states(robot, 1))
    left, right = robot.n_bodies, robot.n_bodies - 1
    A, b = algorithms.grasp_constraint(robot, q, qd, left, right)
    names = robot.bodies.names
    al, ar = (robot.acceleration(q, qd, qdd, names[i], "world") for i in (left, right))
    close(A @ qdd - b.array(), al - ar, scale=np.abs(al).max() + np.abs(ar).max())


def test_spring_forces_are_the_gradient_of_the_spring_energy(kind):
    robot = tree(kind, passive=True)
    q = states(robot, 1).q[0]
    energy = [
        derivative(lambda h, e=e: algorithms.spring_energy(robot, moved(robot, q, e, h))) for e in np.eye(robot.nv)
    ]
    forces = robot.passive_forces(q, np.zeros(robot.nv))
    assert np.count_nonzero(forces) > robot.nv / 2
    close(np.asarray(energy), -forces)


def test_a_batch_agrees_with_single_states(kind):
    robot = tree(kind)
    q, qd, qdd = states(robot, 4)
    tau = robot.inverse_dynamics(q.reshape(2, 2, -1), qd.reshape(2, 2, -1), qdd.reshape(2, 2, -1))
    assert tau.shape == (2, 2, robot.nv)
    for k in range(4):
        close(robot.inverse_dynamics(q[k], qd[k], qdd[k]), tau.reshape(4, -1)[k])


def test_nan_stays_in_its_sample(kind):
    robot = tree(kind)
    q, qd, qdd = states(robot, 3)
    clean = robot.inverse_dynamics(q, qd, qdd), robot.forward_dynamics(q, qd, qdd)
    bad = qd.copy()
    bad[1] = np.nan
    for before, after in zip(
        clean, (robot.inverse_dynamics(q, bad, qdd), robot.forward_dynamics(q, bad, qdd)), strict=True
    ):
        np.testing.assert_array_equal(before[[0, 2]], after[[0, 2]])
        assert np.isnan(after[1]).any()


def test_random_tree_is_reproducible(kind):
    first, again = tree(kind), tree.__wrapped__(kind)
    assert first is not again
    assert first == again
    others = [random_tree(5, seed) for seed in (3, 3, 4)]
    assert others[0] == others[1] != others[2]
