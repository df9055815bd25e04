"""Dual numbers do what recorded numbers do, so that code which can be recorded can be differentiated by them."""

import operator

import numpy as np
import pytest

from sixd import ops
from sixd.dual import Dual, duals, rates
from sixd.errors import SixdError
from sixd.ir import Traced

#: What only the recorder needs.
OF_RECORDS = {"node", "arg", "recorder", "id"}
FORMS = {
    "square": (lambda x: x**2, lambda x: 2.0 * x),
    "power": (lambda x: x ** np.int64(5), lambda x: 5.0 * x**4),
    "constant": (lambda x: x**0 + x, lambda x: 1.0),
    "inverse": (lambda x: x**-1, lambda x: -(x**-2)),
    "inverse cube": (lambda x: x**-3.0, lambda x: -3.0 * x**-4),
    "root": (lambda x: x**0.5, lambda x: 0.5 / x**0.5),
    "absolute": (lambda x: abs(-x), lambda x: 1.0),
    "positive": (lambda x: +x, lambda x: 1.0),
    "sine": (lambda x: x.sin(), np.cos),
    "tangent": (lambda x: x.tan(), lambda x: 1.0 + np.tan(x) ** 2),
    "angle": (lambda x: x.arctan2(2.0), lambda x: 2.0 / (4.0 + x * x)),
    "floor": (lambda x: x.floor() * x, np.floor),
    "entries": (lambda x: np.cos(np.array([x, 2.0 * x])).sum(), lambda x: -np.sin(x) - 2.0 * np.sin(2.0 * x)),
    "roots of entries": (lambda x: np.sqrt(np.array([x, x])) @ np.array([1.0, 3.0]), lambda x: 2.0 / x**0.5),
    "times entries": (lambda x: (x * np.array([x, x * x])).sum(), lambda x: 2.0 * x + 3.0 * x * x),
    "less entries": (lambda x: (x - np.array([x, x * x])).sum(), lambda x: 1.0 - 2.0 * x),
    "and": (lambda x: (ops.where(x > 1.0, x / x, 0.0) & (x > 0.0)) * x, lambda x: float(x > 1.0)),
    "or": (lambda x: (ops.where(x > 9.0, x, 0.0 * x) | (x > 0.0)) * x, lambda x: 1.0),
    "either": (lambda x: ((x > 0.0) ^ (0.0 * x)) * x, lambda x: 1.0),
}
REFUSED = {
    "float": float,
    "bool": lambda x: 1.0 if x else 0.0,
    "other powers": lambda x: x**1.5,
    "infinite powers": lambda x: x ** float("inf"),
    "power of itself": lambda x: x**x,
    "remainder": lambda x: x % 2.0,
    "exponential": lambda x: np.exp(np.array([x])),
    "not": lambda x: ~x,
    "and of numbers": lambda x: x & True,
}


def test_parity_with_recorded_numbers():
    needed = {name for name in vars(Traced) if name.startswith("__") or not name.startswith("_")} - OF_RECORDS
    assert needed - {name for kind in Dual.__mro__[:-1] for name in vars(kind)} == set()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("x", [0.4, 1.7])
def test_derivatives(form, x):
    function, derivative = FORMS[form]
    (found,) = rates([function(*duals([x], [1.0]))], 0)
    assert float(found) == pytest.approx(float(derivative(x)), rel=1e-14)


@pytest.mark.parametrize("form", REFUSED)
def test_what_has_no_derivative_is_refused(form):
    with pytest.raises(SixdError):
        REFUSED[form](*duals([1.7], [1.0]))


def test_comparisons_are_those_of_the_values():
    a, b = duals([1.0, 1.0], [2.0, 3.0])
    for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        assert compare(a, b) == compare(1.0, 1.0)
        assert compare(a, 2.0) == compare(1.0, 2.0)


def test_powers_at_zero_follow_ieee():
    zero = Dual(0.0, 1.0)
    assert (zero**-1).value == np.inf
    assert (zero**2).rate == 0.0
