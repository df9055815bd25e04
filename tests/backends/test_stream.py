"""Large results are written past the caches: the same bits, wherever the arrays begin."""

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.backends.llvm import gufunc_loop
from sixd.backends.llvm.builder import IRBuilder
from sixd.backends.llvm.emit import emit
from tests.backends.compiled import Compiled, mixed

SHAPES = (11,), (3, 11), (1,)
SAMPLES = 40


def arguments(size, dtype):
    rng = np.random.default_rng(0)
    return [rng.normal(size=(SAMPLES, *shape)).astype(dtype)[:size] for shape in SHAPES]


def outputs(dtype, offset, gap):
    """Arrays for the results of `mixed` that begin ``offset`` numbers after a cache line and have gaps in between."""
    found = []
    for shape in ((3,), (11, 11)):
        number = int(np.prod(shape)) + gap
        memory = np.zeros(SAMPLES * number + 64 + offset, dtype)
        start = -(memory.ctypes.data // memory.itemsize) % (64 // memory.itemsize) + offset
        rows = memory[start : start + SAMPLES * number].reshape(SAMPLES, number)
        found.append(rows[:, : number - gap].reshape(SAMPLES, *shape) if gap == 0 else strided(rows, shape))
    return tuple(found)


def strided(rows, shape):
    strides = (rows.strides[0], *np.empty(shape, rows.dtype).strides)
    return np.lib.stride_tricks.as_strided(rows, (len(rows), *shape), strides)


@pytest.fixture(scope="module")
def pairs():
    """By width: the function with results that go to the caches, and past them."""
    found = {}
    for width in (2, 4, 8):
        usual = Compiled(mixed, *SHAPES, width=width)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gufunc_loop, "STREAMED", 0)
            found[width] = usual, Compiled(mixed, *SHAPES, width=width)
            found[width][1](*arguments(SAMPLES, np.float32))  # the code for float32 is made by the first such call
    return found


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("width", [2, 4, 8])
@pytest.mark.parametrize("offset", range(9))
@pytest.mark.parametrize("gap", [0, 3, 7])  # 121 numbers a sample: 124 and 128 keep halves of vectors in step
def test_same_bits_wherever_results_begin(pairs, width, offset, gap, dtype):
    usual, streamed = pairs[width]
    given = arguments(SAMPLES, dtype)
    wanted, found = usual(*given), streamed(*given, out=outputs(dtype, offset, gap))
    for a, b in zip(wanted, found, strict=True):
        assert a.tobytes() == b.tobytes()


def test_results_that_fill_the_caches_are_streamed(monkeypatch):
    """The test above is of code that has such stores; a batch of a mass matrix that is larger than caches as well."""
    assert "!nontemporal" in emit(Compiled(mixed, *SHAPES).program, 8)
    robot = sixd.gallery.seven_axis_arm()
    count = 1 + gufunc_loop.STREAMED // (8 * robot.nv**2)
    q = robot.random(0, size=64)
    kernel = sixd.compile(algorithms.crba, robot)
    large = kernel(np.resize(q, (count, robot.nq)))
    assert np.array_equal(large, np.resize(kernel(q), large.shape))


def test_rolled_code_streams_too(monkeypatch):
    robot = sixd.gallery.quadruped()
    q = robot.random(0, size=SAMPLES)
    usual = sixd.compile(algorithms.crba, robot, rolled=True)(q)
    monkeypatch.setenv("SIXD_CACHE", "off")
    monkeypatch.setattr(gufunc_loop, "STREAMED", 0)
    stored = []
    store = IRBuilder.store_past_caches
    monkeypatch.setattr(IRBuilder, "store_past_caches", lambda b, *rest: stored.append(rest) or store(b, *rest))
    again = sixd.compile(algorithms.crba, robot, rolled=True, name="streamed")  # not the code that is there already
    assert np.array_equal(again(q), usual)
    assert stored
