"""Batches split over threads: the same bits, the same errors, and no more threads than there should be."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import numpy as np
import pytest

import sixd
from sixd import ChoiceError, algorithms, gallery
from sixd.runtime import threads
from sixd.runtime.threads import Threaded, get_threads, set_threads

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
ALONE = {name: value for name, value in os.environ.items() if name not in ("SIXD_THREADS", "OMP_NUM_THREADS")}
RNEA, SEVERAL = [(7,)] * 3, [(2, 2), (2,), ()]  # the shapes of one sample of each input


@pytest.fixture(autouse=True)
def default(monkeypatch):
    monkeypatch.delenv("SIXD_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    yield
    set_threads(None)


@pytest.fixture
def eager(monkeypatch):
    """Everything is split, down to single samples, for two threads."""
    for name, value in (("WORTH", 1e-9), ("SMALLEST", 1e-9), ("GRAIN", 1)):
        monkeypatch.setattr(threads, name, value)
    set_threads(2)


@pytest.fixture(scope="module")
def rnea():
    return sixd.compile(algorithms.rnea, gallery.seven_axis_arm()).gufunc


@pytest.fixture(scope="module")
def several():
    """A gufunc with inputs and outputs of ranks 2, 1 and 0."""

    def several(model, A, x, t):
        y = [A[i][0] * x[0] + A[i][1] * x[1] + t for i in range(2)]
        return np.array([[y[0], y[1]], [x[1], x[0]]]), np.array(y), y[0] * t

    return sixd.compile(several, gallery.seven_axis_arm(), shapes={"A": (2, 2), "x": (2,), "t": ()}).gufunc


class Spy:
    """A gufunc that remembers its calls; the first one of each thread waits for those of the others."""

    def __init__(self, gufunc, together=0):
        self.gufunc, self.nin, self.nout, self.calls = gufunc, gufunc.nin, gufunc.nout, []
        self.barrier = threading.Barrier(together) if together else None

    def __call__(self, *arrays, **options):
        if not (arrays[0].ndim > 1 and 0 in arrays[0].shape):  # an empty call only asks for types
            mine = threading.current_thread().name
            if self.barrier is not None and mine not in self.calls:
                self.barrier.wait(timeout=60)
            self.calls.append(mine)
        return self.gufunc(*arrays, **options)


def numbers(*shapes, seed=0, dtype=float):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def same(found, wanted):
    for one, other in zip(
        found if isinstance(found, tuple) else (found,), wanted if isinstance(wanted, tuple) else (wanted,), strict=True
    ):
        assert type(one) is type(other)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, strict=True)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 15, 16, 17, 63, 64, 65, 1000, 4097])
def test_same_bits_for_any_batch_and_number_of_threads(eager, rnea, n, count):
    arguments = numbers(*[(n, 7)] * 3)
    wanted, spy = rnea(*arguments), Spy(rnea)
    set_threads(count)
    same(Threaded(spy, RNEA, 1.0)(*arguments), wanted)
    assert len(spy.calls) == (1 if count == 1 or n == 1 else len(range(0, n, -(-n // (count * threads.PIECES)))))
    same(wanted[n // 2], rnea(*(x[n // 2] for x in arguments)))


@pytest.mark.parametrize("lead", [(0,), (3, 0), (0, 5)])
def test_empty_batches(eager, rnea, lead):
    arguments = numbers(*[(*lead, 7)] * 3)
    same(Threaded(rnea, RNEA, 1.0)(*arguments), rnea(*arguments))


@pytest.mark.parametrize(
    "leads",
    [
        [(4, 5), (4, 5), (4, 5)],
        [(4, 1, 5), (3, 1), ()],
        [(70, 2), (2,), (70, 1)],
        [(1,), (1, 1), (33,)],
        [(2, 3, 4, 5), (5,), (3, 1, 1)],
        [(1, 9), (8, 1), (1, 1)],
        [(), (6,), ()],
    ],
)
def test_batch_axes_broadcast(eager, rnea, leads):
    arguments = numbers(*[(*lead, 7) for lead in leads])
    spy = Spy(rnea)
    same(Threaded(spy, RNEA, 1.0)(*arguments), rnea(*arguments))
    assert len(spy.calls) > 1


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[::3],
        lambda a: a[::-2],
        lambda a: a[:, ::-1],
        np.asfortranarray,
        lambda a: np.broadcast_to(a[7], a.shape),
        lambda a: a.reshape(10, 13, 7).swapaxes(0, 1),
        lambda a: a.astype(">f8"),
        lambda a: np.frombuffer(b"\0" + a.tobytes(), dtype=np.uint8)[1:].view(float).reshape(a.shape),
    ],
)
def test_views(eager, rnea, view):
    arguments = [view(a) for a in numbers(*[(130, 7)] * 3)]
    for array in arguments:
        array.flags.writeable = False
    spy = Spy(rnea)
    same(Threaded(spy, RNEA, 1.0)(*arguments), rnea(*arguments))
    assert len(spy.calls) > 1


@pytest.mark.parametrize("kinds", [(np.float32,) * 3, (np.float32, np.float64, np.float32), (int, np.float32, bool)])
def test_kinds_of_numbers(eager, several, kinds):
    A, x, t = (a.astype(kind) for a, kind in zip(numbers((99, 2, 2), (99, 2), (99,)), kinds, strict=True))
    for last in (t, 0.5, np.float64(0.5), np.float32(0.5), 2):
        spy = Spy(several)
        same(Threaded(spy, SEVERAL, 1.0)(A, x, last), several(A, x, last))
        assert len(spy.calls) > 1


def test_several_results(eager, several):
    arguments = numbers((6, 40, 2, 2), (40, 2), (6, 1))
    spy = Spy(several)
    call, wanted = Threaded(spy, SEVERAL, 1.0), several(*arguments)
    same(call(*arguments), wanted)
    out = tuple(np.empty_like(w) for w in wanted)
    results = call(*arguments, out=out)
    assert all(r is o for r, o in zip(results, out, strict=True))
    same(results, wanted)
    assert len(spy.calls) > 2


def test_results_given(eager, rnea):
    arguments = numbers(*[(41, 7)] * 3)
    wanted, spy = rnea(*arguments), Spy(rnea)
    call = Threaded(spy, RNEA, 1.0)
    for out in (np.empty((41, 7)), np.empty((82, 14))[::-2, ::2], np.empty((7, 41)).T):
        for given in (out, (out,)):
            out[:] = np.nan
            assert call(*arguments, out=given) is out
            np.testing.assert_array_equal(out, wanted)
    single = np.empty((41, 7), np.float32)
    np.testing.assert_array_equal(call(*arguments, out=single), wanted.astype(np.float32))
    assert len(spy.calls) > 7
    same(
        call(*arguments, dtype=np.float32, casting="same_kind"), rnea(*arguments, dtype=np.float32, casting="same_kind")
    )


@pytest.mark.parametrize("place", [lambda q: q, lambda q: q[::-1], lambda q: q.reshape(7, 50).T])
def test_results_in_place_of_an_argument(eager, rnea, place):
    q, qd, qdd = numbers(*[(50, 7)] * 3)
    wanted, spy = rnea(q, qd, qdd), Spy(rnea)
    np.testing.assert_array_equal(Threaded(spy, RNEA, 1.0)(q, qd, qdd, out=place(q)), wanted)
    assert len(spy.calls) == 1


def test_files_in_memory(eager, rnea, tmp_path):
    q, qd, qdd = numbers(*[(50, 7)] * 3)
    file = np.memmap(tmp_path / "q", dtype=float, mode="w+", shape=(50, 7))
    file[:] = q
    spy = Spy(rnea)
    same(Threaded(spy, RNEA, 1.0)(file, qd, qdd), rnea(q, qd, qdd))
    assert len(spy.calls) > 1


def test_other_arrays_choose_for_themselves(eager, rnea):
    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return "theirs"

    q = np.zeros((50, 7))
    assert Threaded(rnea, RNEA, 1.0)(q, q, Other()) == "theirs"
    same(Threaded(rnea, RNEA, 1.0)(q, q.tolist(), q), rnea(q, q, q))


@pytest.mark.parametrize(
    ("shapes", "options"),
    [
        ([(50, 7), (50, 6), (50, 7)], {}),
        ([(50, 7), (49, 7), (50, 7)], {}),
        ([(50, 7), (), (50, 7)], {}),
        ([(50, 7), (50, 7)], {}),
        ([(50, 7)] * 3, {"out": np.empty((49, 7))}),
        ([(50, 7)] * 3, {"out": np.empty((50, 6))}),
        ([(50, 7)] * 3, {"out": (np.empty((50, 7)),) * 2}),
        ([(50, 7)] * 3, {"out": np.empty((50, 7), int)}),
        ([(50, 7)] * 3, {"dtype": complex}),
        ([(50, 7)] * 3, {"where": True}),
        ([(50, 7)] * 3, {"nonsense": 1}),
    ],
)
def test_errors_are_those_of_the_gufunc(eager, rnea, shapes, options):
    arguments = numbers(*shapes)
    with pytest.raises((TypeError, ValueError)) as wanted:
        rnea(*arguments, **options)
    with pytest.raises(type(wanted.value)) as found:
        Threaded(rnea, RNEA, 1.0)(*arguments, **options)
    assert str(found.value) == str(wanted.value)


@pytest.mark.parametrize("in_helper", [False, True])
def test_errors_in_any_thread_reach_the_caller(eager, rnea, in_helper):
    here = threading.current_thread().name

    class Broken(Spy):
        def __call__(self, *arrays, **options):
            result = super().__call__(*arrays, **options)
            if self.calls and (self.calls[-1] != here) == in_helper:
                raise MemoryError(f"from {self.calls[-1]}")
            return result

    arguments = numbers(*[(1000, 7)] * 3)
    spy = Broken(rnea, together=2)
    with pytest.raises(MemoryError, match="from sixd" if in_helper else f"from {here}"):
        Threaded(spy, RNEA, 1.0)(*arguments)
    same(Threaded(rnea, RNEA, 1.0)(*arguments), rnea(*arguments))


def test_threads_run_side_by_side(eager, rnea):
    set_threads(3)
    spy, arguments = Spy(rnea, together=3), numbers(*[(1000, 7)] * 3)
    same(Threaded(spy, RNEA, 1.0)(*arguments), rnea(*arguments))
    assert len(set(spy.calls)) == 3
    assert threading.current_thread().name in spy.calls


def test_helpers_know_the_callers_floating_point_settings(eager, rnea):
    arguments = [1e30 * a for a in numbers(*[(100, 7)] * 3)]  # squared, they do not fit into single precision
    out = np.empty((100, 7), np.float32)
    with np.errstate(over="ignore"):  # warnings are errors here
        Threaded(Spy(rnea, together=2), RNEA, 1.0)(*arguments, out=out)
    assert np.isinf(out).any()


def test_small_batches_stay_in_one_thread(rnea):
    set_threads(2)
    arguments = numbers(*[(1000, 7)] * 3)
    for cost, split in ((2 * threads.WORTH / 1001, False), (2 * threads.WORTH / 999, True)):
        spy = Spy(rnea)
        same(Threaded(spy, RNEA, cost)(*arguments), rnea(*arguments))
        assert (len(spy.calls) > 1) == split


def test_in_single_precision_twice_as_many_samples_are_worth_a_thread(rnea):
    set_threads(2)
    arguments = [a.astype(np.float32) for a in numbers(*[(1000, 7)] * 3)]
    for cost, split in ((2 * threads.WORTH / 501, False), (2 * threads.WORTH / 499, True)):
        spy = Spy(rnea)
        same(Threaded(spy, RNEA, cost)(*arguments), rnea(*arguments))
        assert (len(spy.calls) > 1) == split


def test_pieces_are_whole_vectors(rnea):
    set_threads(2)
    sizes = []

    class Sizes(Spy):
        def __call__(self, *arrays, **options):
            sizes.append(len(arrays[0]))
            return super().__call__(*arrays, **options)

    Threaded(Sizes(rnea), RNEA, 1e6)(*numbers(*[(1000, 7)] * 3))
    assert sum(sizes) == 1000
    assert sum(size % threads.GRAIN != 0 for size in sizes) == 1


def test_many_callers_at_once(eager, rnea):
    call = Threaded(rnea, RNEA, 1.0)

    def check(seed):
        arguments = numbers(*[(200, 7)] * 3, seed=seed)
        same(call(*arguments), rnea(*arguments))
        return seed

    set_threads(4)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(check, range(40))) == list(range(40))
    nested = SimpleQueue()
    threads._pool.ask(lambda: nested.put(check(7)), 1)  # in a thread of the pool itself
    assert nested.get(timeout=60) == 7


@forks
@pytest.mark.parametrize("busy", [False, True])
def test_after_a_fork(eager, rnea, busy):
    call, arguments = Threaded(rnea, RNEA, 1.0), numbers(*[(500, 7)] * 3)
    wanted = call(*arguments)
    end = threading.Event()

    def others():
        while not end.is_set():
            call(*arguments)

    other = threading.Thread(target=others)
    if busy:
        other.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                good = np.array_equal(Threaded(Spy(rnea, together=2), RNEA, 1.0)(*arguments), wanted)
                os._exit(0 if good else 3)
            assert os.waitpid(child, 0)[1] == 0
            assert np.array_equal(call(*arguments), wanted)
    finally:
        end.set()
        if busy:
            other.join()


if sys.version_info >= (3, 12):  # a thread other than the pool's is there on purpose
    test_after_a_fork = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")(test_after_a_fork)


@pytest.mark.parametrize("n", [0, -1, 1.5, "two", True, np.float64(2)])
def test_nonsense_is_refused(n):
    set_threads(3)
    with pytest.raises(ChoiceError, match="whole number from 1"):
        set_threads(n)
    assert get_threads() == 3


def test_what_was_set_holds_everywhere(monkeypatch):
    monkeypatch.setenv("SIXD_THREADS", "7")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert get_threads() == 7
    set_threads(np.int64(5))
    assert get_threads() == 5
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(get_threads).result() == 5
        set_threads("auto")
        assert pool.submit(get_threads).result() == 7


def test_the_default(monkeypatch):
    monkeypatch.setattr(threads, "_cores", lambda: 6)
    monkeypatch.setattr(threads, "_quota", lambda: 0)
    assert get_threads() == 6
    for text, wanted in (("4", 4), ("8", 6), (" 3 , 2", 3), ("", 6), ("dynamic", 6), ("0", 6)):
        monkeypatch.setenv("OMP_NUM_THREADS", text)
        assert get_threads() == wanted
    monkeypatch.setattr(threads, "_quota", lambda: 2)
    assert get_threads() == 2


@pytest.mark.parametrize(
    ("text", "cores"), [("max 100000\n", 0), ("150000 100000\n", 2), ("200000 100000\n", 2), ("", 0), ("many", 0)]
)
def test_quota_of_a_container(tmp_path, text, cores):
    (tmp_path / "cpu.max").write_text(text)
    assert threads._quota(str(tmp_path / "cpu.max")) == cores


def test_no_quota(tmp_path):
    assert threads._quota(str(tmp_path / "none")) == 0


def test_threads_of_others_use_one(monkeypatch):
    monkeypatch.setattr(threads, "_cores", lambda: 6)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(get_threads).result() == 1


@pytest.mark.parametrize("method", [m for m in multiprocessing.get_all_start_methods() if m != "forkserver"])
def test_processes_of_others_use_one(method):
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(get_threads) == 1


def run(code, **variables):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={**ALONE, **variables}
    )


@pytest.mark.parametrize(
    ("text", "wanted"), [("3", "3"), ("auto", "default"), ("", "default"), ("many", "warned"), ("0", "warned")]
)
def test_environment_variable(text, wanted):
    cores = "d = min(filter(None, (t._cores(), t._quota())))"
    code = f"import sixd.runtime.threads as t; n = t.get_threads(); {cores}; print(n, d)"
    done = run(code, SIXD_THREADS=text)
    found, default = done.stdout.split()
    assert found == (wanted if wanted == "3" else default)
    assert ("SIXD_THREADS is" in done.stderr) == (wanted == "warned")


def late():
    """A split call that tells whether it was right."""
    threads.WORTH = threads.SMALLEST = 1e-9
    set_threads(2)
    rnea = sixd.compile(algorithms.rnea, gallery.seven_axis_arm()).gufunc
    arguments = numbers(*[(500, 7)] * 3)
    print(np.array_equal(Threaded(rnea, RNEA, 1.0)(*arguments), rnea(*arguments)))


@pytest.mark.parametrize("when", ["before the pool stops", "after it stopped"])
def test_at_the_interpreters_exit(when):
    """Handlers run in the reverse order of their registration."""
    code = "import atexit\natexit.register(lambda: late())\nfrom tests.runtime.test_threads import late\nlate()"
    if when == "before the pool stops":
        code += "\natexit.register(late)"
    done = run(code)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["True"] * code.count("late)") + ["True"] * 2, "")


def test_arrays_are_let_go(eager, rnea):
    """The threads of the pool keep nothing of a call that has ended."""
    arguments = numbers(*[(500, 7)] * 3)
    kept = weakref.ref(Threaded(Spy(rnea, together=2), RNEA, 1.0)(*arguments))
    end = time.monotonic() + 10
    while kept() is not None and time.monotonic() < end:
        time.sleep(0.001)
    assert kept() is None
