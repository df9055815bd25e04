"""Scalar functions of the squared angle s = theta^2 that the exponentials and their Jacobians are made of.

All of them are Stumpff functions and their derivatives:

    c_k(s) = sum_j (-s)^j / (2j + k)!        c_0 = cos theta            c_1 = sin theta / theta
                                             c_2 = (1 - cos theta) / s  c_3 = (theta - sin theta) / theta^3

They are entire functions of s, so nothing happens at s = 0. Where the closed forms cancel, the series is summed, with
as many terms as the digits of the number ask for; where they do not, the closed forms are used. Both are computed and
one is selected, each on an argument that is safe for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import factorial

from sixd.ops import Scalar, bits, cos, divide, sin, sqrt, where

__all__ = ["alternating_series", "inverse_coefficient", "inverse_coefficient_rate", "stumpff"]

#: Below this s the series of a function whose closed form cancels is summed.
_CANCELLING = 16.0
#: Below this s the series of a function whose closed form is accurate, but has no derivative at s = 0, is summed.
_ACCURATE = 2.0**-8


def alternating_series(s: Scalar, weight: Callable[[int], Fraction], limit: float) -> Scalar:
    """sum_j weight(j) (-s)^j for 0 <= s < limit, to the precision of s."""
    total: Scalar = 0.0
    for w in _weights(weight, limit, bits(s)):
        # Not every kind of number takes fractions; all take integers.
        exact = divide(w.numerator + 0 * s, w.denominator) if isinstance(w, Fraction) else w
        total = exact - s * total
    return total


@cache
def _weights(weight: Callable[[int], Fraction], limit: float, digits: int) -> Sequence[Fraction | float]:
    """The weights that matter in ``digits`` binary digits, last one first; exact where a float would not be."""
    weights = [weight(0)]
    while weights[-1] * Fraction(limit) ** (len(weights) - 1) > weights[0] * Fraction(1, 2 ** (digits + 6)):
        weights.append(weight(len(weights)))
    return [w if digits > 53 else float(w) for w in reversed(weights)]


@cache
def _stumpff_weight(k: int, n: int) -> Callable[[int], Fraction]:
    return lambda j: Fraction(factorial(j + n), factorial(j) * factorial(2 * (j + n) + k))


def _closed_form(k: int, s: Scalar, n: int) -> Scalar:
    """c_k by its recurrence c_k = (1/(k-2)! - c_{k-2}) / s, and its derivatives by that of `stumpff`; s > 0."""
    if n > 0:
        return divide(_closed_form(k - 1, s, n - 1) - (k + 2 * n - 2) * _closed_form(k, s, n - 1), 2.0 * s)
    if k == 0:
        return cos(sqrt(s))
    if k == 1:
        return divide(sin(sqrt(s)), sqrt(s))
    if k == 2:
        half = sin(0.5 * sqrt(s))
        return divide(2.0 * half * half, s)
    return divide(1.0 - _closed_form(1, s, 0), s)


def stumpff(k: int, s: Scalar, n: int = 0) -> Scalar:
    """The n-th derivative of the Stumpff function c_k at s >= 0, for k <= 3 and n <= k.

    The series is (-1)^n sum_j (j+n)!/j! (-s)^j / (2j+2n+k)!; the closed form follows from
    2 s c_k^(n) = c_{k-1}^(n-1) - (k + 2n - 2) c_k^(n-1).
    """
    limit = _CANCELLING if n > 0 or k > 2 else _ACCURATE
    small = s < limit
    series = alternating_series(where(small, s, 0.0), _stumpff_weight(k, n), limit)
    return where(small, (-1) ** n * series, _closed_form(k, where(small, limit, s), n))


def inverse_coefficient(s: Scalar) -> Scalar:
    """(1 - (theta/2) cot(theta/2)) / theta^2 = -c_2'/c_2, the coefficient in the inverse Jacobians.

    1/12 at s = 0, infinite at theta = 2 pi.
    """
    return divide(-stumpff(2, s, 1), stumpff(2, s))


def inverse_coefficient_rate(s: Scalar) -> Scalar:
    """d/ds of `inverse_coefficient`: its square minus c_2''/c_2; 1/720 at s = 0."""
    d = inverse_coefficient(s)
    return d * d - divide(stumpff(2, s, 2), stumpff(2, s))
