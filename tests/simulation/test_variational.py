"""Variational integrators: momentum to rounding, mechanisms at singular positions, steps without a solution."""

import numpy as np
import pytest

import sixd
from sixd.simulation import simulate
from sixd.simulation.forces import Field, JointStops
from tests.robots import example_urdf
from tests.simulation.test_simulate import PENDULUM

BOTH = ["variational", "variational4"]


def momentum_drift(robot, speed, seconds, dt, integrator):
    """How far the momentum of a robot without gravity drifts, relative to the momenta of its joints added up."""
    robot = robot.with_gravity((0.0, 0.0, 0.0))
    qd = speed * np.random.default_rng(0).normal(size=robot.nv)
    run = simulate(robot, robot.neutral(), qd, seconds, dt=dt, integrator=integrator, record=10)
    sizes = np.abs(robot.momentum_matrix(run.q) * run.qd[:, None, :]).sum(axis=-1).max(axis=0)
    momentum = robot.momentum(run.q, run.qd)
    return (np.abs(momentum - momentum[0]).max(axis=0) / sizes).max()


@pytest.mark.parametrize("integrator", BOTH)
@pytest.mark.parametrize(("speed", "dt"), [(1.0, 1e-3), (10.0, 1e-3), (3.0, 1e-2), (10.0, 1e-2)])
def test_momentum_of_a_free_quadruped_is_kept_to_rounding(integrator, speed, dt):
    """Sweeps go on until the step is solved, however fast the motion is for it: seven gave up to 6e-5."""
    assert momentum_drift(sixd.gallery.quadruped(), speed, 2.0, dt, integrator) < 1e-12


@pytest.mark.filterwarnings("ignore::sixd.errors.ModelWarning")
def test_momentum_of_a_free_humanoid_is_kept_to_rounding():
    talos = sixd.load(example_urdf("talos_data/talos_reduced"), base="free")
    assert momentum_drift(talos, 2.0, 0.5, 5e-3, "variational4") < 1e-12


def passing(which):
    """A mechanism under way to a singular position, with its position and velocity."""
    if which == "parallelogram":
        m, guess = sixd.mechanisms.four_bar(2.0, 1.0, 2.0, 1.0, angle=-1.0), np.array([-6.0, 6.0, -6.0])
    else:
        m = sixd.mechanisms.bricard()
        guess = 5.0 * np.linalg.svd(m.robot.constraint_jacobian(m.q))[2][-1]
    return m.robot, *m.robot.project(m.q, guess)


@pytest.mark.parametrize("integrator", BOTH)
@pytest.mark.parametrize(("which", "swept"), [("parallelogram", 25.0), ("bricard", 3.0)])
def test_mechanisms_pass_singular_positions_as_with_other_integrators(which, swept, integrator):
    """The parallelogram goes around, through its line twice a turn; Bricard's bars fold onto each other."""
    robot, q, qd = passing(which)
    run, wanted = (simulate(robot, q, qd, 4.0, dt=1e-3, integrator=name, record=10) for name in (integrator, "rk4"))
    assert np.ptp(run.q[:, 0]) > swept
    assert np.abs(run.q - wanted.q).max() < 1e-2
    assert np.ptp(run.energy) < 5e-4 * np.ptp(run.kinetic_energy)
    assert np.abs(robot.constraint_error(run.q)).max() < 1e-11


def test_momentum_of_a_closed_robot_that_flies_is_kept():
    b = sixd.Builder("flying four-bar")
    b.body("ground", joint=sixd.joints.Free(), mass=2.0, inertia=(0.2, 0.3, 0.4))
    for name, parent, x in (("crank", "ground", 0.0), ("coupler", "crank", 0.6), ("rocker", "ground", 2.0)):
        arm = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0.1, 0.1, 0.1), "xyz": (x, 0, 0)}
        b.body(name, parent, joint=sixd.joints.Revolute("y"), **arm)
    b.frame("rocker end", on="rocker", xyz=(1.4, 0, 0))
    b.frame("coupler end", on="coupler", xyz=(1.8, 0, 0))
    closed = b.build(gravity=(0, 0, 0)).close(sixd.Loop("rocker end", "coupler end", "revolute", axis="y"))
    q = [0, 0, 0, 1, 0, 0, 0, *sixd.mechanisms.four_bar().q]
    q, qd = closed.project(q, 3.0 * np.random.default_rng(1).normal(size=closed.nv))
    run = simulate(closed, q, qd, 1.0, dt=5e-3, integrator="variational4")
    momentum = closed.momentum(run.q, run.qd)
    assert np.abs(momentum - momentum[0]).max() < 1e-11


def test_samples_of_a_batch_take_their_own_sweeps():
    """And go on to the same bits as alone, resumed or not."""
    q, qd = np.array([[0.1, 0.2], [2.0, 1.0]]), np.array([[0.0, 0.0], [30.0, -20.0]])
    for integrator in BOTH:
        both = simulate(PENDULUM, q, qd, 0.1, dt=5e-3, integrator=integrator, books=True)
        for k in range(2):
            alone = simulate(PENDULUM, q[k], qd[k], 0.1, dt=5e-3, integrator=integrator, books=True)
            half = simulate(PENDULUM, q[k], qd[k], 0.05, dt=5e-3, integrator=integrator, books=True).resume(0.05)
            for name in ("q", "qd", "work"):
                assert np.array_equal(getattr(both, name)[k], getattr(alone, name))
                assert np.array_equal(getattr(half, name), getattr(alone, name))


@pytest.mark.parametrize("integrator", BOTH)
def test_steps_without_a_solution_say_so(integrator):
    """A force that becomes too stiff for dt far from where the run begins."""
    b = sixd.Builder("bead")
    b.body("bead", joint=sixd.joints.Prismatic("x"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    bead, stiff = b.build(gravity=(0, 0, 0)), Field(lambda p, v, t: -300.0 * p * (p @ p))
    with pytest.raises(sixd.SimulationError, match=r"the equations of a step of 'variational.*bead_joint.*smaller dt"):
        simulate(bead, [0.0], [30.0], 2.0, dt=0.1, integrator=integrator, forces=[stiff])


def test_stops_of_the_usual_stiffness_are_no_force_that_jumps():
    """Sweeps leave 0.85 of their error in the step that is 1.35 times as long; they went on for 100 of them only."""
    start, stops = ([1.0, 1.0], [5.0, -5.0], 2.0), {"forces": JointStops(1e4, lower=-0.5, upper=1.5), "record": 100}
    arm = sixd.gallery.double_pendulum()
    run, wanted = (simulate(arm, *start, integrator=name, **stops) for name in ("variational4", "dopri5"))
    assert np.abs(run.q - wanted.q).max() < 4e-3
