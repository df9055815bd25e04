"""Derivatives through a simulation: forward and backward agree with each other and with differences of 50 digits."""

from dataclasses import dataclass
from itertools import pairwise

import mpmath
import numpy as np
import pytest

import sixd
from sixd.compiler.parameters import moved as moved_parameters
from sixd.compiler.parameters import tangent_shape
from sixd.errors import ArgumentError, ChoiceError, ModelError, ShapeError, SimulationError
from sixd.simulation import Contacts, ForceElement, gradients, simulate
from sixd.simulation.contact import Compliant, Sphere
from sixd.simulation.controllers import JointPD
from sixd.simulation.forces import Drag, JointSpring
from sixd.simulation.gradients import Differentiable
from sixd.simulation.system import State
from tests.simulation.bodies import ball
from tests.simulation.test_simulate import FLOATING, PENDULUM, start

STEPS = 23


@dataclass(frozen=True)
class Spring(ForceElement):
    """A spring at the first joint, and a drag on the last body."""

    name = "spring and drag"

    def apply(self, moment, loads):
        loads.on_joints([-3.0 * moment.qd[0], *[0.0] * (len(moment.qd) - 1)])
        body = moment.model.n_bodies
        v = moment.v[body]
        loads.on_body(body, sixd.Force(v.ang * -0.1, v.lin * -0.2))


def cases(robot, lead=(), seed=0):
    rng = np.random.default_rng(seed)
    q0, qd0 = start(robot, lead, seed)
    return q0, qd0, rng.normal(size=(*lead, STEPS, robot.nv)), *rng.normal(size=(2, *lead, robot.nv))


def box():
    """A free box, and its contact with the floor at two of its corners."""
    builder = sixd.Builder("box")
    builder.body("box", joint=sixd.joints.Free(), mass=2.0, inertia=(0.02, 0.03, 0.04), com=(0.01, 0.02, 0.0))
    corners = {"a": (0.1, 0.1, -0.1), "b": (-0.1, -0.05, -0.1)}
    for name, place in corners.items():
        builder.frame(name, "box", xyz=place)
    robot = builder.build()
    return robot, Contacts.of(robot, list(corners), law="rigid", friction=0.4, restitution=0.3, sweeps=3)


BOX, CORNERS = box()


def made(name):
    if name == "floating":
        return Differentiable(FLOATING, dt=1e-2)
    if name == "rigid contact":
        return Differentiable(BOX, dt=1e-2, contacts=CORNERS, parameters="gravity")
    if name == "inputs":
        return Differentiable(PENDULUM, dt=1e-2, control=JointPD(20.0, 1.0), parameters=("placement", "axis"))
    how = {"parameters": ("inertia", "gravity"), "energy_check": "off"}  # steps are long
    return Differentiable(PENDULUM, dt=1e-2, forces=[Spring()], integrator=name, **how)


@pytest.fixture(scope="module", params=["semi_implicit_euler", "heun", "floating", "rigid contact", "inputs"])
def rollout(request):
    return made(request.param)


def given_to(rollout, lead=(), seed=0):
    """q0, qd0, tau, and inputs: the box falls on the floor, slips and bounces."""
    q0, qd0, tau, *_ = cases(rollout.robot, lead, seed)
    if rollout.robot is BOX:
        q0 = BOX.integrate(np.tile(BOX.neutral(), (*lead, 1)), 0.1 * qd0)
        q0[..., 6] = 0.13
        qd0 = qd0 + np.array([0.0, 0.0, 0.0, 0.5, 0.0, -1.0])
    rng = np.random.default_rng(seed + 7)
    return q0, qd0, tau, {name: rng.normal(size=(*lead, STEPS, *core)) for name, core in rollout.inputs.items()}


def test_the_end_is_that_of_a_simulation(rollout):
    q0, qd0, tau, inputs = given_to(rollout, (3,))
    step = rollout.step
    how = {"integrator": step.integrator, "forces": step.elements, "contacts": step.impulses}
    if step.controller is None:
        how["control"] = tau
    else:
        how |= {"control": step.controller, "inputs": inputs}
        tau = np.zeros_like(tau)
    run = simulate(rollout.robot, q0, qd0, STEPS * 1e-2, dt=1e-2, energy_check="off", **how)  # steps are long
    end = rollout(q0, qd0, tau, inputs=inputs)
    np.testing.assert_allclose(end.q, run.q[:, -1], rtol=1e-13)
    np.testing.assert_allclose(end.qd, run.qd[:, -1], rtol=1e-13)
    whole = rollout(q0, qd0, tau, inputs=inputs, every_step=True)
    np.testing.assert_allclose(whole.q, run.q[:, 1:], rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(whole.qd[:, -1], end.qd)
    if step.impulses is not None:  # it touches the floor, and leaves it, in every sample
        touching = np.abs(run.contact_forces).max(axis=(-1, -2)) > 0.0
        assert touching.any(axis=1).all()
        assert not touching.all(axis=1).any()


@pytest.mark.parametrize("every_step", [False, True])
@pytest.mark.parametrize("lead", [(), (5,), (2, 3)], ids=str)
def test_forward_and_backward_agree(rollout, lead, every_step):
    q0, qd0, tau, inputs = given_to(rollout, lead)
    rng, nv = np.random.default_rng(9), rollout.robot.nv
    dq0, dqd0 = rng.normal(size=(2, *lead, nv))
    q_bar, qd_bar = rng.normal(size=(2, *lead, STEPS, nv) if every_step else (2, *lead, nv))
    dtau = rng.normal(size=tau.shape)
    changes = {name: rng.normal(size=tangent_shape(rollout.robot, name)) for name in rollout.parameters}
    dinputs = {name: rng.normal(size=x.shape) for name, x in inputs.items()}
    how = {"inputs": inputs, "every_step": every_step}
    end, change = rollout.jvp(q0, qd0, tau, dq0, dqd0, dtau, changes, dinputs=dinputs, **how)
    same, gradient = rollout.vjp(q0, qd0, tau, q_bar, qd_bar, **how)

    def dot(a, b):
        product = a * b
        return product.reshape(*lead, -1).sum(axis=-1)

    forward = dot(q_bar, change.q) + dot(qd_bar, change.qd)
    backward = dot(gradient.q, dq0) + dot(gradient.qd, dqd0) + dot(gradient.tau, dtau)
    for name, d in changes.items():
        backward = backward + dot(gradient.parameters[name], d)
    for name, d in dinputs.items():
        backward = backward + dot(gradient.inputs[name], d)
        assert gradient.inputs[name].shape == inputs[name].shape
    np.testing.assert_allclose(forward, backward, rtol=1e-10)
    np.testing.assert_allclose(end.q[..., -1, :] if every_step else end.q, same.q, rtol=1e-12)
    assert gradient.tau.shape == tau.shape


number = np.vectorize(mpmath.mpf, otypes=[object])


def precise_cost(rollout, given, bars, end, moved):
    """q_bar way + qd_bar qd at the end, in 50 digits, from a start and what is given, moved by small numbers."""
    robot, (q0, qd0, tau, inputs), (q_bar, qd_bar) = rollout.robot, given, bars
    q = sixd.algorithms.integrate(robot, number(q0), moved["q"])
    qd, forces = number(qd0) + moved["qd"], number(tau) + moved["tau"]
    signals = {name: number(x) + moved.get("inputs", 0) for name, x in inputs.items()}
    state = State(list(q), list(qd), [], [mpmath.mpf(0)] * rollout.step.memory)
    h = mpmath.mpf(rollout.dt)
    for n in range(len(tau)):
        values = {name: x[n] for name, x in signals.items()}
        state = rollout.step.after(robot, state, list(forces[n]), n * h, h, values)
    way = sixd.algorithms.difference(robot, number(end.q), np.array(state.q, dtype=object))
    return sum(a * b for a, b in zip(q_bar, way, strict=True)) + sum(
        a * b for a, b in zip(qd_bar, state.qd, strict=True)
    )


@pytest.mark.parametrize("what", ["q", "qd", "tau", "inputs"])
def test_gradients_against_differences_in_high_precision(rollout, what):
    if what == "inputs" and not rollout.inputs:
        pytest.skip("no inputs")
    given = given_to(rollout)
    bars = np.random.default_rng(4).normal(size=(2, rollout.robot.nv))
    end, gradient = rollout.vjp(*given[:3], *bars, inputs=given[3])
    gradients = {**gradient._asdict(), "inputs": gradient.inputs.get("q_target")}
    direction = np.random.default_rng(5).normal(size=np.shape(gradients[what]))
    with mpmath.workdps(50):
        values = []
        for sign in (1, -1):
            moved = {k: number(np.zeros(np.shape(gradients[k]))) for k in ("q", "qd", "tau")}
            moved[what] = number(direction) * mpmath.mpf(10) ** -20 * sign
            values.append(precise_cost(rollout, given, bars, end, moved))
        slope = float((values[0] - values[1]) / (2 * mpmath.mpf(10) ** -20))
    assert float((gradients[what] * direction).sum()) == pytest.approx(slope, rel=1e-11)


@pytest.mark.parametrize("kept_bytes", [0, 8 * 2 * 20 * 7], ids=["sqrt(T) states", "some states"])
def test_states_that_are_computed_again_give_the_same_bits(rollout, kept_bytes, monkeypatch):
    q0, qd0, tau, inputs = given_to(rollout, (2,))
    bars = np.random.default_rng(3).normal(size=(2, 2, STEPS, rollout.robot.nv))
    whole = rollout.vjp(q0, qd0, tau, *bars, inputs=inputs, every_step=True)
    monkeypatch.setattr(gradients, "KEPT_BYTES", kept_bytes)
    parts = rollout.vjp(q0, qd0, tau, *bars, inputs=inputs, every_step=True)
    for a, b in zip(whole, parts, strict=True):
        for x, y in zip(a[:3], b[:3], strict=True):
            np.testing.assert_array_equal(x, y)
    for a, b in zip(whole[1][3:], parts[1][3:], strict=True):
        assert a.keys() == b.keys()
        for name, x in a.items():
            np.testing.assert_array_equal(x, b[name])


def test_gradients_by_inputs_have_the_shapes_of_the_inputs():
    """A constant has the sum over all steps; so has one that is given with an axis of one step."""
    rollout = made("inputs")
    q0, qd0, tau, inputs = given_to(rollout, (4,))
    bars = np.random.default_rng(4).normal(size=(2, 2))
    first = inputs["q_target"][:, :1]
    _, whole = rollout.vjp(q0, qd0, tau, *bars, inputs={"q_target": np.repeat(first, STEPS, axis=1)})
    _, one = rollout.vjp(q0, qd0, tau, *bars, inputs={"q_target": first})
    assert one.inputs["q_target"].shape == (4, 1, 2)
    np.testing.assert_allclose(one.inputs["q_target"], whole.inputs["q_target"].sum(axis=1, keepdims=True), rtol=1e-13)
    _, constant = rollout.vjp(q0, qd0, tau, *bars, inputs={"q_target": first[0, 0]})
    assert constant.inputs["q_target"].shape == (4, 2)
    np.testing.assert_allclose(constant.inputs["q_target"][0], one.inputs["q_target"][0, 0], rtol=1e-13)


def test_a_cost_along_the_way_is_the_sum_of_costs_at_the_ends_of_shorter_runs():
    rollout = made("rigid contact")
    q0, qd0, tau, _ = given_to(rollout)
    bars = np.random.default_rng(4).normal(size=(2, STEPS, 6))
    end, whole = rollout.vjp(q0, qd0, tau, *bars, every_step=True)
    shorter = [rollout.vjp(q0, qd0, tau[: n + 1], *bars[:, n])[1] for n in range(STEPS)]
    np.testing.assert_allclose(whole.q, sum(x.q for x in shorter), rtol=1e-11)
    np.testing.assert_allclose(whole.tau[0], sum(x.tau[0] for x in shorter), rtol=1e-11)
    np.testing.assert_array_equal(end.q, rollout(q0, qd0, tau).q)


@pytest.mark.parametrize("name", ["placement", "axis"])
def test_gradients_by_placements_and_axes_are_in_their_tangent_spaces(name):
    """Against simulations of robots that were moved a little, extrapolated."""
    rollout = made("inputs")
    q0, qd0, tau, inputs = given_to(rollout)
    bars = np.random.default_rng(4).normal(size=(2, 2))
    end, gradient = rollout.vjp(q0, qd0, np.zeros_like(tau), *bars, inputs=inputs)
    along = np.random.default_rng(8).normal(size=gradient.parameters[name].shape)
    own, steps = sixd.parameters(PENDULUM, name), np.array([1e-3, 5e-4, 2.5e-4])
    values = np.array([moved_parameters(name, own, s * along) for s in (*steps, *-steps)], dtype=float)
    how = {
        "dt": 1e-2,
        "control": JointPD(20.0, 1.0),
        "inputs": inputs,
        "parameters": {name: values},
        "integrator": "rk4",
    }
    run = simulate(PENDULUM, q0, qd0, STEPS * 1e-2, **how)
    costs = (run.q[:, -1] - end.q) @ bars[0] + run.qd[:, -1] @ bars[1]
    slopes = (costs[:3] - costs[3:]) / (2.0 * steps)
    better = [(4.0 * b - a) / 3.0 for a, b in pairwise(slopes)]
    best = (16.0 * better[1] - better[0]) / 15.0
    assert (gradient.parameters[name] * along).sum() == pytest.approx(best, rel=1e-9)


def test_closed_robots_are_led_back_to_their_constraints_as_in_a_simulation():
    """With steps that are too long, so that it counts."""
    mechanism = sixd.mechanisms.four_bar()
    closed, q = mechanism.robot, mechanism.q
    _, qd = closed.project(q, np.full(closed.nv, 2.0))
    tau = np.zeros((10, closed.nv))
    run = simulate(closed, q, qd, 0.2, dt=2e-2, integrator="rk4")
    end = Differentiable(closed, dt=2e-2)(q, qd, tau)
    np.testing.assert_allclose(end.q, run.q[-1], rtol=1e-12)
    np.testing.assert_allclose(end.qd, run.qd[-1], rtol=1e-12)


@pytest.mark.filterwarnings("ignore::sixd.errors.ModelWarning")
def test_gradients_by_parameters():
    """By the ten numbers of each inertia, and by gravity: against differences of whole simulations, extrapolated."""
    how = {"dt": 1e-2, "forces": [Spring()]}
    q0, qd0, tau, q_bar, qd_bar = cases(PENDULUM)
    own = Differentiable(PENDULUM, **how, parameters=("inertia", "gravity"))
    end, gradient = own.vjp(q0, qd0, tau, q_bar, qd_bar)
    direction = np.random.default_rng(3).normal(size=20)
    inertias, gravity = PENDULUM.inertial_parameters, np.array(PENDULUM.gravity)
    np.testing.assert_array_equal(inertias, sixd.parameters(PENDULUM, "inertia").ravel())
    changed = {
        "inertia": (direction.reshape(2, 10), lambda h: PENDULUM.with_inertial_parameters(inertias + h * direction)),
        "gravity": (direction[:3], lambda h: PENDULUM.with_gravity(gravity + h * direction[:3])),
    }
    for name, (along, change) in changed.items():

        def slope(h, change=change):
            ends = [Differentiable(change(s * h), **how)(q0, qd0, tau) for s in (1.0, -1.0)]
            one, other = (q_bar @ PENDULUM.difference(end.q, e.q) + qd_bar @ e.qd for e in ends)
            return (one - other) / (2.0 * h)

        slopes = [slope(h) for h in (1e-3, 5e-4, 2.5e-4)]
        better = [(4.0 * b - a) / 3.0 for a, b in pairwise(slopes)]
        best = (16.0 * better[1] - better[0]) / 15.0
        assert (gradient.parameters[name] * along).sum() == pytest.approx(best, rel=1e-9)


def test_mistakes_are_named():
    with pytest.raises(ArgumentError, match="not compiled"):
        Differentiable(PENDULUM, control=lambda t, q, qd: [0.0, 0.0])
    with pytest.raises(ArgumentError, match="given with each call"):
        Differentiable(PENDULUM, control=[1.0, 0.0])
    with pytest.raises(ChoiceError, match=r"parameters must be one of 'inertia', .*, not 'mass'"):
        Differentiable(PENDULUM, parameters="mass")
    with pytest.raises(ChoiceError, match="several parts"):
        Differentiable(PENDULUM, integrator="variational4")
    rollout = Differentiable(PENDULUM)
    nothing = np.zeros(2)
    with pytest.raises(ChoiceError, match="the parameters are: none"):
        rollout.jvp(nothing, nothing, [nothing], nothing, nothing, [nothing], {"gravity": np.zeros(3)})
    held = Differentiable(PENDULUM, control=JointPD(1.0, 1.0))
    with pytest.raises(ArgumentError, match="need the input 'q_target' of shape"):
        held(nothing, nothing, [nothing])
    with pytest.raises(ChoiceError, match="inputs names 'q_goal', but the inputs are: 'q_target'"):
        held(nothing, nothing, [nothing], inputs={"q_target": nothing, "q_goal": nothing})
    with pytest.raises(
        ShapeError, match=r"inputs\['q_target'\] has shape \(3, 2\), but \(2\) is needed for a constant"
    ):
        held(nothing, nothing, [nothing], inputs={"q_target": np.zeros((3, 2))})
    with pytest.raises(ArgumentError, match="inputs maps names to arrays"):
        held(nothing, nothing, [nothing], inputs=nothing)
    with pytest.raises(ChoiceError, match="dinputs names 'q', but the inputs are: 'q_target'"):
        held.jvp(*[nothing] * 2, [nothing], *[nothing] * 2, [nothing], inputs={"q_target": nothing}, dinputs={"q": 0})
    with pytest.raises(ShapeError, match="tau has shape"):
        rollout([0.0, 0.0], [0.0, 0.0], [1.0, 2.0])
    with pytest.raises(ShapeError, match="at least one step"):
        rollout([0.0, 0.0], [0.0, 0.0], np.zeros((0, 2)))


def test_starts_that_are_none_are_refused():
    ball = sixd.Builder("ball").body("ball", joint=sixd.joints.Spherical(), mass=1.0, inertia=(1.0, 2.0, 3.0)).build()
    with pytest.raises(sixd.ModelError, match="its quaternion is zero"):
        Differentiable(ball)(np.zeros(4), np.zeros(3), np.zeros((2, 3)))
    m = sixd.mechanisms.four_bar()
    motion = Differentiable(m.robot)
    tau = np.zeros((2, m.robot.nv))
    motion(m.q, m.qd, tau)
    with pytest.raises(sixd.SixdError, match="q0"):
        motion(m.q + 0.1, m.qd, tau)


def falling(stiffness):
    """A ball 2 m above compliant ground, and its simulation in whole steps."""
    robot, q = ball(0.5, 0.05), ball().neutral()
    q[6] = 2.05
    contacts = Contacts([Sphere("body", 0.05)], law=Compliant(stiffness))
    return Differentiable(robot, contacts=contacts), (q, np.zeros(6), np.zeros((1500, 6)))


def test_energy_that_nothing_gave_is_said():
    d, state = falling(1e8)
    with pytest.warns(sixd.SimulationWarning, match=r"J that nothing gave.*a smaller dt, or integrator='implicit'"):
        d(*state)
    with pytest.warns(sixd.SimulationWarning, match="from t = 0.6.* J that nothing gave|J that nothing gave.*t = 0.6"):
        d.vjp(*state, np.zeros(6), np.zeros(6))


def test_steps_too_long_for_what_acts_at_the_start_are_said_or_refused():
    robot, state = sixd.gallery.pendulum(), ([1.0], [0.0], np.zeros((10, 1)))
    with pytest.warns(sixd.SimulationWarning, match="too long for the springs"):
        Differentiable(robot, forces=[JointSpring(1e7)], energy_check="off")(*state)
    with pytest.raises(ModelError, match="too long for the springs"):
        Differentiable(robot, forces=[JointSpring(1e12)]).vjp(*state, [0.0], [1.0])
    strict = Differentiable(robot, forces=[JointSpring(4e6)], energy_check="strict")
    with pytest.raises(SimulationError, match="J that nothing took"):
        strict(*state)


def test_states_that_leave_the_finite_numbers_are_said():
    robot, q, qd = sixd.gallery.pendulum(), [[0.1], [0.2]], [[0.0], [1e200]]
    d, tau = Differentiable(robot, forces=[Drag("tip", quadratic=1.0)], dt=0.1), np.zeros((5, 1))
    with pytest.warns(sixd.SimulationWarning, match=r"1 of 2 samples blew up: the state of sample \(1,\)"):
        assert np.isfinite(d(q, qd, tau).q[0])
    with pytest.raises(SimulationError, match=r"not finite at t = 0\.5 s"):
        d.jvp(q[1], qd[1], tau, [0.0], [1.0], np.zeros((5, 1)))
