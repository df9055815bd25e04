"""F10b Table 1 against the typed algebra."""

import math

import mpmath
import numpy as np
import pytest

from sixd.errors import ShapeError
from sixd.spatial import Inertia, Motion, Transform, table1
from sixd.spatial.table1 import XtoV, crf, crm, mcI, rotx, roty, rotz, rx, ry, rz, skew, xlt

TURNS = [(rx, rotx, (1.0, 0.0, 0.0)), (ry, roty, (0.0, 1.0, 0.0)), (rz, rotz, (0.0, 0.0, 1.0))]


def close(a, b, tolerance=1e-15):
    return np.max(np.abs(np.asarray(a) - np.asarray(b))) <= tolerance * max(1.0, np.max(np.abs(np.asarray(b))))


@pytest.mark.parametrize(("turn", "transform", "axis"), TURNS)
def test_rotations_turn_coordinates(turn, transform, axis):
    X = Transform.rotation(axis, 0.7)
    assert close(turn(0.7), X.E)
    assert close(transform(0.7), X.matrix())


def test_a_coordinate_rotation_brings_the_y_axis_onto_minus_x_for_a_quarter_turn_about_z():
    assert close(rz(math.pi / 2) @ [1.0, 0.0, 0.0], [0.0, -1.0, 0.0])


def test_translation_moves_the_origin():
    r = [0.1, -0.2, 0.3]
    assert close(xlt(r), Transform.translation(r).matrix())
    assert close(skew(r) @ [4.0, 5.0, 6.0], np.cross(r, [4.0, 5.0, 6.0]))


def test_cross_operators():
    v = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6])
    assert close(crm(v), Motion.from_array(v).cross_matrix())
    assert close(crf(v), Motion.from_array(v).cross_force_matrix())


def test_inertia_from_mass_centre_and_rotational_inertia():
    rng = np.random.default_rng(0)
    c, A = rng.normal(size=3), rng.normal(size=(3, 3))
    assert close(mcI(2.0, c, A @ A.T), Inertia.from_mass_com(2.0, c, A @ A.T).matrix(), 1e-14)


def test_small_motions_come_back_with_an_error_of_second_order():
    rng = np.random.default_rng(1)
    m = mpmath.matrix(rng.normal(size=6).tolist())
    A = mpmath.matrix(crm(np.array(m.tolist(), dtype=float).ravel()).tolist())
    with mpmath.workdps(40):
        for h in (1e-3, 1e-5):
            X = np.array(mpmath.expm(-h * A, method="taylor").tolist(), dtype=object)
            error = np.max(np.abs(XtoV(X) / h - np.array(m.tolist(), dtype=object).ravel()))
            assert error < 10 * h**2


def test_the_small_motion_is_an_invariant_of_its_transform():
    """F10b, on XtoV: X v = v, so the motion has the same coordinates in both frames."""
    rng = np.random.default_rng(2)
    X = Transform.from_quaternion(rng.normal(size=4), rng.normal(size=3)).matrix().array()
    assert close(X @ XtoV(X), XtoV(X), 1e-14)


def test_the_functions_take_any_number():
    with mpmath.workdps(50):
        angle = mpmath.mpf(1) / 3
        X = rotx(angle) @ xlt([angle, 2 * angle, 0])
        assert abs(X[1, 2] - mpmath.sin(angle)) < 1e-49
        assert X.dtype == object


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rx(np.zeros(2)), r"an angle is one number here, found the shape \(2,\)"),
        (lambda: rotz([0.1, 0.2]), r"an angle is one number here, found the shape \(2,\)"),
        (lambda: skew([1.0, 2.0]), "r needs 3 numbers, found 2"),
        (lambda: skew(np.zeros((2, 3))), r"an entry of r is one number here, found the shape \(2,\)"),
        (lambda: xlt(np.zeros(4)), "r needs 3 numbers, found 4"),
        (lambda: crm(np.zeros(5)), "v needs 6 numbers, found 5"),
        (lambda: crf(np.zeros((2, 6))), "an entry of v is one number"),
        (lambda: mcI(np.ones(2), np.zeros(3), np.eye(3)), "a mass is one number"),
        (lambda: mcI(1.0, np.zeros(2), np.eye(3)), "needs 3 numbers, found 2"),
        (lambda: mcI(1.0, np.zeros(3), np.eye(2)), "I_c needs a matrix of 3 x 3, found 2 x 2"),
        (lambda: XtoV(np.eye(4)), "X needs a matrix of 6 x 6, found 4 x 4"),
        (lambda: XtoV(np.zeros((2, 6, 6))), "an entry of X is one number"),
    ],
)
def test_wrong_lengths_and_batches_are_refused(call, words):
    with pytest.raises(ShapeError, match=words):
        call()


def test_the_functions_take_lists():
    assert np.array_equal(mcI(2.0, [0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.diag([1, 1, 1, 2, 2, 2]))
    assert np.array_equal(XtoV(np.eye(6).tolist()), np.zeros(6))


def test_every_function_of_the_table_is_there():
    printed = {"rx", "ry", "rz", "rotx", "roty", "rotz", "xlt", "crm", "crf", "mcI", "XtoV", "skew"}
    assert set(table1.__all__) == printed
