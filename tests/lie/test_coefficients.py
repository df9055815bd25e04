"""The scalar functions of the exponentials, to a few units in the last place."""

import math
import operator
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from sixd import ops
from sixd.lie.coefficients import alternating_series, inverse_coefficient, inverse_coefficient_rate, stumpff

SQUARES = [0.0, 1e-300, 1e-16, 1e-8, 1e-4, 3.9e-3, 4e-3, 0.1, 1.0, 2.5, 5.0, 9.8, 15.9, 16.1, 25.0, 36.0]
FUNCTIONS = [(0, 0), (1, 0), (2, 0), (3, 0), (2, 1), (3, 1), (2, 2)]


def series(k, s, n=0):
    """The n-th derivative of c_k, summed with far more terms and digits than needed."""
    with mpmath.workdps(150):
        s, total = mpmath.mpf(s), mpmath.mpf(0)
        for j in range(100):
            total += (-s) ** j * mpmath.rf(j + 1, n) / mpmath.factorial(2 * (j + n) + k)
        return (-1) ** n * total


def ulps(found, expected, scale):
    return float(abs(mpmath.mpf(found) - expected) / scale) / 2.0**-52


@pytest.mark.parametrize(("k", "n"), FUNCTIONS)
@pytest.mark.parametrize("s", SQUARES)
def test_stumpff_functions_are_accurate(k, n, s):
    expected = series(k, s, n)
    scale = max(abs(expected), abs(series(k, 0.0, n)) / 100)  # cos and sin have zeros: there, the absolute error counts
    assert ulps(stumpff(k, s, n), expected, scale) < (4 if k > 1 else 100)


@pytest.mark.parametrize("s", [s for s in SQUARES if s <= 25])
def test_the_coefficient_of_inverse_jacobians_is_accurate(s):
    c, d, e = series(2, s), series(2, s, 1), series(2, s, 2)
    assert ulps(inverse_coefficient(s), -d / c, abs(d / c)) < 8
    rate = (d / c) ** 2 - e / c
    assert ulps(inverse_coefficient_rate(s), rate, abs(rate)) < 30


def test_closed_forms_of_the_coefficients():
    with mpmath.workdps(60):
        t = mpmath.mpf(5)
        s, sin, cos = t * t, mpmath.sin(t), mpmath.cos(t)
        expected = [cos, sin / t, (1 - cos) / s, (t - sin) / t**3]
        assert all(abs(stumpff(k, s) - e) < 1e-58 for k, e in enumerate(expected))
        assert abs(inverse_coefficient(s) - (1 - t / 2 * mpmath.cot(t / 2)) / s) < 1e-58


@pytest.mark.parametrize("s", ["0", "1e-300", "1e-40", "1e-8", "0.0039", "0.004", "1", "15.9", "16.1", "30"])
@pytest.mark.parametrize("digits", [30, 50, 100])
def test_numbers_of_many_digits_get_as_many(s, digits):
    with mpmath.workdps(digits):
        s = mpmath.mpf(s)
        for k, n in FUNCTIONS:
            expected = series(k, s, n)
            assert abs(stumpff(k, s, n) - expected) < 20 * mpmath.mpf(10) ** -digits * max(abs(expected), 1e-3)


class NoFractions:
    """Numbers of mpmath 1.3 and others meet integers and floats, not fractions."""

    def __init__(self, value):
        self.value = value

    def _with(self, operation, other):
        if isinstance(other, Fraction):
            return NotImplemented
        return NoFractions(operation(self.value, other.value if isinstance(other, NoFractions) else other))

    def __add__(self, other):
        return self._with(operator.add, other)

    def __sub__(self, other):
        return self._with(operator.sub, other)

    def __mul__(self, other):
        return self._with(operator.mul, other)

    def __truediv__(self, other):
        return self._with(operator.truediv, other)

    def __rsub__(self, other):
        return self._with(lambda a, b: b - a, other)

    __radd__, __rmul__ = __add__, __mul__


def test_series_need_no_fractions():
    unused = dict.fromkeys(("sin", "cos", "sqrt", "arctan2", "absolute", "where"))
    rules = ops.Rules(divide=operator.truediv, bits=lambda: int(mpmath.mp.prec), **unused)
    ops.register(NoFractions, rules)
    with mpmath.workdps(50):
        s = mpmath.mpf("0.003")
        found = alternating_series(NoFractions(s), lambda j: Fraction(1, math.factorial(2 * j + 2)), 2.0**-8)
        assert abs(found.value - stumpff(2, s)) < 1e-50


def test_samples_are_treated_one_by_one():
    s = np.array([0.0, 1e-300, 0.1, 1.0, 20.0, 1e30, np.nan])
    for k, n in FUNCTIONS:
        with np.errstate(invalid="raise"):
            found = stumpff(k, s, n)
        assert found[:-1] == pytest.approx([stumpff(k, float(x), n) for x in s[:-1]], rel=1e-14)
        assert np.isnan(found[-1])


def test_the_inverse_coefficient_is_infinite_or_huge_after_a_full_turn_and_raises_nothing():
    assert abs(inverse_coefficient(4 * np.pi**2)) > 1e14
