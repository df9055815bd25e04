"""Code that plays a tape: the same bits as unrolled code, whatever the program, the batch and the precision."""

import pickle
import threading

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.backends.llvm import gufunc_loop
from sixd.backends.llvm.target import lanes
from sixd.compiler.taped import compile_taped
from sixd.runtime import threads
from tests.algorithms.calls import ALGORITHMS, TASKS, compile_algorithm, is_constrained, robot, robot_for, state
from tests.backends.test_pieces import ARM, assert_same, bits
from tests.ir.programs import random_function


def both(kernel):
    """An unrolled kernel and the same from a tape."""
    taped = compile_taped(kernel.origin.request)
    assert (kernel.kind, taped.kind) == ("unrolled", "taped")
    return kernel, taped


def compiled(function, **shapes):
    return both(sixd.compile(function, ARM, rolled=False, shapes=shapes))


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_every_algorithm_in_both_precisions(name):
    """Single states, batches with and without a rest, strided ones, and a sample that is not finite."""
    own = name in ("screw_jacobian", *TASKS) or is_constrained(name)
    model = robot_for(name) if own else robot(("revolute", "prismatic"))
    kernels = both(compile_algorithm(name, model, rolled=False))
    given = state(name, model, 21)
    arrays = [given[port.name] for port in kernels[0].inputs]
    arrays[0][9] = np.nan
    assert_same(*kernels, arrays)
    assert_same(*kernels, [a.astype(np.float32) for a in arrays])


@pytest.mark.parametrize("seed", range(4))
def test_random_programs(seed):
    """Every primitive, large angles, NaN and infinities."""
    rng = np.random.default_rng(seed)
    function, size = random_function(rng, 600)

    def compute(model, x):
        found = []
        for _, shape, values in function(list(x)):
            array = np.empty(len(values), dtype=object)
            array[:] = values
            found.append(array.reshape(shape))
        return tuple(found)

    for options in ({}, {"nonfinite": "x"}):
        kernels = both(sixd.compile(compute, ARM, rolled=False, shapes={"x": (size,)}, **options))
        x = rng.normal(size=(37, size))
        x[5], x[11, 2], x[12, 0] = np.nan, 1e12, np.inf
        assert_same(*kernels, [x])


def test_batches_of_every_rest():
    unrolled, taped = both(sixd.compile(algorithms.rnea, sixd.gallery.puma560(), rolled=False))
    arrays = np.random.default_rng(0).normal(size=(3, 3 * lanes() + 1, 6))
    for dtype in (np.float64, np.float32):
        for n in range(arrays.shape[1] + 1):
            some = arrays[:, :n].astype(dtype)
            assert bits(taped(*some)) == bits(unrolled(*some))
    out = np.empty((arrays.shape[1], 6))
    assert taped(*arrays, out=out) is out
    assert bits(out) == bits(unrolled(*arrays))


def test_threads_change_no_bit(monkeypatch):
    for bound in ("WORTH", "SMALLEST"):
        monkeypatch.setattr(threads, bound, 1.0)
    unrolled, taped = both(sixd.compile(algorithms.aba, sixd.gallery.puma560(), rolled=False))
    arrays = np.random.default_rng(0).normal(size=(3, 300, 6))
    try:
        for number in (1, 2, 5):
            sixd.set_threads(number)
            assert bits(taped(*arrays)) == bits(unrolled(*arrays))
    finally:
        sixd.set_threads(None)


def test_several_threads_of_python_at_once():
    _, taped = both(sixd.compile(algorithms.aba, sixd.gallery.puma560(), rolled=False))
    arrays, found = np.random.default_rng(0).normal(size=(3, 40, 6)), []
    workers = [threading.Thread(target=lambda: found.append(taped(*arrays))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert {bits(array) for array in found} == {bits(taped(*arrays))}


def test_large_arrays_and_results_without_any_operation():
    kernels = compiled(lambda model, x: np.multiply.outer(x, x), x=(70,))
    assert_same(*kernels, [np.random.default_rng(0).normal(size=(19, 70))])
    kernels = compiled(lambda model, x: np.array([x[1], 2.5, x[1], 0.0, x[0]], dtype=object), x=(3,))
    assert_same(*kernels, [np.random.default_rng(0).normal(size=(19, 3))])
    kernels = compiled(lambda model, x: x[::-1], x=(3,))
    assert_same(*kernels, [np.random.default_rng(0).normal(size=(19, 3))])


def test_without_memory_there_is_an_error(monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", "off")
    monkeypatch.setattr(gufunc_loop, "STACK", -1)
    monkeypatch.setattr(gufunc_loop, "ALIGNMENT", 1 << 60)
    _, kernel = compiled(lambda model, x: x * 2.0, x=(3,))
    for shape in ((3,), (8, 3), (5, 3)):
        with pytest.raises(MemoryError):
            kernel(np.ones(shape))


def test_what_a_kernel_tells_about_itself():
    unrolled, taped = both(sixd.compile(algorithms.rnea, sixd.gallery.puma560(), rolled=False))
    assert not taped.rolled
    assert repr(taped) == repr(unrolled)[:-1] + ", taped>"
    assert " bytes of code and of the tape: " in taped.report()
    assert taped.to_c() == unrolled.to_c()
    assert "play" in taped.assembly()
    assert pickle.loads(pickle.dumps(taped)).kind == "taped"
