"""The C backend: compiles without a warning, and gives the interpreter's numbers."""

import numpy as np
import pytest

import sixd
from sixd import algorithms, gallery, ops
from sixd.backends.c import to_c
from sixd.ir import Port, interpret, trace
from tests.backends.c_compiler import Library, c_library_functions, needs_gcc

__all__ = ["c_library_functions"]

pytestmark = needs_gcc


@pytest.mark.parametrize("name", ["rnea", "crba", "aba"])
@pytest.mark.parametrize("make", [gallery.puma560, gallery.quadruped], ids=lambda f: f.__name__)
@pytest.mark.usefixtures("c_library_functions")
def test_algorithms(tmp_path, make, name):
    robot = make()
    kernel = sixd.compile(getattr(algorithms, name), robot)
    function = Library(kernel.to_c(), tmp_path)
    rng = np.random.default_rng(0)
    arguments = [robot.random(rng), *rng.normal(size=(2, robot.nv))][: len(kernel.inputs)]
    (found,), wanted = function(kernel.outputs, *arguments), kernel.interpret(*arguments)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.usefixtures("c_library_functions")
def test_every_primitive_and_special_constants(tmp_path):
    def function(x, unused):
        a, b = x
        values = [a + b, a - b, a * b, ops.divide(a, b), -a, ops.absolute(a), ops.sqrt(ops.absolute(b)), ops.sin(a)]
        values += [ops.cos(b), ops.arctan2(a, b), ops.where(a < b, -2.5, b), np.inf, -np.inf, np.nan, -0.0, 1e-300]
        return [("y", (len(values),), values)]

    program = trace(function, [Port("x", (2,)), Port("unused", (3,))], "every")
    compiled = Library(to_c(program, "a comment with */ and /* in it"), tmp_path)
    for x in np.random.default_rng(0).normal(size=(20, 2)):
        (found,), (wanted,) = compiled(program.outputs, x, np.zeros(3)), interpret(program, x, np.zeros(3))
        np.testing.assert_array_equal(found, wanted)
        known = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(wanted)[known])


@pytest.mark.parametrize("name", ["double", "pow", "main", "t3", "c0_1", "2 fast", "été", "NAN", "f", "work"])
def test_any_name_will_do(tmp_path, name):
    program = trace(lambda x, y: [("x", (1,), [x[0] + y[0]])], [Port(name, (1,)), Port("x", (1,))], name)
    (found,) = Library(to_c(program), tmp_path)(program.outputs, [2.0], [3.0])
    np.testing.assert_array_equal(found, [5.0])


def test_files_are_written(tmp_path):
    kernel = sixd.compile(algorithms.gravity_forces, gallery.pendulum(), name="hold still!")
    text = kernel.to_c(tmp_path / "hold.c")
    assert (tmp_path / "hold.c").read_text() == text
    assert "void hold_still_(const double q[1], double out[1])" in text


def test_files_that_cannot_be_written(tmp_path):
    kernel = sixd.compile(algorithms.gravity_forces, gallery.pendulum())
    missing = tmp_path / "out" / "hold.c"
    with pytest.raises(
        FileNotFoundError, match=r"hold\.c: it cannot be written: .*; make the folder .*out first"
    ) as found:
        kernel.to_c(missing)
    assert isinstance(found.value, sixd.FileError)
    assert found.value.filename == str(missing)
    with pytest.raises(sixd.FileError, match=r"it cannot be written: it is a folder; add the name of a file"):
        kernel.to_c(tmp_path)
