"""Is what `simulate` gives by default right? Every force element and law of contact, over stiffness, mass, speed, step.

    python -m tests.simulation.defaults

Each case is a robot with one element, or contact, of a strength that is varied; masses and speeds are samples of a
batch. The motion is compared with that of far smaller errors: by tolerances of 1e-10 where forces are smooth, by steps
of a sixty-fourth of a millisecond where velocities jump or joints stick. It is right if positions are within 5 % of
their range at all times.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sixd
from sixd.errors import SimulationError, SimulationWarning
from sixd.simulation import contact, forces
from sixd.simulation.contact import Contacts, Sphere
from sixd.spatial import Vector
from tests.simulation.bodies import G

__all__ = ["CASES", "GRID", "Case", "Count", "look"]

Array = NDArray[Any]
#: How far a position may be from the right one, relative to its range.
SHARE = 0.05


def swing(**data: Any) -> sixd.Robot:
    """A rod on a hinge, with a frame at its end."""
    b = sixd.Builder("swing")
    hinge = sixd.joints.Revolute("y")
    b.body("rod", joint=hinge, mass=1.0, com=(0, 0, -0.5), inertia=(0.09, 0.09, 0.001), **data)
    b.frame("tip", "rod", xyz=(0, 0, -1.0))
    return b.build()


def sledge(**data: Any) -> sixd.Robot:
    """A ball that goes up and down, and to one side."""
    b = sixd.Builder("sledge")
    b.body("post", joint=sixd.joints.Prismatic("x"), mass=1.0, inertia=(0.1, 0.1, 0.1), **data)
    b.body("ball", "post", joint=sixd.joints.Prismatic("z"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    return b.build(gravity=(0, 0, -G))


@dataclass(frozen=True)
class Case:
    """A robot and what acts on it, of a strength."""

    robot: Callable[[float], sixd.Robot]
    given: Callable[[float], Mapping[str, Any]]
    strengths: tuple[float, ...]
    #: Where it starts, and along which velocity.
    q: tuple[float, ...]
    qd: tuple[float, ...]
    #: Whether the reference can be smooth.
    smooth: bool = True
    duration: float = 0.5

    def starts(self, speeds: Any) -> tuple[Array, Array]:
        return np.array(self.q), np.multiply.outer(np.asarray(speeds), self.qd)


def on_hinge(make: Callable[[float], Any], *strengths: float, smooth: bool = True, q: float = 0.6) -> Case:
    """An element on the rod."""
    return Case(lambda s: swing(), lambda s: {"forces": make(s)}, strengths, (q,), (1.0,), smooth)


def on_ball(make: Callable[[float], Mapping[str, Any]], *strengths: float, smooth: bool = True) -> Case:
    """Contact of the ball, which falls from 10 cm above the ground and slides."""
    return Case(lambda s: sledge(), make, strengths, (0.0, 0.2), (0.5, -1.0), smooth, 0.3)


def touching(law: Any) -> Contacts:
    return Contacts([Sphere("ball", 0.1)], law=law)


F = forces
CASES: dict[str, Case] = {
    "joint_spring": on_hinge(F.JointSpring, 1e1, 1e3, 1e5, 1e7),
    "joint_damper": on_hinge(F.JointDamper, 1e-1, 1e1, 1e3, 1e5),
    "joint_stops": on_hinge(lambda s: F.JointStops(s, lower=-0.5, upper=0.7), 1e2, 1e4, 1e6, 1e8),
    "joint_stops without losses": on_hinge(lambda s: F.JointStops(s, 0.0, lower=-0.5, upper=0.7), 1e2, 1e4, 1e6, 1e8),
    "joint_friction": on_hinge(F.JointFriction, 1e-2, 1e0, 1e2, 1e4, smooth=False),
    "joint_friction and stops": on_hinge(
        lambda s: [F.JointFriction(0.05), F.JointStops(s, lower=-0.5, upper=0.7)], 1e2, 1e4, 1e6, smooth=False
    ),
    "passive": Case(
        lambda s: swing(stiffness=s, damping=1e-3 * s),
        lambda s: {"forces": F.Passive()},
        (1e1, 1e3, 1e5),
        (0.6,),
        (1.0,),
    ),
    "passive with friction": Case(
        lambda s: swing(stiffness=s, damping=1e-3 * s, friction=0.1),
        lambda s: {"forces": F.Passive()},
        (1e1, 1e3, 1e5),
        (0.6,),
        (1.0,),
        smooth=False,
    ),
    "point_spring": on_hinge(lambda s: F.PointSpring("tip", (1.0, 0.0, 0.5), s, 1e-3 * s, 0.5), 1e1, 1e3, 1e5, 1e7),
    "drag": on_hinge(lambda s: F.Drag("tip", quadratic=s), 1e-1, 1e1, 1e3, 1e5),
    "wind": on_hinge(lambda s: F.Wind("tip", (s, 0.0, 0.0), 0.1), 1e0, 1e1, 1e2),
    "buoyancy": on_hinge(lambda s: F.Buoyancy("tip", s), 1e-4, 1e-3, 1e-2),
    "thruster": on_hinge(lambda s: F.Thruster("tip", s, (1.0, 0.0, 0.0)), 1e0, 1e1, 1e2),
    "central_gravity": on_hinge(lambda s: F.CentralGravity(s, (0.0, 1.0, -1.0)), 1e0, 1e1, 1e2),
    "field": on_hinge(lambda s: F.Field(lambda p, v, t: Vector((-s * p[0] * p[0] * p[0], 0.0, 0.0))), 1e0, 1e2, 1e4),
    "moving_base": on_hinge(lambda s: F.MovingBase(F.Oscillation((0, 0, 0, 0.1, 0, 0), s)), 1e-1, 1e0, 1e1),
    "compliant": on_ball(lambda s: {"contacts": touching(contact.Compliant(s))}, 1e3, 3e5, 1e7, 1e9),
    "compliant without losses": on_ball(
        lambda s: {"contacts": touching(contact.Compliant(s, damping=0.0, friction=0.0))}, 1e3, 3e5, 1e7, 1e9
    ),
    "compliant and friction": on_ball(
        lambda s: {"contacts": touching(contact.Compliant(s)), "forces": F.JointFriction(0.5, joints=["post_joint"])},
        1e3,
        3e5,
        1e7,
        smooth=False,
    ),
    "rigid": on_ball(lambda s: {"contacts": touching(contact.Rigid(friction=s))}, 0.0, 0.1, 1.0, smooth=False),
    "rigid and a spring": on_ball(
        lambda s: {"contacts": touching(contact.Rigid()), "forces": F.JointSpring(s, rest=0.3)},
        1e1,
        1e3,
        1e5,
        smooth=False,
    ),
}
#: Masses, relative to those of the robot; speeds, rad/s or m/s; steps, s.
GRID = {"masses": (1e-2, 1.0, 1e2), "speeds": (0.0, 1.0, 20.0), "steps": (1e-3, 1e-2)}


@dataclass
class Count:
    """How many runs were right, were warned of or refused, and were wrong without a word."""

    right: int = 0
    said: int = 0
    wrong: int = 0
    #: The strength, mass, speed and step of those that were wrong.
    which: tuple[tuple[float, ...], ...] = ()


def look(case: Case, masses: Any, speeds: Any, steps: Any, strengths: Any = None) -> Count:
    """Run a case over its strengths, or over some of them, and the grid."""
    found = Count()
    for strength in case.strengths if strengths is None else strengths:
        robot, given = case.robot(strength), dict(case.given(strength))
        scale, (q, qd) = np.asarray(masses), case.starts(speeds)
        inertia = scale[:, None, None, None] * sixd.parameters(robot, "inertia")
        whole = {**given, "parameters": {"inertia": inertia}}
        best = reference(case, robot, q, qd, whole)
        for dt in steps:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SimulationWarning)
                try:
                    run = sixd.simulate(robot, q, qd, case.duration, dt=dt, record=round(1e-2 / dt), **whole)
                    error = difference(run.q, best)
                except SimulationError:
                    error = np.full((len(masses), len(speeds)), np.inf)
            for i, k in product(range(len(masses)), range(len(speeds))):
                if error[i, k] <= SHARE:
                    found.right += 1
                elif says(robot, q, qd[k], case.duration, dt, {**given, "parameters": {"inertia": inertia[i, 0]}}):
                    found.said += 1
                else:
                    found.wrong += 1
                    found.which += ((strength, masses[i], speeds[k], dt, float(error[i, k])),)
    return found


def reference(case: Case, robot: sixd.Robot, q: Array, qd: Array, given: Mapping[str, Any]) -> Array:
    """Positions every 10 ms."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        if case.smooth:
            how = {"dt": 1e-4, "record": 100, "rtol": 1e-10, "atol": 1e-10, "energy_check": "off"}
            return sixd.simulate(robot, q, qd, case.duration, **how, **given).q
        return sixd.simulate(robot, q, qd, case.duration, dt=1e-3 / 64, record=640, energy_check="off", **given).q


def difference(q: Array, best: Array) -> Array:
    """The largest distance over time from the right position, over its range, for each sample."""
    size = np.ptp(best, axis=-2).max(axis=-1) + 1e-4
    with np.errstate(invalid="ignore"):
        far = np.abs(q - best).max(axis=(-2, -1)) / size
    return np.where(np.isfinite(far), far, np.inf)


def says(robot: sixd.Robot, q: Array, qd: Array, duration: float, dt: float, given: Mapping[str, Any]) -> bool:
    """Whether a run warns, or is refused."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            sixd.simulate(robot, q, qd, duration, dt=dt, **given)
        except SimulationError:
            return True
    return any(issubclass(x.category, SimulationWarning) for x in found)


def main() -> None:
    print(f"{'':28s}{'right':>8s}{'said':>8s}{'wrong':>8s}   of those: strength, mass, speed, dt, error")
    total = Count()
    for name, case in CASES.items():
        count = look(case, **GRID)
        print(f"{name:28s}{count.right:8d}{count.said:8d}{count.wrong:8d}   {count.which[:3] or ''}", flush=True)
        total = Count(total.right + count.right, total.said + count.said, total.wrong + count.wrong)
    print(f"{'all':28s}{total.right:8d}{total.said:8d}{total.wrong:8d}")


if __name__ == "__main__":
    main()
