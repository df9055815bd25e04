"""Large batches are split over cores: threads of this process call the gufunc on pieces of the batch.

NumPy runs the inner loop of a gufunc without the GIL, so the pieces run side by side. A result depends on its own
sample only, so it has the same bits with any number of threads. The number of threads that a call may use is the first
of these that applies:

1. what `set_threads` was given;
2. the environment variable ``SIXD_THREADS``;
3. one, where others already share out the cores: in any thread but the main one (thread pools, Dask's threads, joblib's
   threading backend) and in processes made by multiprocessing (process pools, joblib's loky, Dask's processes);
4. the cores this process may use (its affinity and the quota of its container), but at most ``OMP_NUM_THREADS``, by
   which Dask, joblib, Ray and batch systems tell a process its share.

A batch is split only if each thread gets at least `WORTH` nanoseconds of work. The threads of the pool wait between
calls. They are stopped before a fork and at the interpreter's exit, and started again by the next large batch.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from functools import cache, partial
from math import prod, sqrt
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Literal

import numpy as np
from numpy import memmap, ndarray

from sixd.errors import ChoiceError
from sixd.given import described
from sixd.process import forks
from sixd.process.told import warn

__all__ = ["WORTH", "Threaded", "get_threads", "in_pieces", "set_threads"]

#: The work in nanoseconds that is worth a thread: several times the 10 to 60 us that it takes to wake it and wait for
#: it.
WORTH = 250e3
#: Pieces for each thread: a thread on a busy core does fewer of them, and the others do more. And the least work in a
#: piece, in nanoseconds, because each call of the gufunc takes 2 us.
PIECES, SMALLEST = 16, 75e3
#: Pieces are multiples of this many samples: whole vectors, because a part of one costs as much as all of it.
GRAIN = 16

#: A queue that threads wait at; None tells a thread to end.
Tasks = SimpleQueue[Callable[[], None] | None]

#: A larger number of threads is taken for a mistake.
MOST = 10_000

_chosen: int | None = None


def set_threads(n: int | Literal["auto"] | None) -> None:
    """The most threads that one call of a kernel may use; None or "auto" for the default.

    What is chosen here holds in every thread of this process and in processes forked from it.
    """
    global _chosen
    count = None if n is None or (isinstance(n, str) and n == "auto") else n
    whole = None if isinstance(count, bool) or not isinstance(count, (int, np.integer)) else int(count)
    if count is not None and (whole is None or not 0 < whole < MOST):
        raise ChoiceError(f"the number of threads is {described(n)}, but a whole number from 1, or 'auto', is needed")
    _chosen = whole


def get_threads() -> int:
    """The most threads that a call of a kernel may use, if it is made now by this thread."""
    if _chosen is not None:
        return _chosen
    text = os.environ.get("SIXD_THREADS", "").strip()
    if text.isdecimal() and int(text) > 0:
        return int(text)
    if text not in ("", "auto"):
        warn(
            f"SIXD_THREADS is {text!r}, but a whole number from 1, or 'auto', is needed; it is ignored", RuntimeWarning
        )
    if threading.current_thread() is not threading.main_thread() or _is_worker_process():
        return 1
    share = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # a list has one number for each level
    limits = [_cores(), _quota(), int(share) if share.isdecimal() else 0]
    return min(limit for limit in limits if limit > 0)


def _is_worker_process() -> bool:
    process: Any = sys.modules.get("multiprocessing.process")  # loaded in every process that multiprocessing made
    return process is not None and process.parent_process() is not None


def _cores() -> int:
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    elif hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    else:
        return os.cpu_count() or 1


@cache
def _quota(file: str = "/sys/fs/cgroup/cpu.max") -> int:
    """The cores that a container may use, rounded up; 0 without a limit. Linux writes "200000 100000" for two."""
    try:
        time, period = Path(file).read_text().split()
        return -(-int(time) // int(period))
    except (OSError, ValueError):
        return 0


class Threaded:
    """A gufunc that splits large batches over cores. It is called like the gufunc and gives the same bits.

    ``cores`` are the shapes of one sample of each input; ``cost`` is the time of one sample in nanoseconds, in double
    precision.
    """

    def __init__(self, gufunc: Any, cores: Sequence[tuple[int, ...]], cost: float) -> None:
        self.gufunc, self.cost = gufunc, cost
        self.ranks = tuple(len(core) for core in cores)
        # If no array has more numbers than this, the batch is not worth two threads: two inputs of n samples make a
        # batch of n^2 at most. (Three different inputs could make more, which is too rare to look for.)
        self.small = int(sqrt(2 * WORTH / cost) * min(map(prod, cores), default=0))

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        for array in arrays:
            if type(array) is not ndarray or array.size > self.small:
                break
        else:
            return self.gufunc(*arrays, **options)
        lead = self._large(arrays)
        results = self._in_threads(lead, arrays, options) if lead else None
        if results is None:
            return self.gufunc(*arrays, **options)
        return results if self.gufunc.nout > 1 else results[0]

    def _in_threads(
        self, lead: tuple[int, ...], arrays: Sequence[Any], options: Mapping[str, Any]
    ) -> tuple[Any, ...] | None:
        """The results for a batch with these axes; None if one thread is enough, or the call is unusual."""
        work, axis = prod(lead) * self._cost(arrays), lead.index(max(lead))
        threads = min(get_threads(), int(work / WORTH))
        if threads < 2:
            return None
        pieces = _pieces(lead, axis, min(threads * PIECES, int(work / SMALLEST)))
        call = self._split(lead, axis, arrays, **options) if len(pieces) > 1 else None
        if call is None:
            return None
        results, run = call
        _share(pieces, run, min(threads, len(pieces)) - 1)
        return results

    def _cost(self, arrays: Sequence[Any]) -> float:
        """The time of one sample; in single precision twice as many are done at once."""
        return self.cost / 2 if all(getattr(array, "dtype", None) == np.float32 for array in arrays) else self.cost

    def _large(self, arrays: Sequence[Any]) -> tuple[int, ...]:
        """The batch axes, if all arguments are plain arrays or numbers and there is work for two threads; else ()."""
        leads = set()
        for array, rank in zip(arrays, self.ranks, strict=False):
            if type(array) is ndarray or type(array) is memmap:
                leads.add(array.shape[: array.ndim - rank])
            elif not isinstance(array, (float, int, np.generic)):
                return ()
        # Axes that do not broadcast are left to the gufunc, which raises the error.
        if len(arrays) != len(self.ranks) or prod(map(prod, leads)) * self._cost(arrays) < 2 * WORTH:
            return ()
        try:
            return np.broadcast_shapes(*leads)
        except ValueError:
            return ()

    def _split(
        self, lead: tuple[int, ...], axis: int, arrays: Sequence[Any], out: Any = None, **options: Any
    ) -> tuple[tuple[Any, ...], Callable[[slice], Any]] | None:
        """New arrays for the results, and a function that fills a slice of a batch axis; None for unusual calls."""
        cuts = [_cut(array, axis - len(lead), rank) for array, rank in zip(arrays, self.ranks, strict=True)]
        before = (slice(None),) * axis

        def run(piece: slice) -> Any:
            outputs = {} if results is None else {"out": tuple(result[*before, piece] for result in results)}
            return self.gufunc(*(cut(piece) for cut in cuts), **outputs, **options)

        results = out if out is None or isinstance(out, tuple) else (out,)
        if not options.keys() <= {"casting", "dtype", "signature"} or not _apart(results or (), arrays, lead):
            return None
        try:
            empty = run(slice(0, 0))  # lets NumPy choose the types, and check shapes and casts
        except (TypeError, ValueError):
            return None
        if results is None:
            parts = empty if isinstance(empty, tuple) else (empty,)
            results = tuple(np.empty(lead + part.shape[len(lead) :], part.dtype) for part in parts)
        return results, run


def in_pieces(samples: int, threads: int, run: Callable[[slice], Any]) -> None:
    """Run a function on slices of so many samples that cover them all, shared among at most this many threads."""
    pieces = _pieces((samples,), 0, threads * PIECES) if threads > 1 else [slice(0, samples)]
    _share(pieces, run, min(threads, len(pieces)) - 1)


def _cut(array: Any, axis: int, rank: int) -> Callable[[slice], Any]:
    """A function that takes a slice of a batch axis, counted from the last, and gives that part of an array.

    If the array broadcasts along the axis, it gives all of it.
    """
    place = np.ndim(array) - rank + axis
    if place < 0 or np.shape(array)[place] == 1:
        return lambda piece: array
    before = (slice(None),) * place
    return lambda piece: array[*before, piece]


def _pieces(lead: tuple[int, ...], axis: int, number: int) -> list[slice]:
    """At most this number of slices of a batch axis, in multiples of GRAIN if it is the innermost one."""
    grain = GRAIN if prod(lead[axis + 1 :]) == 1 else 1
    step = -(-lead[axis] // (number * grain)) * grain
    return [slice(start, start + step) for start in range(0, lead[axis], step)]


def _apart(results: Sequence[Any], arrays: Sequence[Any], lead: tuple[int, ...]) -> bool:
    """Whether results have these batch axes and share no memory with the inputs or each other."""
    others = list(arrays)
    for result in results:
        if type(result) not in (ndarray, memmap) or result.shape[: len(lead)] != lead:
            return False
        if any(np.may_share_memory(result, other) for other in others):
            return False
        others.append(result)
    return True


def _share(pieces: Sequence[slice], run: Callable[[slice], Any], helpers: int) -> None:
    """Run all pieces, in this thread and in up to ``helpers`` threads of the pool; raise the first error of a piece.

    It waits until all pieces are done, not for the threads: those may be busy with the pieces of another caller.
    """
    left: deque[slice] = deque(pieces)
    errors: list[BaseException] = []
    done: SimpleQueue[None] = SimpleQueue()

    def work() -> None:
        while True:
            try:
                piece = left.popleft()
            except IndexError:
                return
            try:
                if not errors:
                    run(piece)
            except BaseException as error:
                errors.append(error)
            done.put(None)

    _pool.ask(work, helpers)
    work()
    for _ in pieces:
        done.get()
    if errors:
        raise errors[0]


class _Pool:
    """Threads that wait for tasks: as many as were ever needed at once."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Start without threads. Those of the parent process do not exist after a fork."""
        self.threads: list[tuple[threading.Thread, Tasks]] = []
        self.tasks: Tasks = SimpleQueue()
        self.lock = threading.RLock()  # re-entrant, because signal handlers may call kernels too

    def ask(self, work: Callable[[], None], helpers: int) -> None:
        """Let up to ``helpers`` threads do this work, in the caller's context, which np.errstate is part of."""
        with self.lock:
            while len(self.threads) < helpers:
                name = f"sixd-{len(self.threads)}"
                tasks = self.tasks  # a signal handler may fork meanwhile, which ends all threads
                thread = threading.Thread(target=_help, args=(tasks,), name=name, daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the system's limit, or the interpreter's exit
                    break
                self.threads.append((thread, tasks))
            for _ in range(min(helpers, len(self.threads))):
                self.tasks.put(partial(copy_context().run, work))

    def stop(self) -> None:
        """End the threads: they must not run on at the interpreter's exit, nor hold a lock when the process forks."""
        with self.lock:
            threads, self.threads, self.tasks = self.threads, [], SimpleQueue()
        for _, tasks in threads:
            tasks.put(None)
        for thread, _ in threads:
            thread.join()


def _help(tasks: Tasks) -> None:
    while (task := tasks.get()) is not None:
        task()
        del task  # it holds the caller's arrays


_pool = _Pool()


atexit.register(_pool.stop)
forks.stop_before(_pool.stop)
forks.renew(_pool)
