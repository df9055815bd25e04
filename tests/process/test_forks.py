"""Forks and signals in the midst of work: no child waits for a thread that is not there, no handler for itself."""

import functools
import os
import signal
import subprocess
import sys
import threading
from contextlib import nullcontext

import pytest

from sixd.process import forks

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

#: Forks at random moments while a thread makes robots and compiles their methods. A child calls the same, and others.
FORKS = """
import os, random, signal, sys, threading, time
import numpy as np
import sixd
from tests.pendulums import pendulum

sixd.set_kernels(sys.argv[2])
robots, end, q = [pendulum(1.0)], threading.Event(), np.zeros(2)
wanted = pendulum(1.0).mass_matrix(q)

def call(robot):
    found = robot.mass_matrix(q) / robot.bodies["upper"].inertia.m
    assert np.allclose(robot.mass_matrix(q.astype(np.float32)) / robot.bodies["upper"].inertia.m, found)
    robot.gravity_forces(np.zeros((20_000, 2)))  # in threads of the pool

def compile_on():
    while not end.is_set():
        robots.append(pendulum(1.0 + 0.01 * len(robots)))
        call(robots[-1])

sixd.set_threads(2)
thread = threading.Thread(target=compile_on)
thread.start()
random.seed(0)
hangs = errors = 0
for k in range(int(sys.argv[1])):
    time.sleep(0.02 * random.random())
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            call(robots[-1])
            if k % 4 == 0:
                call(pendulum(0.5))
        except BaseException:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    hangs += os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
    errors += bool(status)
end.set()
thread.join()
print("hangs", hangs, "errors", errors)
"""


def run(code, *arguments, timeout=600):
    environment = {**os.environ, "SIXD_CACHE": "off"}
    command = [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@needs_fork
@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (6, "unrolled"),
        (6, "rolled"),
        pytest.param(500, "unrolled", marks=pytest.mark.slow),
        pytest.param(500, "rolled", marks=pytest.mark.slow),
    ],
)
def test_forks_while_another_thread_compiles(number, kind):
    assert run(FORKS, number, kind, timeout=60 + 20 * number) == ["hangs", "0", "errors", "0"]


@needs_fork
def test_a_fork_while_another_thread_imports():
    """Inverse kinematics is imported when it is needed: slowly here, and the process forks meanwhile."""
    code = """
import importlib.machinery, os, signal, sys, threading, time
import sixd
begun = threading.Event()

class Slow(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "sixd.ik.solver":
            begun.set()
            time.sleep(0.3)
        return super().find_spec(name, path, target)

sys.meta_path.insert(0, Slow)
sixd.set_kernels("python")
robot = sixd.gallery.double_pendulum()
frame, target = robot.frames[-1].name, robot.pose([0.1, 0.2], robot.frames[-1].name)[:3, 3]
thread = threading.Thread(target=robot.inverse_kinematics, args=(frame, target, [0.1, 0.2]))
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)
    robot.inverse_kinematics(frame, target, [0.1, 0.2])
    os._exit(0)
thread.join()
print(os.waitpid(child, 0)[1])
"""
    assert run(code) == ["0"]


@needs_fork
def test_a_fork_while_another_thread_computes_a_property():
    """Python 3.11 holds a lock of the class meanwhile."""
    code = """
import os, signal, threading
from sixd.process.forks import cached_property
begun, end = threading.Event(), threading.Event()

class Thing:
    @cached_property
    def value(self):
        if threading.current_thread() is not threading.main_thread():
            begun.set()
            end.wait()
        return 1

thread = threading.Thread(target=lambda: Thing().value)
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)
    os._exit(Thing().value - 1)
end.set()
thread.join()
print(os.waitpid(child, 0)[1])
"""
    assert run(code) == ["0"]


def test_properties_are_those_of_this_module():
    """No class of sixd has a property with the lock of functools."""
    import sixd.ik  # noqa: F401

    modules = [module for name, module in list(sys.modules.items()) if name.startswith("sixd.")]
    classes = {x for module in modules for x in vars(module).values() if isinstance(x, type)}
    found = [
        f"{cls.__qualname__}.{name}"
        for cls in classes
        for name, x in vars(cls).items()
        if isinstance(x, functools.cached_property) and not isinstance(x, forks.cached_property)
    ]
    assert found == []


@needs_fork
def test_threads_end_before_locks_are_taken(monkeypatch):
    """A thread that is to end needs the lock that is held across the fork: the other order would wait forever."""
    order, lock = [], threading.Lock()

    def finish():
        with lock:
            order.append("ended")

    class Noted:
        def __enter__(self):
            lock.acquire()
            order.append("taken")

        def __exit__(self, *_):
            order.append("given back")
            lock.release()

    def stop():
        thread = threading.Thread(target=finish)
        thread.start()
        thread.join()

    class Thing:
        def renew(self):
            order.append("renewed")

    thing = Thing()
    forks.renew(thing)
    monkeypatch.setattr(forks, "_held", [nullcontext(), Noted()])
    monkeypatch.setattr(forks, "_stops", [stop])
    child = os.fork()
    if child == 0:
        os._exit(0 if order == ["ended", "taken", "given back", "renewed"] else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert order == ["ended", "taken", "given back"]


@needs_fork
def test_forks_of_two_threads_at_once():
    code = """
import os, threading
import sixd

def fork():
    for _ in range(20):
        child = os.fork()
        if child == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0

threads = [threading.Thread(target=fork) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done")
"""
    assert run(code, timeout=120) == ["done"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
@pytest.mark.parametrize("kind", ["auto", "unrolled"])
def test_a_handler_of_a_signal_calls_what_it_has_interrupted(kind):
    """The method that is being compiled, again and again, in double and single precision."""
    code = """
import signal, sys
import numpy as np
import sixd
sixd.set_kernels(sys.argv[1])
robot, q, calls = sixd.gallery.double_pendulum(), np.ones(2), []
wanted = sixd.algorithms.crba(robot, q)

def handler(number, frame):
    signal.setitimer(signal.ITIMER_REAL, 0)
    calls.append(robot.mass_matrix(q.astype(np.float32) if len(calls) % 2 else q))
    if len(calls) < 6:
        signal.setitimer(signal.ITIMER_REAL, 0.01)

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.02)
found = robot.mass_matrix(q)
signal.setitimer(signal.ITIMER_REAL, 0)
assert all(np.allclose(each, wanted, rtol=1e-5) for each in (found, *calls))
assert np.allclose(robot.mass_matrix(q), wanted, rtol=1e-14)
print(len(calls) > 0)
"""
    assert run(code, kind, timeout=120) == ["True"]


def test_an_interrupt_while_code_is_made(monkeypatch):
    """It is made by the next call."""
    from sixd import algorithms, gallery
    from sixd.compiler import choice as kernels
    from sixd.compiler.request import Request

    counts, make = [], kernels.compile_unrolled

    def interrupted(*arguments):
        counts.append(arguments)
        if len(counts) == 1:
            raise KeyboardInterrupt
        return make(*arguments)

    monkeypatch.setattr(kernels, "compile_unrolled", interrupted)
    chooser = kernels.Chooser(Request(algorithms.crba, gallery.double_pendulum(), {}, {}))
    with pytest.raises(KeyboardInterrupt):
        chooser()
    assert chooser() is not None
    assert len(counts) == 2
