"""The public surface: the names the project promises, that they are documented, and that importing stays light."""

import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import sixd

ROBOT = [
    "name",
    "nq",
    "nv",
    "n_bodies",
    "parent",
    "mass",
    "bodies",
    "joints",
    "frames",
    "joint",
    "neutral",
    "random",
    "integrate",
    "difference",
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "inverse_mass_matrix",
    "bias_forces",
    "gravity_forces",
    "pose",
    "poses",
    "velocity",
    "acceleration",
    "bias_acceleration",
    "jacobian",
    "kinetic_energy",
    "potential_energy",
    "center_of_mass",
    "momentum",
    "inverse_kinematics",
    "with_gravity",
    "draw",
    "check",
    "lock",
    "subtree",
    "join",
    "plot",
    "plot_tree",
    "show",
    "save_html",
]


def every_module():
    """The names of all modules whose names are not hidden."""
    found = (module.name for module in pkgutil.walk_packages(sixd.__path__, "sixd."))
    return ["sixd", *(name for name in found if not any(part.startswith("_") for part in name.split(".")))]


@pytest.mark.parametrize("name", every_module())
def test_all_of_a_module_can_be_imported(name):
    """``from sixd.model import *`` failed: it promised a name that it did not have."""
    module, space = importlib.import_module(name), {}
    exec(f"from {name} import *", space)
    names = getattr(module, "__all__", ())
    assert set(names) <= set(space)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ROBOT)
def test_robots_have_the_promised_names(name):
    assert hasattr(sixd.gallery.pendulum(), name)


def test_algorithms_are_public_under_the_papers_names():
    for name in ("rnea", "crba", "aba", "ltl", "ltdl", "forward_kinematics", "jacobian"):
        assert callable(getattr(sixd.algorithms, name))


def public_functions():
    modules = [sixd, sixd.algorithms, sixd.spatial, sixd.lie, sixd.joints, sixd.gallery, sixd.historical]
    modules += [sixd.lie.so3, sixd.lie.se3]
    for module in modules:
        for name in dir(module):
            thing = getattr(module, name)
            shown = inspect.isfunction(thing) or inspect.isclass(thing) or isinstance(thing, sixd.algorithms.Algorithm)
            if name.startswith("_") or not shown:
                continue
            yield f"{module.__name__}.{name}", thing
    for name, thing in vars(sixd.Robot).items():
        if not name.startswith("_") and inspect.isfunction(thing):
            yield f"sixd.Robot.{name}", thing


@pytest.mark.parametrize(("name", "thing"), [pytest.param(n, t, id=n) for n, t in public_functions()])
def test_every_public_function_is_documented(name, thing):
    assert thing.__doc__, f"{name} has no docstring"
    assert len(thing.__doc__.strip()) > 10


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_loads_no_optional_package_and_no_room_that_only_some_need():
    heavy = "scipy matplotlib mpmath pinocchio mujoco xml.etree pytest viser PIL"
    heavy += " sixd.historical sixd.identification sixd.lagrangian sixd.mechanisms sixd.motion sixd.operators"
    heavy += " sixd.parallel sixd.simulation sixd.tables sixd.view sixd.cli"
    loaded = run(f"import sys, sixd; print([m for m in {heavy.split()!r} if m in sys.modules])")
    assert loaded == "[]"


def test_all_public_names_are_there_in_a_process_that_only_imported_sixd():
    assert run("import sixd; print([name for name in dir(sixd) if not hasattr(sixd, name)])") == "[]"
    assert run("import sixd; print(sixd.simulate.__name__, sixd.view.__name__)") == "simulate sixd.view"
    with pytest.raises(AttributeError, match="module 'sixd' has no attribute 'simulated'"):
        _ = sixd.simulated


def test_version():
    from importlib.metadata import version

    assert sixd.__version__ == version("sixd")
