"""The notation of FDSV, which is Featherstone's of 1987: its vectors, matrices and operators in sixd's types.

Motions are (s, r x s) as here. Forces are (force, moment), the other way round, so inertias have their rows exchanged
and a "spatial transpose" pairs the two kinds.
"""

import numpy as np
import pytest

from sixd.joints import Prismatic, Revolute
from sixd.spatial import Force, Inertia, Matrix, Motion, Transform, Vector
from sixd.spatial.older_notation import force_vector, inertia_matrix, spatial_cross, spatial_transpose
from sixd.spatial.table1 import skew


@pytest.fixture(params=range(3))
def rng(request):
    return np.random.default_rng(request.param)


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13)


def rotation(rng):
    """R of FDSV turns a frame's coordinates into those of its parent."""
    return Transform.from_quaternion(rng.normal(size=4)).E.T.array()


def swapped(f):
    """A force as FDSV orders it: force, then moment."""
    return force_vector(f).array()


def test_joint_axes(rng):
    """FDSV (31), (32), (33): (s, r x s) for any point r of the line; (0, s) for a slide."""
    axis, r = rng.normal(size=(2, 3))
    s = axis / np.linalg.norm(axis)
    place = Transform.translation(r)
    hinge = place.inv @ Revolute(axis).subspace(Vector((0.0,)))[0]
    close(hinge.array(), [*s, *np.cross(r, s)])
    elsewhere = Transform.translation(r + 2.0 * s)
    close((elsewhere.inv @ Motion(s, Vector.zero())).array(), hinge.array())
    close((place.inv @ Prismatic(axis).subspace(Vector((0.0,)))[0]).array(), [0, 0, 0, *s])


def test_rotations_and_translations_of_axes(rng):
    """FDSV (34)-(38): from child to parent coordinates, X_ROT = diag(R, R), X_TRANS = [1, 0; t x, 1], and in turn."""
    R, t, zero, one = rotation(rng), rng.normal(size=3), np.zeros((3, 3)), np.eye(3)
    axis, r = rng.normal(size=(2, 3))
    line = Motion(axis, np.cross(r, axis))
    turn, move = Transform(Matrix.from_array(R.T), Vector.zero()), Transform.translation(t)
    close(turn.inverse().matrix().array(), np.block([[R, zero], [zero, R]]))
    about, angle = np.array([2.0, -1.0, 2.0]) / 3.0, rng.normal()
    R_about = Transform.rotation(about, angle).inverse().matrix().array()
    K = skew(about)
    block = one + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
    close(R_about, np.block([[block, zero], [zero, block]]))
    close((turn.inv @ line).array(), [*(R @ axis), *(R @ np.cross(r, axis))])
    close(move.inverse().matrix().array(), np.block([[one, zero], [skew(t), one]]))
    close((move.inv @ line).array(), [*axis, *np.cross(r + t, axis)])
    close((turn @ move).inverse().matrix().array(), np.block([[R, zero], [skew(t) @ R, R]]))
    close(skew(t) @ axis, np.cross(t, axis))


def test_inertia_with_its_rows_exchanged(rng):
    """FDSV (39): [M c x^T, M; I + c x M c x^T, c x M]."""
    m, c, root = rng.uniform(0.5, 2.0), rng.normal(size=3), rng.normal(size=(3, 3))
    I, M, x = root @ root.T, m * np.eye(3), skew(c)
    inertia = Inertia.from_mass_com(m, c, Matrix.from_array(I))
    close(inertia_matrix(inertia).array(), np.block([[M @ x.T, M], [I + x @ M @ x.T, x @ M]]))
    v = Motion.from_array(rng.normal(size=6))
    close(inertia_matrix(inertia).array() @ v.array(), swapped(inertia @ v))


def test_one_cross_product_serves_both_kinds(rng):
    """FDSV (40): (a x b, a x b_O + a_O x b) is v x m, and v x* f for a force with its halves exchanged."""
    v, m = (Motion.from_array(x) for x in rng.normal(size=(2, 6)))
    f = Force.from_array(rng.normal(size=6))
    a, b = v.array(), m.array()
    printed = np.concatenate([np.cross(a[:3], b[:3]), np.cross(a[:3], b[3:]) + np.cross(a[3:], b[:3])])
    close(spatial_cross(a, b).array(), printed)
    close(spatial_cross(a, b).array(), v.cross(m).array())
    close(spatial_cross(a, swapped(f)).array(), swapped(v.cross(f)))


def test_one_transform_serves_both_kinds(rng):
    """FDSV (13)-(15), (38): the 6x6 of motions also moves forces whose halves are exchanged."""
    X = Transform.from_quaternion(rng.normal(size=4), rng.normal(size=3))
    f = Force.from_array(rng.normal(size=6))
    close(X.matrix().array() @ swapped(f), swapped(X @ f))


def test_spatial_transpose_is_the_scalar_product(rng):
    """FDSV (16), (41): s^S f is the scalar product of a motion and a force."""
    s, f = Motion.from_array(rng.normal(size=6)), Force.from_array(rng.normal(size=6))
    close(spatial_transpose(s.array()).array(), [*s.lin, *s.ang])
    close(spatial_transpose(s.array()) @ force_vector(f), s.dot(f))
