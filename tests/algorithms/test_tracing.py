"""Every algorithm runs on numbers that refuse questions, and costs what the structure of the robot lets it cost."""

import warnings

import numpy as np
import pytest

import sixd
from sixd import algorithms
from sixd.ir import Port, trace
from sixd.joints import JOINTS
from sixd.model.random import random_tree
from sixd.spatial import Force
from tests.robots import example_urdf


@pytest.fixture(scope="module")
def tree():
    """One body for each joint type, so that every joint is traced."""
    trees = (random_tree(20, seed, joints=sorted(JOINTS), branching=0.2, passive=True) for seed in range(1000))
    return next(robot for robot in trees if {j.type.name for j in robot.joints} == set(JOINTS))


ALGORITHMS = {
    "rnea": lambda m, q, v, a: algorithms.rnea(m, q, v, a),
    "rnea_absolute": lambda m, q, v, a: algorithms.rnea_absolute(m, q, v, a),
    "joint_forces": lambda m, q, v, a: [x for f in algorithms.joint_forces(m, q, v, a) for x in f.components()],
    "bias_forces": lambda m, q, v, a: algorithms.bias_forces(m, q, v),
    "gravity_forces": lambda m, q, v, a: algorithms.gravity_forces(m, q),
    "passive_forces": lambda m, q, v, a: algorithms.passive_forces(m, q, v),
    "spring_energy": lambda m, q, v, a: [algorithms.spring_energy(m, q)],
    "crba": lambda m, q, v, a: algorithms.crba(m, q),
    "aba": lambda m, q, v, a: algorithms.aba(m, q, v, a),
    "forward_dynamics_crba ltl": lambda m, q, v, a: algorithms.forward_dynamics_crba(m, q, v, a, None, "ltl"),
    "forward_dynamics_crba ltdl": lambda m, q, v, a: algorithms.forward_dynamics_crba(m, q, v, a, None, "ltdl"),
    "inverse_mass_matrix": lambda m, q, v, a: algorithms.inverse_mass_matrix(m, q),
    "forward_kinematics": lambda m, q, v, a: [x for X in algorithms.forward_kinematics(m, q) for x in X.components()],
    "velocity": lambda m, q, v, a: algorithms.velocity(m, q, v, m.n_bodies, None, "aligned").components(),
    "acceleration": lambda m, q, v, a: algorithms.acceleration(m, q, v, a, m.n_bodies, None, "world").components(),
    "jacobian": lambda m, q, v, a: algorithms.jacobian(m, q, m.n_bodies, None, "aligned"),
    "jacobian_rate": lambda m, q, v, a: algorithms.jacobian_rate(m, q, v, m.n_bodies),
    "frame_forces": lambda m, q, v, a: algorithms.frame_forces(m, q, Force.from_components(a[:6]), m.n_bodies),
    "kinetic_energy": lambda m, q, v, a: [algorithms.kinetic_energy(m, q, v)],
    "potential_energy": lambda m, q, v, a: [algorithms.potential_energy(m, q)],
    "center_of_mass_jacobian": lambda m, q, v, a: algorithms.center_of_mass_jacobian(m, q),
    "centroidal_momentum": lambda m, q, v, a: algorithms.centroidal_momentum(m, q, v).components(),
    "centroidal_momentum_matrix": lambda m, q, v, a: algorithms.centroidal_momentum_matrix(m, q),
    "composite_inertia": lambda m, q, v, a: algorithms.composite_inertia(m, q).components(),
    "grasp_constraint": lambda m, q, v, a: algorithms.grasp_constraint(m, q, v, 1, m.n_bodies).b.components(),
    "product_of_exponentials": lambda m, q, v, a: algorithms.product_of_exponentials(m, q, m.n_bodies).components(),
}


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_no_branch_depends_on_a_value(tree, name):
    program = record(lambda *state: ALGORITHMS[name](tree, *state), tree)
    assert any(program.nodes[k].op != "const" for k in program.results[0])


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
