"""What an algorithm gives for a batch are NumPy's own arrays, whatever it works with inside."""

import json
import pickle

import numpy as np
import pytest

from sixd import algorithms, gallery, ops
from sixd.algorithms.algorithm import algorithm
from sixd.spatial import Force, Inertia, Motion, Transform, Vector
from sixd.spatial.value import Value
from tests.algorithms.calls import ALGORITHMS, fixed_for, robot_for, state

ARM = gallery.puma560()
Q = np.random.default_rng(3).normal(size=(50, ARM.nv))


def numbers(result):
    """Every number in a result, however it is packed."""
    if isinstance(result, dict):
        result = tuple(result.values())
    if isinstance(result, Value):
        result = result.components()
    if isinstance(result, list | tuple):
        return [x for part in result for x in numbers(part)]
    return [result]


@pytest.mark.parametrize("name", list(ALGORITHMS))
@pytest.mark.parametrize("n", [(), (3,), (2, 3)])
def test_results_are_plain(name, n):
    model = robot_for(name)
    found = numbers(ALGORITHMS[name](model, **state(name, model, n), **fixed_for(name, model)))
    assert {type(x) for x in found} <= {np.ndarray, float, int, bool, str, type(None)}


def test_energies_are_used_as_arrays():
    E = algorithms.kinetic_energy(ARM, Q, Q)
    large = E > 1.0
    assert large.dtype == bool
    assert len(E[large]) == large.sum() == 50 - len(E[~large])
    assert np.isfinite(E[np.isfinite(E)]).all()
    E[np.isnan(E)] = 0.0
    assert round(E.max(), 2) == round(float(max(E)), 2)
    assert isinstance(E.sum(), float)
    assert type(algorithms.kinetic_energy(ARM, list(map(np.array, Q[0])), Q[0])) is np.float64
    assert {E.sum(): 1}[E.sum()] == 1
    assert json.loads(json.dumps(E.sum())) == E.sum()
    assert b"sixd" not in pickle.dumps(E)


def test_values_are_plain():
    """Typed values, alone and packed, keep their type, and their numbers are plain."""

    @algorithm
    def several(tree, q):
        x = Vector(q[1])[0]
        X = Transform.translation((x, 0.0, 1.0))
        m = Motion((x, x, x), (x > 0.0, 0.0, 0.0))
        inertia = Inertia.from_mass_com(2.0, (x, 0.0, 0.0), np.eye(3))
        return {"X": X, "back": X.inv, "many": [m, (X @ m, Force((x, x, x), (x, x, x)))], "I": inertia, "x": (x > 0.0)}

    found = several(ARM, Q)
    assert isinstance(found["X"], Transform)
    assert isinstance(found["many"][0], Motion)
    assert {type(x) for x in numbers(found)} <= {np.ndarray, float}
    np.testing.assert_array_equal(found["x"], Q[:, 0] > 0.0)


def test_what_is_no_algorithm_leaves_arrays_as_they_are():
    mask, a = np.array([True, False, True]), np.arange(3.0)
    for found in (
        ops.where(mask, a, 0.0),
        ops.pick(ops.Tabulated([1.0, 2.0]), a),
        ops.stack([a, a]),
        *ops.unstack(np.ones((4, 2))),
        *Transform.from_pose(np.broadcast_to(np.eye(4), (5, 4, 4))).r.entries,
    ):
        assert type(found) is np.ndarray
    assert ops.where(a > 1.0, a, 0.0)[ops.where(a > 1.0, a, 0.0) > 0.0] == [2.0]
