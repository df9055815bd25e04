"""Laws of the metric that the kinetic energy makes, on random trees of every joint type, to rounding."""

import mpmath
import numpy as np
import pytest

import sixd
from sixd import Robot, algorithms
from sixd.algorithms.brackets import structure_constants
from sixd.compiler.request import Request
from sixd.compiler.unrolled import record_unrolled
from sixd.ir import interpret
from sixd.model import ModelTree
from sixd.model.random import random_tree
from sixd.testing import derivative
from tests.laws.test_trees import close, moved
from tests.laws.trees import TREES, states, tree

trees = pytest.mark.parametrize("kind", TREES)


def differentiated(function, robot, q):
    """A derivative by the tracer, interpreted."""
    return interpret(record_unrolled(Request(function, robot, {}, {})), q)[0]


def without_rotors(robot, q):
    """The mass matrix of the bodies alone."""
    rotors = np.zeros(robot.nv)
    for joint in robot.joints:
        rotors[joint.v] += np.asarray(joint.data.rotor_inertia) * (joint.mimic.ratio**2 if joint.mimic else 1.0)
    return robot.mass_matrix(q) - np.diag(rotors)


def brackets(robot, q):
    """c_ijk of [E_i, E_j] = sum c_ijk E_k."""
    walk = ModelTree(robot)
    return np.array(structure_constants(walk, walk.positions(q)).values).reshape((robot.nv,) * 3)


@trees
def test_the_coriolis_matrix_gives_the_forces_of_velocity(kind):
    """PBP95 (29): C qd = sum Gamma_ijk qd_i qd_j."""
    robot = tree(kind)
    q, qd, _ = states(robot)
    wanted = robot.bias_forces(q, qd) - robot.gravity_forces(q)
    scale = np.abs(robot.bias_forces(q, qd)).max()
    close(np.einsum("nkj,nj->nk", robot.coriolis_matrix(q, qd), qd), wanted, scale=scale)


@trees
def test_the_rate_of_the_mass_matrix_is_twice_the_symmetric_part(kind):
    """dH/dt = C + C^T, the rate by differences in sixty digits along the motion."""
    robot = tree(kind)
    q, qd, _ = (x[0] for x in states(robot, 1))
    rate = derivative(lambda h: algorithms.crba(robot, moved(robot, q, qd, h)))
    C = robot.coriolis_matrix(q, qd)
    close(C + C.T, rate, scale=max(np.abs(rate).max(), np.abs(C).max()))


@trees
def test_the_coriolis_matrix_is_made_of_christoffel_symbols(kind):
    """C_kj = sum_i Gamma_ijk qd_i."""
    robot = tree(kind)
    q, qd, _ = states(robot)
    close(robot.coriolis_matrix(q, qd), np.einsum("nijk,ni->nkj", robot.christoffel(q), qd))


@trees
def test_the_covariant_derivative_is_bilinear(kind):
    """sum_ij Gamma_ijk u_i v_j."""
    robot = tree(kind)
    q, u, v = (x[0] for x in states(robot, 1))
    found = algorithms.covariant_derivative(robot, q, u, v)
    close(found, np.einsum("ijk,i,j->k", robot.christoffel(q), u, v))


@trees
def test_the_derivative_of_the_mass_matrix(kind):
    """dH_ij/dq_k in the tangent space, against automatic derivatives of CRBA; Gamma_kij + Gamma_kji."""
    robot = tree(kind)
    q = states(robot, 1).q[0]
    found, Gamma = robot.mass_matrix_derivative(q), robot.christoffel(q)
    wanted = differentiated(sixd.jacobian(algorithms.crba, "q", tangent=True), robot, q)
    close(found, wanted)
    close(Gamma.transpose(1, 2, 0) + Gamma.transpose(2, 1, 0), wanted, scale=np.abs(Gamma).max())


@trees
def test_structure_constants_are_the_commutators_of_steps(kind):
    """[E_i, E_j] = d2/ds dt of the difference between steps i, j and steps j, i; by differences in sixty digits."""
    robot = tree(kind)
    q, unit = states(robot, 1).q[0], np.eye(robot.nv)
    found = brackets(robot, q)
    with mpmath.workdps(60):
        exact, h = [mpmath.mpf(x) for x in q], mpmath.mpf(10) ** -15

        def way(*steps):
            to = exact
            for e, s in steps:
                to = algorithms.integrate(robot, to, [s * x for x in e])
            return algorithms.difference(robot, exact, to)

        for i, j in [(0, robot.nv - 1), (0, 1), (1, 2), (0, 5), (2, 4)]:
            if max(i, j) < robot.nv:
                a, b = unit[i], unit[j]
                mixed = sum(
                    s * t * (way((a, s * h), (b, t * h)) - way((b, t * h), (a, s * h)))
                    for s in (1, -1)
                    for t in (1, -1)
                ) / (4 * h * h)
                close(found[i, j], mixed.astype(float), scale=1.0)


@trees
def test_christoffel_symbols_by_the_formula_of_koszul(kind):
    """2 Gamma_ijk = d_i H_jk + d_j H_ik - d_k H_ij + H([i, j], k) - H([i, k], j) - H([j, k], i).

    Where qd is dq/dt, the brackets are zero, and this is PBP95 (52).
    """
    robot = tree(kind)
    q = states(robot, 1).q[0]
    d = differentiated(sixd.jacobian(algorithms.crba, "q", tangent=True), robot, q)
    c = brackets(robot, q) @ without_rotors(robot, q)
    wanted = d.transpose(2, 0, 1) + d.transpose(0, 2, 1) - d + c - c.transpose(0, 2, 1) - c.transpose(2, 0, 1)
    Gamma = robot.christoffel(q)
    close(Gamma, 0.5 * wanted)
    close(Gamma - Gamma.swapaxes(0, 1), c, scale=np.abs(Gamma).max())


#: Small trees, whose curvature is computed by every way to it.
SMALL = {
    "revolute": ["revolute"] * 4,
    "one freedom": ["revolute", "prismatic", "helical", "revolute"],
    "varying": ["universal", "planar", "rolling"],
    "angles": ["spherical-euler", "revolute"],
    "quaternion": ["spherical", "universal"],
    "free": ["free", "revolute"],
}
small = pytest.mark.parametrize("kind", SMALL)


def small_tree(kind):
    """A tree with these joints, and a state of it."""
    kinds = SMALL[kind]
    found = (random_tree(len(kinds), s, joints=kinds, rotors=True, branching=0.3) for s in range(200))
    robot = next(Robot.of(t) for t in found if sorted(j.type.name for j in t.joints) == sorted(kinds))
    return robot, robot.random(1)


def by_definition(robot, q):
    """R_ijkl from derivatives of Christoffel symbols by the tracer, no symmetry used: (66) with structure constants."""
    slope = differentiated(sixd.jacobian(algorithms.christoffel, "q", tangent=True), robot, q)
    c = brackets(robot, q)
    J = c @ (robot.mass_matrix(q) - without_rotors(robot, q))
    Gamma = robot.christoffel(q) + 0.5 * (J - J.transpose(0, 2, 1) - J.transpose(2, 0, 1))
    raised = Gamma @ np.linalg.inv(robot.mass_matrix(q))
    R = np.einsum("ljik->ijkl", slope) - np.einsum("kjil->ijkl", slope)
    R = R + np.einsum("lir,kjr->ijkl", Gamma, raised) - np.einsum("kir,ljr->ijkl", Gamma, raised)
    return R - np.einsum("klr,rji->ijkl", c, Gamma)


@small
def test_curvature_by_its_definition(kind):
    """PBP95 (66)."""
    robot, q = small_tree(kind)
    wanted = by_definition(robot, q)
    assert np.abs(wanted).max() > 1e-4
    close(robot.curvature(q), wanted, rtol=1e-11)
    close(algorithms.curvature(robot, q), wanted, rtol=1e-11)


@small
def test_symmetries_of_curvature(kind):
    """R_ijkl = -R_jikl = -R_ijlk = R_klij, and the first identity of Bianchi; by the definition, and as computed."""
    robot, q = small_tree(kind)
    for R in (by_definition(robot, q), robot.curvature(q)):
        size = np.abs(R).max()
        for other in (-R.swapaxes(0, 1), -R.swapaxes(2, 3), R.transpose(2, 3, 0, 1)):
            close(other, R, rtol=1e-11)
        close(R + R.transpose(0, 3, 1, 2) + R.transpose(0, 2, 3, 1), np.zeros_like(R), rtol=1e-11, scale=size)


@small
def test_scalar_and_sectional_curvature_are_contractions(kind):
    robot, q = small_tree(kind)
    R, H = robot.curvature(q), robot.mass_matrix(q)
    u, v = np.random.default_rng(2).normal(size=(2, robot.nv))
    area = (u @ H @ u) * (v @ H @ v) - (u @ H @ v) ** 2
    wanted, size = np.einsum("ijkl,i,j,k,l", R, u, v, u, v) / area, np.abs(R).max() * np.abs([u, v]).max() ** 4 / area
    close(robot.sectional_curvature(q, u, v), wanted, scale=size)
    close(robot.sectional_curvature(q, u + 2.0 * v, 3.0 * v - u), wanted, scale=size)  # the same plane
    H_inv = np.linalg.inv(H)
    terms = np.einsum("ijkl,ik,jl->ijkl", R, H_inv, H_inv)
    close(robot.scalar_curvature(q), terms.sum(), scale=np.abs(terms).sum())


@pytest.mark.parametrize("kind", ["revolute", "one freedom", "varying", "angles"])
def test_curvature_by_second_derivatives_of_the_mass_matrix(kind):
    """Where qd is dq/dt: R_ijkl = 1/2 (d_jk H_il + d_il H_jk - d_ik H_jl - d_jl H_ik) + products of Gamma."""
    robot, q = small_tree(kind)
    d = differentiated(sixd.jacobian(sixd.jacobian(algorithms.crba, "q"), "q"), robot, q)
    Gamma = robot.christoffel(q)
    products = np.einsum("abr,rs,cds->abcd", Gamma, np.linalg.inv(robot.mass_matrix(q)), Gamma)
    R = 0.5 * (np.einsum("iljk->ijkl", d) + np.einsum("jkil->ijkl", d))
    R = R - 0.5 * (np.einsum("jlik->ijkl", d) + np.einsum("ikjl->ijkl", d))
    close(robot.curvature(q), R + np.einsum("iljk->ijkl", products) - np.einsum("ikjl->ijkl", products), rtol=1e-11)


def two_ways_to_float():
    """One robot on a free joint, and on sliders and Euler angles: a state of each, and J with qd_2 = J qd_1."""
    robots = []
    for base in ("free", "sliders"):
        b = sixd.Builder(base)
        body = {"mass": 2.0, "com": (0.1, -0.2, 0.05), "inertia": (0.3, 0.5, 0.6)}
        if base == "free":
            b.body("trunk", joint=sixd.joints.Free(), **body)
        else:
            b.body("slide", joint=sixd.joints.Translational())
            b.body("trunk", parent="slide", joint=sixd.joints.SphericalEuler(), **body)
        place = {"xyz": (0.2, 0.1, -0.3), "rpy": (0.3, -0.4, 0.5)}
        b.body(
            "arm",
            parent="trunk",
            joint=sixd.joints.Revolute("y"),
            mass=0.7,
            com=(0.2, 0.1, 0.4),
            inertia=(0.05, 0.06, 0.07),
            **place,
        )
        robots.append(b.build())
    free, sliders = robots
    x = np.array([0.3, -0.5, 0.2, 0.4, -0.3, 0.6, 0.8])
    pose = sliders.pose(x, "trunk")
    q = np.concatenate([np.zeros(7), x[-1:]])
    q[:7] = _free_position(pose)
    assert np.allclose(free.pose(q, "arm"), sliders.pose(x, "arm"))
    A, B = (np.vstack([r.jacobian(p, "trunk"), np.eye(7)[6]]) for r, p in ((free, q), (sliders, x)))
    return free, q, sliders, x, np.linalg.solve(B, A)


def _free_position(pose):
    from sixd.lie import quaternion_exp, so3
    from sixd.spatial import Matrix

    attitude = quaternion_exp(so3.log(Matrix.from_array(pose[:3, :3])))
    return np.concatenate([np.array([float(x) for x in attitude]), pose[:3, 3]])


def test_curvature_is_a_tensor():
    """Body velocities of a free joint, and rates of Euler angles: one tensor, by two sets of formulas."""
    free, q, sliders, x, J = two_ways_to_float()
    R = np.einsum("abcd,ai,bj,ck,dl->ijkl", sliders.curvature(x), J, J, J, J)
    close(free.curvature(q), R, rtol=1e-11)
    close(free.scalar_curvature(q), sliders.scalar_curvature(x), rtol=1e-11)
    u, v = np.random.default_rng(0).normal(size=(2, 7))
    close(free.sectional_curvature(q, u, v), sliders.sectional_curvature(x, J @ u, J @ v), rtol=1e-11)


def test_flat_and_curved_arms():
    """PBP95 section 5, after Spong: an arm that turns and slides through its axis is flat, one of two hinges is not."""
    turns = sixd.Builder("rp").body("a", joint=sixd.joints.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    flat = turns.body("b", parent="a", joint=sixd.joints.Prismatic("x"), mass=2.0).build()
    q = flat.random(0, 20)
    q[:, 1] += 2.0
    assert np.abs(flat.christoffel(q)).max() > 1.0
    # The outer link is a particle: H = diag(I + m r^2, m). With the inner link's inertia I it is curved; without, flat.
    light = flat.with_inertia("a", mass=1.0, inertia=(0, 0, 0))
    assert np.abs(light.curvature(q)).max() < 1e-13
    r = q[:, 1]
    close(flat.curvature(q)[:, 0, 1, 0, 1], -2.0 * 1.0 / (1.0 + 2.0 * r**2))
    two = sixd.gallery.double_pendulum()
    assert np.abs(two.curvature(two.random(0, 20))).max(axis=(1, 2, 3, 4)).min() > 1e-6


def test_a_ball_has_constant_curvature():
    """The attitudes of a body with moments c in all directions: every plane has curvature 1 / (4 c)."""
    ball = sixd.Builder("ball").body("b", joint=sixd.joints.Spherical(), mass=1.0, inertia=(0.5, 0.5, 0.5)).build()
    q, (u, v) = ball.random(3), np.random.default_rng(4).normal(size=(2, 3))
    close(ball.sectional_curvature(q, u, v), 1.0 / (4 * 0.5))
    close(ball.scalar_curvature(q), 6 / (4 * 0.5))


def test_rotors_add_nothing_to_christoffel_symbols():
    """The mass matrix of the bodies alone, by differences, gives the same symbols."""
    robot = sixd.gallery.puma560()
    q = robot.random(0)
    assert np.abs(robot.mass_matrix(q) - without_rotors(robot, q)).max() > 0.1
    bare = sixd.compile(algorithms.christoffel, robot, parameters="rotor")(q, np.zeros(robot.nv))
    np.testing.assert_array_equal(bare, robot.christoffel(q))
