"""Entries around blocks that were written by hand: what an emitter of its own can rely on."""

import ctypes
import gc
import sys

import numpy as np
import pytest

from sixd.backends.llvm import builder as ir
from sixd.backends.llvm.call import call_module, emit_one_state
from sixd.backends.llvm.elementary import Lanes
from sixd.backends.llvm.emit import read, rows_of, write
from sixd.backends.llvm.entries import declare_block, emit_entries
from sixd.backends.llvm.gufunc_loop import BYTE, DOUBLE
from sixd.backends.llvm.vectorcall import attach, available, single_calls
from sixd.ir import Port
from tests.backends.compiled import compiled, gufunc_of

INPUTS, OUTPUTS = (Port("x", (3,)),), (Port("y", (3,)),)
pytestmark = pytest.mark.skipif(not available(), reason="objects have another layout here")


@single_calls
class Called:
    def __init__(self, module, data, inputs, outputs):
        self.module, self.data = module, data
        call, state = call_module().address("call"), module.address("one_state")
        self.kept = attach(self, call, state, [("x", shape) for shape in inputs], outputs, ctypes.addressof(data))

    def __call__(self, *arrays):
        return "slow"


def emit_sum(module, width, name):
    """A block: y = x + data[0]."""
    lanes = Lanes(width, DOUBLE)
    function = declare_block(module, (*INPUTS, *OUTPUTS), name)
    b = lanes.builder = ir.IRBuilder(function.append_basic_block())
    rows = rows_of(lanes, function)
    x = read(lanes, INPUTS, rows, {(0, k) for k in range(3)})
    number = b.load(b.bitcast(function.args[-2], DOUBLE.as_pointer()))
    both = lanes.type(ir.Undefined)
    for lane in range(width):
        both = b.insert_element(both, number, ir.IntType(32)(lane))
    write(lanes, [b.fadd(x[0, k], both) for k in range(3)], rows[1], function.args[-1])
    b.ret_void()
    return function


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_data_reaches_the_blocks(width):
    source = ir.Module()
    blocks = emit_sum(source, width, "block"), emit_sum(source, 1, "single")
    emit_entries(source, INPUTS, OUTPUTS, *blocks, Lanes(width, DOUBLE))
    module = compiled(str(source))
    x = np.random.default_rng(0).normal(size=(11, 3))
    for number in (10.0, -2.5):  # one code, several data
        data = (ctypes.c_double * 1)(number)
        gufunc, _keep = gufunc_of(module, INPUTS, OUTPUTS, None, ctypes.addressof(data))
        called = Called(module, data, [(3,)], [(3,)])
        np.testing.assert_array_equal(gufunc(x), x + number)
        np.testing.assert_array_equal(called(x[0]), x[0] + number)
        assert called(x) == "slow"


def sized(code):
    """A block with one input and two outputs, of any shape."""
    source = ir.Module()
    function = declare_block(source, [None] * 3, "single")
    code(ir.IRBuilder(function.append_basic_block()), function)
    emit_one_state(source, 3, function)
    return compiled(str(source))


def copy_first(b, function):
    source, target = (b.bitcast(function.args[k], DOUBLE.as_pointer()) for k in (0, 2))
    b.store(b.load(source), target)
    b.ret_void()


def called_for(module, n, m):
    """The block for an input (n,) and outputs (n,), (n, m)."""
    return Called(module, (ctypes.c_int64 * 1)(), [(n,)], [(n,), (n, m)])


def test_one_code_for_several_shapes():
    module = sized(copy_first)
    for n, m in ((2, 5), (7, 1), (3, 0)):
        called = called_for(module, n, m)
        first, second = called(np.full(n, 4.0))
        assert first.shape == (n,)
        assert first[0] == 4.0
        assert second.shape == (n, m)
        assert called(np.ones(n + 1)) == "slow"


def blocks_after_failures(called, x):
    """How many blocks of memory a thousand failing calls leave behind."""
    with pytest.raises(MemoryError):
        called(x)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(1000):
        try:
            called(x)
        except MemoryError:
            continue
        raise AssertionError("no error")
    gc.collect()
    return sys.getallocatedblocks() - before


def test_without_memory_there_is_an_error_and_nothing_is_lost():
    called = called_for(sized(copy_first), 1000, 1 << 45)
    assert blocks_after_failures(called, np.ones(1000)) < 100, "the first output is given up"


def test_a_block_that_fails():
    def fail(b, function):
        b.call(ir.Function(b.module, ir.FunctionType(BYTE, []), "PyErr_NoMemory"), [])
        b.ret_void()

    called = called_for(sized(fail), 3, 3)
    assert blocks_after_failures(called, np.ones(3)) < 100
