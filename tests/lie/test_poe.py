"""The product of exponentials: PBP95 (12)-(20)."""

import mpmath
import numpy as np
import pytest

from sixd.errors import ShapeError
from sixd.lie import (
    body_jacobian,
    body_jacobian_from_space,
    body_screws,
    poe_body,
    poe_local,
    poe_space,
    se3,
    space_jacobian,
    space_screws,
)
from sixd.spatial import Motion, Transform, Vector


class Chain:
    """A random chain of revolute, prismatic and helical joints, as PBP95 (12) describes it."""

    def __init__(self, seed=0, n=5, number=float, shape=()):
        rng = np.random.default_rng(seed)
        exact = np.vectorize(number, otypes=[object]) if number is not float else np.asarray
        self.local, self.homes = [], []
        for k in range(n):
            axis = rng.normal(size=3)
            axis /= np.linalg.norm(axis)
            screw = [
                np.concatenate([axis, np.cross(rng.normal(size=3), axis)]),
                np.concatenate([np.zeros(3), axis]),
                np.concatenate([axis, np.cross(rng.normal(size=3), axis) + 0.2 * axis]),
            ][k % 3]
            self.local.append(Motion.from_array(exact(screw)))
            self.homes.append(Transform.from_quaternion(exact(rng.normal(size=4)), exact(rng.normal(size=3))))
        self.x = [exact(rng.normal(size=shape))[()] for _ in range(n)]
        self.rates = Vector(exact(rng.normal(size=n)))
        self.home = Transform.identity()
        for M in self.homes:
            self.home = M @ self.home
        self.space = space_screws(self.local, self.homes)
        self.body = body_screws(self.space, self.home)


def hat(m):
    x, y, z = m.ang
    a, b, c = m.lin
    return np.array([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]])


def vee(matrix):
    return np.array([matrix[2, 1], matrix[0, 2], matrix[1, 0], *matrix[:3, 3]])


def exponential(matrix):
    return np.array(mpmath.expm(mpmath.matrix(matrix.tolist()), method="taylor").tolist(), dtype=object)


def test_the_local_form_is_the_product_of_matrices():
    """PBP95 (12)."""
    chain, f = Chain(), np.eye(4)
    for P, x, M in zip(chain.local, chain.x, chain.homes, strict=True):
        f = f @ exponential(hat(P) * x).astype(float) @ M.pose()
    assert np.abs(poe_local(chain.local, chain.x, chain.homes).pose() - f).max() < 1e-14


def test_the_three_forms_agree():
    """PBP95 (12), (13), (14)."""
    chain = Chain(1)
    local = poe_local(chain.local, chain.x, chain.homes).pose()
    assert np.abs(poe_space(chain.space, chain.x, chain.home).pose() - local).max() < 1e-14
    assert np.abs(poe_body(chain.body, chain.x, chain.home).pose() - local).max() < 1e-14


def test_space_screws_are_conjugated_by_the_homes_before_them():
    """PBP95 after (13): A_1 = P_1, A_2 = M_1 P_2 M_1^-1, A_3 = (M_1 M_2) P_3 (M_1 M_2)^-1."""
    chain, M = Chain(2), np.eye(4)
    for P, A, home in zip(chain.local, chain.space, chain.homes, strict=True):
        assert A.array() == pytest.approx(vee(M @ hat(P) @ np.linalg.inv(M)), abs=1e-13)
        M = M @ home.pose()


def test_body_screws_are_conjugated_by_the_home_pose():
    """PBP95 after (14): B_i = M^-1 A_i M."""
    chain = Chain(3)
    M = chain.home.pose()
    for A, B in zip(chain.space, chain.body, strict=True):
        assert B.array() == pytest.approx(vee(np.linalg.inv(M) @ hat(A) @ M), abs=1e-13)


def test_at_zero_coordinates_the_frame_is_at_home():
    chain = Chain(4)
    zeros = [0.0] * len(chain.x)
    assert np.abs(poe_space(chain.space, zeros, chain.home).pose() - chain.home.pose()).max() < 1e-15
    assert np.array_equal(poe_body(chain.body, zeros, chain.home).pose(), chain.home.pose())


def test_jacobians_are_the_velocities_of_the_frame():
    """PBP95 (18), (19), (20): f^-1 df/dt by differences in fifty digits, and df/dt f^-1 for the space form."""
    with mpmath.workdps(50):
        chain = Chain(5, number=mpmath.mpf)
        h = mpmath.mpf(10) ** -15

        def pose(t):
            moved = [x + t * rate for x, rate in zip(chain.x, chain.rates, strict=True)]
            return poe_local(chain.local, moved, chain.homes)

        df = (pose(h).pose() - pose(-h).pose()) / (2 * h)
        inverse = pose(0).inverse().pose()
        in_body, in_root = vee(inverse @ df), vee(df @ inverse)
        velocity = body_jacobian(chain.body, chain.x) @ chain.rates
        assert np.max(np.abs(velocity.array() - in_body)) < 1e-25
        velocity = body_jacobian_from_space(chain.space, chain.x, chain.home) @ chain.rates
        assert np.max(np.abs(velocity.array() - in_body)) < 1e-25
        velocity = space_jacobian(chain.space, chain.x) @ chain.rates
        assert np.max(np.abs(velocity.array() - in_root)) < 1e-25


def test_the_body_and_space_jacobians_differ_by_the_adjoint_of_the_pose():
    chain = Chain(6)
    f = poe_space(chain.space, chain.x, chain.home)
    space, body = space_jacobian(chain.space, chain.x), body_jacobian(chain.body, chain.x)
    assert space.array() == pytest.approx(se3.Ad_matrix(f).array() @ body.array(), abs=1e-13)


def test_the_last_column_of_the_body_jacobian_and_the_first_of_the_space_jacobian_are_the_screws():
    chain = Chain(7)
    assert body_jacobian(chain.body, chain.x)[-1].array() == pytest.approx(chain.body[-1].array(), abs=1e-15)
    assert space_jacobian(chain.space, chain.x)[0].array() == pytest.approx(chain.space[0].array(), abs=1e-15)


def test_coordinates_may_be_samples():
    chain = Chain(8, shape=(2, 3))
    poses = poe_space(chain.space, chain.x, chain.home).pose()
    jacobians = body_jacobian(chain.body, chain.x).array()
    assert poses.shape == (2, 3, 4, 4)
    assert jacobians.shape == (2, 3, 6, 5)
    for k in np.ndindex(2, 3):
        x = [float(column[k]) for column in chain.x]
        assert np.abs(poses[k] - poe_body(chain.body, x, chain.home).pose()).max() < 1e-14
        assert np.abs(jacobians[k] - body_jacobian_from_space(chain.space, x, chain.home).array()).max() < 1e-13


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (lambda c: poe_space(c.space, c.x[:3], c.home), "5 screws needs 5 coordinates, found 3"),
        (lambda c: poe_body(c.body, [*c.x, 0.0], c.home), "5 screws needs 5 coordinates, found 6"),
        (lambda c: poe_local(c.local, c.x, c.homes[:4]), "5 screws needs 5 home poses, found 4"),
        (lambda c: space_screws(c.local, c.homes[:4]), "5 screws needs 5 home poses, found 4"),
        (lambda c: body_jacobian(c.body, c.x[:1]), "5 screws needs 5 coordinates, found 1"),
    ],
)
def test_lengths_that_do_not_fit_are_named(operation, words):
    with pytest.raises(ShapeError, match=words):
        operation(Chain())
