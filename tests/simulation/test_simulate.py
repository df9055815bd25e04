"""Simulation of robots without contact: orders, conservation, controllers, batches, interrupts, bad input."""

import warnings
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest

import sixd
from sixd.errors import (
    ArgumentError,
    ChoiceError,
    ModelError,
    ShapeError,
    SimulationError,
    SimulationWarning,
    SixdError,
)
from sixd.ops import divide
from sixd.simulation import INTEGRATORS, Controller, ForceElement, run, simulate
from sixd.simulation.contact import Contacts
from sixd.simulation.controllers import JointPD
from sixd.simulation.forces import Field, JointDamper, JointSpring, JointStops, Passive
from sixd.simulation.integrators import Integrator

PENDULUM = sixd.gallery.double_pendulum()


def floating():
    """A free body with an arm of two joints, without gravity."""
    b = sixd.Builder("satellite")
    b.body("hull", joint=sixd.joints.Free(), mass=4.0, com=(0.1, 0.0, 0.05), inertia=(0.3, 0.5, 0.6))
    b.body("arm", parent="hull", joint=sixd.joints.Revolute("y"), xyz=(0.3, 0, 0), mass=1.0, inertia=(0.02, 0.03, 0.02))
    b.body("hand", parent="arm", joint=sixd.joints.Spherical(), xyz=(0, 0.2, 0.1), mass=0.5, inertia=(0.01, 0.02, 0.01))
    return b.build(gravity=(0, 0, 0))


FLOATING = floating()


def start(robot, lead=(), seed=0):
    rng = np.random.default_rng(seed)
    return robot.random(rng, size=lead), rng.normal(size=(*lead, robot.nv))


# ---- integrators


@pytest.mark.parametrize("name", INTEGRATORS)
@pytest.mark.parametrize("robot", [PENDULUM, FLOATING], ids=["pendulum", "floating"])
def test_the_order_is_as_declared(name, robot):
    """Halving the step divides the error by 2^order, on vectors and on quaternions."""
    q, qd = start(robot)
    order = INTEGRATORS[name].order
    steps = [32, 64, 128] if order > 2 else [128, 256, 512]
    ends = [simulate(robot, q, qd, 0.25, dt=0.25 / n, integrator=name, record=None) for n in (*steps, 4096)]
    exact = simulate(robot, q, qd, 0.25, dt=0.25 / 2048, integrator="rk4", record=None)
    errors = [np.abs(robot.difference(exact.q[-1], end.q[-1])).max() for end in ends[:-1]]
    for coarse, fine in pairwise(errors):
        assert np.log2(coarse / fine) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_quaternions_stay_unit(name):
    q, qd = start(FLOATING)
    end = simulate(FLOATING, q, qd, 2.0, dt=2e-3, integrator=name, record=100)
    assert np.abs(np.linalg.norm(end.q[:, :4], axis=1) - 1.0).max() < 1e-14


def test_momentum_and_energy_of_a_free_robot():
    q, qd = start(FLOATING)
    run = simulate(FLOATING, q, qd, 1.0, dt=1e-3, integrator="rk4", record=50)
    momentum = FLOATING.momentum(run.q, run.qd)
    assert np.abs(momentum - momentum[0]).max() < 1e-9 * np.abs(momentum).max()
    assert np.ptp(run.energy) < 1e-9 * run.energy[0]


@pytest.mark.parametrize("name", INTEGRATORS)
def test_the_books_balance(name):
    """The work of the motors is the change of energy, to the order of the integrator."""
    q, qd = start(PENDULUM)
    errors = []
    for dt in (2e-3, 1e-3):
        end = simulate(PENDULUM, q, qd, 0.5, dt=dt, integrator=name, control=[3.0, -1.0], books=True)
        errors.append(abs(end.work[-1, 0] - (end.energy[-1] - end.energy[0])))
    assert errors[1] < 0.7 * errors[0] or errors[1] < 1e-11
    assert end.sources == ("motors",)


# ---- batches, records, parts


def test_batches_have_the_bits_of_single_runs():
    q, qd = start(PENDULUM, (3, 5))
    tau = np.random.default_rng(1).normal(size=(3, 5, 40, 2))
    whole = simulate(PENDULUM, q, qd, 0.04, control=tau, record=4)
    assert whole.q.shape == (3, 5, 11, 2)
    for k in np.ndindex(3, 5):
        one = simulate(PENDULUM, q[k], qd[k], 0.04, control=tau[k], record=4)
        assert np.array_equal(one.q, whole.q[k])
        assert np.array_equal(one.qd, whole.qd[k])
        assert np.array_equal(one.tau, whole.tau[k])
        assert np.array_equal(one.t, whole.t)


@pytest.mark.parametrize("record", [1, 2, 7, 40, 100, None])
def test_records_are_those_of_every_step(record):
    q, qd = start(PENDULUM, (2,))
    full = simulate(PENDULUM, q, qd, 0.04)
    some = simulate(PENDULUM, q, qd, 0.04, record=record)
    which = [40] if record is None else sorted({*range(0, 41, record), 40})  # the end is always there
    assert np.array_equal(some.q, full.q[:, which])
    assert np.array_equal(some.t, full.t[which])


def test_stretches_change_no_bit(monkeypatch):
    q, qd = start(PENDULUM, (2,))
    whole = simulate(PENDULUM, q, qd, 0.05, record=3, integrator="heun")
    monkeypatch.setattr(run, "STRETCH", 1.0)
    cut = simulate(PENDULUM, q, qd, 0.05, record=3, integrator="heun")
    assert np.array_equal(whole.q, cut.q)
    assert np.array_equal(whole.t, cut.t)
    for name in whole.last:
        assert np.array_equal(whole.last[name], cut.last[name])


def test_a_run_goes_on_to_the_bit():
    q, qd = start(PENDULUM)

    class Pulse(Controller):
        name = "pulse"

        def torque(self, moment):
            return [moment.t, 1.0 - 2.0 * moment.t]

    pulse = Pulse()
    whole = simulate(PENDULUM, q, qd, 0.2, record=5, control=pulse, books=True, integrator="rk4")
    parts = simulate(PENDULUM, q, qd, 0.05, record=5, control=pulse, books=True, integrator="rk4").resume(0.15)
    for name in ("t", "q", "qd", "work", "tau"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name


def test_a_run_goes_on_between_two_answers_of_a_controller():
    """The answer holds until the controller would have been asked in one run."""

    def control(t, q, qd):
        return np.sin(50.0 * t) - qd

    q, qd = start(PENDULUM, (2,))
    given = {"control": control, "control_dt": 0.01}
    whole = simulate(PENDULUM, q, qd, 0.06, **given)
    parts = simulate(PENDULUM, q, qd, 0.013, **given).resume(0.004).resume(0.043)
    for name in ("t", "q", "qd", "tau"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name
    last = simulate(PENDULUM, q, qd, 0.013, record=None, **given).resume(0.047)
    assert np.array_equal(last.q[:, 0], whole.q[:, -1])
    assert np.array_equal(last.tau[:, 0], whole.tau[:, -1])


def test_one_sample_has_the_forces_that_were_given_for_it():
    q, qd = start(PENDULUM, (2, 3))
    for shape in ((3, 10, 2), (2, 1, 10, 2), (2, 3, 1, 2), (10, 2)):
        tau = np.random.default_rng(1).normal(size=shape)
        whole = simulate(PENDULUM, q, qd, 0.01, control=tau)
        assert np.array_equal(whole.sample(1, 2).tau, whole.tau[1, 2])
        assert np.array_equal(whole.sample(1).sample(2).power, whole.power[1, 2])
        assert np.array_equal(whole.sample(slice(0, 1)).tau, whole.tau[:1])
        whole.sample(0, 0).plot()


def test_forces_between_records_are_those_of_the_step_under_way():
    tau = np.arange(20.0).reshape(10, 2)
    whole = simulate(PENDULUM, [0.1, 0.2], [0.0, 0.0], 0.01, control=tau)
    assert np.array_equal(whole.resample([0.0, 0.0007, 0.001, 0.0019, 0.01]).tau, tau[[0, 0, 1, 1, 9]])


def test_parts_of_a_trajectory():
    q, qd = start(FLOATING, (4,))
    whole = simulate(FLOATING, q, qd, 0.05)
    joint = FLOATING.joints[1]
    assert np.array_equal(whole.joint(joint.name).q, whole.q[..., joint.q])
    assert np.array_equal(whole.sample(2).qd, whole.qd[2])
    assert np.array_equal(whole[10:20].t, whole.t[10:20])
    assert np.array_equal(whole.between(0.0099, 0.0201).t, whole.t[10:21])
    assert whole.center_of_mass.shape == (4, 51, 3)
    assert whole.power.shape == (4, 51, 1)
    assert "Trajectory of satellite: 51 states x 4 samples, 0 to 0.05 s" in repr(whole)
    for wrong in (lambda: whole[3], lambda: whole[1, 2], lambda: whole.sample(), lambda: whole.sample(0, 1)):
        with pytest.raises(ArgumentError):
            wrong()
    for wrong in (..., None, True, np.ones((4, 51), bool)):
        with pytest.raises(ArgumentError, match=r"samples are chosen by numbers|has 1 batch axes"):
            whole.sample(wrong)
    assert np.array_equal(whole.sample([2, 0]).q, whole.q[[2, 0]])
    assert np.array_equal(whole.sample(np.array([True, False, False, True])).q, whole.q[[0, 3]])
    for wrong in (9, "left", 1.5):
        with pytest.raises(IndexError, match=r"the batch is \(4,\)"):
            whole.sample(wrong)
    for wrong in (slice(0, 5, 0), slice("a", None), [99], [0.5]):
        with pytest.raises(IndexError, match="the trajectory has 51 states"):
            whole[wrong]
    assert repr(whole[5:5]) == "<Trajectory of satellite: 0 states x 4 samples, by rk43>"
    whole.sample(0)[-1:].plot()


def test_resampling_has_the_order_it_claims():
    q, qd = start(FLOATING)
    fine = simulate(FLOATING, q, qd, 0.4, dt=1e-3, integrator="rk4")
    errors = []
    for every in (40, 20):
        again = fine[::every].resample(fine.t)
        way, speed = FLOATING.difference(fine.q, again.q), fine.qd - again.qd
        errors.append((np.abs(way).max(), np.abs(speed).max()))
    assert np.log2(errors[0][0] / errors[1][0]) == pytest.approx(4.0, abs=0.3)
    assert np.log2(errors[0][1] / errors[1][1]) == pytest.approx(3.0, abs=0.3)
    same = fine.resample(fine.t)
    np.testing.assert_allclose(FLOATING.difference(same.q, fine.q), 0.0, atol=1e-12)
    np.testing.assert_allclose(same.qd, fine.qd, rtol=1e-9, atol=1e-10)
    with pytest.raises(ModelError, match="within the trajectory"):
        fine.resample([0.5])


# ---- controllers in Python


def test_a_function_of_python_is_asked_at_its_rate():
    q, qd = start(PENDULUM)
    times = []

    def control(t, q, qd):
        times.append(t)
        return [np.sin(t), -0.1 * qd[1]]

    end = simulate(PENDULUM, q, qd, 0.02, control=control, control_dt=5e-3, record=2)
    np.testing.assert_allclose(times, [0.0, 0.005, 0.01, 0.015])
    held = np.floor(np.minimum(end.t, 0.0199) / 5e-3 + 1e-9) * 5e-3
    np.testing.assert_allclose(end.tau[:, 0], np.sin(held), atol=1e-15)


def test_a_constant_answer_is_a_constant_control():
    q, qd = start(PENDULUM, (3,))
    by_function = simulate(PENDULUM, q, qd, 0.02, control=lambda t, q, qd: [1.0, 2.0])
    assert np.array_equal(by_function.q, simulate(PENDULUM, q, qd, 0.02, control=[1.0, 2.0]).q)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda: 1 / 0, "raised ZeroDivisionError"),
        (lambda: [1.0], r"shape \(1,\), but \(2,\) is needed"),
        (lambda: [np.nan, 0.0], "NaN"),
        (lambda: "left", "no array of numbers"),
        (lambda: None, "no array of numbers"),
        (lambda: np.zeros((3, 2)), r"shape \(3, 2\), but \(2,\) is needed"),
    ],
)
def test_a_controller_that_fails(answer, message):
    q, qd = start(PENDULUM)

    def control(t, q, qd):
        return answer() if t > 0.0095 else [0.0, 0.0]

    with pytest.raises(SimulationError, match=message) as caught:
        simulate(PENDULUM, q, qd, 0.02, control=control)
    assert caught.value.time == pytest.approx(0.01)
    assert "t = 0.01 s" in str(caught.value)
    kept = caught.value.trajectory
    assert np.array_equal(kept.q, simulate(PENDULUM, q, qd, 0.01).q)


def test_an_interrupt_keeps_what_was_computed():
    q, qd = start(PENDULUM)

    def control(t, q, qd):
        if t > 0.0095 and not going_on:
            raise KeyboardInterrupt
        return [0.0, 0.0]

    going_on = False
    with pytest.warns(SimulationWarning, match=r"interrupted at t = 0.01 s"):
        early = simulate(PENDULUM, q, qd, 0.02, control=control)
    assert not early.finished
    going_on = True
    assert np.array_equal(early.resume(0.01).q, simulate(PENDULUM, q, qd, 0.02).q)


# ---- samples that blow up


def test_a_sample_that_blows_up_leaves_the_others_alone():
    q, qd = start(PENDULUM, (3,))
    tau = np.zeros((3, 1, 2))
    tau[1] = 1e200
    with pytest.warns(SimulationWarning, match=r"1 of 3 samples blew up: the state of sample \(1,\)"):
        end = simulate(PENDULUM, q, qd, 0.02, control=tau)
    good = simulate(PENDULUM, q, qd, 0.02)
    assert np.array_equal(end.q[[0, 2]], good.q[[0, 2]])
    assert np.isnan(end.q[1, -1]).all()
    assert not end.finished


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "dopri5"])
def test_a_sample_of_a_run_that_was_cut_off_has_not_finished(integrator):
    """One sample blows up, then the controller fails: the other has not gone to the end either."""
    q, qd = start(PENDULUM, (2,))

    def control(t, q, qd):
        if t > 0.0295:
            raise ValueError("no more")
        return [[1e200 if 0.0095 < t < 0.0105 else 0.0, 0.0], [0.0, 0.0]]

    with pytest.raises(SimulationError, match="no more") as caught:
        simulate(PENDULUM, q, qd, 0.05, control=control, integrator=integrator)
    kept = caught.value.trajectory
    assert kept.stopped
    assert not kept.sample(1).finished


def test_an_integrator_of_ones_own_may_take_impulses():
    """Whether it does is what it says, not whether its name is known."""

    class Mine(type(INTEGRATORS["semi_implicit_euler"]())):
        name = "mine"

    class Borrowed(type(INTEGRATORS["rk4"]())):
        name = "semi_implicit_euler"

    lamp = sixd.gallery.jumping_lamp()
    contacts = Contacts.of(lamp, [lamp.frames[-1].name], law="rigid")
    start = lamp.neutral(), np.zeros(lamp.nv), 0.01
    own, known = (simulate(lamp, *start, contacts=contacts, integrator=x) for x in (Mine(), "semi_implicit_euler"))
    assert np.array_equal(own.q, known.q)
    with pytest.raises(ChoiceError, match="which this integrator does not provide for"):
        simulate(lamp, *start, contacts=contacts, integrator=Borrowed())


def test_a_run_that_blows_up_raises_with_what_there_is():
    q, qd = start(PENDULUM)
    with pytest.raises(SimulationError, match="fastest by then") as caught:
        simulate(PENDULUM, q, qd, 0.02, control=[1e200, 0.0])
    assert np.isfinite(caught.value.trajectory.q[0]).all()


def test_forces_that_are_not_finite_are_named():
    """A smaller step would not help, so it is not proposed."""
    hole = Field(lambda p, v, t: (0.0, 0.0, divide(1.0, p[0] - p[0])))
    parts = [JointDamper(0.1), hole]
    with pytest.raises(SimulationError, match=r"the forces of field are not finite there$"):
        simulate(PENDULUM, [0.3, 0.1], [0.0, 0.0], 0.01, forces=parts, control=np.zeros((10, 2)))


# ---- bad input


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"dt": 0.0}, ModelError, "dt must be a positive number"),
        ({"dt": -1e-3}, ModelError, "dt must be a positive number"),
        ({"dt": np.nan}, ModelError, "dt must be a positive number"),
        ({"dt": "fast"}, ModelError, "dt must be a number"),
        ({"duration": -1.0}, ModelError, "duration must be a finite number"),
        ({"duration": np.inf}, ModelError, "duration must be a finite number"),
        ({"duration": 0.0015}, ModelError, "whole number of them"),
        ({"q0": [0.0]}, ShapeError, "q0 has shape"),
        ({"q0": [np.nan, 0.0]}, ModelError, "q0 must be finite"),
        ({"robot": FLOATING, "q0": np.zeros(12), "qd0": np.zeros(10)}, ModelError, "q0 is no position of joint"),
        ({"control": [np.nan, 0.0]}, ModelError, "control must be finite"),
        ({"control": JointPD(1.0, 1.0), "inputs": {"q_target": [np.inf, 0.0]}}, ModelError, "'q_target'.*finite"),
        ({"control": JointPD(1.0, 1.0)}, ArgumentError, "need the input 'q_target' of shape"),
        ({"parameters": {"gravity": [0.0, 0.0, np.nan]}}, ModelError, "parameters.'gravity'.*finite"),
        ({"duration": 1e12}, ModelError, "records of 1 samples would take 1.6e.07 GB.*record=None"),
        ({"duration": 1e17}, ModelError, "is more steps of dt = 0.001 s than can be counted: choose a larger dt"),
        ({"qd0": [0.0, 0.0, 0.0]}, ShapeError, "qd0 has shape"),
        ({"q0": np.zeros((2, 2)), "qd0": np.zeros((3, 2))}, ShapeError, "do not fit|broadcast"),
        ({"control": [1.0]}, ShapeError, "control has shape"),
        ({"control": np.zeros((7, 2))}, ShapeError, "7 values along the axis of steps, but there are 10 .*, 1, 2"),
        ({"control": lambda t, q, qd: -qd, "control_dt": 0.0}, ModelError, "control_dt must be at least one step"),
        ({"control": "up"}, ArgumentError, "control"),
        ({"control_dt": 0.01}, ArgumentError, "control_dt"),
        ({"integrator": "rk5"}, ChoiceError, "integrator must be one of .*'dopri5', not 'rk5'"),
        ({"record": 0}, ModelError, "record"),
        ({"record": "all"}, ModelError, "record"),
        ({"forces": "wind"}, ArgumentError, "forces"),
        ({"forces": [1.0]}, ArgumentError, "each of forces"),
        ({"inputs": {"target": 1.0}}, ChoiceError, "inputs names 'target'"),
        ({"inputs": 3}, ArgumentError, "inputs maps names"),
        ({"books": "yes"}, ArgumentError, "books"),
        ({"robot": "panda"}, ArgumentError, "robot"),
    ],
)
def test_bad_input(change, error, message):
    given = {"robot": PENDULUM, "q0": [0.0, 0.0], "qd0": [0.0, 0.0], "duration": 0.01, **change}
    with pytest.raises(error, match=message) as caught:
        simulate(**given)
    assert isinstance(caught.value, SixdError)


def test_no_time_at_all():
    still = simulate(PENDULUM, [1.0, 0.0], [0.0, 0.0], 0.0)
    assert len(still) == 1
    assert still.t.tolist() == [0.0]


# ---- other forms


def test_files_and_tables(tmp_path):
    q, qd = start(PENDULUM)
    whole = simulate(PENDULUM, q, qd, 0.01, control=[1.0, 0.0], books=True)
    columns = whole.columns
    assert list(columns)[:3] == ["t", "q_" + PENDULUM.joints[0].name, "q_" + PENDULUM.joints[1].name]
    whole.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as file:
        assert np.array_equal(file["q"], whole.q)
        assert np.array_equal(file["work"], whole.work)
    whole.save(tmp_path / "run.csv")
    table = np.genfromtxt(tmp_path / "run.csv", delimiter=",", names=True, deletechars="")
    assert np.array_equal(table["t"], whole.t)
    assert np.array_equal(table[list(columns)[1]], whole.q[:, 0])
    parquet = pytest.importorskip("pyarrow.parquet")
    whole.save(tmp_path / "run.parquet")
    assert parquet.read_table(tmp_path / "run.parquet").column_names == list(columns)
    with pytest.raises(ChoiceError, match=r"must be a \.csv"):
        whole.save(tmp_path / "run.txt")
    with pytest.raises(FileNotFoundError):
        whole.save(tmp_path / "missing" / "run.npz")
    batch = simulate(PENDULUM, *start(PENDULUM, (2,)), 0.01)
    with pytest.raises(ShapeError, match="one sample"):
        batch.save(tmp_path / "run.csv")


def test_pandas_and_xarray():
    whole = simulate(FLOATING, *start(FLOATING, (2,)), 0.01)
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    frame = whole.sample(1).to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == list(whole.columns)
    data = whole.to_xarray()
    assert isinstance(data, xarray.Dataset)
    assert "work" not in data
    books = simulate(PENDULUM, [0.1, 0.2], [0.0, 0.0], 0.01, forces=[JointDamper(0.1)], books=True)
    assert np.array_equal(books.to_xarray().work.sel(source="joint_damper"), books.work[:, 1])
    assert data.q.dims == ("sample", "t", "q_joint")
    assert np.array_equal(data.qd.values, whole.qd)


def test_a_plot_has_names_and_units():
    figure = simulate(PENDULUM, *start(PENDULUM), 0.01, control=np.ones(PENDULUM.nv)).plot()
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["position\n[rad]", "velocity\n[rad/s]", "joint force\n[N m]", "energy\n[J]"]
    free = simulate(PENDULUM, *start(PENDULUM), 0.01).plot()
    assert [ax.get_ylabel() for ax in free.axes] == [labels[0], labels[1], labels[3]]  # no panel of zeros
    both = simulate(FLOATING, *start(FLOATING), 0.01, control=np.ones(FLOATING.nv)).plot()
    assert both.axes[2].get_ylabel() == "joint force\n[N m or N]"
    assert [line.get_label() for line in figure.axes[0].get_lines()] == [joint.name for joint in PENDULUM.joints]


def test_lines_of_a_plot_differ():
    """Also where there are more of them than colours; panels are then as high as for few."""
    dog = sixd.gallery.quadruped()
    figure = simulate(dog, dog.neutral(), np.zeros(dog.nv), 0.01).plot()
    lines = figure.axes[0].get_lines()
    assert len(lines) == dog.nq > 10
    looks = {line.get_label(): (line.get_color(), line.get_linestyle()) for line in lines}
    assert len(set(looks.values())) == len(lines)
    bases = {f"base {rate}": f"base {part}" for part, rate in zip(("qx", "qy", "qz"), ("wx", "wy", "wz"), strict=True)}
    bases |= {f"base v{axis}": f"base {axis}" for axis in "xyz"}
    for line in figure.axes[1].get_lines():
        name = bases.get(line.get_label(), line.get_label())
        assert looks[name] == (line.get_color(), line.get_linestyle())
    figure.draw_without_rendering()
    heights = [ax.get_position().height for ax in figure.axes]
    assert max(heights) < 1.05 * min(heights)
    assert figure.axes[0].get_position().y1 > 0.9


def test_comparing_two_motions():
    q, qd = start(PENDULUM)
    one, other = (simulate(PENDULUM, q, qd, 0.5, dt=dt, integrator="heun") for dt in (1e-3, 5e-4))
    found = one.compare(other)
    assert 1e-9 < found.position < 1e-4
    assert "largest difference in position" in str(found)
    lost = replace(other, q=np.where(other.t[:, None] > 0.1, np.nan, other.q))
    for wrong, error, message in (
        (lambda: one.compare(3), ArgumentError, "other must be"),
        (lambda: one.compare(lost), ModelError, "a state is not finite at t = "),
        (lambda: one[:0].compare(one), ModelError, "there is nothing to compare"),
        (lambda: one.compare(one[:0]), ModelError, "there is nothing to compare"),
        (lambda: one[[0, 500]].compare(one[40:60]), ModelError, "has no records in the time that both have"),
    ):
        with pytest.raises(error, match=message):
            wrong()
    batch = simulate(PENDULUM, [q, q + 0.1], qd, 0.5, integrator="heun")
    other = simulate(PENDULUM, [q, q + 0.2], qd, 0.5, integrator="heun")
    assert batch.compare(other).where_position.endswith("sample (1,)")
    assert one.compare(one).position == 0.0
    with pytest.raises(ModelError, match="different joints"):
        one.compare(simulate(FLOATING, *start(FLOATING), 0.01))


def test_no_warnings_in_a_usual_run():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(PENDULUM, [1.0, 0.0], [0.0, 0.0], 0.01)


@dataclass(frozen=True)
class Spring(ForceElement):
    """A spring and a damper at the last joint."""

    stiffness: float
    damping: float
    name = "spring"

    def apply(self, moment, loads):
        pull = -self.stiffness * moment.q[-1] - self.damping * moment.qd[-1]
        loads.on_joints([*[0.0] * (len(moment.qd) - 1), pull])


def test_steps_too_long_for_springs_and_dampers():
    q, qd = [0.5, 0.0], [0.0, 0.0]
    M, euler = PENDULUM.inverse_mass_matrix(q)[1, 1], "semi_implicit_euler"
    for spring, rate in ((Spring(1e6, 0.0), np.sqrt(1e6 * M)), (Spring(0.0, 1e4), 1e4 * M)):
        longest = 2.0 / rate
        simulate(PENDULUM, q, qd, 0.9 * longest, dt=0.9 * longest, forces=[spring], integrator=euler)
        with pytest.warns(SimulationWarning, match=f"needs dt below {longest:.2g} s"):
            simulate(PENDULUM, q, qd, 1.1 * longest, dt=1.1 * longest, forces=[spring], integrator=euler)
        with pytest.raises(ModelError, match="integrator='implicit'"):
            simulate(PENDULUM, q, qd, 11 * longest, dt=11 * longest, forces=[spring], integrator=euler)
        simulate(PENDULUM, q, qd, 110 * longest, dt=11 * longest, forces=[spring], integrator="implicit")


def test_whether_a_step_is_too_long_does_not_depend_on_earlier_runs():
    """Stops act where they are reached: a run that starts beyond one is judged by itself."""
    stops = JointStops(lower=-1.0, upper=1.0, stiffness=1e5)
    for at, warns in ((0.0, False), (1.01, True), (0.0, False)):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            simulate(PENDULUM, [at, 0.0], [0.0, 0.0], 2e-3, dt=2e-3, forces=[stops], integrator="semi_implicit_euler")
        assert [x.filename for x in found] == [__file__] * warns


def test_dry_friction_of_the_robot_is_no_stiff_spring():
    """Passive friction jumps at rest, where no step is short enough: it is simulated, and takes the energy out."""
    b = sixd.Builder("arm")
    b.body("arm", joint=sixd.joints.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1), friction=0.5)
    run = simulate(b.build(), [1.0], [0.0], 5.0, forces=[Passive()])
    assert np.abs(run.qd[-1]).max() < 1e-2
    assert run.energy[-1] < run.energy[0]


def test_the_implicit_integrator_finds_the_slow_motion_of_a_stiff_system():
    """With a spring that all but locks the second joint, it moves like a pendulum with one joint."""
    spring = Spring(1e8, 1e4)
    stiff = simulate(PENDULUM, [1.0, 0.0], [0.0, 0.0], 1.0, dt=5e-3, forces=[spring], integrator="implicit")
    locked = PENDULUM.lock({PENDULUM.joints[1].name: 0.0})
    rigid = simulate(locked, [1.0], [0.0], 1.0, dt=5e-3, integrator="rk4")
    np.testing.assert_allclose(stiff.q[:, 0], rigid.q[:, 0], atol=2e-4)
    assert np.abs(stiff.q[:, 1]).max() < 1e-6


def test_a_free_body_that_spins_flies_straight_on():
    """Its velocity is in its own axes, which turn by 0.03 rad in a step: its speed does not grow for that."""
    b = sixd.Builder("ball")
    b.body("ball", joint=sixd.joints.Free(), mass=2.0, inertia=(0.1, 0.1, 0.1))
    ball = b.build(gravity=(0, 0, 0))
    q0, qd0 = ball.random(0), np.array([10.0, -20.0, 20.0, 1.0, 0.5, -0.3])
    run = simulate(ball, q0, qd0, 1.0, dt=1e-3, integrator="semi_implicit_euler")
    velocity = ball.velocity(run.q, run.qd, "ball", expressed_in="aligned")[:, 3:]
    np.testing.assert_allclose(velocity, np.broadcast_to(velocity[0], velocity.shape), atol=1e-12)
    np.testing.assert_allclose(run.q[-1, 4:], run.q[0, 4:] + velocity[0], atol=3e-4)


def test_every_sample_may_have_masses_and_gravity_of_its_own():
    q, qd = start(PENDULUM, (3,))
    robots = [
        PENDULUM.with_gravity((0.0, 0.0, -g)).with_inertia("link2", mass=m)
        for g, m in ((1.6, 1.0), (9.8, 2.0), (3.7, 0.5))
    ]
    numbers = {name: np.stack([sixd.parameters(r, name) for r in robots]) for name in ("gravity", "inertia")}
    together = simulate(PENDULUM, q, qd, 0.1, parameters=numbers, integrator="rk4")
    for k, robot in enumerate(robots):
        alone = simulate(robot, q[k], qd[k], 0.1, integrator="rk4")
        np.testing.assert_allclose(together.q[k], alone.q, rtol=1e-12, atol=1e-14)
    for wrong, error in (({"mass": 1.0}, ChoiceError), ({"gravity": [1.0]}, ShapeError), (3, ArgumentError)):
        with pytest.raises(error):
            simulate(PENDULUM, q, qd, 0.1, parameters=wrong)


def test_an_empty_batch():
    for more in ({}, {"control": lambda t, q, qd: -qd}, {"integrator": "dopri5"}):
        run = simulate(PENDULUM, np.zeros((0, 2)), np.zeros((0, 2)), 0.01, **more)
        assert run.q.shape == run.tau.shape == (0, 11, 2)


def test_a_batch_of_answers_fits_the_batch():
    with pytest.raises(SimulationError, match=r"shape \(5, 2\), but \(3, 2\) is needed"):
        simulate(PENDULUM, np.zeros((3, 2)), np.zeros(2), 0.01, control=lambda t, q, qd: np.zeros((5, 2)))


def test_a_field_may_have_its_pole_where_the_robot_is_neutral():
    """What fits a robot is tried in its neutral position, which need not be one of the run."""
    b = sixd.Builder("bead")
    b.body("bead", joint=sixd.joints.Prismatic("x"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    pull = Field(lambda p, v, t: p * (-1.0 / (p @ p)))
    run = simulate(b.build(), [1.0], [0.0], 0.1, forces=[pull], integrator="rk4")
    # An integral of the motion under f = -1 / x: v^2 / 2 + log x.
    assert run.qd[-1, 0] ** 2 / 2 + np.log(run.q[-1, 0]) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("name", "change"), [("heun", 0.11), ("variational", 1e-7), ("variational4", 1e-7)])
def test_an_oscillation_keeps_its_energy_in_the_longest_steps_that_pass_without_a_warning(name, change):
    """For a period; in steps of twice that length, Heun's method makes it grow and the variational ones let it die."""
    b = sixd.Builder("bead")
    b.body("bead", joint=sixd.joints.Prismatic("x"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    robot, spring = b.build(gravity=(0, 0, 0)), [JointSpring(0.999)]
    dt = INTEGRATORS[name].fastest_swing
    run = simulate(
        robot, [1.0], [0.0], dt * int(2.0 * np.pi / dt), dt=dt, integrator=name, forces=spring, energy_check="off"
    )
    assert np.abs(run.energy / run.energy[0] - 1.0).max() < 2.0 * change
    with pytest.warns(SimulationWarning, match="is too long for the springs"):
        simulate(robot, [1.0], [0.0], 2.0 * dt, dt=2.0 * dt, integrator=name, forces=spring)
    dt = 0.999 * INTEGRATORS[name].fastest
    damped = simulate(
        robot, [1.0], [1.0], 100 * dt, dt=dt, integrator=name, forces=[JointDamper(1.0)], energy_check="off"
    )
    assert abs(damped.qd[-1, 0]) < 1.0


@pytest.mark.parametrize("given", [{"duration": 1.0, "dt": 1e6}, {"duration": 1e-9}, {"duration": 1.0, "dt": 1e9}])
def test_runs_shorter_than_a_step_are_refused(given):
    """They had no step, and were finished without a word."""
    with pytest.raises(sixd.ModelError, match=r"is less than one step of dt = .* take a smaller dt"):
        simulate(PENDULUM, [0.1, 0.2], [0.0, 0.0], **given)


def test_resuming_for_what_rounding_leaves_goes_on_for_nothing():
    run = simulate(PENDULUM, [0.1, 0.2], [0.0, 0.0], 0.3)
    assert len(run.resume(0.1 + 0.2 - 0.3)) == len(run)
    with pytest.raises(sixd.ModelError, match="less than one step"):
        run.resume(1e-9)


def test_tolerances_are_for_steps_of_variable_length():
    with pytest.raises(sixd.ArgumentError, match="'rk4' makes steps of dt, so choose one of those"):
        simulate(PENDULUM, [0.1, 0.2], [0.0, 0.0], 0.1, integrator="rk4", rtol=1e-3)


def test_a_run_that_is_no_batch_has_no_samples():
    with pytest.raises(sixd.ArgumentError, match="that of one sample, not a batch: use it as it is"):
        simulate(PENDULUM, [0.1, 0.2], [0.0, 0.0], 0.1).sample(0)


def test_an_integrator_is_given_by_name_as_a_class_or_as_an_object():
    kind, start = INTEGRATORS["rk4"], ([1.0, 0.0], [0.0, 1.0], 0.01)
    by_name, *others = (simulate(PENDULUM, *start, integrator=given).q for given in ("rk4", kind, kind()))
    for q in others:
        np.testing.assert_array_equal(q, by_name)
    for wrong in (Integrator, int):
        with pytest.raises(ChoiceError, match="integrator must be one of"):
            simulate(PENDULUM, *start, integrator=wrong)
