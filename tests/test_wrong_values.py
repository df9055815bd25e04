"""Every public callable and argument with wrong values: a `SixdError`, never an answer, another error or a hang."""

import inspect
import signal
from contextlib import contextmanager

import pytest

import sixd
from sixd import (
    SixdError,
    gallery,
    historical,
    identification,
    lagrangian,
    layouts,
    lie,
    mechanisms,
    motion,
    operators,
    parallel,
    spatial,
    view,
)
from tests.surface import CALLS, own_methods_of_closed_robots, wrong_values

CASES = [(label, argument) for label, call in CALLS.items() for argument in call.kinds]
#: What a call may take, s: on a busy machine some of it is spent waiting.
LONGEST = 20


@contextmanager
def limited():
    """A call that does not end becomes an error, where signals can do that."""

    def stop(*_):
        raise TimeoutError(f"it took more than {LONGEST} s")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    """Some calls write files."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("label", list(CALLS))
def test_right_values(label):
    CALLS[label]()


@pytest.mark.parametrize(("label", "argument"), CASES)
def test_wrong_values(label, argument, record_property):
    call, found, tried = CALLS[label], [], 0
    for name, value in wrong_values(call, argument):
        tried += 1
        try:
            with limited():
                result = call(**{argument: value})
        except SixdError as error:
            if not str(error):
                found.append(f"{name}: no message")
        except Exception as error:
            found.append(f"{name}: {type(error).__name__}: {error}")
        else:
            found.append(f"{name}: an answer, {result!r:.60}")
    record_property("wrong values tried", tried)
    assert tried
    assert not found, "\n".join(found)


def with_arguments(kind):
    """The public methods of a class that take arguments, without those of tuples."""
    for name, method in inspect.getmembers(kind, inspect.isroutine):
        own = not name.startswith("_") and not hasattr(tuple, name)
        if own and set(inspect.signature(method).parameters) - {"self"}:
            yield name


def public():
    """The names of what the reference lists: the package, robots, builders, kernels, the gallery, layouts, groups,
    the algebra."""
    for name in sixd.__all__:
        thing = getattr(sixd, name)
        if callable(thing) and not (isinstance(thing, type) and issubclass(thing, Exception)):
            yield f"sixd.{name}"
    for owner in (sixd.Robot, sixd.Builder, sixd.Kernel):
        for name, _ in inspect.getmembers(owner, callable):
            if not name.startswith("_"):
                yield f"{owner.__name__}.{name}"
    yield from (f"ClosedRobot.{name}" for name in own_methods_of_closed_robots())
    modules = (gallery, historical, identification, lagrangian, layouts, lie, mechanisms, motion, operators)
    for module in (*modules, parallel, view):
        for name in module.__all__:
            if callable(getattr(module, name)):
                yield f"{module.__name__.removeprefix('sixd.')}.{name}"
    yield from (f"{group}.{name}" for group in ("so3", "se3") for name in getattr(lie, group).__all__)
    for name in spatial.__all__:
        thing = getattr(spatial, name)
        if inspect.isfunction(thing):
            yield f"spatial.{name}"
        elif inspect.isclass(thing):
            yield name
            yield from (f"{name}.{method}" for method in with_arguments(thing))
    yield from (f"table1.{name}" for name in spatial.table1.__all__)
    yield from (f"older_notation.{name}" for name in spatial.older_notation.__all__)
    yield from (f"algorithms.{name}" for name, f in vars(sixd.algorithms).items() if hasattr(f, "body"))


#: What the walk has under other names, or cannot call without another library or with wrong values alone.
ELSEWHERE = {
    "sixd.Kernel": "made by sixd.compile alone",
    "sixd.ClosedRobot": "made by Robot.close",
    "sixd.Constraint": "what all kinds of constraints are",
    "mechanisms.Mechanism": "made by the functions beside it",
    "layouts.Layout": "made by the functions beside it",
    **{
        f"identification.{name}": "a result of the functions beside it"
        for name in ("Calibration", "Combinations", "Excitation", "Fit")
    },
    **dict.fromkeys(("motion.GradientCheck", "motion.OptimizedMotion"), "a result of the functions beside it"),
    **{
        f"historical.{name}": "a result of the functions beside it"
        for name in ("ConstrainedMotion", "Counts", "Formula", "Formulation", "Polynomial", "Published")
    },
    **dict.fromkeys(("historical.Computes", "historical.Takes"), "an enumeration"),
    "view.Scene": "made by its method of",
    "view.LiveView": "a result of the functions beside it",
    **dict.fromkeys(("Robot.show", "view.show"), "needs a server: tests/view/test_live.py"),
    "layouts.mujoco_layout": "tests/test_layouts.py, with MuJoCo",
    "layouts.pinocchio_layout": "tests/test_layouts.py, with Pinocchio",
    "Screw": "a named tuple, which keeps what it is given",
    "lie.NewtonEuler": "a named tuple, which keeps what it is given",
    "lagrangian.Pullback": "a named tuple, which keeps what it is given",
    **dict.fromkeys(("lagrangian.SpaceFactors", "lagrangian.LinkFactors"), "made by their method of"),
    **{f"operators.{name}": "made by its method of" for name in ("Assembly", "Innovations", "System")},
    **{f"operators.{name}": "an abstract class" for name in ("Link", "Operator")},
    **{
        f"operators.{name}": "made by the algorithms, of numbers of any kind"
        for name in (
            *("ArticulatedLink", "BlockSystem", "Connection", "ConstraintForceSystem", "ConstraintForces"),
            *("Mechanism", "Node", "Piece", "RigidLink", "Solution", "SparseSystem"),
        )
    },
    "ArticulatedInertia.crossed_by": "refused, as it has no meaning: tests/spatial/test_motion_force.py",
    **{f"sixd.{name}": name for name in ("Motion", "Force", "Transform", "Inertia", "ArticulatedInertia")},
}


def test_nothing_is_left_out():
    assert set(public()) - set(CALLS) == set(ELSEWHERE)
    assert all(name in CALLS for name in ELSEWHERE.values() if name[0].isupper())
