"""By what derivatives are: several arguments, parameters of the model, positions in the tangent space."""

import copy
import pickle
from inspect import signature

import numpy as np
import pytest

import sixd
from sixd import ArgumentError, ChoiceError, ModelError, ShapeError, algorithms, gallery, ops
from sixd.algorithms.configuration import integrate
from sixd.compiler.parameters import PARAMETERS, TANGENTS, check_parameters, moved, tangent_directions, with_parameters
from sixd.compiler.request import Request
from sixd.compiler.unrolled import record_unrolled
from sixd.ir import interpret
from sixd.joints import JOINTS, AxisJoint, Planar
from sixd.model import ModelTree
from sixd.model.random import random_tree
from sixd.runtime.results import flat
from sixd.spatial import Vector
from sixd.testing import derivative, precise
from tests.algorithms.calls import robot
from tests.laws.trees import ALL, states, tree

#: Algorithms of several kinds of results, with the arguments that are no arrays.
FIXED = {
    "rnea": {},
    "crba": {},
    "aba": {},
    "pose": {"body": 2},
    "velocities": {},
    "potential_energy": {},
    "centroidal_momentum": {},
}


def takes_axis(kind):
    """Whether the axes of a robot with this type of joint can be inputs of kernels."""
    return not issubclass(kind, AxisJoint) or all(x is None for x in kind.standard[3:])


def robots_with(name):
    """Small trees of every type of joint that this parameter can be an input of."""
    kinds = sorted(k for k, joint in JOINTS.items() if name != "axis" or takes_axis(joint))
    return [robot(tuple(kinds[k : k + 4])) for k in range(0, len(kinds), 4)]


def state_of(function, robot):
    """One state: the arguments that a function takes."""
    known = dict(zip(("q", "qd", "qdd"), (x[0] for x in states(robot, 1)), strict=True))
    known["tau"] = np.linspace(-1.0, 1.0, robot.nv)
    return {k: x for k, x in known.items() if k in signature(function).parameters}


def run(function, robot, state, **fixed):
    """The results of a function by the interpreter, which is the definition."""
    program = record_unrolled(Request(function, robot, {}, fixed))
    return interpret(program, *(state[port.name] for port in program.inputs))


def exact(values):
    return np.array(precise(values), dtype=object).reshape(np.shape(values))


def close(found, expected, bound=1e-12):
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound * max(1.0, np.nanmax(np.abs(expected))))


def bound_of(function, robot, q):
    """What is solved with the mass matrix loses digits with its condition."""
    return 1e-13 * max(10.0, np.linalg.cond(robot.mass_matrix(q)) if function == "aba" else 1.0)


# ---- several arguments


def test_several_arguments_are_those_of_each():
    arm = gallery.double_pendulum()
    state = np.random.default_rng(0).normal(size=(3, 5, 2))
    both = sixd.compile(sixd.jacobian(algorithms.rnea, ("qdd", "q")), arm)
    found = both(*state)
    assert type(found) is tuple
    assert len(found) == 2
    for name, part in zip(("qdd", "q"), found, strict=True):
        close(part, sixd.compile(sixd.jacobian(algorithms.rnea, name), arm)(*state), 1e-14)
    close(found[0], arm.mass_matrix(state[0]))


def test_gradients_and_hessian_blocks_of_the_energy():
    """T = qd^T H qd / 2: the blocks of its Hessian are dT/dq dq, dH/dq qd twice, and H."""
    model = robot(("revolute", "prismatic", "helical"))
    q, qd, _ = (x[0] for x in states(model, 1))
    by_q, by_qd = sixd.compile(sixd.gradient(algorithms.kinetic_energy, ["q", "qd"]), model)(q, qd)
    close(by_qd, model.mass_matrix(q) @ qd)
    close(by_q, sixd.compile(sixd.gradient(algorithms.kinetic_energy, "q"), model)(q, qd))
    blocks = sixd.compile(sixd.hessian(algorithms.kinetic_energy, ("q", "qd")), model)(q, qd)
    assert len(blocks) == 4
    close(blocks[0], sixd.compile(sixd.hessian(algorithms.kinetic_energy, "q"), model)(q, qd))
    dH = sixd.compile(sixd.jacobian(algorithms.crba, "q"), model)(q)
    close(blocks[1], np.einsum("ijk,j->ki", dH, qd))
    close(blocks[2], blocks[1].T)
    close(blocks[3], model.mass_matrix(q))


def test_products_of_several_arguments():
    model = robot()
    state = [x[0] for x in states(model, 1)]
    names, rng = ("q", "qd", "gravity"), np.random.default_rng(3)
    each = sixd.compile(sixd.jacobian(algorithms.rnea, names), model)(*state)
    push, pull = sixd.jvp(algorithms.rnea, names), sixd.vjp(algorithms.rnea, names)
    tangents = [rng.normal(size=part.shape[1:]) for part in each]
    along = sixd.compile(push, model)
    assert [port.name for port in along.inputs[3:]] == ["tangent_q", "tangent_qd", "tangent_gravity"]
    close(along(*state, *tangents), sum(J @ t for J, t in zip(each, tangents, strict=True)))
    weights = rng.normal(size=model.nv)
    for J, found in zip(each, sixd.compile(pull, model)(*state, weights), strict=True):
        close(found, weights @ J)


def test_several_results_by_several_arguments():
    """One tuple, result by result."""
    arm = gallery.double_pendulum()

    def both(model, q, qd):
        return algorithms.gravity_forces(model, q), algorithms.kinetic_energy(model, q, qd)

    q, qd = np.random.default_rng(0).normal(size=(2, 2))
    found = sixd.compile(sixd.jacobian(both, ("q", "qd")), arm)(q, qd)
    assert [part.shape for part in found] == [(2, 2), (2, 2), (2,), (2,)]
    close(found[0], sixd.compile(sixd.jacobian(algorithms.gravity_forces, "q"), arm)(q))
    close(found[1], np.zeros((2, 2)))
    close(found[3], arm.mass_matrix(q) @ qd)


# ---- parameters of the model


@pytest.mark.parametrize("name", list(PARAMETERS))
@pytest.mark.parametrize("function", list(FIXED))
def test_parameters(function, name):
    """d f / d p along a direction is the difference of f in 60 digits, at the model's own numbers."""
    f, fixed = getattr(algorithms, function), FIXED[function]
    for model in robots_with(name):
        own, state = sixd.parameters(model, name), state_of(f, model)
        along = np.random.default_rng(1).normal(size=own.shape)

        def moved(h, model=model, own=own, state=state, along=along):
            changed = with_parameters(model, {name: exact(own) + h * along})
            return flat(f(ModelTree(changed), **{k: exact(x) for k, x in state.items()}, **fixed))[1]

        (found,) = run(sixd.jacobian(f, name), model, state, **fixed)
        assert found.shape == flat(f(ModelTree(model), **state, **fixed))[0] + own.shape
        product = np.tensordot(found, along, axes=own.ndim).ravel()
        close(product, derivative(moved), bound_of(function, model, state["q"]))


def test_parameters_with_arguments_and_at_given_values():
    """Torques are linear in the inertias: their derivative by these does not depend on them, that by q does."""
    model = robot()
    state, own = [x[0] for x in states(model, 1)], sixd.parameters(model, "inertia")
    derived = sixd.jacobian(algorithms.rnea, ("q", "inertia"))
    by_q, by_inertia = sixd.compile(derived, model)(*state)
    still = model.inverse_dynamics(*state) - np.tensordot(by_inertia, own, axes=2)
    rotors = sixd.parameters(model, "rotor")
    close(still, rotors * state[2])
    given = sixd.compile(derived, model, parameters="inertia")
    assert [port.name for port in given.inputs] == ["q", "qd", "qdd", "inertia"]
    for scale in (1.0, 2.0):
        again_by_q, again_by_inertia = given(*state, scale * own)
        close(again_by_q, scale * by_q)
        close(again_by_inertia, by_inertia)


def test_an_argument_hides_a_parameter_of_its_name():
    def scaled(model, q, gravity):
        return gravity * algorithms.potential_energy(model, q)

    arm, q = gallery.double_pendulum(), np.array([0.3, 0.2])
    energy = arm.potential_energy(q)
    assert sixd.compile(sixd.jacobian(scaled, "gravity"), arm, shapes={"gravity": ()})(q, 2.0) == pytest.approx(energy)


def test_axes_with_other_directions_are_refused_by_name():
    robot = sixd.Robot.of(random_tree(2, 0, joints=[Planar()]))
    with pytest.raises(ModelError, match="has more directions than an axis"):
        sixd.compile(sixd.jacobian(algorithms.rnea, ("q", "axis")), robot)
    check_parameters(robot, ("inertia", "placement"))


def test_a_function_without_varying_arguments():
    def weight(model):
        return sum(body.inertia.m for body in model.body_list[1:])

    arm = gallery.double_pendulum()
    with pytest.raises(ChoiceError, match="needs an argument that varies"):
        sixd.compile(sixd.jacobian(weight, "inertia"), arm)
    found = sixd.compile(sixd.jacobian(weight, "inertia"), arm, parameters="inertia")(sixd.parameters(arm, "inertia"))
    np.testing.assert_array_equal(found, np.eye(10)[[0, 0]])


# ---- the tangent space


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("function", ["rnea", "pose", "potential_energy"])
def test_tangent_space(kind, function):
    """d/dv f(q (+) v) at v = 0, by differences through `integrate` in 60 digits."""
    f, robot = getattr(algorithms, function), tree(kind)
    state, fixed = state_of(f, robot), {"body": robot.n_bodies} if function == "pose" else {}
    columns = []
    for e in np.eye(robot.nv):

        def moved(h, e=e):
            there = {k: exact(x) for k, x in state.items()}
            there["q"] = integrate(robot, precise(state["q"]), [h * float(x) for x in e])
            return flat(f(ModelTree(robot), **there, **fixed))[1]

        columns.append(derivative(moved))
    shape = flat(f(ModelTree(robot), **state, **fixed))[0]
    expected = np.stack(columns, axis=-1).reshape(*shape, robot.nv)
    (found,) = run(sixd.jacobian(f, "q", tangent=True), robot, state, **fixed)
    close(found, expected)
    if function == "potential_energy":
        (gradient,) = run(sixd.gradient(f, "q", tangent=True), robot, state)
        close(gradient, robot.gravity_forces(state["q"]))
    if robot.nq == robot.nv:
        close(found, run(sixd.jacobian(f, "q"), robot, state, **fixed)[0], 1e-14)


def test_tangent_space_of_quaternions_of_any_size():
    """q and 2 q are one attitude: derivatives in the tangent space are the same, those by numbers are not."""
    robot = tree("quaternion joints")
    state = state_of(algorithms.rnea, robot)
    longer = dict(state, q=state["q"].copy())
    for joint in robot.joints:
        longer["q"][joint.q.start : joint.q.start + 4] *= 2.0
    in_tangent, raw = (sixd.jacobian(algorithms.rnea, "q", tangent=tangent) for tangent in (True, False))
    close(run(in_tangent, robot, longer)[0], run(in_tangent, robot, state)[0])
    assert np.abs(run(raw, robot, longer)[0] - run(raw, robot, state)[0]).max() > 0.1


def test_hessian_in_the_tangent_space():
    """It is symmetric, and the second difference of f(q (+) v) along a direction in 60 digits."""
    import mpmath

    model = robot(("free", "spherical"))
    q, v = state_of(algorithms.potential_energy, model)["q"], np.random.default_rng(2).normal(size=model.nv)
    (found,) = run(sixd.hessian(algorithms.potential_energy, "q", tangent=True), model, {"q": q})
    close(found, found.T)
    with mpmath.workdps(60):
        h = mpmath.mpf(10) ** -15

        def energy(h):
            there = integrate(model, precise(q), [h * float(x) for x in v])
            return algorithms.potential_energy(model, there)

        second = (energy(h) - 2 * energy(0 * h) + energy(-h)) / h**2
    assert v @ found @ v == pytest.approx(float(second), rel=1e-12)


def test_products_in_the_tangent_space():
    model = robot()
    state, rng = [x[0] for x in states(model, 1)], np.random.default_rng(3)
    J = sixd.compile(sixd.jacobian(algorithms.rnea, "q", tangent=True), model)(*state)
    assert J.shape == (model.nv, model.nv)
    t, w = rng.normal(size=(2, model.nv))
    close(sixd.compile(sixd.jvp(algorithms.rnea, "q", tangent=True), model)(*state, t), J @ t)
    close(sixd.compile(sixd.vjp(algorithms.rnea, "q", tangent=True), model)(*state, w), w @ J)


def test_positions_as_results_stay_positions():
    """d (q (+) dv) / dv in the tangent space of q alone: nq rows, nv columns."""
    robot = tree("quaternion joints")
    q = state_of(algorithms.potential_energy, robot)["q"]

    def same(model, q):
        return integrate(model, q, [0.0] * model.nv)

    found = sixd.compile(sixd.jacobian(same, "q", tangent=True), robot)(q)
    assert found.shape == (robot.nq, robot.nv)
    expected = [
        derivative(lambda h, e=e: integrate(robot, precise(q), [h * float(x) for x in e])) for e in np.eye(robot.nv)
    ]
    close(found, np.transpose(expected))


# ---- shapes, scalars, mistakes


def test_the_shapes_of_tangents_and_cotangents_are_known():
    arm = gallery.seven_axis_arm()
    q, J = arm.random(0), sixd.compile(sixd.jacobian(algorithms.pose, "q"), arm, body=7)
    weights = np.random.default_rng(0).normal(size=(4, 4))
    pull = sixd.compile(sixd.vjp(algorithms.pose, "q"), arm, body=7)
    assert pull.inputs[-1].shape == (4, 4)
    close(pull(q, weights), np.tensordot(weights, J(q), axes=2))
    for wrong in ((16,), (4,), ()):
        with pytest.raises(ShapeError, match="cotangent has shape"):
            sixd.compile(sixd.vjp(algorithms.pose, "q"), arm, body=7, shapes={"cotangent": wrong})
    with pytest.raises(ShapeError, match="cotangent"):
        pull(q, np.zeros(16))
    energy = sixd.compile(sixd.vjp(algorithms.potential_energy, "q"), arm)
    assert energy.inputs[-1].shape == ()
    close(energy(q, 2.0), 2.0 * arm.gravity_forces(q))
    twice = sixd.compile(sixd.jvp(sixd.vjp(algorithms.rnea, "qd"), "cotangent"), arm)
    assert [port.shape for port in twice.inputs] == [(7,)] * 5
    forces = sixd.compile(sixd.vjp(algorithms.rnea, "f_ext"), arm)
    assert [port.shape for port in forces.inputs] == [(7,), (7,), (7,), (7, 6), (7,)]


def test_a_cotangent_within_a_recorded_function_is_checked():
    def wrong(model, q):
        return sixd.vjp(algorithms.gravity_forces, "q")(model, q, [1.0])

    with pytest.raises(ShapeError, match=r"cotangent has shape \(1,\), but \(2,\) is needed"):
        sixd.compile(wrong, gallery.double_pendulum())
    with pytest.raises(ArgumentError, match="missing a required argument: 'cotangent'"):
        sixd.vjp(algorithms.gravity_forces, "q")(gallery.double_pendulum(), [0.0, 0.0])


def test_derivatives_by_scalars():
    """A number goes in as a number, and the derivative by it has the shape of the result."""
    arm, q = gallery.double_pendulum(), np.array([0.3, 0.4])

    def oscillation(model, q, t):
        assert not isinstance(t, np.ndarray)
        return q * ops.sin(t)

    for found in (
        sixd.compile(sixd.jacobian(oscillation, "t"), arm, shapes={"t": ()})(q, 0.7),
        sixd.compile(sixd.jvp(oscillation, "t"), arm, shapes={"t": ()})(q, 0.7, 1.0),
    ):
        close(found, q * np.cos(0.7))
    by_both = sixd.compile(sixd.jacobian(oscillation, ("t", "q")), arm, shapes={"t": ()})
    close(by_both(q, 0.7)[1], np.sin(0.7) * np.eye(2))
    second = sixd.compile(sixd.hessian(lambda model, q, t: t * t * t * q[0], "t"), arm, shapes={"t": ()})
    assert second(q, 2.0) == pytest.approx(12.0 * 0.3)
    assert isinstance(second(q, 2.0), np.float64)


def test_derivatives_are_values():
    """Equal if they are of one kind, one function and by the same; they can be copied and pickled."""
    one = sixd.jacobian(algorithms.rnea, ("q", "qd"), tangent=True)
    assert one == sixd.jacobian(algorithms.rnea, ["q", "qd"], True)
    assert hash(one) == hash(sixd.jacobian(algorithms.rnea, ["q", "qd"], True))
    others = [
        sixd.jacobian(algorithms.rnea, ("q", "qd")),
        sixd.jacobian(algorithms.rnea, ("qd", "q"), True),
        sixd.vjp(algorithms.rnea, ("q", "qd"), True),
        sixd.jacobian(algorithms.bias_forces, ("q", "qd"), True),
    ]
    assert all(one != other for other in others)
    for again in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert again == one
    assert repr(one).startswith("<jacobian_of_rnea_by_q_qd_tangent(")


def test_mistakes():
    for wrong in ((), ("q", "q"), ("q", "x"), [], "mass"):
        with pytest.raises(ChoiceError, match="wrt must be"):
            sixd.jacobian(algorithms.rnea, wrong)
    with pytest.raises(ChoiceError, match="or parameters of the model: 'inertia', 'placement', 'axis', "):
        sixd.jacobian(algorithms.rnea, "mass")
    with pytest.raises(ArgumentError, match="wrt must be a name or several"):
        sixd.jacobian(algorithms.rnea, ("q", 1))
    with pytest.raises(ArgumentError, match="tangent must be True or False"):
        sixd.jacobian(algorithms.rnea, "q", tangent="yes")
    with pytest.raises(ChoiceError, match="has an argument 'tangent_q' already"):
        sixd.jvp(sixd.jvp(algorithms.rnea, ("q",)), ("q",))
    with pytest.raises(ChoiceError, match="needs a model as its first argument"):
        sixd.jacobian(algorithms.rnea, "inertia")(3, [0.0], [0.0], [0.0])


@pytest.mark.parametrize("name", list(TANGENTS))
@pytest.mark.parametrize("function", list(FIXED))
def test_parameters_in_their_tangent_space(function, name):
    """Six numbers move a placement, two an axis: pose exp(x), and u turned; by differences in 60 digits."""
    f, fixed = getattr(algorithms, function), FIXED[function]
    for model in robots_with(name):
        own, state = sixd.parameters(model, name), state_of(f, model)
        along = np.random.default_rng(1).normal(size=(model.n_bodies, 6 if name == "placement" else 2))

        def there(h, model=model, own=own, state=state, along=along):
            changed = with_parameters(model, {name: moved(name, exact(own), h * exact(along))})
            return flat(f(ModelTree(changed), **{k: exact(x) for k, x in state.items()}, **fixed))[1]

        (found,) = run(sixd.jacobian(f, name, tangent=True), model, state, **fixed)
        assert found.shape == flat(f(ModelTree(model), **state, **fixed))[0] + along.shape
        close(np.tensordot(found, along, axes=2).ravel(), derivative(there), bound_of(function, model, state["q"]))


def test_moved_placements_stay_poses_and_moved_axes_stay_unit_vectors():
    model = robot(("revolute", "prismatic", "helical"))
    rng = np.random.default_rng(0)
    placement, axis = (sixd.parameters(model, name) for name in ("placement", "axis"))
    for size in (0.0, 1e-9, 1.0):
        x = size * rng.normal(size=(model.n_bodies, 6))
        poses = moved("placement", placement.astype(object), x).astype(float)
        R = poses[:, :3, :3]
        close(R @ R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), R.shape), 1e-14)
        turned = moved("axis", axis.astype(object), x[:, :2]).astype(float)
        close(np.linalg.norm(turned, axis=-1), np.ones(model.n_bodies), 1e-14)
        angle = np.arctan2(np.linalg.norm(np.cross(axis, turned), axis=-1), (axis * turned).sum(axis=-1))
        close(angle, np.abs(np.mod(np.linalg.norm(x[:, :2], axis=-1) + np.pi, 2 * np.pi) - np.pi), 1e-13)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0.6, 0, -0.8), (1e-9, 0, -1)])
def test_tangent_directions(axis):
    u = np.array(axis) / np.linalg.norm(axis)
    a, b = (d.array() for d in tangent_directions(Vector(u.tolist())))
    np.testing.assert_allclose(np.cross(a, b), u, atol=1e-15)
    np.testing.assert_allclose([a @ a, b @ b, a @ b], [1.0, 1.0, 0.0], atol=1e-15)


def test_products_with_tangents_of_parameters():
    model = robot(("revolute", "prismatic", "helical"))
    state = [x[0] for x in states(model, 1)]
    whole = sixd.compile(sixd.jacobian(algorithms.rnea, ("placement", "axis", "pitch"), tangent=True), model)(*state)
    assert [part.shape[1:] for part in whole] == [(model.n_bodies, 6), (model.n_bodies, 2), (model.n_bodies,)]
    rng = np.random.default_rng(0)
    along = [rng.normal(size=part.shape[1:]) for part in whole]
    product = sixd.compile(sixd.jvp(algorithms.rnea, ("placement", "axis", "pitch"), tangent=True), model)(
        *state, *along
    )
    close(product, sum(np.tensordot(J, x, axes=x.ndim) for J, x in zip(whole, along, strict=True)))


@pytest.mark.parametrize("rolled", [True, False])
def test_pitches_as_inputs(rolled):
    """The kernel at the own pitches of the robot is its inverse dynamics, at others it is not."""
    model = robot(("revolute", "prismatic", "helical"))
    state, own = [x[0] for x in states(model, 1)], sixd.parameters(model, "pitch")
    assert (own != 0.0).any()
    kernel = sixd.compile(algorithms.rnea, model, parameters="pitch", rolled=rolled)
    close(kernel(*state, own), model.inverse_dynamics(*state))
    changed = kernel(*state, 2.0 * own)
    assert np.abs(changed - model.inverse_dynamics(*state)).max() > 1e-3
