"""Machine code on disk belongs to the sixd that made it, whatever happens to its files while a process is open."""

import compileall
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import sixd
from sixd.compiler import request
from sixd.process import sources
from tests.test_layers import imports, layer_of, modules

PACKAGE = Path(sixd.__file__).parent
#: Torques of the same algorithm by a kernel and, as the truth, in Python.
COMPARE = """
import numpy as np
robot = sixd.gallery.double_pendulum()
state = [0.3, -0.4], [1.0, 0.5], [0.1, 0.2]
truth = sixd.algorithms.rnea(robot, *state)
kernel = sixd.compile(sixd.algorithms.rnea, robot)
error = float(np.abs(kernel(*map(np.array, state)) - truth).max())
sixd.set_kernels(None)
error = max(error, float(np.abs(robot.inverse_dynamics(*state) - truth).max()))
how = "load" if "load" in kernel.times else "compile"
print(how, "right" if error < 1e-12 else "wrong", truth[0])
"""
EDIT = """
import pathlib, sixd
def edit(name, old, new):
    file = pathlib.Path(sixd.__file__).parent / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
"""
#: Load the module of an algorithm again.
AGAIN = """
import importlib
sixd.algorithms.rnea = importlib.reload(sixd.algorithms.inverse_dynamics).rnea
"""
#: A file of each room that uses kernels and makes none.
FRONT = (
    "cli/main.py",
    "diagnosis/audit.py",
    "flexible/link.py",
    "formats/load.py",
    "gallery.py",
    "historical/kane.py",
    "identification/fit.py",
    "ik/solver.py",
    "layouts/layout.py",
    "mechanisms/mechanism.py",
    "motion/optimize.py",
    "parallel/plan.py",
    "robot/robot.py",
    "simulation/simulate.py",
    "tables/contract.py",
    "testing/laws.py",
    "view/api.py",
)
#: The forces of all bodies doubled, in the paper's own line; and a line of the compiler.
ALGORITHM = ("algorithms/inverse_dynamics.py", "f[i] = I @ a[i] +", "f[i] = 2.0 * (I @ a[i]) +")
COMPILER = ("backends/llvm/emit.py", '"sub": lambda v, x, y: v.builder.fsub', '"sub": lambda v, x, y: v.builder.fadd')


@pytest.fixture
def place(tmp_path):
    """A copy of the package that can be edited."""
    shutil.copytree(PACKAGE, tmp_path / "site" / "sixd", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run(place, code, path=None, warnings="error"):
    paths = os.pathsep.join([str(path or place / "site"), *(p for p in sys.path if "site-packages" in p)])
    environment = {
        **os.environ,
        "PYTHONPATH": paths,
        "SIXD_CACHE": str(place / "cache"),
        "SIXD_KERNELS": "unrolled",
        "PYTHONDONTWRITEBYTECODE": "1",  # byte code is believed by the second: two edits within one are one to Python
    }
    command = [sys.executable, "-W", warnings, "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout.split(), found.stderr


def entries(place):
    return sorted(file.name for file in (place / "cache").glob("*")) if (place / "cache").exists() else []


def test_an_unchanged_package_finds_its_code(place):
    assert run(place, "import sixd" + COMPARE)[0][:2] == ["compile", "right"]
    assert run(place, "import sixd" + COMPARE)[0][:2] == ["load", "right"]


@pytest.mark.parametrize("edit", [ALGORITHM, COMPILER])
def test_an_edit_while_a_process_is_open(place, edit):
    """What is old in memory is not kept under the hash of what is new on disk, nor the other way round."""
    first, said = run(place, f"{EDIT}edit(*{edit!r}){COMPARE}", warnings="always")
    assert said.count("sixd keeps no machine code for later: the files of sixd have changed") == 1
    assert entries(place) == []
    new, _ = run(place, "import sixd" + COMPARE)
    assert new[0] == "compile"
    if edit is ALGORITHM:
        assert first[1] == new[1] == "right"
        assert float(new[2]) != pytest.approx(float(first[2]))


def test_an_edit_that_is_undone(place):
    """A module was loaded while its file was another: that the file is the old one again does not help."""
    name, old, new = ALGORITHM
    script = f"{EDIT}edit(*{ALGORITHM!r})\n{AGAIN}\nedit({name!r}, {new!r}, {old!r}){COMPARE}"
    edited, _ = run(place, script, warnings="ignore")
    assert entries(place) == []
    found, _ = run(place, "import sixd" + COMPARE)
    assert edited[1] == found[1] == "right"
    assert float(edited[2]) != pytest.approx(float(found[2]))


def test_what_is_found_before_and_not_after_an_edit(place):
    """A module that was edited and loaded again does not get the code of the old one."""
    run(place, "import sixd" + COMPARE)
    script = f"import sixd, time{COMPARE}{EDIT}edit(*{ALGORITHM!r})\n{AGAIN}\ntime.sleep(1.1){COMPARE}"
    found, _ = run(place, script, warnings="ignore")
    assert found[:2] == ["load", "right"]
    assert found[3:5] == ["compile", "right"]


#: Each file of the package gets one more line in turn: those that change which sixd this is.
EDIT_EACH = """
import pathlib, sixd
from sixd.process import sources
package = pathlib.Path(sixd.__file__).parent
before = sources._Sources().identity
for file in sorted(package.rglob("*.py")):
    text = file.read_text()
    file.write_text(text + "# one more line")
    if sources._Sources().identity != before:
        print(file.relative_to(package))
    file.write_text(text)
assert sources._Sources().identity == before
"""
#: A step of inverse kinematics by its kernel and, as the truth, by the interpreter of what its functions do now.
STEP = """
import numpy as np, sixd
from sixd.ik.compiled import step_kernel
from sixd.ik.plan import GoalFrame, plan_of
goal = GoalFrame(2, sixd.Transform.translation((0.0, 0.0, -0.5)), "position")
kernel = step_kernel(plan_of(sixd.gallery.double_pendulum(), (goal,)))
inputs = [np.linspace(0.1, 0.9, port.size) for port in kernel.inputs]
truth = kernel.interpret(*inputs)
error = float(np.abs(kernel(*inputs) - truth).max())
print("load" if "load" in kernel.times else "compile", "right" if error < 1e-12 else "wrong", truth.sum())
"""
ADVANCE = ("ik/advance.py", "1.0 - turned * turned * turned", "3.0 - turned * turned * turned")


def test_only_the_rooms_that_make_code_count(place):
    """An edit of any file of such a room is another sixd; an edit of any other file is not."""
    found, _ = run(place, EDIT_EACH)
    rooms = {str(path.relative_to(PACKAGE)): layer_of(path) for path in modules()}
    assert set(found) == {name for name, room in rooms.items() if room not in sources.USERS}
    assert {"algorithms", "joints", "ir", "backends", "compiler"} <= {rooms[name] for name in found}


def test_code_is_kept_when_those_who_use_it_are_edited(place):
    """Also while a process is open."""
    assert {Path(name).parts[0].removesuffix(".py") for name in FRONT} == sources.USERS - {"__main__"}
    run(place, "import sixd" + COMPARE)
    edits = "\n".join(f"edit({name!r}, 'import annotations', 'import annotations  # edited')" for name in FRONT)
    assert run(place, f"{EDIT}{edits}{COMPARE}")[0][:2] == ["load", "right"]
    assert run(place, "import sixd" + COMPARE)[0][:2] == ["load", "right"]


def test_the_steps_of_inverse_kinematics_are_found_by_what_they_compute(place):
    """They are functions that sixd compiles, but in no room that counts: an edit of them is seen by recording them."""
    old, _ = run(place, STEP)
    assert old[:2] == ["compile", "right"]
    assert run(place, STEP)[0] == ["load", *old[1:]]
    run(place, "import sixd" + COMPARE)
    new, _ = run(place, f"{EDIT}edit(*{ADVANCE!r}){STEP}")
    assert new[:2] == ["compile", "right"]
    assert float(new[2]) != pytest.approx(float(old[2]))
    assert run(place, STEP)[0] == ["load", *new[1:]]
    assert run(place, "import sixd" + COMPARE)[0][0] == "load"


def test_no_module_that_makes_code_imports_one_that_does_not():
    """Nor inside a function. The package's own ``__init__`` passes names on, and defines none that others import."""
    wrong = [
        f"{path}:{item.line}"
        for path in modules()
        if layer_of(path) not in {"", *sources.USERS}
        for item in imports(path.read_text())
        if item.module.startswith("sixd") and (item.module == "sixd" or not sources.makes_code(item.module))
    ]
    assert wrong == []


def test_what_is_known_by_its_name_is_in_the_hash():
    hashed = {part.name for part in sources._parts()}
    assert len(request._OWN) > 200
    assert {thing.__module__ for thing in request._OWN.values()} <= hashed
    assert request.is_own(sixd.algorithms.rnea)
    for thing in (sixd.Robot, sixd.load, sixd.gallery.pendulum, sixd.layouts.Layout):
        assert not request.is_own(thing)


def archive(place):
    with zipfile.ZipFile(place / "sixd.zip", "w") as file:
        for path in sorted((place / "site").rglob("*.py")):
            file.write(path, path.relative_to(place / "site"))
    return place / "sixd.zip"


def byte_code(place):
    target = place / "compiled"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(place / "site", target)
    compileall.compile_dir(target, legacy=True, quiet=1)
    for path in target.rglob("*.py"):
        path.unlink()
    return target


def zipped_byte_code(place):
    target = byte_code(place)
    with zipfile.ZipFile(place / "compiled.zip", "w") as file:
        for path in sorted(target.rglob("*.pyc")):
            file.write(path, path.relative_to(target))
    return place / "compiled.zip"


@pytest.mark.parametrize("pack", [archive, byte_code, zipped_byte_code])
def test_packages_without_source_files(place, pack):
    """A new version in an archive, or as byte code alone, does not run the code of the old one."""
    path = pack(place)
    old, _ = run(place, "import sixd" + COMPARE, path)
    assert old[:2] == ["compile", "right"]
    assert run(place, "import sixd" + COMPARE, path)[0] == ["load", *old[1:]]
    (name, before, after) = ALGORITHM
    file = place / "site" / "sixd" / name
    file.write_text(file.read_text().replace(before, after))
    new, _ = run(place, "import sixd" + COMPARE, pack(place))
    assert new[:2] == ["compile", "right"]
    assert float(new[2]) != pytest.approx(float(old[2]))


def test_what_cannot_be_read_is_not_kept(place):
    """A loader that has neither files nor code."""
    loader = """
import importlib.machinery as m
import sys
class Loader(m.SourceFileLoader):
    def exec_module(self, module):
        exec(compile(open(self.path).read(), self.path, "exec"), module.__dict__)
    def get_data(self, path):
        raise OSError
    def get_code(self, name):
        raise ImportError
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        spec = m.PathFinder.find_spec(name, path, target)
        if name.partition(".")[0] == "sixd":
            spec.loader = Loader(name, spec.origin)
        return spec
sys.meta_path.insert(0, Finder)
"""
    found, said = run(place, f"{loader}import sixd{COMPARE}", warnings="always")
    assert found[:2] == ["compile", "right"]
    assert said.count("sixd keeps no machine code for later: the module") == 1
    assert entries(place) == []


def test_the_version_is_told():
    assert sources.identity().startswith(f"sixd {sixd.__version__} ")
