"""A run that cannot go on names the cause: the joint, the frame, or the forces, not the joint that was the fastest."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np
import pytest

import sixd
from sixd.errors import SimulationError, SimulationWarning
from sixd.joints import Revolute, SphericalEuler
from sixd.ops import where
from sixd.simulation import INTEGRATORS, simulate
from sixd.simulation.controllers import Controller, GravityCompensation, OperationalSpaceControl, Saturated
from tests.simulation import defaults

EVERY = (*INTEGRATORS, "dopri5")


def with_a_ghost():
    """Two links, and a third without mass."""
    b = sixd.Builder("ghostly")
    for name, parent in (("upper", "base"), ("lower", "upper")):
        b.body(name, parent, joint=Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1), xyz=(1, 0, 0))
    b.body("ghost", "lower", joint=Revolute("y"), mass=0.0, xyz=(1, 0, 0))
    return b.build()


def with_a_gimbal(**more):
    """A head on a ball joint of Euler angles, on an arm."""
    b = sixd.Builder("gimbal")
    b.body("arm", joint=Revolute("z"), mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    b.body("head", "arm", joint=SphericalEuler(), mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    return b.build(**more)


@pytest.mark.filterwarnings("ignore::sixd.errors.ModelWarning")
@pytest.mark.parametrize("integrator", EVERY)
def test_a_massless_leaf_is_named(integrator):
    robot = with_a_ghost()
    with pytest.raises(SimulationError, match=r"'ghost_joint' moves no inertia\. Give the bodies .* mass") as found:
        simulate(robot, [0.1, 0.2, 0.3], [1.0, 2.0, 0.0], 1.0, integrator=integrator)
    assert "smaller step" not in str(found.value)
    assert "upper" not in str(found.value)
    assert "lower" not in str(found.value)


@pytest.mark.parametrize("integrator", EVERY)
def test_gimbal_lock_at_the_start_is_named(integrator):
    with pytest.raises(SimulationError, match=r"'head_joint' moves no inertia. That is so at this position .*gimbal"):
        simulate(with_a_gimbal(), [0.0, 0.0, np.pi / 2, 0.0], [9.0, 0.1, 0.0, 0.2], 1.0, integrator=integrator)


@pytest.mark.parametrize("record", [1, 20])
@pytest.mark.parametrize("integrator", [None, "rk4", "implicit", "variational"])
def test_gimbal_lock_on_the_way_is_named(integrator, record):
    robot = with_a_gimbal(gravity=(0, 0, 0))
    start = [0.0, 0.0, np.pi / 2 - 0.5, 0.0], [0.0, 0.0, 1.0, 0.0]
    with pytest.raises(SimulationError, match=r"'head_joint' moves no inertia. That is so at this position .*gimbal"):
        simulate(robot, *start, 1.0, integrator=integrator, record=record)


def test_gimbal_lock_is_named_where_forward_dynamics_is_asked_for():
    with pytest.raises(sixd.SingularError, match=r"'head_joint' moves no inertia.*gimbal lock: lead the motion around"):
        with_a_gimbal().forward_dynamics([0.0, 0.0, np.pi / 2, 0.0], np.zeros(4), np.zeros(4))


@pytest.mark.filterwarnings("ignore::sixd.errors.ModelWarning")
def test_the_robot_of_a_sample_is_looked_at():
    """One without mass in its last link among others that have it."""
    robot = with_a_gimbal()
    inertia = np.array([robot.inertial_parameters.reshape(2, 10)] * 3)
    inertia[1, 1] = 0.0
    with pytest.warns(SimulationWarning, match=r"1 of 3 samples .*\(1,\) .*'head_joint' moves no inertia\. Give the"):
        simulate(robot, [0.1, 0.2, 0.3, 0.4], np.zeros(4), 0.1, parameters={"inertia": inertia})


@pytest.mark.parametrize("integrator", [None, "rk4", "dopri5"])
@pytest.mark.parametrize("around", [lambda c: c, lambda c: c + GravityCompensation(), lambda c: Saturated(c, 50.0)])
def test_operational_space_control_at_a_singular_position_names_its_frame(around, integrator):
    arm = sixd.gallery.double_pendulum()
    control = around(OperationalSpaceControl("tip", 100.0, 20.0, target=(0.0, 0.0, 1.0)))
    with pytest.raises(SimulationError, match=r"frame 'tip' cannot move in all 3 directions of kind 'position'"):
        simulate(arm, [0.3, 0.5], [0.0, 0.0], 0.1, control=control, integrator=integrator)


@dataclass(frozen=True)
class Sliding(Controller):
    """A brake that jumps: it leads the joints to rest, and holds them there by changing its sign at once."""

    level: float = 5.0
    name = "sliding"

    def torque(self, moment):
        return [where(v > 0.0, -self.level, self.level) for v in moment.qd]


@pytest.mark.parametrize("tolerances", [{}, {"rtol": 1e-6, "atol": 1e-8}])
@pytest.mark.parametrize("level", [5.0, 20.0])
def test_steps_of_variable_length_that_crawl_end_and_name_what_jumps(level, tolerances):
    """They went on for ever: a microsecond of the motion took a second."""
    began = perf_counter()
    with pytest.raises(
        SimulationError, match=r"at t = 0\.\d+ s the steps.*the forces of motors jump.*'pivot'"
    ) as found:
        simulate(sixd.gallery.pendulum(), [0.3], [1.0], 2.0, control=Sliding(level), integrator="dopri5", **tolerances)
    assert perf_counter() - began < 30.0
    assert 0.04 < found.value.time < 0.13
    run = found.value.trajectory
    assert np.isfinite(run.q[run.t < found.value.time]).all()


@dataclass(frozen=True)
class BangBang(Controller):
    """Full torque to one side or the other of q + v = 0."""

    name = "bang_bang"

    def torque(self, moment):
        return [where(q + v > 0.0, -50.0, 50.0) for q, v in zip(moment.q, moment.qd, strict=True)]


def test_bang_bang_ends_and_what_is_advised_works():
    """A third of the attempts was in vain, and ten billion would have been needed; on the line q falls as exp(-t)."""
    given = {"q0": [1.0], "qd0": [0.0], "duration": 1.0, "control": BangBang()}
    with pytest.raises(SimulationError, match=r"steps by 'dopri5' are.*the forces of motors jump.*leave out integ"):
        simulate(defaults.swing(), integrator="dopri5", **given)
    run = simulate(defaults.swing(), **given)
    late = run.t > 0.2
    np.testing.assert_allclose(run.q[late, 0] + run.qd[late, 0], 0.0, atol=2e-3)
    np.testing.assert_allclose(run.q[late, 0] * np.exp(run.t[late] - 1.0), run.q[-1, 0], rtol=1e-3)


def test_samples_that_do_not_crawl_go_on():
    """A brake that lets go of the second joint, so that one sample moves on and the other is held."""
    pendulum, q, qd = sixd.gallery.pendulum(), [[0.3], [0.3]], [[1.0], [40.0]]
    with pytest.warns(SimulationWarning, match=r"1 of 2 samples .* steps of sample \(0,\) by 'dopri5' are"):
        run = simulate(pendulum, q, qd, 0.2, control=Sliding(5.0), integrator="dopri5")
    alone = simulate(pendulum, q[1], qd[1], 0.2, control=Sliding(5.0), integrator="dopri5")
    assert np.array_equal(run.q[1], alone.q)


def test_stiff_motions_do_not_crawl():
    from sixd.simulation.forces import JointDamper, JointSpring

    stiff = [JointSpring(1e8), JointDamper(1e5)]
    run = simulate(sixd.gallery.pendulum(), [0.3], [1.0], 0.2, forces=stiff, integrator="dopri5")
    assert abs(run.q[-1, 0]) < 0.3
