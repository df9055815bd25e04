"""Machine code in single precision: special numbers, accuracy, memory, bits."""

import mpmath
import numpy as np
import pytest

from sixd import ops
from sixd.backends.llvm.target import lanes
from tests.backends.compiled import Compiled, arguments, check_bits, check_nan, mixed, numbers

SINGLE = np.float32
TINY, LEAST = np.finfo(SINGLE).tiny, np.finfo(SINGLE).smallest_subnormal
SPECIAL = [0.0, -0.0, 1.0, -1.0, TINY, -TINY / 3, LEAST, 3e38, -2e19, np.inf, -np.inf, np.nan, 0.5, -2.5, 3.0]

#: Operations that IEEE 754 rounds correctly, as NumPy has them.
EXACT = {
    "add": (lambda x, y: [x + y], np.add),
    "sub": (lambda x, y: [x - y], np.subtract),
    "mul": (lambda x, y: [x * y], np.multiply),
    "div": (lambda x, y: [ops.divide(x, y)], lambda x, y: x * (1 / y)),  # programs divide once for all
    "neg": (lambda x, y: [-x], lambda x, y: -x),
    "abs": (lambda x, y: [ops.absolute(x)], lambda x, y: abs(x)),
    "sqrt": (lambda x, y: [ops.sqrt(x)], lambda x, y: np.sqrt(x)),
    "select": (lambda x, y: [ops.where(x < y, x, y)], lambda x, y: np.where(x < y, x, y)),
}


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("name", list(EXACT))
def test_primitives_on_special_numbers(name, width):
    function, wanted = EXACT[name]
    x = np.array([[a, b] for a in SPECIAL for b in SPECIAL], SINGLE)
    with np.errstate(all="ignore"):
        exact = wanted(x[:, 0], x[:, 1])
    found = Compiled(numbers(function), (2,), width=width)(x)[:, 0]
    assert found.dtype == SINGLE
    np.testing.assert_array_equal(found, exact)
    number = ~np.isnan(exact)
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(exact[number]))


def test_subnormal_numbers_are_kept():
    kernel = Compiled(numbers(lambda x, y: [x * y, x * y + x]), (2,))
    x = np.array([[TINY, 0.25], [LEAST, 1.0], [TINY, 2.0**-23]], SINGLE)
    np.testing.assert_array_equal(kernel(x)[:, 0], [TINY / 4, LEAST, LEAST])
    assert kernel(x)[1, 1] == 2 * LEAST


def test_products_and_sums_are_fused_as_in_double_precision():
    x = 1.0 + 2.0**-12
    found = Compiled(numbers(lambda x, y: [x * x - y]), (2,))(np.array([x, 1 + 2.0**-11], SINGLE))
    np.testing.assert_array_equal(found, SINGLE(2.0**-24))  # lost where the product is rounded first


def test_constants_are_rounded_to_single_precision():
    values = [0.1, 1.0 + 2.0**-24 + 2.0**-50, 1e300, -1e300, 1e-60, 1e-40, 3.4028235677973366e38]
    kernel = Compiled(numbers(lambda x: [x * 0.0 + c for c in values]), (1,))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(kernel(np.ones((5, 1), SINGLE)), np.array([values] * 5).astype(SINGLE))


@pytest.fixture(scope="module")
def trigonometry():
    return Compiled(numbers(lambda x: [ops.sin(x), ops.cos(x)]), (1,))


def ulps(kernel, angles):
    """The largest errors of sine and cosine in units of the last place, against NumPy's in double precision."""
    angles = angles.astype(SINGLE)
    found, double = kernel(angles[:, None]), angles.astype(float)
    exact = np.stack([np.sin(double), np.cos(double)], axis=-1)
    return np.max(abs(found - exact) / np.spacing(abs(exact).astype(SINGLE)))


def nearest_to(turns):
    """The floats around numbers, three on each side."""
    middle = turns.astype(SINGLE).view(np.int32)
    return np.concatenate([(middle + k).view(SINGLE) for k in range(-3, 4)])


def test_sine_and_cosine_are_accurate_to_two_units(trigonometry):
    """All floats from 2^-13 to 1e5 were tried once: the largest errors are 1.560 and 1.562 units."""
    rng = np.random.default_rng(0)
    dense = [rng.uniform(-limit, limit, 300_000) for limit in (1.0, 10.0, 1e3, 1e5)]
    turns = np.arange(1, 63_662) * (np.pi / 2)  # to 1e5, all of them
    small = 10.0 ** rng.uniform(-44, 0, 20_000)
    for angles in (*dense, nearest_to(turns), -nearest_to(turns), nearest_to(turns - np.pi / 4), small):
        assert ulps(trigonometry, angles) < 1.6


def test_the_reference_for_sine_and_cosine():
    """NumPy's double precision is exact enough where it is used: at the floats nearest to multiples of pi/2."""
    angles = nearest_to(np.arange(1, 63_662, 199) * (np.pi / 2)).astype(float)
    with mpmath.workdps(60):
        for x in angles:
            for found, exact in ((np.sin(x), mpmath.sin(x)), (np.cos(x), mpmath.cos(x))):
                assert abs(mpmath.mpf(float(found)) - exact) < 1e-14 * abs(exact)


def test_huge_angles_and_no_angles(trigonometry):
    angles = np.array([1e5, 1.0001e5, 1e10, 1e22, 1e38, 6.0e15])
    assert ulps(trigonometry, angles) < 2.0
    found = trigonometry(np.array([[0.0], [-0.0], [np.inf], [-np.inf], [np.nan]], SINGLE))
    np.testing.assert_array_equal(found, [[0, 1], [0, 1], *[[np.nan, np.nan]] * 3])


def test_a_huge_angle_does_not_change_its_neighbours(trigonometry):
    x = np.linspace(-3, 3, 48, dtype=SINGLE)[:, None]
    changed = x.copy()
    changed[5], changed[22] = 1e12, np.nan
    keep = np.delete(np.arange(48), [5, 22])
    np.testing.assert_array_equal(trigonometry(changed)[keep], trigonometry(x)[keep])


def test_arctan2():
    kernel = Compiled(numbers(lambda y, x: [ops.arctan2(y, x)]), (2,))
    x = np.array([[a, b] for a in SPECIAL for b in SPECIAL], SINGLE)
    exact = np.arctan2(x[:, 0].astype(float), x[:, 1].astype(float))
    np.testing.assert_allclose(kernel(x)[:, 0], exact, rtol=3e-7, atol=LEAST)


# ---- memory and bits


@pytest.fixture(scope="module")
def kernel():
    return Compiled(mixed, (11,), (3, 11), ())


def single(n):
    return [a.astype(SINGLE) for a in arguments(n)]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 15, 16, 17, 33, 100])
def test_any_number_of_samples(kernel, n):
    args = single(n)
    for found, wanted in zip(kernel(*args), kernel(*(a.astype(float) for a in args)), strict=True):
        assert found.dtype == SINGLE
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)


def test_bits_depend_on_the_sample_alone(kernel):
    check_bits(kernel, single(4097))


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_bits_do_not_depend_on_the_width(kernel, width):
    args = single(37)
    other = Compiled(mixed, (11,), (3, 11), (), width=width)
    for found, wanted in zip(other(*args), kernel(*args), strict=True):
        assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("shift", range(0, 16, 3))
def test_nothing_is_written_beside_the_output(kernel, shift):
    args = single(35)
    v, M = kernel(*args)
    memory = np.full(35 * 121 + 32, 7.0, SINGLE)  # at any place of a cache line
    target = memory[shift : shift + 35 * 121].reshape(35, 11, 11)
    wide = np.full((37, 5), 7.0, SINGLE)
    kernel(*args, out=(wide[1:36, 1:4], target))
    np.testing.assert_array_equal(wide[1:36, 1:4], v)
    np.testing.assert_array_equal(target, M)
    wide[1:36, 1:4], target[...] = 7.0, 7.0
    assert (wide == 7.0).all()
    assert (memory == 7.0).all()


@pytest.mark.parametrize("n", range(1, 20))
def test_rows_of_every_length(n):
    """Pieces of rows overlap where that is faster."""
    kernel = Compiled(lambda x: [("y", (n,), [2.0 * a for a in x])], (n,))
    x = np.arange(40 * n, dtype=SINGLE).reshape(40, n)
    memory = np.full(40 * n + 2, 7.0, SINGLE)
    kernel(x, out=memory[1:-1].reshape(40, n))
    np.testing.assert_array_equal(memory[1:-1].reshape(40, n), 2 * x)
    assert memory[0] == memory[-1] == 7.0


def test_nan_stays_in_its_sample(kernel):
    check_nan(kernel, *single(35))


def test_mixed_precision_is_double_precision(kernel):
    x, A, s = single(9)
    for args in ((x.astype(float), A, s), (x, A, s.astype(float))):
        for found, wanted in zip(kernel(*args), kernel(*(a.astype(float) for a in (x, A, s))), strict=True):
            assert found.dtype == np.float64
            np.testing.assert_array_equal(found, wanted)
    found = kernel(x, A, 2.0)[0]  # a number of Python's takes the precision of the arrays
    assert found.dtype == SINGLE


def test_overflow_gives_infinity_without_a_warning(kernel):
    x, A, s = single(20)
    found = kernel(SINGLE(1e30) * x, A, s)[1]
    assert np.isinf(found).any()


def test_there_are_twice_the_lanes():
    assert lanes(4) == 2 * lanes(8) == 2 * lanes()
