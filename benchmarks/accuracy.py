"""What steps of 1 ms are worth, by integrator: errors, and what a step costs; and a hard landing beside MuJoCo.

    python -m benchmarks.accuracy

The errors are what the default of `sixd.simulate` is chosen by. Each is the largest difference of a coordinate from a
run by "dopri5" with tolerances of 1e-11, or by steps of a sixty-fourth where friction makes velocities jump, relative
to how far that coordinate moves. What is above a half, or ends in an error, is shown as "fails".
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

import sixd
from benchmarks.machine import description, versions
from benchmarks.markdown import digits, table
from benchmarks.robots import example
from sixd.errors import SixdError
from sixd.simulation.contact import Compliant, Contacts, Sphere
from sixd.simulation.forces import JointFriction, JointSpring, JointStops

__all__ = ["INTEGRATORS", "Case", "Landing", "accuracy_table", "cases", "error", "landing_table", "landings", "right"]

Array = Any
DT = 1e-3
INTEGRATORS = ("rk43", "semi_implicit_euler", "heun", "rk4", "implicit")
#: The ball of the landing: kg, m; from where its centre falls, m; for how long, s.
MASS, RADIUS, HEIGHT, DURATION = 0.5, 0.05, 20.0, 3.0


def ball() -> sixd.Robot:
    b = sixd.Builder("ball")
    inertia = 0.4 * MASS * RADIUS**2 * np.eye(3)
    b.body("ball", joint=sixd.joints.Prismatic("z"), mass=MASS, com=(0, 0, 0), inertia=inertia)
    return b.build()


def rod() -> sixd.Robot:
    b = sixd.Builder("rod")
    b.body("rod", joint=sixd.joints.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.09, 0.09, 0.001))
    return b.build()


@dataclass(frozen=True)
class Case:
    """What moves, from where, and what acts on it."""

    robot: Any
    q: Array
    qd: Array
    duration: float
    given: Mapping[str, Any] = field(default_factory=dict)
    smooth: bool = True

    def run(self, **how: Any) -> Array:
        """The positions every 10 ms."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = {"energy_check": "off", **self.given, **how}
            every = None if given.get("record", 1) is None else round(0.01 / given["dt"])
            return sixd.simulate(self.robot, self.q, self.qd, self.duration, **(given | {"record": every})).q


def cases() -> dict[str, Case]:
    panda, dog = example("Panda").robot, example("ANYmal").robot
    crank = sixd.mechanisms.slider_crank()
    q, turning = crank.robot.project(crank.q, [1.0, 0.0, 0.0])
    turning *= 13.0 / turning[0]
    rng = np.random.default_rng(0)
    pendulum, high = sixd.gallery.double_pendulum(), [HEIGHT + RADIUS]

    def ground(law: Compliant) -> dict[str, Any]:
        return {"contacts": Contacts([Sphere("ball", RADIUS)], law=law)}

    return {
        "Panda falls freely, 1 s": Case(panda, panda.neutral(), np.zeros(panda.nv), 1.0),
        "ANYmal tumbles in the air, 2 s": Case(dog, dog.neutral(), rng.uniform(-2, 2, dog.nv), 2.0),
        "slider-crank at 13 rad/s, 10 s": Case(crank.robot, q, turning, 10.0),
        "spring of 1e5 N m/rad, 0.5 s": Case(pendulum, [0.5, -0.3], [0.2, 0.1], 0.5, {"forces": JointSpring(1e5)}),
        "stops at 20 rad/s, 1 s": Case(
            rod(), [0.0], [20.0], 1.0, {"forces": JointStops(1e4, 0.0, lower=-1.0, upper=1.0)}
        ),
        "dry friction, 2 s": Case(pendulum, [1.0, -0.3], [0.0, 0.0], 2.0, {"forces": JointFriction(0.5)}, smooth=False),
        "ball of 0.5 kg from 20 m, 3 s": Case(ball(), high, [0.0], DURATION, ground(Compliant())),
        "the same on ground of 1e7 N/m": Case(ball(), high, [0.0], DURATION, ground(Compliant(1e7))),
    }


def error(case: Case, right: Array, integrator: str) -> float:
    """How far it is from the right motion, relative to how far each coordinate moves; NaN if there is no result."""
    try:
        found = case.run(dt=DT, integrator=integrator)
    except SixdError:
        return np.nan
    return float(np.max(np.abs(found - right) / np.maximum(np.ptp(right, axis=0), 1e-3)))


def right(case: Case) -> Array:
    if case.smooth:
        return case.run(dt=DT, integrator="dopri5", rtol=1e-11, atol=1e-12)
    return case.run(dt=DT / 64, integrator="rk43")


def cost(case: Case, integrator: str, batch: int) -> float:
    """Seconds for a step of one sample."""
    q, qd = (np.tile(x, (batch, 1)) if batch > 1 else x for x in (case.q, case.qd))
    steps = 200 if batch > 1 else 5000  # so that what a call costs at its start does not count
    many = Case(case.robot, q, qd, steps * DT, case.given)
    times = []
    for _ in range(4):
        start = perf_counter()
        many.run(dt=DT, integrator=integrator, record=None)
        times.append(perf_counter() - start)
    return min(times[1:]) / (batch * steps)


def accuracy_table() -> str:
    """Errors by case and integrator, then microseconds for a step: of one state, and of each of 1,024."""
    rows = []
    for name, case in cases().items():
        wanted = right(case)
        errors = [error(case, wanted, integrator) for integrator in INTEGRATORS]
        rows.append([name, *(f"{e:.1e}" if e < 0.5 else "fails" for e in errors)])
    panda = cases()["Panda falls freely, 1 s"]
    for batch in (1, 1024):
        times = [digits(1e6 * cost(panda, integrator, batch)) for integrator in INTEGRATORS]
        rows.append([f"Panda, us a step, {'one state' if batch == 1 else f'{batch:,} states'}", *times])
    return table(["", *INTEGRATORS], rows)


@dataclass(frozen=True)
class Landing:
    """How a ball that fell landed: how high it bounced, how deep it went into the ground, and where it lies, m."""

    name: str
    bounce: float
    depth: float
    rest: float


def landing(name: str, heights: Array) -> Landing:
    """From the heights of the lowest point of the ball."""
    touched = int(np.argmax(heights < 0.0))
    rises = touched + int(np.argmax(heights[touched:] >= 0.0))
    return Landing(name, float(heights[rises:].max()), float(-heights.min()), float(heights[-1]))


def landings() -> list[Landing]:
    """By sixd, and by MuJoCo with what both give by default: the step, the integrator, the ground."""
    import mujoco

    found = []
    for integrator in (None, "semi_implicit_euler"):
        case = cases()["ball of 0.5 kg from 20 m, 3 s"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = sixd.simulate(case.robot, case.q, case.qd, DURATION, integrator=integrator, **case.given)
        name = "the default" if integrator is None else f'"{integrator}"'
        found.append(landing(f"sixd, {name}, {1e3 * run.dt:g} ms", run.q[:, 0] - RADIUS))
    options = ((None, None), ("Euler", 1e-3), ("implicitfast", 1e-3), ("RK4", 1e-3))
    for integrator, dt in options:
        option = "" if integrator is None else f'<option integrator="{integrator}" timestep="{dt}"/>'
        model = mujoco.MjModel.from_xml_string(
            f'<mujoco>{option}<worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 {HEIGHT + RADIUS}">'
            f'<joint type="slide" axis="0 0 1"/><geom size="{RADIUS}" mass="{MASS}"/></body></worldbody></mujoco>'
        )
        data, heights = mujoco.MjData(model), []
        while data.time < DURATION:
            mujoco.mj_step(model, data)
            heights.append(HEIGHT + data.qpos[0])
        name = "the default" if integrator is None else f'"{integrator}"'
        found.append(landing(f"MuJoCo, {name}, {1e3 * model.opt.timestep:g} ms", np.array(heights)))
    return found


def landing_table() -> str:
    rows = [(x.name, f"{100 * x.bounce:.3g}", f"{100 * x.depth:.3g}", f"{1e3 * x.rest:.2g}") for x in landings()]
    return table(["a ball of 0.5 kg, dropped from 20 m", "bounce, cm", "depth, cm", "rests at, mm"], rows)


if __name__ == "__main__":
    sixd.set_threads(1)
    print(description(), versions(), accuracy_table(), landing_table(), sep="\n\n")
