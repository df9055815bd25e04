"""Warnings are shown for the line of the user that is to blame, wherever in sixd they arise."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import warnings
from contextlib import contextmanager
from types import ModuleType

import numpy as np
import pytest

import sixd
from sixd.backends.llvm import cache
from sixd.compiler import machine_code
from sixd.process import told
from tests.test_layers import modules, name_of

ARM = sixd.gallery.double_pendulum()
LONG = {"dt": 0.4, "integrator": "rk4"}
URDF = """<robot name="odd"><link name="base"/><link name="a"><inertial><mass value="1"/>
<inertia ixx="{}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="lost.stl"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>"""


# ---- each of these warns, on the line that is marked


def of_a_builder():
    b = sixd.Builder("odd").body("a", joint=sixd.joints.Revolute(), mass=1, inertia=(5, 1, 1))
    b.build()  # here


def of_a_file():
    sixd.load(URDF.format(5.0))  # here


def of_another_inertia():
    p = ARM.inertial_parameters
    ARM.with_inertial_parameters(p * np.where(np.arange(len(p)) == 14, 100.0, 1.0))  # here


def of_a_mesh():
    robot = sixd.load(URDF.format(1.0))
    robot.save_html("/dev/null")  # here


def of_a_singular_state():
    b = sixd.Builder("gimbal")
    for k, axis in enumerate(((0, 0, 1), (0, 1, 0), (1, 0, 0))):
        mass = {"mass": 1, "com": (0.1, 0.2, 0.3), "inertia": (0.1, 0.1, 0.1)} if k == 2 else {}
        b.body(f"b{k}", parent=f"b{k - 1}" if k else "base", joint=sixd.joints.Revolute(axis), **mass)
    robot, q = b.build(), np.array([[0.1, 0.2, 0.3], [0.1, np.pi / 2, 0.3]])
    robot.forward_dynamics(q, 0 * q, 0 * q)  # here


def of_loops_that_are_not_determined():
    flat, up = (sixd.mechanisms.four_bar(2.0, 1.0, 2.0, 1.0, angle=angle) for angle in (0.0, 0.7))
    flat.robot.reduced_dynamics(np.stack([flat.q, up.q]), np.zeros(3))  # here


def of_loops_that_cannot_be_closed():
    m = sixd.mechanisms.four_bar(2.0, 1.0, 2.0, 1.0, angle=0.0)
    short = sixd.mechanisms.four_bar(3.0, 1.0, 2.0, 1.0, angle=0.0).robot
    short.assemble([m.q, [np.pi, 0.0, 0.0]], fixed=m.robot.joints.names[0], restarts=3)  # here


def of_energy():
    sixd.simulate(sixd.gallery.pendulum(), [2.0], [0.0], 20.0, **LONG)  # here


def of_energy_in_a_run_that_goes_on():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = sixd.simulate(sixd.gallery.pendulum(), [2.0], [0.0], 0.8, **LONG)
    run.resume(20.0)  # here


def of_samples_that_blow_up():
    sixd.simulate(ARM, np.zeros((2, 2)), [[0.0, 0.0], [1e200, 0.0]], 0.1, energy_check="off", integrator="rk4")  # here


def of_samples_of_dopri5():
    sixd.simulate(ARM, np.zeros((2, 2)), [[0.0, 0.0], [1e200, 0.0]], 0.1, integrator="dopri5")  # here


def interrupt(t, q, qd):
    if t > 0.0095:
        raise KeyboardInterrupt
    return [0.0, 0.0]


def of_an_interrupt():
    sixd.simulate(ARM, [0.1, 0.0], [0.0, 0.0], 0.02, control=interrupt)  # here


def of_machine_code_without_a_place(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "file"))
    cache._warn.cache_clear()
    sixd.compile(sixd.algorithms.rnea, ARM)  # here


def of_machine_code_of_a_method(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path / "file"))
    cache._warn.cache_clear()
    robot = sixd.gallery.particle(1.2345)
    robot.mass_matrix(robot.neutral())  # here


def of_the_size_of_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXD_CACHE", str(tmp_path))
    monkeypatch.setenv("SIXD_CACHE_SIZE", "much")
    cache._warn.cache_clear()
    sixd.compile(sixd.algorithms.crba, ARM)  # here


def of_the_number_of_threads(monkeypatch):
    monkeypatch.setenv("SIXD_THREADS", "many")
    sixd.set_threads(None)
    sixd.get_threads()  # here


CALLS = {name.replace("_", " "): call for name, call in list(globals().items()) if name.startswith("of_")}


@pytest.fixture(autouse=True)
def no_lines_of_other_tests(monkeypatch):
    """Where other tests count what is compiled, their line is the innermost that is not of sixd."""
    function = machine_code.compile_module
    monkeypatch.setattr(machine_code, "compile_module", getattr(function, "__wrapped__", function))


@pytest.mark.parametrize("name", CALLS)
def test_the_line_to_blame(name, request):
    call = CALLS[name]
    names = call.__code__.co_varnames[: call.__code__.co_argcount]
    given = {each: request.getfixturevalue(each) for each in names}
    with pytest.warns((sixd.ModelWarning, sixd.SimulationWarning, RuntimeWarning)) as caught:
        call(**given)
    for each in caught:
        line = linecache.getline(each.filename, each.lineno)
        assert (each.filename, "# here" in line) == (__file__, True), f"{each.filename}:{each.lineno}: {each.message}"


# ---- the rule


def module(name, code, **names):
    """A module of this name with this code, from a file that is in a folder called sixd."""
    made = ModuleType(name)
    vars(made).update(names)
    exec(compile(code, f"/home/sixd/numpy/{name}.py", "exec"), vars(made))
    return made


def place(caught):
    (each,) = caught
    return each.filename, each.lineno


def test_what_is_passed_over():
    """Modules of sixd, of Python and of NumPy, by their names: the folder may have any name."""
    inner = module("sixd.fake", "def f(*_):\n    warn('odd', RuntimeWarning)\n    return 1.0", warn=told.warn)
    between = module(
        "sixd.other",
        "@contextmanager\ndef g():\n    f()\n    yield\ndef h():\n    with g():\n        pass\n"
        "def k():\n    np.vectorize(f)(1.0)",
        f=inner.f,
        contextmanager=contextmanager,
        np=np,
    )
    for code, line in (("\nf()", 2), ("h()", 1), ("\n\ndef own():\n    h()\nown()", 4)):
        with pytest.warns(RuntimeWarning, match="odd") as caught:
            module("mine", code, f=inner.f, h=between.h)
        assert place(caught) == ("/home/sixd/numpy/mine.py", line)
    with pytest.warns(RuntimeWarning) as caught:
        module("sixday", "\n\n\nk()", k=between.k)
    assert {(each.filename, each.lineno) for each in caught} == {("/home/sixd/numpy/sixday.py", 4)}


@pytest.mark.parametrize("name", ["profile", "code", "calendar"])
def test_a_users_module_may_have_a_name_of_pythons_own(tmp_path, name):
    """Its line was passed over, and that which called it was blamed."""
    file = tmp_path / f"{name}.py"
    file.write_text("import sixd.process.told as told\n\n\ndef f():\n    told.warn('odd')\n")
    spec = importlib.util.spec_from_file_location(name, file)
    mine = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mine)
    with pytest.warns(UserWarning, match="odd") as caught:
        mine.f()
    assert (caught[0].filename, caught[0].lineno) == (str(file), 5)


def test_it_is_said_once_for_each_line():
    """As `warnings.warn` does, which keeps what was said in the module that is blamed."""
    inner = module("sixd.fake", "def f():\n    warn('odd')", warn=told.warn)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        module("mine", "for _ in range(3):\n    f()\nf()", f=inner.f)
    assert [(each.lineno, each.category) for each in caught] == [(2, UserWarning), (3, UserWarning)]


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_every_warning_goes_that_way(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    direct = [node.lineno for node in calls if ast.unparse(node.func) in ("warnings.warn", "warnings.warn_explicit")]
    assert bool(direct) is (name_of(path) == "process/told.py")
