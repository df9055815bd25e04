"""The C backend: compiles without a warning, and gives the interpreter's numbers."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery, ops
from sixd.backends.c import to_c
from sixd.ir import Port, interpret, trace

GCC = shutil.which("gcc")
pytestmark = pytest.mark.skipif(GCC is None, reason="needs a C compiler")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-ffp-contract=off"]


def build(program, folder):
    source, library = folder / "kernel.c", folder / "kernel.so"
    source.write_text(to_c(program, "a comment with */ in it"))
    subprocess.run([GCC, *FLAGS, "-shared", "-fPIC", str(source), "-o", str(library), "-lm"], check=True)
    return getattr(ctypes.CDLL(str(library)), program.name)


def call(function, program, *arrays):
    arrays = [np.ascontiguousarray(a, dtype=float) for a in arrays]
    outputs = [np.empty(port.shape) for port in program.outputs]
    function(*(a.ctypes.data_as(ctypes.c_void_p) for a in (*arrays, *outputs)))
    return outputs


@pytest.mark.parametrize("name", ["rnea", "crba", "aba"])
@pytest.mark.parametrize("make", [gallery.puma560, gallery.quadruped], ids=lambda f: f.__name__)
def test_algorithms(tmp_path, make, name):
    robot = make()
    kernel = sixd.compile(getattr(algorithms, name), robot)
    function = build(kernel.program, tmp_path)
    rng = np.random.default_rng(0)
    arguments = [robot.random(rng), *rng.normal(size=(2, robot.nv))][: len(kernel.program.inputs)]
    (found,), wanted = call(function, kernel.program, *arguments), kernel.interpret(*arguments)
    np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13 * np.abs(wanted).max())


def test_every_primitive_and_special_constants(tmp_path):
    def function(x, unused):
        a, b = x
        values = [a + b, a - b, a * b, ops.divide(a, b), -a, ops.absolute(a), ops.sqrt(ops.absolute(b)), ops.sin(a)]
        values += [ops.cos(b), ops.arctan2(a, b), ops.where(a < b, -2.5, b), np.inf, -np.inf, np.nan, -0.0, 1e-300]
        return [("y", (len(values),), values)]

    program = trace(function, [Port("x", (2,)), Port("unused", (3,))], "every")
    compiled = build(program, tmp_path)
    for x in np.random.default_rng(0).normal(size=(20, 2)):
        (found,), (wanted,) = call(compiled, program, x, np.zeros(3)), interpret(program, x, np.zeros(3))
        np.testing.assert_allclose(found, wanted, rtol=5e-16)  # libraries differ in the last place
        known = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(wanted)[known])


def test_files_are_written(tmp_path):
    kernel = sixd.compile(algorithms.gravity_forces, gallery.pendulum(), name="hold still!")
    text = kernel.to_c(tmp_path / "hold.c")
    assert (tmp_path / "hold.c").read_text() == text
    assert "void hold_still_(const double q[1], double out[1])" in text
