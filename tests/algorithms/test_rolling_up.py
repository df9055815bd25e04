"""The loops over bodies can be recorded once per joint type, and mean the same: algorithms keep the rules for it."""

import numpy as np
import pytest

import sixd
from sixd import SixdError, algorithms, gallery
from sixd.algorithms import ALGORITHMS
from sixd.algorithms.algorithm import algorithm
from sixd.compiler.rolled import RollError
from sixd.ir import TraceError
from sixd.joints import JOINTS
from sixd.model.random import random_tree
from sixd.spatial import Force, Motion, Vector
from tests.algorithms.calls import compile_algorithm, state, suited
from tests.laws.trees import coupled, flexible

OWN_JOINTS = sorted(name for name, kind in JOINTS.items() if kind.__module__.startswith("sixd."))
ROBOTS = {
    "arm": gallery.seven_axis_arm,
    "all joints": lambda: sixd.Robot.of(random_tree(11, 1203, joints=OWN_JOINTS, rotors=True, passive=True)),
    "mimic": coupled,
    "flexible": flexible,
}


def test_a_robot_has_all_joints():
    assert {joint.type.name for joint in ROBOTS["all joints"]().joints} == set(OWN_JOINTS)


def states(robot, n=9):
    rng = np.random.default_rng(0)
    x = {name: rng.normal(size=(n, robot.nv)) for name in ("qd", "qdd", "tau")}
    return {"q": robot.random(rng, n), **x}


#: How the recorder refuses an algorithm that needs the model, the result of another, or a value of another iteration,
#: and how a flexure refuses to say by which screws it moves.
REFUSALS = r"not known while loops are recorded|not recorded in loops|keep it in a slot or a cell|by which screws"
#: What is solved with the mass matrix loses digits with its condition.
SOLVES = (
    *("aba", "relative_pivots", "hybrid_dynamics", "relative_pivots_of_hybrid"),
    *("operational_space", "inverse_operational_inertia"),
)


#: An arm has no joint that the tree of all joints does not have; flexible links share coordinates, as mimic joints do.
LONG = [pytest.param(name, marks=pytest.mark.slow) if name in ("arm", "flexible") else name for name in ROBOTS]


@pytest.mark.parametrize("robot", LONG)
@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_rolled_and_unrolled_agree(name, robot):
    """What is declared is true: algorithms that can be rolled are, on trees of all joints, and the others refuse."""
    model = suited(name, ROBOTS[robot]())
    if not ALGORITHMS[name].can_be_rolled(model.is_coupled):
        with pytest.raises((SixdError, TraceError), match=REFUSALS):
            compile_algorithm(name, model, rolled=True)
        return
    rolled, unrolled = (compile_algorithm(name, model, rolled=kind) for kind in (True, False))
    assert rolled.rolled
    assert not unrolled.rolled
    given = state(name, model, 9)
    arguments, bound = [given[port.name] for port in rolled.inputs], 1e-12
    if name in SOLVES:
        bound = max(bound, 1e-15 * model.nv * np.linalg.cond(model.mass_matrix(arguments[0])).max())
    runs = (unrolled.interpret(*arguments), rolled.interpret(*arguments), rolled(*arguments))
    alone = [run(*(x[k] for x in arguments)) for run in (rolled, rolled.gufunc) for k in (0, 8)]
    several = ALGORITHMS[name].result.several
    for part in range(len(ALGORITHMS[name].ranks)):
        expected, defined, found, *single = (run[part] if several else run for run in (*runs, *alone))
        assert found.shape == expected.shape
        scale = max(np.nanmax(np.abs(expected)), 1e-12)
        np.testing.assert_allclose(defined, expected, rtol=0, atol=bound * scale)
        np.testing.assert_allclose(found, defined, rtol=0, atol=bound * scale)
        for k, one in zip((0, 8, 0, 8), single, strict=True):  # the same bits alone
            np.testing.assert_array_equal(one, found[k])


def test_external_forces_are_rolled_in_the_bodies_own_frames():
    model = ROBOTS["all joints"]()
    s, f = states(model), np.random.default_rng(1).normal(size=(9, model.n_bodies, 6))
    kernel = sixd.compile(algorithms.rnea, model, rolled=True, shapes={"f_ext": f.shape[1:]})
    expected = algorithms.rnea(model, s["q"], s["qd"], s["qdd"], f)
    np.testing.assert_allclose(
        kernel(s["q"], s["qd"], s["qdd"], f), expected, rtol=0, atol=1e-12 * np.abs(expected).max()
    )


def test_a_question_about_a_body_is_refused():
    @algorithm
    def asks(tree, q):
        for _, p in tree.outward():
            if p == 0:
                return

    with pytest.raises(RollError, match="question about the number"):
        sixd.compile(asks, gallery.seven_axis_arm(), rolled=True)


def test_a_value_kept_from_iteration_to_iteration_is_found():
    @algorithm
    def keeps(tree, q, qd):
        v = tree.slots(Motion, base=Motion.zero())
        last = Motion.zero()
        for i, _ in tree.outward():
            v[i] = last + tree.joint(i).subspace(q[i]) @ qd[i]
            last = v[i]
        return v

    with pytest.raises(TraceError, match="keep it in a slot or a cell"):
        sixd.compile(keeps, gallery.seven_axis_arm(), rolled=True)


def agree(function, model, **fixed):
    """Rolled, unrolled and eager results of an algorithm of (tree, q, qd) are the same."""
    s = states(model)
    rolled, unrolled = (sixd.compile(function, model, rolled=kind, **fixed) for kind in (True, False))
    expected = unrolled(*(s[port.name] for port in unrolled.inputs))
    for found in (
        rolled(*(s[port.name] for port in rolled.inputs)),
        rolled.interpret(*(s[p.name] for p in rolled.inputs)),
    ):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * max(1.0, np.abs(expected).max()))


@algorithm
def mass_matrix_after_another(tree, q):
    """Cells made inside of loops must not shift what is known of later slots."""
    algorithms.crba(tree, q)
    return algorithms.crba(tree, q)


@algorithm
def stored_twice(tree, q, qd):
    """The second value counts, though the first is cheap to make again and the second is not."""
    x, y, total = tree.slots(float), tree.slots(float, base=0.0), tree.cell(0.0)
    for i, p in tree.outward():
        x[i] = qd[i][0]
        y[i] = y[p] + qd[i][0]
        x[i] = x[i] / (2.0 + y[i] * y[i])
    for i, _ in tree.outward():
        total.now = total.now + x[i]
    return total.now


@algorithm
def along_a_body_axis(tree, q, qd):
    """A component in body coordinates: the frames of the bodies are not to be chosen."""
    v, total = algorithms.velocities(tree, q, qd), tree.cell(0.0)
    for i, _ in tree.outward():
        total.now = total.now + v[i].lin[0]
    return total.now


@algorithm
def one_body_apart(tree, q, qd, body):
    """A store outside of loops, between two that use the same slots."""
    m, x, total = tree.slots(float, base=0.0), tree.slots(float), tree.cell(0.0)
    for i, _ in tree.outward():
        m[i] = tree.inertia(i).m
        x[i] = qd[i][0]
    m[body] = 100.0
    x[body] = 5.0
    for i, p in tree.inward():
        m[p] = m[p] + m[i]
        total.now = total.now + m[i] * q[i][0] + x[i]
    return total.now


@algorithm
def tips(tree, q):
    """A store in a loop nested in the first of two."""
    x, total = tree.slots(float), tree.cell(0.0)
    for i, _ in tree.outward():
        x[i] = 1.0
        for j, _ in tree.ancestors(i):
            x[j] = 0.0
    for i, _ in tree.inward():
        total.now = total.now + x[i] * q[i][0]
    return total.now


@algorithm
def base_stored_later(tree, q):
    x = tree.slots(float)
    x[0] = 7.0
    for i, p in tree.outward():
        x[i] = x[p] + q[i][0]
    return x


@algorithm
def only_some_write(tree, q):
    out = tree.output()
    for i, _ in tree.outward():
        if tree.joint(i).nv == 1:
            out[i] = q[i] * 2.0
    return out


OWN = [mass_matrix_after_another, stored_twice, along_a_body_axis, tips, base_stored_later, only_some_write]


@pytest.mark.parametrize("function", OWN, ids=lambda f: f.__name__)
@pytest.mark.parametrize("robot", ["arm", "simple"])
def test_algorithms_of_one_s_own(function, robot):
    simple = sixd.Robot.of(random_tree(12, 4, joints=["revolute", "prismatic", "helical", "cylindrical"]))
    agree(function, gallery.seven_axis_arm() if robot == "arm" else simple)


def test_a_store_outside_of_loops():
    agree(one_body_apart, sixd.Robot.of(random_tree(12, 4, joints=["revolute", "prismatic"])), body=3)


def test_bodies_that_are_not_there_are_named():
    with pytest.raises(sixd.ModelError, match="bodies 0 to 7"):
        sixd.compile(algorithms.pose, gallery.seven_axis_arm(), rolled=True, body=9)


def test_python_values_that_count_iterations_are_found():
    @algorithm
    def mean(tree, q):
        total, n = tree.cell(0.0), 0
        for i, _ in tree.outward():
            total.now = total.now + q[i][0]
            n += 1
        return total.now / n

    @algorithm
    def weighted(tree, q):
        total, weight = tree.cell(0.0), 1.0
        for i, _ in tree.outward():
            total.now = total.now + weight * q[i][0]
            weight = 2.0 * weight
        return total.now

    @algorithm
    def first(tree, q):
        total = tree.cell(0.0)
        for i, _ in tree.outward():
            total.now = total.now + q[i][0]
            break
        return total.now

    for function, message in ((mean, "counts iterations"), (weighted, "differ"), (first, "left before its end")):
        with pytest.raises(RollError, match=message):
            sixd.compile(function, gallery.seven_axis_arm(), rolled=True)


def test_values_of_another_size_are_another_kernel():
    @algorithm
    def total(tree, q, weights):
        sum_of = tree.cell(0.0)
        for i, _ in tree.outward():
            sum_of.now = sum_of.now + q[i][0]
        return sum_of.now * sum(weights)

    arm, q = gallery.seven_axis_arm(), np.ones(7)
    for weights in (Vector([1.0, 2.0]), Vector([1.0, 2.0, 4.0])):
        kernel = sixd.compile(total, arm, rolled=True, weights=weights)
        np.testing.assert_allclose(kernel(q), 7.0 * sum(weights), rtol=1e-14)


def test_a_slot_of_the_wrong_kind_is_found():
    @algorithm
    def mixes(tree, q, qd):
        f = tree.slots(Force)
        for i, _ in tree.outward():
            f[i] = tree.joint(i).subspace(q[i]) @ qd[i]
        return f

    with pytest.raises(TypeError, match="these slots hold Force, not Motion"):
        sixd.compile(mixes, gallery.seven_axis_arm(), rolled=True)


def test_a_function_of_a_model_is_no_algorithm_of_a_tree():
    with pytest.raises(RollError, match="is no algorithm of a tree"):
        sixd.compile(lambda model, q: algorithms.rnea(model, q, q, q), gallery.seven_axis_arm(), rolled=True)


def test_robots_share_machine_code():
    first, second = (sixd.Robot.of(random_tree(n, n, joints=["revolute"])) for n in (5, 40))
    modules = {id(sixd.compile(algorithms.rnea, robot, rolled=True).code.module) for robot in (first, second)}
    assert len(modules) == 1


@pytest.mark.parametrize("n", [1, 2, 300])
@pytest.mark.parametrize("branching", [0.0, 0.5, 1.0])
def test_chains_and_trees_of_any_size(n, branching):
    model = sixd.Robot.of(random_tree(n, 5, joints=["revolute"], branching=branching))
    s = states(model, 3)
    tau = sixd.compile(algorithms.rnea, model, rolled=True)(s["q"], s["qd"], s["qdd"])
    expected = algorithms.rnea(model, s["q"], s["qd"], s["qdd"])
    np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    qdd = sixd.compile(algorithms.aba, model, rolled=True)(s["q"], s["qd"], s["tau"])
    expected = algorithms.aba(model, s["q"], s["qd"], s["tau"])
    np.testing.assert_allclose(qdd, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
