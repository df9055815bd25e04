"""Derivatives of recorded functions against differences in high precision and against each other."""

import numpy as np
import pytest

import sixd
from sixd import ChoiceError, ShapeError, SixdError, algorithms, gallery, ops
from sixd.dual import derivatives, duals
from sixd.ir import Port, interpret, trace
from sixd.ir.autodiff import PARTIALS, directional, forward, reverse
from sixd.ir.primitives import PRIMITIVES
from sixd.joints import JOINTS
from sixd.model.random import random_tree
from sixd.testing import derivative, precise

FUNCTIONS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: ops.divide(x, y),
    "neg": lambda x, y: -(x * y),
    "abs": lambda x, y: ops.absolute(x * y),
    "sqrt": lambda x, y: ops.sqrt(x * x + y * y),
    "sin": lambda x, y: ops.sin(x * y),
    "cos": lambda x, y: ops.cos(x - y),
    "arctan2": lambda x, y: ops.arctan2(x, y),
    "select": lambda x, y: ops.where(x < y, x * x, y),
    "all at once": lambda x, y: ops.sin(ops.sqrt(x * x + 1.0) / y) * ops.arctan2(y, x) - ops.absolute(x) * y,
}


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_primitives(name):
    """Forward mode, by variables and along a direction, and reverse mode agree with differences in 60 digits."""
    function, direction = FUNCTIONS[name], (0.3, -1.7)

    def both(x):
        y = function(*x)
        (tangents,) = forward([y], x)
        (along,) = directional([y], x, direction)
        gradient = reverse([y], [1.0], x)
        return [("J", (2,), [tangents.get(k, 0.0) for k in range(2)]), ("g", (2,), gradient), ("d", (), [along[0]])]

    program = trace(both, [Port("x", (2,))], name)
    for point in np.random.default_rng(0).normal(size=(10, 2)):
        x, y = precise(point)
        exact = [derivative(lambda h, x=x, y=y: function(x + h, y)), derivative(lambda h, x=x, y=y: function(x, y + h))]
        *gradients, along = interpret(program, point)
        for found in gradients:
            np.testing.assert_allclose(found, np.array(exact, dtype=float), rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(along, float(np.dot(exact, precise(direction))), rtol=1e-13, atol=1e-14)


def test_every_primitive_has_a_derivative():
    # Products and sums are fused after differentiation; selections select derivatives, they multiply nothing.
    assert set(PARTIALS) == set(PRIMITIVES) - {"fma", "select"}


@pytest.fixture(scope="module")
def tree():
    kinds = sorted(k for k, joint in JOINTS.items() if joint.nq == joint.nv)
    return sixd.Robot.of(random_tree(7, 3, joints=kinds, rotors=True))


@pytest.mark.parametrize("wrt", ["q", "qd", "qdd"])
@pytest.mark.parametrize("name", ["rnea", "aba"])
def test_derivatives_of_dynamics(tree, name, wrt):
    algorithm = getattr(algorithms, name)
    wrt = {"qdd": "tau"}.get(wrt, wrt) if name == "aba" else wrt
    kernel = sixd.compile(sixd.jacobian(algorithm, wrt), tree)
    rng = np.random.default_rng(0)
    state = [tree.random(rng), *rng.normal(size=(2, tree.nv))]
    at = ["q", "qd", "qdd" if name == "rnea" else "tau"].index(wrt)
    columns = []
    for k in range(len(state[at])):

        def moved(h, k=k):
            numbers = [precise(x) for x in state]
            numbers[at][k] += h
            return algorithm(tree, *numbers)

        columns.append(derivative(moved))
    exact = np.array(columns).T
    bound = 1e-12 * max(1.0, np.linalg.cond(tree.mass_matrix(state[0])) if name == "aba" else 1.0)
    np.testing.assert_allclose(kernel(*state), exact, rtol=0, atol=bound * np.abs(exact).max())


def test_gradient_and_hessian_of_energy(tree):
    """The gradient of the potential energy is gravity; the Hessian of the kinetic energy by velocity is H."""
    rng = np.random.default_rng(0)
    q, qd = tree.random(rng, 3), rng.normal(size=(3, tree.nv))
    gravity = sixd.compile(sixd.gradient(algorithms.potential_energy, "q"), tree)
    np.testing.assert_allclose(gravity(q), tree.gravity_forces(q), atol=1e-12)
    mass = sixd.compile(sixd.hessian(algorithms.kinetic_energy, "qd"), tree)
    np.testing.assert_allclose(mass(q, qd), tree.mass_matrix(q), atol=1e-12)


def test_products_with_derivatives():
    arm = gallery.seven_axis_arm()
    rng = np.random.default_rng(0)
    q, qd, qdd, t = rng.normal(size=(4, 7))
    J = sixd.compile(sixd.jacobian(algorithms.rnea, "q"), arm)(q, qd, qdd)
    right = sixd.compile(sixd.jvp(algorithms.rnea, "q"), arm, shapes={"tangent": (7,)})
    left = sixd.compile(sixd.vjp(algorithms.rnea, "q"), arm, shapes={"cotangent": (7,)})
    np.testing.assert_allclose(right(q, qd, qdd, t), J @ t, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(left(q, qd, qdd, t), t @ J, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["rnea", "aba"])
def test_a_product_with_a_tangent_costs_a_few_times_the_function(name):
    """However many directions there are: it makes no Jacobian."""
    function, arm = getattr(algorithms, name), gallery.seven_axis_arm()
    wrt = tuple(function.arguments)[:3]
    along, jacobian = (sixd.compile(kind(function, wrt), arm) for kind in (sixd.jvp, sixd.jacobian))
    assert along.program.operations < 4 * sixd.compile(function, arm).program.operations
    assert along.program.operations < jacobian.program.operations / 3


def test_structural_zeros_cost_nothing():
    """The torques of the last joint do not depend on the first angle of a vertical first axis."""
    arm = gallery.seven_axis_arm()
    program = sixd.compile(sixd.jacobian(algorithms.gravity_forces, "q"), arm).program
    zero = {k for k, node in enumerate(program.nodes) if node.op == "const" and node.attr == 0.0}
    assert all(program.results[0][7 * row] in zero for row in range(7))


def test_derivatives_of_ones_own_function():
    arm = gallery.seven_axis_arm()

    def distance(model, q, point):
        r = algorithms.pose(model, q, 7).r
        return ops.sqrt(sum((a - b) * (a - b) for a, b in zip(r, point, strict=True)))

    kernel = sixd.compile(sixd.gradient(distance, "q"), arm, shapes={"point": (3,)})
    q, point = arm.random(0), np.array([0.3, 0.2, 0.9])
    way = arm.pose(q, "link7")[:3, 3] - point
    wanted = arm.jacobian(q, "link7", "aligned")[3:].T @ way / np.linalg.norm(way)
    np.testing.assert_allclose(kernel(q, point), wanted, atol=1e-14)


def test_the_side_that_is_not_selected_does_not_matter():
    """sin(x) / x by its limit at zero: the derivative of the other side is infinite there."""

    def sinc(model, q):
        return ops.where(ops.absolute(q[0]) < 1e-4, 1.0 - q[0] * q[0] / 6.0, ops.divide(ops.sin(q[0]), q[0]))

    kernel = sixd.compile(sixd.jacobian(sinc, "q"), gallery.double_pendulum())
    np.testing.assert_allclose(
        kernel(np.array([[0.0, 1.0], [1e-6, 1.0]])), [[0.0, 0.0], [-1e-6 / 3.0, 0.0]], rtol=1e-12
    )


def test_derivatives_within_functions_are_partial():
    """Other arguments are constants, also where they are computed from the same numbers: dID/dq at qdd = FD(q)."""
    arm = gallery.double_pendulum()

    def whole(model, q, qd, tau):
        return sixd.jacobian(algorithms.rnea, "q")(model, q, qd, algorithms.aba(model, q, qd, tau))

    q, qd, tau = np.random.default_rng(0).normal(size=(3, 2))
    found = sixd.compile(whole, arm)(q, qd, tau)
    qdd = arm.forward_dynamics(q, qd, tau)
    wanted = sixd.compile(sixd.jacobian(algorithms.rnea, "q"), arm)(q, qd, qdd)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert np.abs(found).max() > 0.1


def test_each_variable_is_one_of_its_own():
    """The same number twice, and a number that the function refers to besides."""
    pendulum = gallery.pendulum()

    def twice(model, q):
        return sixd.jacobian(lambda model, a: a[0] + 2.0 * a[1], "a")(model, [q[0], q[0]])

    def besides(model, q):
        return sixd.gradient(lambda model, a: a[0] * q[0], "a")(model, [q[0]])

    np.testing.assert_array_equal(sixd.compile(twice, pendulum)([0.3]), [1.0, 2.0])
    np.testing.assert_array_equal(sixd.compile(besides, pendulum)([0.3]), [0.3])


def test_arguments_keep_their_order():
    def f(model, q, a=(1.0,), b=(2.0,)):
        return q[0] * a[0] * b[0] ** 2

    second = sixd.compile(sixd.hessian(f, "b"), gallery.pendulum(), shapes={"a": (1,), "b": (1,)})
    assert [port.name for port in second.inputs] == ["q", "a", "b"]
    assert second([1.0], [5.0], [7.0])[0, 0] == pytest.approx(10.0)
    along = sixd.compile(sixd.jvp(f, "a"), gallery.pendulum(), shapes={"a": (1,), "tangent": (1,)})
    assert [port.name for port in along.inputs] == ["q", "a", "tangent"]


def test_reverse_mode_leaves_out_what_is_not_selected():
    def root(model, q):
        return ops.where(q[0] > 0.0, ops.sqrt(q[0]), 0.0)

    for derived in (sixd.gradient, sixd.jacobian):
        kernel = sixd.compile(derived(root, "q"), gallery.pendulum())
        np.testing.assert_allclose(kernel([[-1.0], [0.0], [4.0]]), [[0.0], [0.0], [0.25]])


#: Functions with selections, and points at which a side that is not taken has an infinite derivative, or NaN; with the
#: function that is taken there.
SIDES = {
    "a root": (lambda x, y: ops.where(x > 0.0, ops.sqrt(x), y * y), (-1.0, 2.0), lambda x, y: y * y),
    "a root at zero": (lambda x, y: ops.where(x > 0.0, ops.sqrt(x), x * y), (0.0, 2.0), lambda x, y: x * y),
    "a product with 1 / 0": (lambda x, y: ops.where(x > 0.0, ops.divide(y, x), y), (0.0, 2.0), lambda x, y: y),
    "0 / 0": (lambda x, y: ops.where(x > 0.0, ops.divide(y, x), x + y), (0.0, 0.0), lambda x, y: x + y),
    "a root that two sides share": (
        lambda x, y: (lambda r: ops.where(r > 0.0, ops.divide(x, r), y) + ops.where(r > 0.0, r, x * y))(
            ops.sqrt(x * x + y * y)
        ),
        (0.0, 0.0),
        lambda x, y: y + x * y,
    ),
    "one selection in another": (
        lambda x, y: ops.where(x < 1.0, ops.where(x > 0.0, ops.divide(ops.sqrt(x), x), y * y), ops.divide(1.0, x)),
        (0.0, 3.0),
        lambda x, y: y * y,
    ),
    "an angle": (lambda x, y: ops.where(x * x > 0.0, ops.arctan2(y, x), x), (0.0, 0.0), lambda x, y: x),
    "a sine of an infinity": (lambda x, y: ops.where(x > 0.0, ops.sin(1.0 / x), y), (0.0, 1.0), lambda x, y: y),
    "selections of what is used besides": (
        lambda x, y: x * y + ops.where(y > 0.0, ops.sqrt(x * y), x * y),
        (1.0, 0.0),
        lambda x, y: 2.0 * x * y,
    ),
    "many ways to the result": (
        lambda x, y: sum((ops.where(y > float(k), ops.divide(y, x), y * x) for k in range(12)), 0.0),
        (0.0, -1.0),
        lambda x, y: 12.0 * x * y,
    ),
    "a value and a slope of zero on the side that is taken": (
        lambda x, y: ops.where(x > 0.0, ops.arctan2(y, x) * ops.arctan2(y, x), 0.0),
        (1.0, 0.0),
        lambda x, y: ops.arctan2(y, x) * ops.arctan2(y, x),
    ),
    "an infinite slope of what follows": (
        lambda x, y: ops.sqrt(ops.where(x > -1.0, x, y)) + ops.where(x < 0.5, 0.0, y),
        (0.25, 1.0),
        lambda x, y: ops.sqrt(x),
    ),
}


@pytest.mark.parametrize("name", SIDES)
def test_a_side_that_is_not_taken_has_the_derivative_zero(name):
    """Forward, backward and by dual numbers, in first and second derivatives, also where its own is infinite or NaN."""
    function, point, taken = SIDES[name]
    robot, q = gallery.double_pendulum(), np.array(point)

    def of(f):
        return lambda model, q: f(*q)

    def made(f, *kinds):
        for kind in kinds:
            f = kind(f, "q")
        return sixd.compile(f, robot, shapes={"q": (2,)})

    first = made(of(taken), sixd.jacobian)(q)
    second = made(of(taken), sixd.jacobian, sixd.jacobian)(q)
    assert np.isfinite(first).all()
    assert np.isfinite(second).all()
    at = np.array([q, [np.nan, 1.0], q])  # a NaN is one in its own sample
    for kinds, wanted in (
        ((sixd.gradient,), first),
        ((sixd.jacobian,), first),
        ((sixd.hessian,), second),
        ((sixd.gradient, sixd.jacobian), second),
        ((sixd.jacobian, sixd.jacobian), second),
    ):
        kernel = made(of(function), *kinds)
        for found in (kernel(at), kernel.interpret(at)):
            np.testing.assert_allclose(found[[0, 2]], [wanted] * 2, atol=1e-14)
            assert np.isnan(found[1]).all()
        np.testing.assert_allclose(kernel(q), wanted, atol=1e-14)
    for direction, slope in zip(np.eye(2), first, strict=True):
        found = derivatives([function(*duals(point, direction.tolist()))])
        np.testing.assert_allclose(found, [slope], atol=1e-14)


def test_backward_over_backward_and_over_forward():
    """The gradient of a slope: of g = |grad f|^2 / 2, grad g = H grad f."""
    function, point, taken = SIDES["a root that two sides share"]
    robot, q = gallery.double_pendulum(), np.array(point)

    def square(kind, f):
        def half(model, q):
            slope = kind(lambda model, q: f(*q), "q")(model, q)
            return 0.5 * (slope[0] * slope[0] + slope[1] * slope[1])

        return sixd.compile(sixd.gradient(half, "q"), robot, shapes={"q": (2,)})

    wanted = square(sixd.jacobian, taken)(q)
    for kind in (sixd.jacobian, sixd.gradient):
        np.testing.assert_allclose(square(kind, function)(q), wanted, atol=1e-14)


def test_results_that_have_no_derivative_are_refused():
    arm = gallery.double_pendulum()
    for wrong in ("text", {"a": 1.0}, [None], object()):
        with pytest.raises(SixdError):
            sixd.compile(sixd.jacobian(lambda model, q, wrong=wrong: wrong, "q"), arm)
    with pytest.raises(ShapeError, match="returns a tuple of 2, but vjp is for one"):
        sixd.compile(sixd.vjp(algorithms.grasp_constraint, "q"), arm, shapes={"cotangent": (6,)}, left=1, right=2)
    with pytest.raises(ShapeError, match=r"tangent has shape \(3,\), but \(2,\) is needed"):
        sixd.compile(sixd.jvp(algorithms.rnea, "q"), arm, shapes={"tangent": (3,)})
    with pytest.raises(ChoiceError, match="has an argument 'tangent' already"):
        sixd.jvp(sixd.jvp(algorithms.rnea, "q"), "q")
    with pytest.raises(SixdError, match="missing a required argument"):
        sixd.jacobian(algorithms.rnea, "q")()
    with pytest.raises(SixdError, match="by position only"):
        sixd.compile(lambda model, q, /: q, arm)
    with pytest.raises(SixdError, match="function must be a function"):
        sixd.jacobian(3, "q")


def test_mistakes():
    arm = gallery.seven_axis_arm()
    with pytest.raises(ChoiceError, match="wrt must be an argument of the function: 'q', 'qd', 'qdd', 'f_ext'"):
        sixd.jacobian(algorithms.rnea, "x")
    with pytest.raises(ShapeError, match="this function returns 7: use jacobian"):
        sixd.compile(sixd.gradient(algorithms.gravity_forces, "q"), arm)
    with pytest.raises(ChoiceError, match="compiled before it is called"):
        sixd.jacobian(algorithms.gravity_forces, "q")(arm, np.zeros(7))
    with pytest.raises(SixdError, match="derivatives are taken with respect to traced numbers"):
        forward([1.0], [])
