"""What all types of the algebra share: values never change, are equal by content, and refuse what has no meaning."""

import copy
import math
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

from sixd.errors import ModelError, ShapeError, SpatialTypeError
from sixd.spatial import (
    ArticulatedInertia,
    Force,
    Forces,
    Inertia,
    Matrix,
    Motion,
    Motions,
    Transform,
    Vector,
    inverse,
    pivots,
    pose_fault,
    rate_in_moving_frame,
    symmetric_product,
)

MAKERS = {
    "Vector": lambda x: Vector((x, 2.0, 3.0)),
    "Matrix": lambda x: Matrix(((x, 2.0), (3.0, 4.0))),
    "Motion": lambda x: Motion((x, 2.0, 3.0), (4.0, 5.0, 6.0)),
    "Force": lambda x: Force((x, 2.0, 3.0), (4.0, 5.0, 6.0)),
    "Transform": lambda x: Transform.translation((x, 2.0, 3.0)),
    "InverseTransform": lambda x: Transform.translation((x, 2.0, 3.0)).inv,
    "Inertia": lambda x: Inertia(x, (1.0, 2.0, 3.0), Matrix.identity()),
    "ArticulatedInertia": lambda x: Inertia(x, (1.0, 2.0, 3.0), Matrix.identity()).articulated(),
    "Motions": lambda x: Motions([Motion((x, 2.0, 3.0), (4.0, 5.0, 6.0))]),
    "Forces": lambda x: Forces([Force((x, 2.0, 3.0), (4.0, 5.0, 6.0))]),
    "Rows": lambda x: Forces([Force((x, 2.0, 3.0), (4.0, 5.0, 6.0))]).T,
}
every_type = pytest.mark.parametrize("name", list(MAKERS))


def slots(value):
    return [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ()) if name[0] != "_"]


@every_type
def test_values_never_change(name):
    value = MAKERS[name](1.0)
    assert type(value).__name__ == name
    assert slots(value)
    assert not hasattr(value, "__dict__")
    for attribute in [*slots(value), "other"]:
        with pytest.raises(AttributeError, match="values never change; make a new one"):
            setattr(value, attribute, 99.0)
        with pytest.raises(AttributeError, match="values never change; make a new one"):
            delattr(value, attribute)
    assert value == MAKERS[name](1.0)


@every_type
@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, *(lambda x, p=p: pickle.loads(pickle.dumps(x, p)) for p in range(2, 6))],
)
def test_values_are_copied_and_pickled(name, again):
    value = MAKERS[name](1.5)
    assert again(value) == value
    assert type(again(value)) is type(value)
    batch = MAKERS[name](np.array([1.5, 2.5]))
    assert repr(again(batch)) == repr(batch)


@every_type
def test_values_are_equal_by_content(name):
    make = MAKERS[name]
    assert make(1.0) == make(1.0)
    assert make(1.0) == make(1)
    assert hash(make(1.0)) == hash(make(1)) == hash(make(np.float64(1.0)))
    assert make(0.0) == make(-0.0)
    assert hash(make(0.0)) == hash(make(-0.0))
    assert make(1.0) != make(1.5)
    assert make(1.0) != 1.0
    assert make(math.nan) != make(math.nan)
    assert len({make(1.0), make(1.0), make(2.0)}) == 2


@every_type
def test_a_batch_has_no_equality(name):
    batch = MAKERS[name](np.array([1.0, 2.0]))
    for question in (lambda: batch == batch, lambda: batch == MAKERS[name](1.0), lambda: hash(batch)):
        with pytest.raises(SpatialTypeError, match=r"compare \.array\(\) instead"):
            question()


def test_types_and_shapes_are_part_of_equality():
    assert Motion.zero() == Motion.zero() != Force.zero()
    assert Matrix.zero(2, 3) != Matrix.zero(3, 2)
    assert Vector.zero(2) != Vector.zero(3)
    assert Transform.identity() != Transform.identity().inv


V, A = Vector((1.0, 2.0, 3.0)), Matrix.identity()
M, F, X = MAKERS["Motion"](1.0), MAKERS["Force"](1.0), MAKERS["Transform"](1.0)
I, IA, S, U = (MAKERS[name](1.0) for name in ("Inertia", "ArticulatedInertia", "Motions", "Forces"))


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (lambda: I * M, "cannot multiply an Inertia by a Motion"),
        (lambda: M * I, "cannot multiply a Motion by an Inertia"),
        (lambda: IA * M, "cannot multiply an ArticulatedInertia by a Motion"),
        (lambda: M * X, "cannot multiply a Motion by a Transform; .*X @ m"),
        (lambda: X * M, "cannot multiply a Transform by a Motion"),
        (lambda: 2.0 * X, "cannot multiply a float by a Transform"),
        (lambda: V * V, "cannot multiply a Vector by a Vector"),
        (lambda: A * V, "cannot multiply a Matrix by a Vector"),
        (lambda: V * A, "cannot multiply a Vector by a Matrix"),
        (lambda: V * [1.0, 2.0, 3.0], "cannot multiply a Vector by a list"),
        (lambda: M * None, "by a NoneType"),
        (lambda: S * F, "cannot multiply Motions by a Force"),
        (lambda: M @ F, "cannot form a Motion @ a Force; for power use motion.dot"),
        (lambda: F @ M, "cannot form a Force @ a Motion"),
        (lambda: M @ X, "cannot form a Motion @ a Transform"),
        (lambda: np.eye(6) @ M, "cannot form a ndarray @ a Motion"),
        (lambda: np.eye(3) @ A, "cannot form a ndarray @ a Matrix"),
        (lambda: A @ M, "a Matrix acts on a Vector or a Matrix, not on a Motion"),
        (lambda: A @ np.eye(3), "not on a ndarray"),
        (lambda: V @ M, "takes two Vectors, not a Vector and a Motion"),
        (lambda: V @ A, "takes two Vectors, not a Vector and a Matrix"),
        (lambda: X @ 3, "a Transform cannot act on an int"),
        (lambda: X.inv @ V, "a Transform cannot act on a Vector"),
        (lambda: I @ I, "an Inertia acts on a Motion, not on an Inertia"),
        (lambda: S @ M, "Motions combine by a Vector or a Matrix, not by a Motion"),
        (lambda: S @ 2.0, "not by a float"),
        (lambda: S.T @ 2.0, "not a Motion with a float"),
        (lambda: X + X, "cannot add a Transform and a Transform"),
        (lambda: X - X, "cannot subtract: a Transform - a Transform"),
        (lambda: X.inv + X.inv, "cannot add an InverseTransform and an InverseTransform"),
        (lambda: 0 + X, "cannot add an int and a Transform"),
        (lambda: 1 + M, "cannot add an int and a Motion"),
        (lambda: 0.0 + M, "cannot add a float and a Motion"),
        (lambda: False + M, "cannot add a bool and a Motion"),
        (lambda: np.ones(6) + M, "cannot add a ndarray and a Motion"),
        (lambda: M + 1, "cannot add a Motion and an int"),
        (lambda: M + 0, "cannot add a Motion and an int"),
        (lambda: 1 - M, "cannot subtract: an int - a Motion"),
        (lambda: M - np.ones(6), "cannot subtract a Motion and a ndarray"),
        (lambda: M + V, "cannot add a Motion and a Vector"),
        (lambda: V + M, "cannot add a Vector and a Motion"),
        (lambda: V - 1.0, "cannot subtract: a Vector - a float"),
        (lambda: A + 1.0, "cannot add a Matrix and a float"),
        (lambda: A - V, "cannot subtract: a Matrix - a Vector"),
        (lambda: S + U, "cannot add Motions and Forces"),
        (lambda: S - 1, "cannot subtract Motions and an int"),
        (lambda: I + 1, "cannot add Inertia and int"),
        (lambda: 1.0 / M, "cannot divide a float by a Motion"),
        (lambda: M / F, "cannot divide a Motion by a Force"),
        (lambda: V / V, "cannot divide a Vector by a Vector"),
        (lambda: A / A, "cannot divide a Matrix by a Matrix"),
        (lambda: I / I, "cannot divide an Inertia by an Inertia"),
        (lambda: X / 2.0, "cannot divide a Transform by a float"),
        (lambda: F.dot(F), "not a Force with a Force"),
        (lambda: F.dot(3), "not a Force with an int"),
        (lambda: M.dot(3), "not a Motion with an int"),
        (lambda: M.dot(V), "not a Motion with a Vector"),
        (lambda: M.cross(np.ones(6)), "of a Motion with a ndarray has no meaning"),
        (lambda: Motion.from_array(F), "cannot make a Motion from a Force"),
        (lambda: Force.from_array(M), "cannot make a Force from a Motion"),
        (lambda: Motion.from_array(S), "cannot make a Motion from Motions"),
        (lambda: Motion.from_array(X), "cannot make a Motion from a Transform"),
        (lambda: M.transformed(None), "a change of coordinates takes a Transform, not a NoneType"),
        (lambda: I.transformed(X.inv), "takes a Transform, not an InverseTransform"),
        (lambda: Motions([]).transformed_back(np.eye(6)), "takes a Transform, not a ndarray"),
        (lambda: F.crossed_by(F), "the cross product takes a Motion, not a Force"),
        (lambda: V.cross((1.0, 2.0, 3.0)), "the vector product takes a Vector, not a tuple"),
        (lambda: rate_in_moving_frame(0, M, F), "takes a Quantity, not an int"),
        (lambda: symmetric_product(S, U), "a symmetric product takes Forces, not Motions"),
        (lambda: Motion.from_components("abcdef"), "a Motion needs a list of numbers, not a str"),
        (lambda: Transform.from_components(5), "a Transform needs a list of numbers, not an int"),
        (lambda: Matrix.diagonal(2.0), "the diagonal of a Matrix needs a list of numbers, not a float"),
        (lambda: Vector(1.0), "a Vector needs numbers, not a float"),
        (lambda: Matrix(1.0), "a Matrix needs rows of numbers, not a float"),
        (lambda: Matrix([1.0]), "a row of a Matrix needs numbers, not a float"),
    ],
)
def test_operations_without_meaning_say_what_was_tried(operation, words):
    with pytest.raises(SpatialTypeError, match=words):
        operation()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Motion.from_array(range(7)), "a Motion needs 6 numbers, found 7"),
        (lambda: Motion.from_array(np.zeros(7)), "a Motion needs 6 numbers, found 7"),
        (lambda: Force.from_array([1.0, 2.0, 3.0]), "a Force needs 6 numbers, found 3"),
        (lambda: Motion.from_array(np.zeros((6, 5))), "a Motion needs 6 numbers, found 5"),
        (lambda: Motion.from_array(1.0), "an array needs 1 axes to be taken apart, found the shape ()"),
        (lambda: Motion.from_array([[1.0, 2.0], [3.0]]), "not an array"),
        (lambda: Motion((1, 2), (3, 4, 5)), "the angular part of a Motion needs 3 numbers, found 2"),
        (lambda: Force((1, 2, 3), Vector((1.0,))), "the linear part of a Force needs 3 numbers, found 1"),
        (lambda: Motion(M, M), "the angular part of a Motion needs 3 numbers, found 6"),
        (lambda: Vector.zero(-1), "the size of a Vector must be a whole number of at least 0, not -1"),
        (lambda: Matrix.zero(2, 0.5), "the columns of a Matrix must be a whole number of at least 0, not 0.5"),
        (lambda: Matrix.from_components([0.0] * 6), "a square matrix cannot have 6 numbers"),
        (lambda: Matrix.from_components([0.0] * 6, 4), "a matrix of 4 columns cannot have 6 numbers"),
        (lambda: Motion.size(None), "the number of velocities must be a whole number of at least 0, not None"),
        (lambda: V.cross(Vector((1.0, 2.0))), "a factor of a vector product needs 3 numbers, found 2"),
        (lambda: inverse(Matrix.zero(2, 3)), "the inverse takes a square Matrix, not one of 2 x 3"),
        (lambda: pivots(Matrix.zero(3, 2)), "the elimination takes a square Matrix, not one of 3 x 2"),
        (lambda: pose_fault(np.eye(3)), "a pose needs a matrix of 4 x 4, found 3 x 3"),
        (lambda: symmetric_product(Forces([F]), Forces([F, F])), "as many on both sides, found 1 and 2"),
        (lambda: symmetric_product(Forces([]), Forces([])), "found 0 and 0"),
        (lambda: Motions.from_components([0.0] * 7), "Motions need 6 numbers each, found 7"),
        (lambda: Inertia.from_parameters(range(12)), "an Inertia needs 10 numbers, found 12"),
        (lambda: Inertia.from_matrix(np.eye(3)), "an Inertia needs a matrix of 6 x 6, found 3 x 3"),
        (lambda: Inertia.from_matrix(np.ones(6)), r"needs 2 axes to be taken apart, found the shape \(6,\)"),
        (lambda: Inertia(1.0, (0.0, 0.0), A), "the first moment of an Inertia needs 3 numbers, found 2"),
        (lambda: Inertia(1.0, V, np.eye(2)), "the rotational part of an Inertia needs a matrix of 3 x 3, found 2 x 2"),
        (lambda: Inertia.from_mass_com(1.0, [0.0], A), "a centre of mass needs 3 numbers, found 1"),
        (lambda: Inertia.from_mass_com(1.0, V, [1.0, 1.0, 1.0]), "needs 1 axes"),
        (lambda: ArticulatedInertia.from_matrix(np.eye(5)), "needs a matrix of 6 x 6, found 5 x 5"),
        (lambda: ArticulatedInertia.from_components([0.0] * 20), "needs 21 numbers, found 20"),
        (lambda: ArticulatedInertia(A, A, np.eye(4)), "a block of an ArticulatedInertia needs a matrix of 3 x 3"),
        (lambda: Transform.from_pose(np.eye(3)), "a pose needs a matrix of 4 x 4, found 3 x 3"),
        (lambda: Transform.from_matrix(np.eye(4)), "a Transform needs a matrix of 6 x 6, found 4 x 4"),
        (lambda: Transform(np.eye(4), V), "the rotation of a Transform needs a matrix of 3 x 3, found 4 x 4"),
        (lambda: Transform(A, [1.0, 2.0]), "the translation of a Transform needs 3 numbers, found 2"),
        (lambda: Transform.from_components([0.0] * 13), "a Transform needs 12 numbers, found 13"),
        (lambda: Transform.rotation((1.0, 0.0), 0.1), "an axis needs 3 numbers, found 2"),
        (lambda: Transform.from_quaternion([1.0, 0.0, 0.0]), "a quaternion needs 4 numbers, found 3"),
        (lambda: Transform.from_rpy([1.0]), "roll, pitch, yaw needs 3 numbers, found 1"),
        (lambda: Matrix.from_array([[1.0, 2.0], [3.0]]), r"rows of one length, found \[2, 1\]"),
        (lambda: Matrix.from_components([1.0] * 5, 3), "a matrix of 3 columns cannot have 5 numbers"),
        (lambda: Matrix.from_components([1.0] * 5), "cannot have 5 numbers"),
    ],
)
def test_wrong_sizes_say_what_was_found_and_what_is_needed(make, words):
    with pytest.raises(ShapeError, match=words):
        make()


@pytest.mark.parametrize("entry", [(0, 1), (3, 3), (4, 5), (0, 3), (5, 0)])
def test_a_matrix_that_is_no_rigid_body_inertia_is_refused(entry):
    """F10a (25)."""
    good = I.matrix().array()
    bad = good.copy()
    bad[entry] += 1e-3
    assert Inertia.from_matrix(good) == I
    assert Inertia.from_matrix(good * (1.0 + 1e-13 * np.arange(36).reshape(6, 6))).m == pytest.approx(1.0)
    with pytest.raises(ModelError, match=re.escape("not the matrix of a rigid-body inertia")):
        Inertia.from_matrix(bad)
    assert Inertia.from_matrix(np.array([bad, good])).parameters().shape == (2, 10)


def test_constructors_take_arrays_and_lists():
    assert Transform(np.eye(3), np.zeros(3)) == Transform.identity()
    assert Transform([[1, 0, 0], [0, 1, 0], [0, 0, 1]], (0, 0, 0)) == Transform.identity()
    assert Inertia(1.0, [0, 0, 0], np.eye(3)) == Inertia(1.0, Vector.zero(), Matrix.identity())
    assert Matrix.identity() == ArticulatedInertia(np.eye(3), np.zeros((3, 3)), np.eye(3)).M
    assert Motion.from_array(Vector(range(6))) == Motion((0, 1, 2), (3, 4, 5))
    assert Matrix.from_array([np.array([1.0, 2.0]), np.array([3.0, 4.0])]) == Matrix(((1, 2), (3, 4)))
    assert Transform.from_pose([np.eye(4).tolist()] * 2).pose().shape == (2, 4, 4)


@pytest.mark.parametrize("value", [V, A, M, F, I, IA, S, U], ids=lambda x: type(x).__name__)
def test_sums_and_quotients(value):
    assert sum([value, value]) == value * 2.0 == 2.0 * value
    assert value / 2.0 == value * 0.5
    with np.errstate(all="raise"):
        assert not all(map(math.isfinite, (value / 0.0).components()))
    batch = value / np.array([1.0, 2.0])
    assert (value / 2.0).components() == [np.broadcast_to(x, 2)[1] for x in batch.components()]


def test_the_table_of_the_tutorial_is_part_of_the_package():
    """In a new interpreter: here another test may have imported it."""
    subprocess.run([sys.executable, "-c", "import sixd.spatial; sixd.spatial.table1.rotx(0.0)"], check=True)
