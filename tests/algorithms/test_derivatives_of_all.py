"""The derivative of every algorithm by every argument, against differences in 60 digits."""

import inspect

import numpy as np
import pytest

import sixd
from sixd import SixdError
from sixd.ir import interpret
from sixd.model import ModelTree
from sixd.runtime.results import flat, parts
from sixd.testing import derivative, precise
from tests.algorithms.calls import ALGORITHMS, TASKS, arrays_of, fixed_for, record, robot_for, state

PAIRS = [(name, wrt) for name in ALGORITHMS for wrt in arrays_of(name)]
OTHERS = [
    (name, argument)
    for name, function in ALGORITHMS.items()
    for argument in list(inspect.signature(function).parameters)[1:]
    if argument not in arrays_of(name)
]
#: What is solved with the mass matrix loses digits with its condition.
SOLVES = (
    *("aba", "forward_dynamics_crba", "forward_dynamics_naive"),
    *("inverse_mass_matrix", "relative_pivots"),
    *("hybrid_dynamics", "relative_pivots_of_hybrid", *TASKS),
    "inverse_operational_inertia",
)


def exactly(name, model, given, wrt, along):
    """(d f / d argument) along, each result's numbers one after the other, by differences."""

    def moved(h):
        numbers = {k: precise(x) for k, x in given.items()}
        numbers[wrt] = [x + h * float(a) for x, a in zip(numbers[wrt], along.ravel(), strict=True)]
        arrays = {k: np.array(x, dtype=object).reshape(given[k].shape) for k, x in numbers.items()}
        result = ALGORITHMS[name](ModelTree(model), **arrays, **fixed_for(name, model))
        return [x for _, part in parts(result) for x in flat(part)[1]]

    return derivative(moved)


def product(found, along):
    """Derivatives, each with the axes of the argument last, times a direction; one after the other."""
    return np.concatenate([np.tensordot(part, along, axes=along.ndim).ravel() for part in found])


def run(program, given):
    """The results of a program, interpreted."""
    return interpret(program, *(given[port.name] for port in program.inputs))


@pytest.mark.parametrize(("name", "wrt"), PAIRS)
def test_jacobian_and_product(name, wrt):
    model = robot_for(name)
    given, f = state(name, model), ALGORITHMS[name]
    along = np.random.default_rng(1).normal(size=given[wrt].shape)
    exact = exactly(name, model, given, wrt, along)
    condition = np.linalg.cond(model.mass_matrix(given["q"])) if name in SOLVES else 1.0
    bound = 1e-13 * max(10.0, condition) * max(np.nanmax(np.abs(exact)), 1.0)
    found = run(record(name, model, sixd.jacobian(f, wrt)), given)
    for part, port in zip(found, record(name, model, f).outputs, strict=True):
        assert part.shape == port.shape + given[wrt].shape
    np.testing.assert_allclose(product(found, along), exact, rtol=0, atol=bound)
    pushed = run(record(name, model, sixd.jvp(f, wrt), {"tangent": along.shape}), {**given, "tangent": along})
    np.testing.assert_allclose(np.concatenate([x.ravel() for x in pushed]), exact, rtol=0, atol=bound)


@pytest.mark.parametrize(("name", "argument"), OTHERS)
def test_what_does_not_vary_has_no_derivative(name, argument):
    """A body, a frame, a choice: refused by name, never zeros."""
    with pytest.raises(SixdError, match=argument):
        record(name, robot_for(name), sixd.jacobian(ALGORITHMS[name], argument))


@pytest.mark.parametrize("name", ["pose", "forward_kinematics", "velocities", "composite_inertia", "grasp_constraint"])
def test_compiled(name):
    """What is no plain array comes back with the shape that it has as a result, and the argument's axes last."""
    arm = sixd.gallery.double_pendulum()
    given, wrt = state(name, arm, 3), sixd.jacobian(ALGORITHMS[name], "q")
    kernel = sixd.compile(wrt, arm, **fixed_for(name, arm))
    found, defined = kernel(*given.values()), run(record(name, arm, wrt), given)
    for part, value in zip(found if isinstance(found, tuple) else (found,), defined, strict=True):
        assert np.nanmax(np.abs(part)) > 0.1
        np.testing.assert_allclose(part, value, rtol=1e-14, atol=1e-14)
