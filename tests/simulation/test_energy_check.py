"""A run that has energy which nothing gave says so."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import sixd
from sixd.errors import ChoiceError, SimulationError, SimulationWarning
from sixd.simulation import ForceElement, simulate
from sixd.simulation.contact import Compliant, Contacts, Plane, Point, Rigid, Sphere
from sixd.simulation.controllers import JointPD
from sixd.simulation.forces import Drag, Field, JointDamper, JointSpring, JointStops, MovingBase, Oscillation, Thruster
from sixd.simulation.integrators.integrator import Integrator, plus
from sixd.simulation.system import State
from tests.simulation.bodies import ball
from tests.simulation.defaults import sledge, swing

PENDULUM = sixd.gallery.pendulum()


def falls_on(stiffness, **given):
    robot, q = ball(0.5, 0.05), ball().neutral()
    q[6] = 2.05
    contacts = Contacts([Sphere("body", 0.05)], law=Compliant(stiffness))
    return simulate(robot, q, np.zeros(6), 1.5, contacts=contacts, **given)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit"])
def test_ground_that_gives_energy_is_named(integrator):
    with pytest.warns(sixd.SimulationWarning, match=r"has .* J that nothing gave.*from t = 0\.6.*leave out integrator"):
        run = falls_on(1e8, integrator=integrator)
    assert run.energy_error[-1] > 0.1 * run.energy[0]


STOPS = {"forces": JointStops(1e6, 0.0, lower=-1, upper=1), "integrator": "semi_implicit_euler"}


def test_the_element_is_named():
    with pytest.warns(sixd.SimulationWarning, match="not exact enough at 'joint_stops'"):
        simulate(swing(), [0.0], [20.0], 0.5, **STOPS)


def test_long_steps_without_any_force():
    with pytest.warns(sixd.SimulationWarning, match="'implicit' with dt = 0.2 s are not exact enough: leave out"):
        simulate(PENDULUM, [2.0], [0.0], 20.0, dt=0.2, integrator="implicit")
    with pytest.warns(sixd.SimulationWarning, match=r"lost .* J that nothing took"):
        simulate(PENDULUM, [2.0], [0.0], 20.0, dt=0.4, integrator="rk4")


def test_strict_runs_are_refused_with_what_was_computed():
    with pytest.raises(SimulationError, match="J that nothing gave") as caught:
        falls_on(1e8, integrator="rk4", energy_check="strict")
    assert len(caught.value.trajectory) == 1501
    assert falls_on(1e8, energy_check="strict").finished  # the default is right
    with pytest.raises(ChoiceError, match="energy_check"):
        falls_on(1e8, energy_check="sometimes")


def test_the_check_can_be_left_out():
    run = falls_on(1e8, integrator="rk4", energy_check="off")
    assert run.work is None
    assert run.energy_error is None


def test_a_sample_of_a_batch_is_named_and_only_ends_need_be_on_record():
    robot, qd = swing(), np.array([[0.1], [0.2], [20.0], [0.1]])
    with pytest.warns(sixd.SimulationWarning, match=r"the motion of sample \(2,\)"):
        simulate(robot, [0.0], qd, 0.5, **STOPS)
    with pytest.warns(sixd.SimulationWarning, match=r"the motion of sample \(2,\)"):
        run = simulate(robot, [0.0], qd, 0.5, record=None, **STOPS)
    with pytest.warns(sixd.SimulationWarning, match=r"the motion of sample \(2,\)"):
        run.resume(0.1)


@pytest.mark.parametrize(
    ("forces", "how"),
    [
        ([JointSpring(100.0), JointDamper(3.0)], {}),
        ([Drag("tip", quadratic=3.0, current=(3.0, 0.0, 0.0))], {}),
        ([Thruster("tip", 50.0)], {}),
        ([MovingBase(Oscillation((0, 0, 0, 0.3, 0, 0), 2.0)), JointSpring(10.0)], {}),
        ([JointDamper(1.0)], {"control": JointPD(300.0, 20.0), "inputs": {"q_target": [1.0]}}),
        ([], {"control": lambda t, q, qd: 30.0 * np.sign(qd) + 1.0, "control_dt": 0.01}),
    ],
    ids=["passive", "wind", "thruster", "base", "control", "python"],
)
@pytest.mark.parametrize("integrator", [None, "semi_implicit_euler", "rk4", "implicit", "variational", "dopri5"])
def test_energy_that_something_gives_is_no_error(forces, how, integrator):
    """Motors, streams and moving bases may give what they like; dampers take it away."""
    run = simulate(swing(), [0.5], [1.0], 2.0, forces=forces, integrator=integrator, energy_check="strict", **how)
    if run.energy_error is not None and integrator in (None, "rk4", "dopri5") and "control_dt" not in how:
        assert np.abs(run.energy_error).max() < 1e-4 * max(np.abs(run.kinetic_energy).max(), 1.0)


def test_mechanisms_and_what_drives_them():
    m = sixd.mechanisms.four_bar()
    assert np.abs(m.simulate(1.0, energy_check="strict").energy_error).max() < 1e-8


def test_rigid_contact_takes_energy_and_lifts_out_of_the_ground_without_a_word():
    robot, rigid = ball(), Contacts([Sphere("body", 0.1)], law="rigid")
    q = robot.neutral()
    for height in (0.05, 0.3):
        q[6] = height
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            simulate(robot, q, np.zeros(6), 1.0, contacts=rigid)


def test_coarse_steps_of_rigid_contact_say_so():
    with pytest.warns(sixd.SimulationWarning, match="take a smaller dt"):
        simulate(sledge(), [0.0, 0.2], [0.0, 0.0], 0.3, dt=1e-2, contacts=Contacts([Sphere("ball", 0.1)], law=Rigid()))


def test_the_error_is_that_of_the_energy_where_nothing_acts():
    run = simulate(PENDULUM, [2.0], [0.0], 2.0, dt=0.01, integrator="heun")
    np.testing.assert_allclose(run.energy_error, run.energy - run.energy[0], atol=1e-14)
    np.testing.assert_allclose(run[50:].energy_error, run.energy_error[50:] - run.energy_error[50], atol=1e-14)


FAR = Contacts([Point("tip")], Plane(offset=-3.0), Rigid())
WHOLE = {"integrator": "semi_implicit_euler"}


def test_gains_that_are_too_fast_make_parts():
    """Beside a force element, with rigid contact: the motion is that of small steps."""
    how = {"control": JointPD(1e2, 7e2), "inputs": {"q_target": [0.0]}, "forces": JointDamper(0.01)}
    run = simulate(swing(), [0.5], [0.0], 1.0, contacts=FAR, **how)
    fine = simulate(swing(), [0.5], [0.0], 1.0, integrator="dopri5", **how)
    assert run.most_parts > 1
    np.testing.assert_allclose(run.q, fine.q, atol=1e-3)


def test_short_runs_are_looked_at():
    stops = JointStops(1e6, 0.0, lower=-1.0, upper=1.0)
    with pytest.warns(SimulationWarning, match="J that nothing gave"):
        simulate(swing(), [0.0], [20.0], 0.24, dt=0.01, forces=stops, **WHOLE)


@pytest.mark.parametrize("constant", [0.0, 1e9])
def test_a_constant_of_a_potential_hides_nothing(constant):
    pull = Field(lambda p, v, t: (-1.0, 0.0, 0.0), potential=lambda p: p[0] + constant)
    stops = JointStops(1e6, 0.0, lower=-1.0, upper=1.0)
    with pytest.raises(SimulationError, match="J that nothing gave"):
        simulate(swing(), [0.0], [20.0], 1.0, forces=[stops, pull], energy_check="strict", **WHOLE)


def test_elements_are_looked_at_on_a_moving_base():
    base = MovingBase(Oscillation((0.0,) * 6, 1.0))
    stops = JointStops(1e6, 0.0, lower=-1.0, upper=1.0)
    with pytest.raises(SimulationError, match=r"J that nothing gave.*'joint_stops'"):
        simulate(swing(), [0.0], [20.0], 1.0, forces=[stops, base], energy_check="strict", **WHOLE)
    assert simulate(swing(), [0.0], [1.0], 0.1, forces=base).energy_error is None


@pytest.mark.parametrize("batch", [1, 3000])
def test_what_looks_wrong_at_few_records_is_looked_at_again(batch):
    """The pendulum is where it began, so that little energy seems to move; one that spins up is told."""
    q, qd = np.full((batch, 1), 1.0), np.zeros((batch, 1))
    coarse = {"dt": 1e-2, "record": None}
    simulate(PENDULUM, q, qd, 1.04, **coarse, **WHOLE)
    with pytest.warns(SimulationWarning, match="J that nothing gave"):
        simulate(PENDULUM, q, qd, 1.0, forces=JointSpring(2e3), integrator="heun", **coarse)


STIFF = {
    "damper": {"forces": JointDamper(1e3)},
    "stiffer damper": {"forces": JointDamper(1e12)},
    "spring and damper": {"forces": [JointSpring(1e6), JointDamper(1e3)]},
    "gains": {"control": JointPD(1e4, 1e3), "inputs": {"q_target": [0.5]}},
    "stiffer gains": {"control": JointPD(1e6, 2e3), "inputs": {"q_target": [0.5]}},
}


@pytest.mark.parametrize("case", STIFF.values(), ids=STIFF)
def test_stiff_forces_take_what_they_take(case):
    """The works of forces too stiff for the step add up to the change of energy, less what the method damps."""
    run = simulate(PENDULUM, [1.0], [1.0], 0.5, integrator="implicit", energy_check="strict", **case)
    scale = max(run.kinetic_energy.max(), np.ptp(run.potential_energy), 1.0)
    if "forces" not in case or not isinstance(case["forces"], list):
        assert np.abs(run.energy_error).max() < 0.2 * scale


def test_stiff_dampers_of_mechanisms():
    m = sixd.mechanisms.four_bar()
    _, qd = m.robot.project(m.q, np.ones(3))
    run = simulate(m.robot, m.q, qd, 0.1, forces=JointDamper(1e6), integrator="implicit", energy_check="strict")
    assert np.abs(run.energy_error).max() < 0.04 * run.kinetic_energy[0]


@dataclass(frozen=True)
class WrongSpring(ForceElement):
    """A spring whose energy has the wrong sign."""

    name, law = "wrong spring", "conservative"

    def apply(self, moment, loads):
        loads.on_joints([-30.0 * q for q in moment.q])

    def energy(self, moment):
        return -15.0 * moment.q[0] * moment.q[0]


def test_a_wrong_energy_of_an_element_of_the_user_is_thought_of():
    with pytest.warns(sixd.SimulationWarning, match=r"at 'wrong spring': .*; or the law 'conservative' or the energy"):
        simulate(PENDULUM, [1.0], [0.0], 1.0, forces=[WrongSpring()])


@dataclass(frozen=True)
class Euler(Integrator):
    """Explicit Euler that does not add up works."""

    name, order = "euler", 2

    def step(self, system, t, state, h):
        rates = system.rates(t, state.q, None, state.qd)
        qd = plus(state.qd, (h, rates.qdd))
        return State(system.move(state.q, [h * v for v in qd]), qd, state.work)


def test_an_integrator_of_the_user_that_adds_up_no_work_is_thought_of():
    with pytest.warns(sixd.SimulationWarning, match=r"; or the step\(\) of Euler does not add up the work"):
        simulate(PENDULUM, [1.0], [1.0], 1.0, forces=[JointDamper(1.0)], integrator=Euler())
