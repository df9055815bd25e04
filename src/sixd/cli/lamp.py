"""The jumping lamp of FDSV Figs. 1 and 2: it crouches, jumps, flies, lands and stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.gallery import jumping_lamp
from sixd.ops import Scalar, divide, sqrt, where
from sixd.robot import Robot
from sixd.simulation.contact import Compliant, Contacts, Plane, Point
from sixd.simulation.controllers.controller import Controller
from sixd.simulation.moment import Moment
from sixd.simulation.simulate import simulate
from sixd.simulation.trajectory import Trajectory

__all__ = ["Flight", "Hop", "flight_of", "hop", "story"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Phase:
    """A part of the hop: until when, to which angles of both joints, how stiffly, N m/rad and N m s/rad; and how long
    it takes to begin, s.
    """

    until: float
    angles: tuple[float, float]
    stiffness: float
    damping: float
    gently: float


#: The lamp stands, crouches, stretches with all its strength, and folds its arm a little to land softly.
PHASES = (
    Phase(0.1, (0.15, -0.64), 60.0, 4.0, 0.0),
    Phase(0.9, (0.30, -1.60), 60.0, 4.0, 0.6),
    Phase(1.05, (0.02, -0.10), 400.0, 2.0, 0.02),
    Phase(np.inf, (0.20, -0.90), 40.0, 3.0, 0.05),
)


@dataclass(frozen=True)
class Hop(Controller):
    """Torques towards the angles of the phase, within the limits of the motors.

    All is smooth in time, so that the order of the integrator holds: u = p / sqrt(1 + (p / most)^2) is near p for small
    torques and never above the limit.
    """

    name = "hop"

    def torque(self, moment: Moment) -> list[Scalar]:
        model = moment.model
        tau: list[Scalar] = [0.0] * model.nv
        for k, name in enumerate(("theta1", "theta2")):
            joint = model.joint(name)
            (q,), (qd,) = moment.joint_position(name), moment.joint_velocity(name)
            wanted, stiffness, damping = self._wanted(moment.t, k)
            pull = stiffness * (wanted - q) - damping * qd
            share = pull * (1.0 / joint.effort[0])
            tau[joint.v.start] = divide(pull, sqrt(1.0 + share * share))
        return tau

    @staticmethod
    def _wanted(t: Scalar, k: int) -> tuple[Scalar, Scalar, Scalar]:
        """The angle of joint k, stiffness and damping at a time."""
        first, *others = PHASES
        found: tuple[Scalar, Scalar, Scalar] = first.angles[k], first.stiffness, first.damping
        for before, phase in zip(PHASES, others, strict=False):
            w = _rise((t - before.until) * (1.0 / phase.gently))
            old, stiffness, damping = found
            found = (
                old + (phase.angles[k] - old) * w,
                stiffness + (phase.stiffness - stiffness) * w,
                damping + (phase.damping - damping) * w,
            )
        return found


def _rise(s: Scalar) -> Scalar:
    """From 0 at s = 0 to 1 at s = 1, with two derivatives that are zero at both ends."""
    s = where(s < 0.0, 0.0, where(s > 1.0, 1.0, s))
    return s * s * s * (10.0 - s * (15.0 - 6.0 * s))


def hop(duration: float = 2.5, dt: float = 5e-5) -> Trajectory:
    """The hop, with the work of motors and ground in its books."""
    lamp = jumping_lamp()
    ground = Contacts([Point("heel"), Point("toe")], Plane((0, 1, 0)), Compliant(stiffness=1e5, damping=1.5))
    start = standing(lamp)
    return simulate(
        lamp,
        start,
        np.zeros(lamp.nv),
        duration,
        dt=dt,
        control=Hop(),
        contacts=ground,
        integrator="rk4",
        record=40,
        books=True,
    )


def standing(lamp: Robot) -> Array:
    """The position in which the hop begins: upright, on the ground."""
    q = lamp.neutral()
    for k, name in enumerate(("theta1", "theta2")):
        q[lamp.joint(name).q] = PHASES[0].angles[k]
    return q


@dataclass(frozen=True)
class Flight:
    """What must hold while nothing touches the ground: first and last record, and how well it holds."""

    first: int
    last: int
    #: The largest distance of the centre of mass from a parabola, m.
    off_parabola: float
    #: The largest change of the angular momentum about the centre of mass, relative to its largest value.
    momentum_change: float


def flight_of(run: Trajectory) -> Flight:
    """The longest time without contact forces."""
    free = ~(run.contact_forces[..., 1] > 0.0).any(axis=-1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], free, [False]]).astype(int)))
    first, stop = max(edges.reshape(-1, 2).tolist(), key=lambda x: x[1] - x[0])
    first, last = first + 1, stop - 2  # away from the records beside which a step had contact
    t, com = run.t[first : last + 1], run.center_of_mass[first : last + 1]
    fall = t - t[0]
    line = com[0] + np.outer(fall, _speed(run, first)) + 0.5 * np.outer(fall**2, run.robot.gravity)
    spin = run.robot.momentum(run.q[first : last + 1], run.qd[first : last + 1], about="com")[:, 2]
    return Flight(first, last, float(np.abs(com - line).max()), float(np.ptp(spin) / np.abs(spin).max()))


def _speed(run: Trajectory, k: int) -> Array:
    """The velocity of the centre of mass at a record."""
    momentum = run.robot.momentum(run.q[k], run.qd[k], about="com")
    return np.asarray(momentum[3:]) / run.robot.mass


def story(run: Trajectory) -> str:
    """What happened, in words and numbers."""
    flight, height = flight_of(run), run.q[:, 1]
    assert run.work is not None
    work, change = run.work[-1], float(run.mechanical_energy[-1] - run.mechanical_energy[0])
    further = float(run.q[-1, 0] - run.q[0, 0])
    t0, t1 = run.t[flight.first], run.t[flight.last]
    return "\n".join(
        [
            f"{t0:5.2f} s  take-off, after a crouch; the motors give at most {np.abs(run.tau).max():.0f} N m",
            f"{run.t[height.argmax()]:5.2f} s  the foot is {100 * height.max():.0f} cm above the ground",
            f"{t1:5.2f} s  landing after {t1 - t0:.2f} s of flight, {100 * further:.0f} cm further on",
            f"{run.t[-1]:5.2f} s  standing: it moves with {np.abs(run.qd[-1]).max():.0e} rad/s or m/s",
            "",
            f"in flight the centre of mass keeps to a parabola within {flight.off_parabola:.0e} m,",
            f"and the angular momentum about it changes by {flight.momentum_change:.0e} of its value",
            f"books: motors {work[0]:+.4f} J, ground {work[1]:+.4f} J, change of energy {change:+.4f} J: "
            f"{100 * abs(work.sum() - change) / abs(work[0]):.0e} % of the motors' work is unaccounted for",
        ]
    )
