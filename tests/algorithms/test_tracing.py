"""Every algorithm runs on numbers that refuse questions, and costs what the structure of the robot lets it cost."""

import warnings

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.algorithms import ALGORITHMS
from sixd.compiler.request import Request
from sixd.compiler.unrolled import record_unrolled
from sixd.ir import Port, trace
from sixd.joints import JOINTS
from tests.algorithms import calls
from tests.algorithms.calls import robot, robot_for
from tests.robots import example_urdf

OWN = sorted(name for name, kind in JOINTS.items() if kind.__module__.startswith("sixd."))
#: The types of joints, three at a time: every algorithm is traced on all of them.
TREES = [tuple(OWN[k : k + 3]) for k in range(0, len(OWN), 3)]


@pytest.mark.parametrize("kinds", TREES, ids="-".join)
@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_no_branch_depends_on_a_value(name, kinds):
    model = robot_for(name) if name == "screw_jacobian" or calls.is_constrained(name) else robot(kinds)
    program = calls.record(name, model, ALGORITHMS[name])
    if name == "tangent_rate" and not {"spherical", "free"} & {*kinds}:
        return  # it is zero
    assert any(program.nodes[k].op != "const" for result in program.results for k in result)


@pytest.mark.parametrize("factorization", ["ltl", "ltdl"])
def test_no_branch_of_a_factorization_depends_on_a_value(factorization):
    request = Request(algorithms.forward_dynamics_crba, robot(), {}, {"factorization": factorization})
    assert record_unrolled(request).operations


def record(function, robot, arguments=3):
    """The program of a function of q, qd and x, or of the first of them."""

    def run(*state):
        numbers = np.ravel(np.asarray(function(*state), dtype=object)).tolist()
        return [("y", (len(numbers),), numbers)]

    sizes = {"q": robot.nq, "qd": robot.nv, "x": robot.nv}
    return trace(run, [Port(name, (size,)) for name, size in list(sizes.items())[:arguments]], "test")


def load(name, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)
        return sixd.load(example_urdf(name), **options)


@pytest.fixture(scope="module")
def panda():
    return load("panda_description/panda").lock({"panda_finger_joint1": 0.0})


@pytest.fixture(scope="module")
def ur5():
    return load("ur_description/ur5_robot")


@pytest.mark.parametrize(
    ("robot", "algorithm", "arguments", "most"),
    [("ur5", "rnea", 3, 562), ("panda", "rnea", 3, 958), ("panda", "aba", 3, 1742), ("panda", "crba", 1, 469)],
)
def test_operations(request, robot, algorithm, arguments, most):
    """Additions and multiplications left once the zeros and ones of a real robot are folded away."""
    robot = request.getfixturevalue(robot)
    program = record(lambda *state: getattr(algorithms, algorithm)(robot, *state), robot, arguments)
    assert program.operations <= most
