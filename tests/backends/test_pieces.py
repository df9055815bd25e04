"""Code in pieces: the same bits as code in one function, for batches and single calls, on little stack."""

import subprocess
import sys

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.backends.llvm import gufunc_loop, pieces
from sixd.backends.llvm.target import lanes
from sixd.ir.passes import fuse
from sixd.model.random import random_tree
from tests.ir.programs import random_function

ARM = sixd.gallery.double_pendulum()


@pytest.fixture
def built(monkeypatch):
    """Compiles a function whole and in small pieces; the cache would take one for the other."""
    monkeypatch.setenv("SIXD_CACHE", "off")

    def build(function, model, size, **options):
        kernels = []
        for whole in (10**6, 0):
            monkeypatch.setattr(pieces, "WHOLE", whole)
            monkeypatch.setattr(pieces, "SIZE", size)
            kernels.append(sixd.compile(function, model, rolled=False, **options))
        return kernels

    return build


def bits(array):
    """The bits of an array, all NaN alike: their signs are LLVM's choice."""
    return np.where(np.isnan(array), np.nan, array).tobytes()


def assert_same(whole, cut, arrays):
    """Batches with and without a tail, strided ones, and single calls."""

    def same(*chosen):
        found, wanted = cut(*chosen), whole(*chosen)
        pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
        for a, b in pairs:
            assert bits(a) == bits(b)

    n = len(arrays[0])
    for some in (slice(0, n), slice(0, 2 * lanes()), slice(1, 4), slice(0, n, 3), slice(n, None, -2), slice(0, 0)):
        same(*(a[some] for a in arrays))
    for k in range(3):
        same(*(np.ascontiguousarray(a[k]) for a in arrays))


@pytest.mark.parametrize("seed", range(4))
def test_random_programs(built, seed):
    rng = np.random.default_rng(seed)
    function, size = random_function(rng, 400)

    def compute(model, x):
        found = []
        for _, shape, values in function(list(x)):
            array = np.empty(len(values), dtype=object)
            array[:] = values
            found.append(array.reshape(shape))
        return tuple(found)

    kernels = built(compute, ARM, 50, shapes={"x": (size,)})
    x = rng.normal(size=(37, size))
    x[5], x[11, 2], x[12, 0] = np.nan, 1e12, np.inf
    assert_same(*kernels, [x])


ROBOTS = {
    "puma560": sixd.gallery.puma560(),
    "quadruped": sixd.gallery.quadruped(),
    "tree": sixd.Robot.of(random_tree(9, np.random.default_rng(0))),
}
FUNCTIONS = {
    "rnea": algorithms.rnea,
    "aba": algorithms.aba,
    "crba": algorithms.crba,
    "slopes": sixd.jacobian(algorithms.gravity_forces, "q"),
}


@pytest.mark.parametrize("name", list(FUNCTIONS))
@pytest.mark.parametrize("robot", list(ROBOTS))
def test_algorithms(built, robot, name):
    model, rng = ROBOTS[robot], np.random.default_rng(1)
    kernels = built(FUNCTIONS[name], model, 50)
    arrays = [model.random(rng, 21) if p.name == "q" else rng.normal(size=(21, *p.shape)) for p in kernels[0].inputs]
    assert_same(*kernels, arrays)


def outer(model, x):
    """A large input and a large output, symmetric: half of it is made."""
    return np.multiply.outer(x, x)


def test_large_arrays(built):
    kernels = built(outer, ARM, 50, shapes={"x": (70,)})
    assert_same(*kernels, [np.random.default_rng(0).normal(size=(19, 70))])
    kernels = built(lambda model, x: x[::-7] * 2.0, ARM, 50, shapes={"x": (1003,)})
    assert_same(*kernels, [np.random.default_rng(0).normal(size=(19, 1003))])


def test_results_without_any_operation(built):
    def function(model, x):
        return np.array([x[1], 2.5, x[1], 0.0, x[0]], dtype=object)

    assert_same(*built(function, ARM, 50, shapes={"x": (3,)}), [np.random.default_rng(0).normal(size=(19, 3))])


def test_without_memory_there_is_an_error(built, monkeypatch):
    monkeypatch.setattr(gufunc_loop, "STACK", -1)
    monkeypatch.setattr(gufunc_loop, "ALIGNMENT", 1 << 60)
    _, kernel = built(lambda model, x: x * 2.0, ARM, 50, shapes={"x": (3,)})
    for shape in ((3,), (8, 3), (5, 3)):
        with pytest.raises(MemoryError):
            kernel(np.ones(shape))


SMALL_STACK = """
import sys, threading
import numpy as np, sixd
n = int(sys.argv[1])
kernel = sixd.compile(lambda model, x: np.multiply.outer(x, x), sixd.gallery.double_pendulum(), shapes={"x": (n,)})
x = np.random.default_rng(0).normal(size=(21, n))
assert "pieces" in kernel.report(), kernel.report()
assert kernel.stack_bytes() is None or kernel.stack_bytes() < 1 << 17
found = []
threading.stack_size(1 << 18)
for some in (x, x[0]):
    thread = threading.Thread(target=lambda: found.append(kernel(some)))
    thread.start()
    thread.join()
assert np.array_equal(found[0], x[:, :, None] * x[:, None]) and np.array_equal(found[1], found[0][0])
"""


@pytest.mark.parametrize("n", [60, pytest.param(90, marks=pytest.mark.slow)])
def test_a_small_stack_is_enough(n):
    """Large results go through buffers for the last samples; 60 numbers have few products, but many results."""
    subprocess.run([sys.executable, "-c", SMALL_STACK, str(n)], check=True)


def test_reports_tell_the_pieces(built, monkeypatch):
    _, kernel = built(algorithms.rnea, ROBOTS["puma560"], 50)
    number = pieces.number_of_pieces(fuse(kernel.program))
    assert number > 5
    assert f" bytes of code in {number} pieces;" in kernel.report()
    assert f"block.{number}:" in kernel.assembly().replace('"', "")
    monkeypatch.setattr(pieces, "WHOLE", 10**6)
    assert "pieces" not in kernel.report()
    monkeypatch.setattr(pieces, "RESULTS", 5)
    assert "pieces" in kernel.report()
