"""The type behind single calls: references, memory, threads, and interpreters with another layout of objects."""

import ctypes
import ctypes.util
import functools
import gc
import inspect
import sys
import sysconfig
import threading
import tracemalloc
import weakref
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery, ops
from sixd.backends.llvm import vectorcall
from sixd.compiler.kernel import Kernel
from tests.backends.test_call import Counted, arguments, quick


def tripled():
    return Counted(triple, (1,))


def triple(x):
    return [("y", (1,), [3.0 * x[0]])]


def counts(things):
    return [sys.getrefcount(thing) for thing in things]


@quick
def test_no_reference_is_lost_or_kept(kernel):
    args = arguments()
    wrong = (args[0][:4], *args[1:])
    watched = (*args, np.ndarray, np.dtype(float), kernel, Counted._plain.__call__)
    for _ in range(100):
        kernel(*args)
    before = counts(watched)
    for _ in range(100_000):
        kernel(*args)
    for _ in range(1_000):
        kernel(*(a.tolist() for a in args))
        with pytest.raises(ValueError, match="core dimension"):
            kernel(*wrong)
    result = kernel(*args)
    assert counts(watched)[:3] == before[:3]
    assert np.abs(np.subtract(counts(watched), before)).max() <= len(result) + 2, "the results hold their dtype"
    assert counts(result) == counts(kernel.gufunc(*args))  # of new arrays: versions of Python count differently


@quick
@pytest.mark.parametrize("ready", [lambda args: args, lambda args: [a[None] for a in args]], ids=["quick", "slow"])
def test_memory_does_not_grow(kernel, ready):
    args = ready(arguments())
    kernel(*args)
    tracemalloc.start()
    try:
        for _ in range(100):
            kernel(*args)
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(10_000):
            kernel(*args)
        assert tracemalloc.get_traced_memory()[0] - before < 10_000, "bytes; the arrays of one call are 100"
    finally:
        tracemalloc.stop()


@quick
def test_objects_are_collected():
    single = tripled()
    gone = weakref.ref(single)
    del single
    assert gone() is None
    cycle = tripled()
    cycle.itself = cycle
    gone = weakref.ref(cycle)
    del cycle
    gc.collect()
    assert gone() is None


def test_threads_do_not_disturb_each_other():
    compiled = sixd.compile(algorithms.aba, gallery.seven_axis_arm())
    states = np.random.default_rng(0).normal(size=(4, 3, 7))
    wanted = compiled.gufunc(*states.swapaxes(0, 1))
    wrong = []

    def work(k):
        for _ in range(20_000):
            if not np.array_equal(compiled(*states[k]), wanted[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the C library by its name")
def test_numpy_does_not_complain_about_what_a_kernel_did():
    kernel = Counted(lambda x: [("y", (4,), [ops.divide(x[0], x[1]), ops.sqrt(-x[0]), x[2] * x[2], x[3] * x[3]])], (4,))
    x, y = np.array([1.0, 0.0, 1e300, 1e-300]), np.linspace(1.0, 2.0, 4)
    library, invalid = ctypes.CDLL(ctypes.util.find_library("m")), 0x01  # FE_INVALID, on x86 and on ARM
    afterwards = {
        "add": lambda: y + y,
        "cast": lambda: y.astype(np.float32),
        "to int": lambda: y.astype(int),
        "sum": lambda: y.sum(),
        "number": lambda: np.float64(2.0) / 3.0,
        "integer number": lambda: np.int64(7) // np.int64(2),
        "integers": lambda: np.arange(4) // 2,
        "solve": lambda: np.linalg.solve(np.eye(3), np.ones(3)),
        "inverse": lambda: np.linalg.inv(np.eye(3)),
        "product": lambda: y @ y,
        "gufunc": lambda: kernel.gufunc(y),
    }
    with np.errstate(all="raise"):
        for name, operation in afterwards.items():
            kernel(x)
            kernel(x)
            assert library.fetestexcept(invalid) or not vectorcall.available(), f"before {name}"
            operation()


@quick
def test_every_way_to_call(plain):
    x, y = np.arange(3.0), np.ones(3)
    wanted = [1.0, 2.0, 3.0]
    before = plain.slow
    for result in (
        plain(*[x, y]),
        plain.__call__(x, y),
        functools.partial(plain, x)(y),
        next(map(plain, [x], [y])),
        type(plain).__call__(plain, x, y),
    ):
        np.testing.assert_array_equal(result, wanted)
    assert plain.slow == before


@quick
def test_the_class_is_as_it_was_written():
    plain = Counted._plain
    assert (Counted.__name__, Counted.__module__, Counted.__doc__) == ("Counted", plain.__module__, plain.__doc__)
    assert inspect.signature(Counted) == inspect.signature(plain)
    assert isinstance(tripled(), plain)
    assert str(inspect.signature(tripled())) == "(*arrays, **options)"
    compiled = sixd.compile(algorithms.crba, gallery.pendulum())
    assert isinstance(compiled, Kernel)
    assert Kernel.__doc__.startswith("A compiled function")
    assert repr(compiled).startswith("<kernel crba(q (1,))")


@quick
def test_an_object_that_was_not_attached_cannot_be_called():
    with pytest.raises(TypeError, match="vectorcall"):
        Counted.__new__(Counted)()


@quick
def test_classes_can_be_derived():
    class Doubled(Counted):
        def __call__(self, x):
            return 2.0 * super().__call__(x)

    class Renamed(Counted):
        pass

    x = np.ones(1)
    for cls, wanted in ((Doubled, 6.0), (Renamed, 3.0)):
        kernel = cls(triple, (1,))
        assert kernel(x) == wanted
        assert kernel.slow == 0
        assert kernel(x[None]).shape == (1, 1)


class Pair(NamedTuple):
    first: np.float64
    second: np.float64


@quick
@pytest.mark.parametrize("kind", [tuple, Pair])
def test_results_are_the_tuples_that_python_makes(kind):
    """Also in what Python keeps inside of them, such as the hash that tuples remember from 3.14 on."""
    kernel = Counted(lambda x: [("a", (), [x[0]]), ("b", (), [x[1]])], (2,), result=kind)
    x = np.array([1.5, -2.0])
    kernel(x)
    assert kernel.slow == 0
    seen = {}
    for _ in range(100_000):
        found = kernel(x)
        seen[found] = seen.get(found, 0) + 1
    assert type(found) is kind
    assert hash(found) == hash((1.5, -2.0))
    assert seen == {(1.5, -2.0): 100_000}
    before = counts([kind, found])
    for _ in range(10_000):
        kernel(x)
    assert counts([kind, found]) == before


@quick
@pytest.mark.parametrize("kind", [tuple, Pair])
def test_tuples_of_results_are_freed(kind):
    kernel = Counted(lambda x: [("a", (), [x[0]]), ("b", (), [x[1]])], (2,), result=kind)
    x = np.array([1.5, -2.0])
    kernel(x)
    tracemalloc.start()
    try:
        for _ in range(100):
            kernel(x0=x)
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(100_000):
            kernel(x0=x)
        assert tracemalloc.get_traced_memory()[0] - before < 10_000
    finally:
        tracemalloc.stop()


@pytest.fixture
def elsewhere():
    """Where objects are called straight is found out anew, and told anew, before and after."""
    for asked in (vectorcall.obstacle, vectorcall._tell):
        asked.cache_clear()
    yield
    for asked in (vectorcall.obstacle, vectorcall._tell):
        asked.cache_clear()


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.setitem(vectorcall.ARRAY, "nd", 28),
        lambda m: m.setitem(vectorcall.ARRAY, "data", 48),
        lambda m: m.setitem(vectorcall.ARRAY, "descr", 48),
        lambda m: m.setitem(vectorcall.ARRAY, "flags", 1000),
        lambda m: m.setattr(vectorcall, "OBJECT_TYPE", 0),
        lambda m: m.setattr(vectorcall, "_NUMPY_ABI", 0x01000009),
        lambda m: m.setattr(vectorcall, "_OBJECT", 32),
        lambda m: m.setattr(
            vectorcall.sys, "implementation", SimpleNamespace(**{**vars(sys.implementation), "name": "pypy"})
        ),
    ],
    ids=["rank", "data", "dtype", "flags", "type", "NumPy 1", "free threads", "PyPy"],
)
def test_where_objects_have_another_layout_calls_are_slower_and_that_is_told_once(monkeypatch, elsewhere, change):
    with monkeypatch.context() as m:
        change(m)
        assert not vectorcall.available()

        class Plain(getattr(Counted, "_plain", Counted)):
            pass

        assert vectorcall.single_calls(Plain) is Plain
        with pytest.warns(RuntimeWarning, match="each call for one state takes some microseconds more") as told:
            kernel, other = Plain(triple, (1,)), Plain(triple, (2,))
        assert [str(warning.message).endswith(vectorcall.obstacle()) for warning in told] == [True]
    assert (kernel(np.ones(1)), other(np.ones(2))) == (3.0, 3.0)
    assert (kernel.slow, other.slow) == (1, 1)


def test_python_and_numpy_of_here_are_known():
    """A new version whose objects are laid out in another way is found by this, not by its users."""
    known = sys.implementation.name == "cpython" and sysconfig.get_config_var("Py_GIL_DISABLED") != 1
    assert not known or vectorcall.obstacle() == ""


def test_fields_of_a_class_leave_room_for_slots():
    class Large:
        __slots__ = tuple(f"field{k}" for k in range(8))

    if vectorcall.available():
        with pytest.raises(sixd.SixdError, match="objects of Large take 80 bytes"):
            vectorcall.single_calls(Large)
