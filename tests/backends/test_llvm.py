"""Machine code against the interpreter: every primitive, special numbers, accuracy, memory, bits."""

import gc
import weakref

import mpmath
import numpy as np
import pytest

from sixd import ops
from sixd.errors import SixdError
from sixd.ir import interpret
from tests.backends.compiled import Compiled, arguments, check_bits, check_nan, mixed, numbers

SPECIAL = [0.0, -0.0, 1.0, -1.0, 1e-308, -5e-324, 1e308, np.inf, -np.inf, np.nan, 0.5, -2.5, 3.0]


TABLE = ops.Tabulated([0.1, -2.5, 1e300, -0.0, 7.0])
OPERATIONS = {
    "add": lambda x, y: [x + y],
    "sub": lambda x, y: [x - y],
    "mul": lambda x, y: [x * y],
    "div": lambda x, y: [ops.divide(x, y)],
    "neg": lambda x, y: [-x],
    "abs": lambda x, y: [ops.absolute(x)],
    "sqrt": lambda x, y: [ops.sqrt(x)],
    "arctan2": lambda x, y: [ops.arctan2(x, y)],
    "select": lambda x, y: [ops.where(x < y, x, y)],
    "sin": lambda x, y: [ops.sin(x)],
    "cos": lambda x, y: [ops.cos(x)],
    "floor": lambda x, y: [ops.floor(x)],
    "pick": lambda x, y: [ops.pick(TABLE, x)],
}


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("name", list(OPERATIONS))
def test_primitives_on_special_numbers(name, width):
    x = np.array([[a, b] for a in SPECIAL for b in SPECIAL])
    kernel = Compiled(numbers(OPERATIONS[name]), (2,), width=width)
    found, wanted = kernel(x), interpret(kernel.program, x)[0]
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(found[~finite & ~np.isnan(wanted)], wanted[~finite & ~np.isnan(wanted)])
    np.testing.assert_allclose(found[finite], wanted[finite], rtol=4e-16, atol=0)
    if name not in ("sin", "cos"):
        np.testing.assert_array_equal(np.signbit(found[finite]), np.signbit(wanted[finite]))


@pytest.fixture(scope="module")
def trigonometry():
    return Compiled(numbers(lambda x: [ops.sin(x), ops.cos(x)]), (1,))


def ulps(found, angles):
    """The errors of sine and cosine in units of the last place, against 60 digits."""
    worst = 0.0
    with mpmath.workdps(60):
        for x, row in zip(angles, found, strict=True):
            for y, exact in zip(row, (mpmath.sin(mpmath.mpf(float(x))), mpmath.cos(mpmath.mpf(float(x)))), strict=True):
                worst = max(worst, float(abs(mpmath.mpf(float(y)) - exact) / np.spacing(abs(float(exact)))))
    return worst


def test_sine_and_cosine_are_accurate_to_two_units(trigonometry):
    rng = np.random.default_rng(0)
    turns = np.arange(-2000, 2000) * (np.pi / 2)
    angles = np.concatenate(
        [
            rng.uniform(-10, 10, 3000),
            rng.uniform(-1e5, 1e5, 3000),
            turns,
            np.nextafter(turns, np.inf),
            10.0 ** rng.uniform(-300, 0, 500),
        ]
    )
    assert ulps(trigonometry(angles[:, None]), angles) < 2.0


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_sine_of_zero_has_its_sign(trigonometry, kind):
    for zeros in (np.array([[0.0], [-0.0]] * 20, kind), np.array([-0.0], kind)):
        np.testing.assert_array_equal(np.signbit(trigonometry(zeros)[..., 0]), np.signbit(zeros[..., 0]))


def test_huge_angles_are_right(trigonometry):
    angles = np.array([1e5, 1.0001e5, 1e10, 1e22, 1e300, 6.0e15])
    assert ulps(trigonometry(angles[:, None]), angles) < 2.0


def test_a_huge_angle_does_not_change_its_neighbours(trigonometry):
    x = np.linspace(-3, 3, 16)[:, None]
    mixed = x.copy()
    mixed[5] = 1e12
    mixed[6] = np.nan
    keep = np.delete(np.arange(16), [5, 6])
    np.testing.assert_array_equal(trigonometry(mixed)[keep], trigonometry(x)[keep])


@pytest.fixture(scope="module")
def kernel():
    return Compiled(mixed, (11,), (3, 11), ())


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 7, 8, 9, 16, 17, 100])
def test_any_number_of_samples(kernel, n):
    args = arguments(n)
    for found, wanted in zip(kernel(*args), interpret(kernel.program, *args), strict=True):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13)


def test_bits_depend_on_the_sample_alone(kernel):
    check_bits(kernel, arguments(4097))


def test_nothing_is_written_beside_the_output(kernel):
    args = arguments(13)
    v, M = kernel(*args)
    wide_v, wide_M = np.full((15, 5), 7.0), np.full((15, 13, 13), 7.0)
    kernel(*args, out=(wide_v[1:14, 1:4], wide_M[1:14, 1:12, 1:12]))
    np.testing.assert_array_equal(wide_v[1:14, 1:4], v)
    np.testing.assert_array_equal(wide_M[1:14, 1:12, 1:12], M)
    wide_v[1:14, 1:4], wide_M[1:14, 1:12, 1:12] = 7.0, 7.0
    assert (wide_v == 7.0).all()
    assert (wide_M == 7.0).all()


def test_broadcasting_casting_and_read_only_input(kernel):
    x, A, _ = arguments(4)
    x.flags.writeable = False
    v, M = kernel(x[:, None], A[None], 1)
    assert v.shape == (4, 4, 3)
    np.testing.assert_array_equal(M[2, 3], kernel(x[2], A[3], 1.0)[1])


def test_nan_stays_in_its_sample(kernel):
    check_nan(kernel, *arguments(19))


@pytest.mark.parametrize("width", [1, 2, 4])
def test_bits_do_not_depend_on_the_width(kernel, width):
    args = arguments(9)
    other = Compiled(mixed, (11,), (3, 11), (), width=width)
    for found, wanted in zip(other(*args), kernel(*args), strict=True):
        assert found.tobytes() == wanted.tobytes()


def test_a_gufunc_keeps_its_code():
    gufunc = Compiled(numbers(lambda x: [3.0 * x]), (1,)).gufunc
    gc.collect()
    np.testing.assert_array_equal(gufunc(np.ones((5, 1))), 3.0)


def test_gufuncs_do_not_keep_their_code_forever():
    compiled = Compiled(numbers(lambda x: [3.0 * x]), (1,))
    gone = weakref.ref(compiled.module)
    del compiled
    gc.collect()
    assert gone() is None


def test_a_kernel_is_a_function_of_arrays():
    with pytest.raises(SixdError, match="test has no arguments"):
        Compiled(lambda: [("y", (1,), [1.0])])
    with pytest.raises(SixdError, match="test has no outputs"):
        Compiled(lambda x: [], (1,))
