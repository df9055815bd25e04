"""Programs with loops as C: without a warning, within their memory, and the interpreter's numbers to the bit."""

import re
import subprocess
import warnings
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

import sixd
from sixd import gallery
from sixd.algorithms.declared import Kind
from sixd.backends.c_loops import loops_to_c
from sixd.ir import LoopRecorder, Port, ShapedPort, Table, interpret_loops
from sixd.joints import JOINTS
from sixd.model.random import random_tree
from tests.algorithms.calls import ALGORITHMS, fixed_for
from tests.backends.c_compiler import Library, c_library_functions, gcc, needs_gcc
from tests.laws.trees import coupled
from tests.robots import example_urdf

__all__ = ["c_library_functions"]

pytestmark = needs_gcc


def from_file(name, **options):
    try:
        path = example_urdf(name)
    except PackageNotFoundError:
        pytest.skip("needs the package example-robot-data")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)
        return sixd.load(path, **options)


ROBOTS = {
    "chain": lambda: gallery.chain(30),
    "tree": lambda: gallery.binary_tree(15),
    "one body": gallery.pendulum,
    "panda": lambda: from_file("panda_description/panda", mimic=False),
    "talos": lambda: from_file("talos_data/talos_reduced", base="free"),
    "mimic": coupled,
    "all joints": lambda: sixd.Robot.of(random_tree(20, 3, joints=sorted(JOINTS), rotors=True, passive=True)),
}
SHORT = ("forward_kinematics", "rnea", "aba", "crba", "jacobian", "kinetic_energy", "momentum", "center_of_mass")


def rolled(model, name, **options):
    return sixd.compile(ALGORITHMS[name], model, rolled=True, **fixed_for(name, model), **options)


def state(model, kernel, seed):
    """Random arguments of a kernel, parameters near the model's own."""
    rng = np.random.default_rng(seed)
    found = []
    declared = ALGORITHMS[kernel.__name__].arguments
    for port in kernel.inputs:
        if port.name not in declared:
            found.append(sixd.parameters(model, port.name) * rng.uniform(0.9, 1.1, size=port.shape))
        elif declared[port.name].kind is Kind.POSITION:
            found.append(model.random(rng))
        else:
            found.append(rng.normal(size=port.shape))
    return found


def check(kernel, model, folder):
    assert kernel.rolled
    function = Library(kernel.to_c(), folder)
    for seed in range(3):
        arguments = state(model, kernel, seed)
        results, wanted = function(kernel.outputs, *arguments), kernel.interpret(*arguments)
        for found, value in zip(results, wanted if len(results) > 1 else (wanted,), strict=True):
            np.testing.assert_array_equal(found, value)
            known = ~np.isnan(value)
            np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(value)[known])


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("robot", list(ROBOTS))
@pytest.mark.usefixtures("c_library_functions")
def test_robots(tmp_path, robot, name):
    model = ROBOTS[robot]()
    if not ALGORITHMS[name].can_be_rolled(model.is_coupled):
        pytest.skip("couplings go through the whole mass matrix, which is not rolled")
    check(rolled(model, name), model, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, x in ALGORITHMS.items() if x.can_be_rolled(coupled=False)])
@pytest.mark.usefixtures("c_library_functions")
def test_all_algorithms(tmp_path, name):
    """On a larger tree than that of test_conformance.py, where every run has all algorithms."""
    model = sixd.Robot.of(random_tree(12, 3, joints=["free", "prismatic", "revolute"], rotors=True, passive=True))
    check(rolled(model, name), model, tmp_path)


@pytest.mark.parametrize("names", ["inertia", ("placement", "gravity"), ("axis", "rotor")], ids=str)
@pytest.mark.usefixtures("c_library_functions")
def test_parameters_as_inputs(tmp_path, names):
    model = sixd.Robot.of(random_tree(12, 1, joints=["revolute", "prismatic"], rotors=True))
    check(rolled(model, "rnea", parameters=names), model, tmp_path)


def test_a_robot_without_bodies(tmp_path):
    builder = sixd.Builder("nothing")
    builder.link("base")
    model = builder.build()
    kernel = rolled(model, "crba")
    (found,) = Library(kernel.to_c(), tmp_path)(kernel.outputs, np.zeros(0))
    assert found.shape == (0, 0)


def test_numpy_s_own_sines_are_near(tmp_path):
    model = gallery.chain(30)
    kernel = rolled(model, "rnea")
    arguments = state(model, kernel, 0)
    (found,), wanted = Library(kernel.to_c(), tmp_path)(kernel.outputs, *arguments), kernel.interpret(*arguments)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14 * np.abs(wanted).max())
    np.testing.assert_allclose(found, kernel(*arguments), rtol=0, atol=1e-13 * np.abs(wanted).max())


# ---- memory


MAIN = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel.c"

static const double values[] = {%s};

static double *copy(size_t start, size_t size)
{
    double *p = malloc((size ? size : 1) * sizeof(double));
    if (p == NULL) exit(1);
    memcpy(p, values + start, size * sizeof(double));
    return p;
}

int main(void)
{
%s
    %s(%s);
    for (int k = 0; k < %d; k++) printf("%%a\\n", out[k]);
%s
    return 0;
}
"""


def program_around(kernel, name, arguments):
    """A C program that calls the function on arrays of exactly the right size, each by itself, and prints a result."""
    (out,) = kernel.outputs
    flat = [np.ravel(a) for a in arguments]
    numbers = ", ".join(float(x).hex() for x in [*np.concatenate(flat), *np.zeros(max(out.size, 1))])
    starts = np.cumsum([0, *map(len, flat)]).tolist()
    pieces = [*zip([port.name for port in kernel.inputs], starts, map(len, flat), strict=False), ("out", 0, out.size)]
    lines = [f"    double *{name} = copy({start}, {size});" for name, start, size in pieces]
    lines.append(f"    double *work = malloc({name.upper()}_WORK * sizeof(double));")
    names = [piece[0] for piece in pieces] + ["work"]
    free = "\n".join(f"    free({name});" for name in names)
    return MAIN % (numbers, "\n".join(lines), name, ", ".join(names), out.size, free)


@pytest.mark.parametrize("name", ["aba", "crba", "jacobian"])
@pytest.mark.usefixtures("c_library_functions")
def test_sanitizers_find_nothing(tmp_path, name):
    model = sixd.Robot.of(random_tree(8, 3, joints=["free", "prismatic", "revolute"], rotors=True))
    kernel = rolled(model, name)
    arguments = state(model, kernel, 0)
    kernel.to_c(tmp_path / "kernel.c")
    (tmp_path / "main.c").write_text(program_around(kernel, name, arguments))
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-O0"]
    try:
        gcc(*sanitize, tmp_path / "main.c", "-o", tmp_path / "main")
    except subprocess.CalledProcessError:
        (tmp_path / "empty.c").write_text("int main(void) { return 0; }\n")
        with pytest.raises(subprocess.CalledProcessError):
            gcc(*sanitize, tmp_path / "empty.c", "-o", tmp_path / "empty")
        pytest.skip("the compiler has no sanitizers")
    run = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    found = [float.fromhex(line) for line in run.stdout.split()]
    np.testing.assert_array_equal(found, np.ravel(kernel.interpret(*arguments)))


def test_large_robots_need_little_stack(tmp_path):
    model = gallery.chain(10_000)
    kernel = rolled(model, "aba")
    text = kernel.to_c()
    (length,) = re.findall(r"#define ABA_WORK (\d+)", text)
    assert int(length) < 30 * model.n_bodies
    (tmp_path / "kernel.c").write_text(text)
    gcc("-Wframe-larger-than=2048", "-Wstack-usage=2048", "-c", tmp_path / "kernel.c", "-o", tmp_path / "kernel.o")


# ---- what the file has


def test_only_the_joints_that_a_robot_has():
    """Code for LLVM is for all robots of a group of types; a file is for one robot."""
    few = sixd.Robot.of(random_tree(6, 0, joints=["revolute", "prismatic"]))
    one = sixd.Robot.of(random_tree(6, 0, joints=["prismatic"]))
    assert rolled(few, "rnea").code.module is rolled(one, "rnea").code.module
    assert "switch" in rolled(few, "rnea").to_c()
    text = rolled(one, "rnea").to_c()
    assert "switch" not in text
    assert "sin(" not in text


def test_sequences_previous_rows_and_conditions(tmp_path):
    """What the algorithms do not use, or rarely: each kind of loop in both directions."""
    r = LoopRecorder()
    out = r.output("n")

    def visit(over, down=False, start=None, inclusive=True):
        number, r.loops = r.loops, r.loops + 1
        with r.case(number, 0, over == "rows", first=True) as region:
            i, before = r.row("index", attr=number), r.row("previous", attr=number)
            value = r.add("table", i, attr=("a", 0)) * (1.0 + number) + r.add("table", before, attr=("a", 0))
            r.write(out, [r.row("lookup", i, attr="place")], [0], value, add=True)
        r.close(number, over, [region], down, start, inclusive)

    visit("rows", down=True)
    visit("some", down=True)
    visit("some")
    visit("none")
    visit("chain", start=r.row("named", attr="tip"))
    visit("chain", start=r.row("named", attr="tip"), inclusive=False)
    program = r.program("walk", [ShapedPort("x", ("n",))], [("k", out)])
    parent, place = [0, 0, 1, 2, 2, 4], [0, 0, 1, 2, 3, 4]
    columns = {"parent": parent, "place": place}
    indices = np.array([columns[name] for name in program.lookups]).T.copy()
    sequences = {"none": np.zeros(0, int), "some": np.array([2, 5, 3])}
    numbers = np.random.default_rng(0).normal(size=(6, 1))
    table = Table(numbers, indices, tuple(sequences[s] for s in program.sequences), (5,), {"n": 5})
    x = np.zeros(5)
    (wanted,) = interpret_loops(program, table, x)
    outputs = [Port("k", (5,))]
    (found,) = Library(loops_to_c(program, table), tmp_path)(outputs, x)
    np.testing.assert_array_equal(found, wanted)
