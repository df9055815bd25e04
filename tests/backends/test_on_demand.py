"""The float32 loop of a gufunc is made by the first call that needs it: errors, threads, forks, lifetimes."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.backends.compiled import Compiled, arguments, float32_loop, gufunc_of, mixed

KERNEL = Compiled(mixed, (11,), (3, 11), ())


class Maker:
    """Makes the float32 loop of `mixed`, counts how often, and does something first."""

    def __init__(self, first=lambda: None):
        self.first, self.count = first, 0
        self.inner = float32_loop(KERNEL.program, KERNEL.width)

    def __call__(self):
        self.count += 1
        self.first()
        return self.inner()


def made_by(maker):
    ports = KERNEL.program.inputs, KERNEL.program.outputs
    return gufunc_of(KERNEL.module, *ports, maker)[0]


def single(n):
    return [a.astype(np.float32) for a in arguments(n)]


def check(gufunc, n=5):
    for found, wanted in zip(gufunc(*single(n)), KERNEL(*single(n)), strict=True):
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, wanted)


def test_it_is_made_once_and_only_if_needed():
    maker = Maker()
    gufunc = made_by(maker)
    gufunc(*arguments(3))
    gufunc(*single(0))
    assert maker.count == 0
    for n in (1, 1000, 7):  # NumPy runs large batches without the GIL
        check(gufunc, n)
    assert maker.count == 1


@pytest.mark.parametrize("n", [1, 1000])
@pytest.mark.parametrize("error", [ValueError, MemoryError, KeyboardInterrupt])
def test_an_error_is_raised_and_the_next_call_tries_again(error, n):
    def fail():
        if maker.count < 3:
            raise error(f"attempt {maker.count}")

    maker = Maker(fail)
    gufunc = made_by(maker)
    with pytest.raises(error, match="attempt 1"):
        gufunc(*single(n))
    x, A, s = single(6)
    with pytest.raises(error, match="attempt 2"):
        gufunc(x[:, None, :], A, s)  # six inner loops: none after the first asks again
    assert maker.count == 2
    check(gufunc, n)
    assert maker.count == 3


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_a_keyboard_interrupt_while_it_is_made():
    def wait():
        if maker.count == 1:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            time.sleep(30)

    def interrupt(number, frame):
        raise KeyboardInterrupt

    maker = Maker(wait)
    gufunc = made_by(maker)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            gufunc(*single(1000))
    finally:
        signal.signal(signal.SIGALRM, before)
    check(gufunc)


def test_an_interrupt_at_the_last_moment():
    class Interrupted:
        data = 0

        @property
        def address(self):
            raise KeyboardInterrupt

    maker = Maker()
    gufunc = made_by(lambda: maker() if maker.count or maker() is None else Interrupted())
    with pytest.raises(KeyboardInterrupt):
        gufunc(*single(5))
    check(gufunc)
    assert maker.count == 2


def test_a_call_while_it_is_made():
    """As the handler of a signal may make it, in the same thread."""

    def call():
        if maker.count == 1:
            check(gufunc)

    maker = Maker(call)
    gufunc = made_by(maker)
    check(gufunc)
    check(gufunc)
    assert maker.count == 2


def test_threads_that_come_at_once():
    maker = Maker(lambda: time.sleep(0.1))
    gufunc, start = made_by(maker), threading.Barrier(6)

    def run(n):
        start.wait(60)
        check(gufunc, n)
        return n

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(run, range(998, 1004))) == list(range(998, 1004))
    assert maker.count == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_after_a_fork_in_the_middle():
    begun, end = threading.Event(), threading.Event()

    def wait():
        if threading.current_thread() is not threading.main_thread():
            begun.set()
            end.wait(60)

    gufunc = made_by(Maker(wait))
    other = threading.Thread(target=check, args=(gufunc,))
    other.start()
    begun.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        check(gufunc)
        os._exit(0)
    end.set()
    other.join()
    assert os.waitpid(child, 0)[1] == 0
    check(gufunc)


if sys.version_info >= (3, 12):  # a thread is there on purpose
    test_after_a_fork_in_the_middle = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")(
        test_after_a_fork_in_the_middle
    )


def test_everything_lives_as_long_as_the_call():
    held = []

    def let_go():
        held.clear()
        gc.collect()

    held.append(made_by(Maker(let_go)))
    found = held[0](*single(1000))
    for array, wanted in zip(found, KERNEL(*single(1000)), strict=True):
        np.testing.assert_array_equal(array, wanted)


@pytest.mark.parametrize("used", [False, True])
def test_nothing_lives_for_ever(used):
    made = []

    class Noting(Maker):
        def __call__(self):
            loop = super().__call__()
            made.append(weakref.ref(loop.owner))
            return loop

    maker = Noting()
    made.append(weakref.ref(maker))
    gufunc = made_by(maker)
    if used:
        check(gufunc)
        assert maker.count == 1
    del maker, gufunc
    gc.collect()
    assert [ref() for ref in made] == [None] * (1 + used)


IN_SUB_INTERPRETER = """
import warnings
warnings.simplefilter("ignore")  # NumPy's, that it was not made for this
import numpy as np, sixd
q = np.ones(2)
kernel = sixd.compile(sixd.algorithms.crba, sixd.gallery.double_pendulum())
single = kernel(q.astype(np.float32))
assert single.dtype == np.float32 and np.allclose(single, kernel(q))
print("done", flush=True)
"""
SUB_INTERPRETER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
if sys.version_info >= (3, 13):
    interpreter = interpreters.create("legacy")
else:
    interpreter = interpreters.create(**({"isolated": False} if sys.version_info >= (3, 12) else {}))
interpreters.run_string(interpreter, sys.argv[1])
"""


def test_in_a_sub_interpreter():
    """There the loop cannot ask Python to be made: it is there from the beginning."""
    command = [sys.executable, "-c", SUB_INTERPRETER, IN_SUB_INTERPRETER]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() == ["done"], done.stderr
