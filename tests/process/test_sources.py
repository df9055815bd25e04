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
from sixd.process import sources

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
