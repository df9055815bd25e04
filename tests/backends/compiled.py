"""Functions of plain numbers as gufuncs, without a robot and without the cache."""

import numpy as np

from sixd import ops
from sixd.backends.llvm.cache import Cache
from sixd.backends.llvm.emit import emit, emit_float32
from sixd.backends.llvm.gufunc import make_gufunc
from sixd.backends.llvm.on_demand import InnerLoop, Later
from sixd.backends.llvm.target import compile_module, lanes
from sixd.ir import Port, trace
from sixd.ir.passes import fuse


def compiled(text):
    return compile_module(lambda: text, "", Cache(None))


def gufunc_of(module, inputs, outputs, make_float32, data=0, name="test"):
    """The gufunc of a module with ``loop`` and ``loop32``, and what must live as long; `make_float32` gives a loop."""
    later = Later(make_float32)
    single = InnerLoop(module.address("loop32"), later.data, later)
    return make_gufunc(name, "", inputs, outputs, single, InnerLoop(module.address("loop"), data, module))


class Compiled:
    """A function of lists of numbers; ``width`` is the number of doubles, and half that of floats, in a vector."""

    def __init__(self, function, *shapes, width=None):
        ports = [Port(f"x{k}", shape) for k, shape in enumerate(shapes)]
        self.program = trace(function, ports, "test")
        self.width = width or lanes()
        self.module = compiled(emit(fuse(self.program), self.width))
        p = self.program
        self.gufunc, self.keep = gufunc_of(self.module, p.inputs, p.outputs, float32_loop(p, self.width))

    def __call__(self, *arrays, **options):
        return self.gufunc(*arrays, **options)


def float32_loop(program, width):
    def make():
        module = compiled(emit_float32(fuse(program), 2 * width))
        return InnerLoop(module.address("loop"), owner=module)

    return make


def numbers(function):
    """A function of single numbers as one of an array."""
    return lambda x: [("y", (len(function(*x)),), list(function(*x)))]


def mixed(x, A, s):
    """Three inputs and two outputs of several shapes, large enough for every path of reading and writing."""
    rows = [[A[11 * r + c] * x[c] + s[0] for c in range(11)] for r in range(3)]
    square = [[rows[r % 3][c] * x[(r + c) % 11] - ops.sin(s[0]) for c in range(11)] for r in range(11)]
    sums = [sum(row[1:], row[0]) for row in rows]
    return [("v", (3,), sums), ("M", (11, 11), [y for row in square for y in row])]


def arguments(n, seed=0):
    """Arguments of `mixed` for n samples."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 11)), rng.normal(size=(n, 3, 11)), rng.normal(size=n)


def check_bits(kernel, args):
    """Results of a sample of `mixed` are the same to the bit in any batch, at any place, with any strides."""
    v, M = kernel(*args)
    last = len(v)
    for n in (1, 3, 5, 8, 16):
        for start in (0, 1, 6, last - n):
            part = kernel(*(a[start : start + n] for a in args))
            np.testing.assert_array_equal(part[0], v[start : start + n])
            np.testing.assert_array_equal(part[1], M[start : start + n])
    backwards = kernel(*(a[::-1] for a in args))
    np.testing.assert_array_equal(backwards[1][::-1], M)
    fortran = kernel(np.asfortranarray(args[0]), args[1].transpose(0, 2, 1).copy().transpose(0, 2, 1), args[2])
    np.testing.assert_array_equal(fortran[1], M)
    wide = np.repeat(args[0], 2, axis=0)
    np.testing.assert_array_equal(kernel(wide[::2], *args[1:])[1], M)
    np.testing.assert_array_equal(kernel(*(a[77] for a in args))[1], M[77])
    moved = [np.frombuffer(b"\0" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape) for a in args]
    np.testing.assert_array_equal(kernel(*moved)[1], M)


def check_nan(kernel, x, *args):
    """A NaN in one sample of `mixed` stays in it."""
    clean = kernel(x, *args)[1]
    x[7] = np.nan
    found = kernel(x, *args)[1]
    assert np.isnan(found[7]).all()
    np.testing.assert_array_equal(np.delete(found, 7, axis=0), np.delete(clean, 7, axis=0))
