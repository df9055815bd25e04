"""arctan2 on lanes: below 2 units of the last place everywhere, C99's special cases, the same bits at every width."""

import ctypes
import math

import mpmath
import numpy as np
import pytest

from sixd import ops
from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.arctangent import COEFFICIENTS, arctan2
from sixd.backends.llvm.cache import Cache
from sixd.backends.llvm.elementary import Lanes
from sixd.backends.llvm.target import compile_module
from tests.backends.test_llvm import Compiled

SPECIAL = [0.0, 5e-324, 2.5e-308, 1e-300, 1.0, 1.5, 1e300, 1.7976931348623157e308, math.inf]
PAIRS = np.array([[s * a, r * b] for a in SPECIAL for b in SPECIAL for s in (1.0, -1.0) for r in (1.0, -1.0)])


def angle(width=None):
    return Compiled(lambda x: [("z", (), [ops.arctan2(x[0], x[1])])], (2,), width=width)


@pytest.fixture(scope="module")
def kernel():
    return angle()


def worst(kernel, pairs):
    """The largest error in units of the last place, against 50 digits."""
    errors = []
    with mpmath.workdps(50):
        for (y, x), found in zip(pairs.tolist(), kernel(pairs).tolist(), strict=True):
            exact = mpmath.atan2(mpmath.mpf(y), mpmath.mpf(x))
            errors.append(float(abs(mpmath.mpf(found) - exact) / mpmath.mpf(float(np.spacing(abs(float(exact)))))))
    return max(errors)


def ratios(rng, low, high, n=2000):
    """Numbers in all quadrants, some steep, of which the smaller over the larger is in a range."""
    large = rng.uniform(1.0, 2.0, size=n)
    pairs = np.stack([large * rng.uniform(low, high, size=n), large], axis=1)
    steep = rng.random(n) < 0.5
    pairs[steep] = pairs[steep, ::-1]
    return pairs * rng.choice([-1.0, 1.0], size=(n, 2))


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.49, 0.56), (0.9, 1.0), (0.999999, 1.0), (0.0, 1e-3)])
def test_accurate_to_two_units_at_every_ratio(kernel, low, high):
    assert worst(kernel, ratios(np.random.default_rng(0), low, high)) < 1.6


def test_accurate_at_every_exponent(kernel):
    rng = np.random.default_rng(1)
    exponents = rng.integers(-1074, 1024, size=(3000, 2))
    near = exponents[:, :1] + rng.integers(-60, 60, size=(3000, 2))  # ratios that are not all 0 or infinite
    near = np.clip(near, -1074, 1023)
    for powers in (exponents, near):
        pairs = np.ldexp(rng.uniform(1.0, 2.0, size=powers.shape), powers) * rng.choice([-1.0, 1.0], size=powers.shape)
        assert worst(kernel, pairs) < 1.6


def test_results_that_are_subnormal(kernel):
    rng = np.random.default_rng(2)
    y, x = np.ldexp(rng.uniform(1, 2, 1000), -530), np.ldexp(rng.uniform(1, 2, 1000), rng.integers(490, 550, 1000))
    found = kernel(np.stack([y, x], axis=1))
    assert np.count_nonzero((found > 0) & (found < 2.0**-1022)) > 300
    np.testing.assert_array_equal(found, y / x)


def test_finite_special_numbers(kernel):
    plain = np.isfinite(PAIRS).all(axis=1) & (PAIRS != 0.0).all(axis=1)
    assert worst(kernel, PAIRS[plain]) < 1.6


def test_zeros_infinities_and_signs_as_c99_has_them(kernel):
    """Annex F.9.1.4: these results are multiples of pi/4, or zeros; each is the nearest double, with its sign."""
    edge = PAIRS[(np.isinf(PAIRS) | (PAIRS == 0.0)).any(axis=1)]
    wanted = np.array([math.atan2(y, x) for y, x in edge])
    found = kernel(edge)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))
    np.testing.assert_array_equal(np.signbit(kernel(PAIRS)), np.signbit(PAIRS[:, 0]))


def test_nan_stays_in_its_lane(kernel):
    pairs = np.repeat([[1.0, 2.0]], 32, axis=0)
    wanted = kernel(pairs)
    others = [0.0, -0.0, 1.0, math.inf, -math.inf, math.nan]
    for k, other in enumerate(others):
        pairs[2 * k], pairs[2 * k + 1] = (math.nan, other), (other, math.nan)
    found = kernel(pairs)
    assert np.isnan(found[: 2 * len(others)]).all()
    np.testing.assert_array_equal(found[2 * len(others) :], wanted[2 * len(others) :])


def test_the_same_bits_at_every_width(kernel):
    pairs = np.concatenate([PAIRS, ratios(np.random.default_rng(3), 0.0, 1.0)])
    bits = kernel(pairs).tobytes()
    for width in (1, 2, 4, 8):
        assert angle(width)(pairs).tobytes() == bits


def test_odd_in_y_and_near_the_interpreter(kernel):
    pairs = ratios(np.random.default_rng(4), 0.0, 1.0)
    found = kernel(pairs)
    np.testing.assert_array_equal(kernel(pairs * [-1.0, 1.0]), -found)
    wanted = np.arctan2(pairs[:, 0], pairs[:, 1])
    assert (np.abs(found - wanted) <= 2 * np.spacing(np.abs(wanted))).all()


def test_the_coefficients():
    with mpmath.workdps(40):
        for k in range(1, 301):
            z = (1 - mpmath.cos(mpmath.pi * k / 300)) / 2
            t = mpmath.sqrt(z)
            found = t + t * z * sum(mpmath.mpf(c) * z**power for power, c in enumerate(COEFFICIENTS))
            assert abs(found / mpmath.atan(t) - 1) < mpmath.mpf(2) ** -56.7


def test_single_precision_lanes_ask_the_c_library():
    single = ir.FloatType()
    module = ir.Module()
    lanes = Lanes(4, single)
    pointer = lanes.type.as_pointer()
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [pointer] * 3), "run")
    b = lanes.builder = ir.IRBuilder(function.append_basic_block())
    y, x, out = function.args
    b.store(arctan2(lanes, b.load(y, align=4), b.load(x, align=4)), out, align=4)
    b.ret_void()
    code = compile_module(lambda: str(module), "", Cache(None))
    y, x = np.array([[1.0, -2.0, 0.5, 3.0], [2.0, -1.0, -0.0, math.inf]], dtype=np.float32)
    out = np.empty(4, np.float32)
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(code.address("run"))(*(a.ctypes.data for a in (y, x, out)))
    np.testing.assert_allclose(out, np.arctan2(y, x), rtol=2e-7)
