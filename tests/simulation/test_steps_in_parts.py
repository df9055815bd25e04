"""Steps that look at their error: those of the method itself where it is small, right where it is not."""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sixd
from sixd.errors import ChoiceError, SimulationError
from sixd.simulation import Differentiable, simulate
from sixd.simulation.contact import Compliant, Contacts, Rigid, Sphere
from sixd.simulation.controllers import Controller
from sixd.simulation.forces import JointDamper, JointFriction, JointSpring, JointStops, Passive
from sixd.simulation.parted import MOST
from tests.simulation import defaults
from tests.simulation.bodies import G, ball, body, slider

PENDULUM = sixd.gallery.double_pendulum()
START = [0.5, -0.3], [0.2, 0.1]


@pytest.mark.parametrize("name", list(defaults.CASES))
def test_what_is_given_by_default_is_right_or_says_that_it_is_not(name):
    """Of all cases, at the largest strength but one; the whole grid is in the soak."""
    case = defaults.CASES[name]
    count = defaults.look(case, masses=(1.0,), speeds=(1.0, 20.0), steps=(1e-3,), strengths=case.strengths[-2:-1])
    assert count.which == ()
    assert count.right > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", list(defaults.CASES))
def test_the_whole_grid(name):
    assert defaults.look(defaults.CASES[name], **defaults.GRID).which == ()


def test_every_element_and_law_has_a_case():
    own = {"joint_spring", "joint_damper", "rigid"} | set(defaults.CASES)
    assert set(sixd.simulation.ELEMENTS) <= own
    assert set(sixd.simulation.contact.LAWS) <= own


def test_steps_with_small_errors_are_those_of_rk4():
    whole = simulate(PENDULUM, *START, 1.0, dt=1e-3)
    assert whole.integrator == "rk43"
    assert whole.most_parts == 1.0
    np.testing.assert_allclose(whole.q, simulate(PENDULUM, *START, 1.0, dt=1e-3, integrator="rk4").q, atol=1e-15)


@pytest.mark.parametrize("h", [1e-3, 5e-3, 0.1])
def test_a_ball_that_is_dropped_from_20_m(h):
    """Against SciPy's integrator with 1e-12; it bounces by some 4 cm, and comes to rest."""
    robot, q, law, m = ball(0.5, 0.05), ball().neutral(), Compliant(), 0.5
    q[6] = 20.05
    run = simulate(robot, q, np.zeros(6), 3.0, dt=h, contacts=Contacts([Sphere("body", 0.05)], law=law))

    def rates(t, state):
        depth = max(0.05 - state[0], 0.0)
        push = max(law.stiffness * depth**1.5 * (1.0 - law.damping * state[1]), 0.0)
        return state[1], push / m - G

    exact = solve_ivp(rates, (0.0, 3.0), [20.05, 0.0], "LSODA", run.t, rtol=1e-12, atol=1e-13, max_step=1e-3)
    np.testing.assert_allclose(run.q[:, 6], exact.y[0], atol=1e-4)
    after = exact.y[0][np.argmax(exact.y[0] < 0.0499) :]
    assert h > 1e-3 or 0.04 < after.max() - 0.05 < 0.05


@pytest.mark.parametrize("law", [Compliant(1e7), Compliant(1e9), Compliant(1e7, damping=0.0)])
def test_hard_ground_gives_no_energy(law):
    robot, q = ball(0.5, 0.05), ball().neutral()
    q[6] = 8.05
    run = simulate(robot, q, np.zeros(6), 2.0, contacts=Contacts([Sphere("body", 0.05)], law=law))
    assert run.energy.max() < run.energy[0] * (1 + 1e-4)
    if not law.damping:
        np.testing.assert_allclose(run.energy, run.energy[0], rtol=1e-3)


@pytest.mark.parametrize("loss", [0.0, 1.0])
def test_fast_joints_are_stopped_without_a_gain(loss):
    run = simulate(defaults.swing(), [0.0], [20.0], 2.0, forces=JointStops(1e4, loss, lower=-1.0, upper=1.0))
    assert run.energy.max() <= run.energy[0] * (1 + 1e-4)


def test_tolerances_decide_about_the_error():
    """That of stiff springs falls with them."""
    given = {"forces": JointSpring(1e5), "duration": 0.2}
    exact = simulate(PENDULUM, *START, integrator="dopri5", rtol=1e-13, atol=1e-13, **given)
    errors = [np.abs(simulate(PENDULUM, *START, rtol=x, atol=x, **given).q - exact.q).max() for x in (1e-5, 1e-7, 1e-9)]
    assert errors[0] > 10 * errors[1] > 100 * errors[2]
    assert errors[2] < 1e-7


def test_samples_go_on_at_their_own_pace():
    """The bits of a sample are those of it alone, whatever parts its neighbours need."""
    q, qd = np.zeros((11, 1)), np.linspace(0.0, 40.0, 11)[:, None]
    given = {"forces": JointStops(1e6, lower=-1.0, upper=1.0)}
    robot = defaults.swing()
    together = simulate(robot, q, qd, 0.3, **given)
    assert len(set(together.most_parts.tolist())) > 3
    for k in range(11):
        alone = simulate(robot, q[k], qd[k], 0.3, **given)
        assert np.array_equal(together.q[k], alone.q)
        assert together.most_parts[k] == alone.most_parts


@pytest.mark.parametrize("friction", [[], [JointFriction(0.1)]])
def test_runs_go_on_to_the_bit(friction):
    """Also after an odd number of steps, in the middle of a bounce."""
    robot, given = defaults.swing(), {"forces": [JointStops(1e6, lower=-1.0, upper=1.0), *friction], "books": True}
    whole = simulate(robot, [0.0], [20.0], 0.3, **given)
    run = simulate(robot, [0.0], [20.0], 0.051, **given)
    for more in (0.004, 0.145, 0.1):
        run = run.resume(more)
    assert np.array_equal(run.q, whole.q)
    assert np.array_equal(run.work, whole.work)
    assert run.most_parts == whole.most_parts > 1


def test_a_joint_that_slips_stops_where_it_should():
    """v^2 / (2 a), however few steps that takes; and stays there."""
    friction, mass = 1e4, 1e-2
    run = simulate(slider(0.0, mass), [0.0], [20.0], 0.1, forces=JointFriction(friction, threshold=1e-5))
    assert run.q[-1, 0] == pytest.approx(400.0 * mass / (2 * friction), rel=1e-2)
    assert np.abs(np.diff(run.q[2:, 0])).max() < 1e-9


def test_friction_of_the_robot_holds_it():
    run = simulate(slider(5.0, 2.0), [0.0], [3.0], 3.0, control=np.array([2.0]), forces=Passive())
    assert run.integrator == "rk43"
    assert run.q[-1, 0] == pytest.approx(9.0 / (2 * 1.5), rel=1e-4)
    assert np.abs(run.qd[-1]).max() < 1e-4


def test_parts_of_steps_with_rigid_contact():
    """A spring that is far too fast for the step, on a robot whose ball bounces."""
    robot, rigid = defaults.sledge(), Contacts([Sphere("ball", 0.1)], law=Rigid())
    given = {"contacts": rigid, "forces": JointSpring(1e5, rest=0.3)}
    run = simulate(robot, [0.3, 0.25], [1.0, 0.0], 0.1, **given)
    assert run.integrator == "semi_implicit_parts"
    assert run.most_parts > 3
    assert run.energy.max() < run.energy[0] * 1.1  # it goes to and fro with the spring, as Euler's steps let it
    plain = simulate(robot, [0.3, 0.25], [1.0, 0.0], 0.1, contacts=rigid)
    assert plain.integrator == "semi_implicit_euler"


def test_a_step_that_takes_too_many_parts_is_given_up_with_the_reason():
    with pytest.raises(SimulationError, match=f"more than {MOST:,.0f} parts by 'rk43'.*'implicit' takes stiff"):
        simulate(PENDULUM, *START, 0.1, forces=JointDamper(1e12))
    robot, inertia = PENDULUM, sixd.parameters(PENDULUM, "inertia") * np.array([1.0, 1e-9, 1.0])[:, None, None]
    with pytest.warns(sixd.SimulationWarning, match=r"1 of 3 samples blew up: .*of sample \(1,\).*20,000 parts"):
        run = simulate(robot, *START, 0.01, forces=JointDamper(1e3), parameters={"inertia": inertia})
    assert np.isfinite(run.q[[0, 2]]).all()


def test_many_parts_that_are_smooth_keep_the_error_that_is_asked_for():
    """A spring of 200 rad/s in steps of a quarter of a second: only forces that jump are allowed more."""
    spring = {"forces": JointSpring(1.36e4), "energy_check": "off"}
    given = {"duration": 1.0, **spring}
    run = simulate(defaults.swing(), [0.1], [0.0], dt=0.25, rtol=1e-9, atol=1e-9, **given)
    assert run.most_parts > 1500
    exact = simulate(defaults.swing(), [0.1], [0.0], dt=0.25, integrator="dopri5", rtol=1e-13, atol=1e-14, **given)
    np.testing.assert_allclose(run.q, exact.q, atol=1e-8)


@pytest.mark.parametrize(("amplitude", "left"), [(1e-3, 0.999), (1e-5, 0.998), (1e-6, 0.995), (1e-7, 0.98)])
def test_small_vibrations_last(amplitude, left):
    """1 kg on a spring of 100 Hz for 500 periods: of a micrometre, a seventh was left."""
    rate = 200.0 * np.pi
    run = simulate(slider(0.0, 1.0), [amplitude], [0.0], 5.0, forces=JointSpring(rate**2), record=None)
    assert left < np.hypot(run.q[-1, 0], run.qd[-1, 0] / rate) / amplitude < 1.001


class Sliding(Controller):
    """It holds its joint where 5 q + v = 0, by a torque that changes its sign there."""

    name = "sliding"

    def torque(self, moment):
        return [-30.0 * sixd.ops.sign(5.0 * q + v) for q, v in zip(moment.q, moment.qd, strict=True)]


class Rubbing(sixd.simulation.ForceElement):
    """Friction that jumps at rest."""

    name = "rubbing"

    def __init__(self, level):
        self.level = level

    def apply(self, moment, loads):
        loads.on_joints([-self.level * sixd.ops.sign(v) for v in moment.qd])


@pytest.mark.parametrize("record", [1, 10])
def test_forces_that_jump_again_and_again_are_taken(record):
    """Against Euler's steps of 10 us; on the sliding surface q falls as exp(-5 t)."""
    robot = defaults.swing()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = simulate(robot, [1.0], [0.0], 1.0, control=Sliding(), record=record)
    euler = {"integrator": "semi_implicit_euler", "dt": 1e-5, "record": 100 * record}
    np.testing.assert_allclose(run.q, simulate(robot, [1.0], [0.0], 1.0, control=Sliding(), **euler).q, atol=1e-4)
    assert 100.0 < run.most_parts < 2000.0
    late = run.t > 0.5
    np.testing.assert_allclose(run.q[late, 0] * np.exp(5.0 * run.t[late]), run.q[-1, 0] * np.exp(5.0), rtol=1e-3)


@pytest.mark.parametrize("level", [3.0, 30.0])
def test_friction_of_a_user_that_jumps_holds_a_rod(level):
    robot = defaults.swing()
    run = simulate(robot, [1.0], [3.0], 1.0, forces=Rubbing(level), energy_check="off")
    euler = {"integrator": "semi_implicit_euler", "dt": 1e-5, "record": 100, "energy_check": "off"}
    np.testing.assert_allclose(run.q, simulate(robot, [1.0], [3.0], 1.0, forces=Rubbing(level), **euler).q, atol=2e-4)
    assert run.most_parts < 2000.0


def test_a_warning_of_forces_that_jump_advises_what_helps():
    """A rod that is held all the time moves with no energy but that of its trembling, which falls with dt."""
    with pytest.warns(sixd.SimulationWarning, match=r"J that nothing gave.*smaller dt.*by `dry_friction`"):
        simulate(defaults.swing(), [0.1], [0.0], 1.0, forces=Rubbing(3.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(defaults.swing(), [0.1], [0.0], 1.0, dt=1e-4, forces=Rubbing(3.0))
        simulate(defaults.swing(), [0.1], [0.0], 1.0, forces=JointFriction(3.0))


@pytest.mark.parametrize("record", [1, 10])
def test_what_is_given_up_late_says_so(record):
    """By the pace that the sample had then."""

    class Late(sixd.simulation.ForceElement):
        name = "late"

        def apply(self, moment, loads):
            loads.on_joints([-sixd.ops.where(moment.t > 0.0503, 1e12, 0.0) * moment.qd[0]])

    with pytest.raises(SimulationError, match=r"after t = 0\.05 s.*more than 20,000 parts by 'rk43'"):
        simulate(defaults.swing(), [0.5], [3.0], 0.1, forces=Late(), record=record)


def test_a_state_that_is_not_finite_ends_at_once():
    class Pole(sixd.simulation.ForceElement):
        name = "pole"

        def apply(self, moment, loads):
            loads.on_joints([sixd.ops.divide(1.0, moment.t * 0.0 + (moment.q[0] - moment.q[0])), 0.0])

    with pytest.raises(SimulationError, match="the forces of pole are not finite"):
        simulate(PENDULUM, *START, 0.1, forces=Pole())


def test_one_default_for_simulations_and_their_derivatives():
    rigid = Contacts([Sphere("body", 0.1)], law="rigid")
    assert simulate(body(), body().neutral(), np.zeros(6), 0.01, contacts=rigid).integrator == "semi_implicit_euler"
    assert Differentiable(body(), contacts=rigid).step.integrator.name == "semi_implicit_euler"
    assert Differentiable(PENDULUM).step.integrator.name == "rk4"
    assert Differentiable(PENDULUM, forces=[JointFriction(0.1)]).step.integrator.name == "semi_implicit_euler"
    with pytest.raises(ChoiceError, match="'rk43' has steps of several parts: 'rk4' makes the same steps whole"):
        Differentiable(PENDULUM, integrator="rk43")


def test_a_fast_slider_crank_turns_as_often_as_in_small_steps():
    m = sixd.mechanisms.slider_crank()
    qd = m.robot.project(m.q, np.array([13.0, *np.zeros(m.robot.nv - 1)]))[1]
    run = simulate(m.robot, m.q, qd, 5.0)
    exact = simulate(m.robot, m.q, qd, 5.0, dt=0.05, integrator="dopri5")
    assert run.q[-1, 0] == pytest.approx(exact.q[-1, 0], rel=1e-6)
