"""Derivatives of a robot's quantities by its state and by the numbers of its model."""

import inspect

import numpy as np
import pytest

import sixd
from sixd import gallery
from sixd.compiler.parameters import PARAMETERS, moved
from sixd.model.random import random_tree
from sixd.robot.sensitivity import QUANTITIES

ROBOT = sixd.Robot.of(random_tree(4, 1, joints=["revolute", "helical", "spherical"], rotors=True, passive=True))
SMALL = sixd.Robot.of(random_tree(2, 3, joints=["helical"], rotors=True))
TIP = ROBOT.body_list[-1].name


def state_of(what, seed=0, lead=(), robot=ROBOT):
    rng = np.random.default_rng(seed)
    names = [a.name for a in QUANTITIES[what].arguments.values() if a.shape is not None and a.name != "f_ext"]
    return {n: robot.random(rng, lead) if n == "q" else rng.normal(size=(*lead, robot.nv)) for n in names}


def frame_of(what):
    return {"frame": TIP} if "body" in QUANTITIES[what].arguments else {}


@pytest.mark.parametrize("what", QUANTITIES)
def test_quantities_are_what_the_methods_of_the_same_name_compute(what):
    """d/dq along a velocity is the rate along `integrate`, by differences of the method itself."""
    method = getattr(ROBOT, what.replace("centroidal_", ""))
    about = {"about": "com"} if what.startswith("centroidal") else {}
    state, v, h = state_of(what), np.random.default_rng(5).normal(size=ROBOT.nv), 1e-6
    others = {k: x for k, x in state.items() if k != "q"}
    ends = [method(q=ROBOT.integrate(state["q"], s * h * v), **others, **frame_of(what), **about) for s in (1, -1)]
    found = ROBOT.derivatives(what, "q", *state.values(), **frame_of(what))
    slope = (ends[0] - ends[1]) / (2 * h)
    assert found.shape == (*np.shape(slope), ROBOT.nv)
    np.testing.assert_allclose(found @ v, slope, rtol=0, atol=1e-7 * max(1.0, np.abs(slope).max()))


@pytest.mark.parametrize("what", ["inverse_dynamics", "mass_matrix", "forward_dynamics", "pose", "kinetic_energy"])
def test_by_the_numbers_of_the_model(what):
    """Against differences of kernels that take these numbers as inputs."""
    robot = SMALL if what == "forward_dynamics" else ROBOT
    state, algorithm, h = state_of(what, robot=robot), QUANTITIES[what], 1e-6
    fixed = frame_of(what)
    names = list(PARAMETERS)
    found = robot.derivatives(what, names, *state.values(), **fixed)
    for name, block in zip(names, found, strict=True):
        own = sixd.parameters(robot, name)
        kernel = sixd.compile(algorithm, robot, parameters=name, **fixed)
        x = np.random.default_rng(1).normal(size=block.shape[len(kernel.outputs[0].shape) :])

        def at(s, name=name, own=own, kernel=kernel, x=x):
            step = s * h * x
            new = moved(name, own.astype(object), step) if name in ("placement", "axis") else own + step
            return kernel(*state.values(), np.asarray(new, dtype=float))

        slope = (at(1) - at(-1)) / (2 * h)
        scale = max(1.0, np.abs(slope).max(), np.abs(at(0)).max())
        np.testing.assert_allclose(np.tensordot(block, x, axes=x.ndim), slope, rtol=0, atol=1e-7 * scale, err_msg=name)


def test_torques_are_linear_in_the_inertias():
    state = state_of("inverse_dynamics")
    Y = ROBOT.derivatives("inverse_dynamics", "inertia", *state.values())
    tau = np.tensordot(Y, sixd.parameters(ROBOT, "inertia"), axes=2) + sixd.parameters(ROBOT, "rotor") * state["qdd"]
    np.testing.assert_allclose(tau, ROBOT.inverse_dynamics(**state), rtol=1e-12)


def test_by_external_forces():
    """d tau / d f_ext = -J^T of each body; d qdd / d f_ext = H^-1 J^T."""
    q, qd, qdd = state_of("inverse_dynamics", lead=(3,)).values()
    found = ROBOT.derivatives("inverse_dynamics", "f_ext", q, qd, qdd)
    assert found.shape == (3, ROBOT.nv, ROBOT.n_bodies, 6)
    J = np.stack([ROBOT.jacobian(q, body.name) for body in ROBOT.body_list[1:]], axis=1)
    np.testing.assert_allclose(found, -np.moveaxis(J, -1, 1), atol=1e-13)
    forward = ROBOT.derivatives("forward_dynamics", "f_ext", q, qd, qdd)
    wanted = np.einsum("sij,sbcj->sibc", ROBOT.inverse_mass_matrix(q), J)
    np.testing.assert_allclose(forward, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


def test_batches_and_several_names():
    state = state_of("inverse_dynamics", lead=(2, 3))
    dq, gravity = ROBOT.derivatives("inverse_dynamics", ("q", "gravity"), *state.values())
    assert dq.shape == (2, 3, ROBOT.nv, ROBOT.nv)
    assert gravity.shape == (2, 3, ROBOT.nv, 3)
    analytic = ROBOT.inverse_dynamics_derivatives(*state.values()).dq
    np.testing.assert_allclose(dq, analytic, rtol=0, atol=1e-12 * np.abs(analytic).max())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r, q: r.derivatives("inverse_dynamic", "q", q, q, q), "what must be one of"),
        (lambda r, q: r.derivatives("gravity_forces", "mass", q), "wrt must be an argument of the function: 'q'"),
        (lambda r, q: r.derivatives("pose", "q", q), "needs the name of a frame: frame="),
        (lambda r, q: r.derivatives("gravity_forces", "q", q, frame="tip"), "gravity_forces is of no frame"),
        (lambda r, q: r.derivatives("pose", "q", q, frame="tap"), "tip"),
        (
            lambda r, q: r.derivatives("inverse_dynamics", "q", q),
            "inverse_dynamics takes q, qd, qdd; 1 arrays are given",
        ),
        (lambda r, q: r.derivatives("gravity_forces", "q", q[:1]), r"\(1,\)"),
        (lambda r, q: r.derivatives("gravity_forces", "f_ext", q), "f_ext"),
    ],
)
def test_mistakes(call, message):
    with pytest.raises(sixd.SixdError, match=message):
        call(gallery.double_pendulum(), np.zeros(2))


def test_every_quantity_names_a_method():
    for what, algorithm in QUANTITIES.items():
        method = getattr(sixd.Robot, what.replace("centroidal_", ""))
        taken = set(inspect.signature(method).parameters)
        assert {a.name for a in algorithm.arguments.values() if a.shape is not None} <= taken
