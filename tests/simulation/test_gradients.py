"""Derivatives through a simulation: forward and backward agree with each other and with differences of 50 digits."""

from dataclasses import dataclass
from itertools import pairwise

import mpmath
import numpy as np
import pytest

import sixd
from sixd.compiler.parameters import moved
from sixd.errors import ArgumentError, ChoiceError, ShapeError
from sixd.simulation import ForceElement, simulate
from sixd.simulation.gradients import Differentiable
from sixd.simulation.system import State, System
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


CASES = {"semi_implicit_euler": PENDULUM, "heun": PENDULUM, "floating": FLOATING}


@pytest.fixture(scope="module", params=CASES)
def rollout(request):
    if request.param == "floating":
        return Differentiable(FLOATING, dt=1e-2)
    parameters = ("inertia", "gravity")
    return Differentiable(PENDULUM, dt=1e-2, forces=[Spring()], integrator=request.param, parameters=parameters)


def test_the_end_is_that_of_a_simulation(rollout):
    q0, qd0, tau, *_ = cases(rollout.robot, (3,))
    forces, integrator = rollout.step.elements, rollout.step.integrator
    run = simulate(rollout.robot, q0, qd0, STEPS * 1e-2, dt=1e-2, control=tau, forces=forces, integrator=integrator)
    end = rollout(q0, qd0, tau)
    np.testing.assert_allclose(end.q, run.q[:, -1], rtol=1e-13)
    np.testing.assert_allclose(end.qd, run.qd[:, -1], rtol=1e-13)


@pytest.mark.parametrize("lead", [(), (5,), (2, 3)], ids=str)
def test_forward_and_backward_agree(rollout, lead):
    q0, qd0, tau, q_bar, qd_bar = cases(rollout.robot, lead)
    rng = np.random.default_rng(9)
    dq0, dqd0 = rng.normal(size=(2, *lead, rollout.robot.nv))
    dtau = rng.normal(size=tau.shape)
    changes = {name: rng.normal(size=np.shape(sixd.parameters(rollout.robot, name))) for name in rollout.parameters}
    end, change = rollout.jvp(q0, qd0, tau, dq0, dqd0, dtau, changes)
    same, gradient = rollout.vjp(q0, qd0, tau, q_bar, qd_bar)
    forward = (q_bar * change.q + qd_bar * change.qd).sum(axis=-1)
    backward = (gradient.q * dq0 + gradient.qd * dqd0).sum(axis=-1) + (gradient.tau * dtau).sum(axis=(-1, -2))
    for name, d in changes.items():
        backward = backward + (gradient.parameters[name] * d).sum(axis=tuple(range(-d.ndim, 0)))
    np.testing.assert_allclose(forward, backward, rtol=1e-11)
    np.testing.assert_allclose(end.q, same.q, rtol=1e-12)
    assert gradient.tau.shape == tau.shape


def precise_cost(rollout, q0, qd0, tau, q_bar, qd_bar, end, moved):
    """q_bar way + qd_bar qd at the end, in 50 digits, from a start and joint forces moved by small numbers."""
    robot, step = rollout.robot, rollout.step
    number = np.vectorize(mpmath.mpf, otypes=[object])
    q = sixd.algorithms.integrate(robot, number(q0), moved["q"])
    qd, forces = number(qd0) + moved["qd"], number(tau) + moved["tau"]
    state = State(list(q), list(qd), [])
    for n in range(len(tau)):
        system = System(robot, list(forces[n]), step.controller, step.elements)
        state = step.integrator.step(system, mpmath.mpf(n) * rollout.dt, state, mpmath.mpf(rollout.dt))
    way = sixd.algorithms.difference(robot, number(end.q), np.array(state.q, dtype=object))
    return sum(a * b for a, b in zip(q_bar, way, strict=True)) + sum(
        a * b for a, b in zip(qd_bar, state.qd, strict=True)
    )


@pytest.mark.parametrize("what", ["q", "qd", "tau"])
def test_gradients_against_differences_in_high_precision(rollout, what):
    q0, qd0, tau, q_bar, qd_bar = cases(rollout.robot)
    end, gradient = rollout.vjp(q0, qd0, tau, q_bar, qd_bar)
    zero = np.vectorize(mpmath.mpf, otypes=[object])
    direction = np.random.default_rng(5).normal(size=np.shape(getattr(gradient, what)))
    with mpmath.workdps(50):
        values = []
        for sign in (1, -1):
            moved = {k: zero(np.zeros(np.shape(getattr(gradient, k)))) for k in ("q", "qd", "tau")}
            moved[what] = zero(direction) * mpmath.mpf(10) ** -20 * sign
            values.append(precise_cost(rollout, q0, qd0, tau, q_bar, qd_bar, end, moved))
        slope = float((values[0] - values[1]) / (2 * mpmath.mpf(10) ** -20))
    assert float((getattr(gradient, what) * direction).sum()) == pytest.approx(slope, rel=1e-11)


@pytest.mark.filterwarnings("ignore::sixd.errors.ModelWarning")
def test_gradients_by_parameters():
    """By the ten numbers of each inertia, and by gravity: against differences of whole simulations, extrapolated."""
    made = {"dt": 1e-2, "forces": [Spring()]}
    q0, qd0, tau, q_bar, qd_bar = cases(PENDULUM)
    own = Differentiable(PENDULUM, **made, parameters=("inertia", "gravity"))
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
            ends = [Differentiable(change(s * h), **made)(q0, qd0, tau) for s in (1.0, -1.0)]
            one, other = (q_bar @ PENDULUM.difference(end.q, e.q) + qd_bar @ e.qd for e in ends)
            return (one - other) / (2.0 * h)

        slopes = [slope(h) for h in (1e-3, 5e-4, 2.5e-4)]
        better = [(4.0 * b - a) / 3.0 for a, b in pairwise(slopes)]
        best = (16.0 * better[1] - better[0]) / 15.0
        assert (gradient.parameters[name] * along).sum() == pytest.approx(best, rel=1e-9)


def test_gradients_by_placements_and_axes_are_in_their_tangent_spaces():
    """A pose varies by six numbers and an axis by two: against differences of simulations with moved ones."""
    b = sixd.Builder("arm")
    for name, parent, axis in (("upper", None, (1.0, 0.0, 0.0)), ("lower", "upper", (0.6, 0.8, 0.0))):
        joint = sixd.joints.Revolute(axis)
        more = {} if parent is None else {"parent": parent}
        b.body(name, joint=joint, xyz=(0, 0.1, 0.3), mass=1.0, com=(0.2, 0, 0.1), inertia=(0.1, 0.2, 0.3), **more)
    arm = b.build()
    q0, qd0, tau, q_bar, qd_bar = cases(arm)
    rollout = Differentiable(arm, dt=1e-2, parameters=("axis", "placement"))
    _, gradient = rollout.vjp(q0, qd0, tau, q_bar, qd_bar)
    rng = np.random.default_rng(8)
    for name, shape in (("placement", (2, 6)), ("axis", (2, 2))):
        way = rng.normal(size=shape)

        def cost(h, name=name, way=way):
            numbers = {name: moved(name, sixd.parameters(arm, name).astype(object), h * way).astype(float)}
            run = simulate(arm, q0, qd0, 1e-2 * STEPS, dt=1e-2, control=tau, parameters=numbers)
            return q_bar @ run.q[-1] + qd_bar @ run.qd[-1]

        slopes = [(cost(h) - cost(-h)) / (2.0 * h) for h in (1e-3, 5e-4)]
        assert (gradient.parameters[name] * way).sum() == pytest.approx((4.0 * slopes[1] - slopes[0]) / 3.0, rel=1e-8)
        still = np.zeros(2)
        _, along = rollout.jvp(q0, qd0, tau, still, still, np.zeros_like(tau), {name: way})
        assert q_bar @ along.q + qd_bar @ along.qd == pytest.approx((gradient.parameters[name] * way).sum(), rel=1e-12)


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
    with pytest.raises(ShapeError, match="tau has shape"):
        rollout([0.0, 0.0], [0.0, 0.0], [1.0, 2.0])
    with pytest.raises(ShapeError, match="at least one step"):
        rollout([0.0, 0.0], [0.0, 0.0], np.zeros((0, 2)))
