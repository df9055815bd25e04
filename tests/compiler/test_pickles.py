"""Kernels in pickles, in this process and in others: the same results, compiled once in each process."""

import copy
import functools
import importlib
import multiprocessing
import pickle
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import sixd
from sixd import ArgumentError, algorithms, gallery
from tests.compiler import tasks
from tests.laws.trees import tree

ARM = gallery.seven_axis_arm()
TASKS = 200


KERNELS = {
    "unrolled": lambda: sixd.compile(algorithms.rnea, ARM),
    "rolled": lambda: sixd.compile(algorithms.rnea, ARM, rolled=True),
    "named": lambda: sixd.compile(algorithms.rnea, ARM, name="torques"),
    "joints of one's own": lambda: sixd.compile(algorithms.rnea, tree("tree of all joints")),
    "function of one's own": lambda: sixd.compile(tasks.doubled, ARM),
    "derivative": lambda: sixd.compile(sixd.jacobian(algorithms.rnea, ("q", "qd"), tangent=True), ARM),
    "partial": lambda: sixd.compile(functools.partial(algorithms.rnea, f_ext=None), ARM, name="partial"),
}


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", list(KERNELS))
def test_there_and_back(name, protocol):
    kernel = KERNELS[name]()
    again = pickle.loads(pickle.dumps(kernel, protocol))
    assert (again.__name__, again.rolled, again.inputs, again.outputs) == (
        kernel.__name__,
        kernel.rolled,
        kernel.inputs,
        kernel.outputs,
    )
    arrays = [np.random.default_rng(0).normal(size=(5, *port.shape)) for port in kernel.inputs]
    np.testing.assert_equal(again(*arrays), kernel(*arrays))  # to the bit


def test_options_are_kept():
    offset = sixd.Transform.translation((0.1, 0.2, 0.3))
    kernel = sixd.compile(algorithms.pose, ARM, body=7, offset=offset)
    q = ARM.random(0)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kernel))(q), kernel(q))
    kernel = sixd.compile(algorithms.rnea, ARM, parameters="inertia", shapes={"f_ext": (7, 6)})
    again = pickle.loads(pickle.dumps(kernel))
    assert again.inputs == kernel.inputs


def test_a_robot_of_one_s_own_type():
    robot = tasks.Weighted.of(ARM)
    kernel, q = sixd.compile(tasks.energy, robot), ARM.random(0)
    assert pickle.loads(pickle.dumps(kernel))(q) == pytest.approx(3.0 * ARM.potential_energy(q))


def test_what_is_read_twice_is_made_once():
    pickled = pickle.dumps(sixd.compile(algorithms.crba, ARM))
    one = pickle.loads(pickled)
    assert pickle.loads(pickled) is one
    assert pickle.loads(pickle.dumps(sixd.compile(algorithms.crba, gallery.puma560()))) is not one


def test_copies_are_the_kernel_itself():
    kernel = sixd.compile(algorithms.crba, ARM)
    assert copy.copy(kernel) is kernel
    assert copy.deepcopy({"k": kernel})["k"] is kernel


def test_threads_make_it_once():
    pickled, found = pickle.dumps(sixd.compile(algorithms.gravity_forces, ARM)), []
    threads = [threading.Thread(target=lambda: found.append(pickle.loads(pickled))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1


def test_a_function_that_was_replaced_is_not_taken_for_the_old_one(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    file = tmp_path / "gains_of_a_controller.py"
    q, found = ARM.random(0), []
    for gain in (2.0, 3.0):
        file.write_text(f"def scaled(model, q):\n    return {gain} * q\n")
        importlib.invalidate_caches()
        module = importlib.import_module("gains_of_a_controller")
        module = importlib.reload(module)
        found.append(pickle.loads(pickle.dumps(sixd.compile(module.scaled, ARM)))(q))
    np.testing.assert_allclose(found, [2.0 * q, 3.0 * q], rtol=1e-15)


# ---- what cannot be pickled


def nested():
    def inner(model, q):
        return q

    return inner


def replaced(model, q):
    return q


kept, replaced = replaced, functools.wraps(replaced)(lambda model, q: 2.0 * q)

REFUSED = {
    "lambda": (
        lambda model, q: q,
        r"test_pickles\.<lambda> is a lambda, which has no name to be found by; define it at",
    ),
    "closure": (nested(), r"nested\.<locals>\.inner is defined inside a function"),
    "derivative of a closure": (sixd.jacobian(nested(), "q"), r"nested\.<locals>\.inner is defined inside a function"),
    "partial of a closure": (functools.partial(nested()), r"nested\.<locals>\.inner is defined inside a function"),
    "replaced": (kept, r"test_pickles\.replaced is not what its module has under this name"),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_functions_that_are_not_found_by_name(name):
    function, message = REFUSED[name]
    kernel = sixd.compile(function, ARM, name="mine")
    with pytest.raises(ArgumentError, match=f"the kernel mine cannot be pickled: .*{message}"):
        pickle.dumps(kernel)


def test_arguments_that_have_no_pickle():
    kernel = sixd.compile(with_option, ARM, option=threading.Lock())
    with pytest.raises(ArgumentError, match=r"cannot be pickled: it holds something that has no pickle .*lock"):
        pickle.dumps(kernel)


def with_option(model, q, option):
    return q


MAIN = """
import pickle, sys
import sixd

def own(model, q):
    return q

kernel = sixd.compile(own, sixd.gallery.pendulum())
try:
    sys.stdout.write(pickle.dumps(kernel).hex())
except sixd.ArgumentError as error:
    print(error)
"""


def test_the_main_program(tmp_path):
    """A function of an interactive session is refused; that of a program is not found by another program."""
    refused = subprocess.run([sys.executable, "-c", MAIN], capture_output=True, text=True, check=True)
    assert "__main__.own is defined in an interactive session, which other processes do not have" in refused.stdout
    program = tmp_path / "program.py"
    program.write_text(MAIN)
    pickled = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True).stdout
    with pytest.raises(
        ArgumentError, match=r"it needs __main__\.own, which this process does not find .*; define it at"
    ):
        pickle.loads(bytes.fromhex(pickled))


# ---- other processes


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """A kernel that was compiled here, and a cache for other processes that has nothing in it."""
    kernel = sixd.compile(sixd.jacobian(tasks.doubled, ("q", "qd")), gallery.double_pendulum())
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path))
    return kernel


def check(kernel, results, record_property):
    """Each of the tasks gave the kernel's own result, with one kernel in each process, compiled there or found."""
    wanted = kernel(*np.ones((3, 2)))
    assert len(results) == TASKS
    for found, *_ in results:
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)
    last = {process: made for _, process, _, made in sorted(results, key=lambda result: len(result[3]))}
    assert 1 <= len(last) <= 2
    assert len({(process, kernel) for _, process, kernel, _ in results}) == len(last)
    total = Counter()
    for made in last.values():
        total.update(made)
    record_property("compiles of each piece of code in 200 tasks on 2 processes", dict(total))
    assert max(total.values(), default=0) <= 2
    return total


@pytest.mark.parametrize("method", [m for m in ("spawn", "fork") if m in multiprocessing.get_all_start_methods()])
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_concurrent_futures(empty_cache, method, record_property):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        futures = [pool.submit(tasks.run, empty_cache, *np.ones((3, 2))) for _ in range(TASKS)]
        made = check(empty_cache, [future.result() for future in futures], record_property)
    assert made or method == "fork"  # which may have the code from this process, if a test before has made it


def test_joblib(empty_cache, record_property):
    import joblib

    jobs = (joblib.delayed(tasks.run)(empty_cache, *np.ones((3, 2))) for _ in range(TASKS))
    assert check(empty_cache, joblib.Parallel(n_jobs=2)(jobs), record_property)


def test_dask_distributed(empty_cache, record_property):
    """Tasks with a kernel, on two processes of two threads each; and arrays of Dask."""
    import dask.array
    from distributed import Client, LocalCluster

    q = np.random.default_rng(0).normal(size=(40, 2))
    lazy = dask.array.from_array(q, chunks=(5, 2))
    with (
        LocalCluster(n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.run(tasks.ready)
        futures = [client.submit(tasks.run, empty_cache, *np.ones((3, 2)), pure=False) for _ in range(TASKS)]
        check(empty_cache, client.gather(futures), record_property)  # none, if the client has left it on disk
        by_q, _ = empty_cache(lazy, lazy, lazy)
        np.testing.assert_array_equal(by_q.compute(), empty_cache(q, q, q)[0])
