"""Simulation against MuJoCo's rollouts in C, on one core, with the same model, step and start, in one run.

Semi-implicit Euler with a step of 1 ms; free robots by RK4, too. Free robots have no contact and no joint forces. A
quadruped stands on four spherical feet under a joint PD; the ground is compliant or rigid here, and MuJoCo has its
Newton solver and its usual accuracy. Batches are 4,096 states and 200 steps; MuJoCo, whose time per step does not
depend on the batch, gets 64 states. One state makes 5,000 steps. Times are per step of one state, the least of several
runs.

    python -m benchmarks.simulation [--quick]
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np

from benchmarks import machine
from benchmarks.measure import Contestant, call, compare, pin_to_one_core
from benchmarks.peers.mujoco import mjcf
from benchmarks.robots import Specimen, example, text
from sixd.layouts import mujoco_layout
from sixd.simulation import Controller, Moment, simulate
from sixd.simulation.contact import Contacts

Array = Any

DT, STEPS, BATCH, PEER_BATCH = 1e-3, 200, 4096, 64
FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
RADIUS, FRICTION, KP, KD = 0.02, 0.8, 150.0, 5.0
#: What is simulated: robot, law of contact, integrator, and the times that sixd is to be faster in a batch and for one
#: state; None where no goal is set.
CASES: tuple[tuple[str, str | None, str, float | None, float | None], ...] = (
    ("Panda", None, "semi_implicit_euler", 25.0, 4.0),
    ("ANYmal", None, "semi_implicit_euler", 15.0, 4.0),
    ("ANYmal", "compliant", "semi_implicit_euler", 30.0, 4.0),
    ("ANYmal", "rigid", "semi_implicit_euler", 10.0, 4.0),
    ("Panda", None, "rk4", None, None),
    ("ANYmal", None, "rk4", None, None),
)


@dataclass(frozen=True)
class Stand(Controller):
    """tau = kp (target - q) - kd qd for all joints but the base."""

    name = "stand"
    target: tuple[float, ...]

    def torque(self, moment: Moment) -> list[Any]:
        q, qd = moment.q[7:], moment.qd[6:]
        return [0.0] * 6 + [KP * (t - a) - KD * v for t, a, v in zip(self.target, q, qd, strict=True)]


class Case:
    """One robot, free or on its feet, in both libraries."""

    def __init__(self, name: str, law: str | None, integrator: str) -> None:
        self.specimen = specimen = example(name)
        self.robot = robot = specimen.robot
        self.law, self.integrator = law, integrator
        self.contacts: Contacts | None = None
        self.control: Stand | None = None
        self.q0 = robot.neutral()
        if law is not None:
            target = tuple(_stance(joint.name) for joint in robot.joints[1:])
            self.control = Stand(target)
            self.contacts = Contacts.of(robot, FEET, radius=RADIUS, law=law, friction=FRICTION)
            self.q0[7:] = target
            self.q0[6] = RADIUS - min(float(robot.pose(self.q0, foot)[2, 3]) for foot in FEET)
        self.model = mujoco.MjModel.from_xml_string(_with_feet(specimen, self.control))
        if law is None:
            self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
        if integrator == "rk4":
            self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.layout = mujoco_layout(robot, self.model)

    def states(self, n: int) -> tuple[Array, Array]:
        """Positions near the start, and small velocities."""
        rng, robot = np.random.default_rng(0), self.robot
        joints = slice(0, robot.nv) if self.law is None else slice(6, robot.nv)
        dv = np.zeros((n, robot.nv))
        dv[:, joints] = 0.05 * rng.normal(size=dv[:, joints].shape)
        return robot.integrate(np.tile(self.q0, (n, 1)), dv), 0.1 * rng.normal(size=(n, robot.nv))

    def ours(self, batch: int, steps: int) -> Contestant:
        q, qd = (x[0] if batch == 1 else x for x in self.states(batch))
        given = {"dt": DT, "control": self.control, "contacts": self.contacts, "record": steps}
        given["integrator"] = self.integrator

        def run() -> Any:
            return simulate(self.robot, q, qd, steps * DT, **given)

        assert np.isfinite(run().q).all()
        return Contestant("sixd", "", batch, call("run()", batch * steps, time.process_time, run=run))

    def peer(self, batch: int, steps: int) -> Contestant:
        q, qd = self.states(batch)
        data = mujoco.MjData(self.model)
        start = np.zeros((batch, mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        for k in range(batch):
            data.qpos, data.qvel = self.layout.q_to(q[k]), self.layout.v_to(q[k], qd[k])
            mujoco.mj_getState(self.model, data, start[k], mujoco.mjtState.mjSTATE_FULLPHYSICS)

        def run() -> Any:
            return mujoco.rollout.rollout(self.model, data, start, nstep=steps)

        assert np.isfinite(run()[0]).all()
        return Contestant("MuJoCo", "", batch, call("run()", batch * steps, time.process_time, run=run))


def _stance(joint: str) -> float:
    """The target of a joint of ANYmal: knees bent, fore and hind legs as in a mirror."""
    side = 1.0 if "F_" in joint else -1.0
    return side * {"HAA": 0.0, "HFE": 0.4, "KFE": -0.8}[joint[-3:]]


def _with_feet(specimen: Specimen, control: Stand | None) -> str:
    """The robot for MuJoCo; with a controller, on a floor with a sphere at each foot and the same PD as actuators."""
    found = mjcf(specimen, DT)
    if control is None:
        return found
    robot = specimen.robot
    for name in FEET:
        frame = robot.frames[name]
        geom = f'<geom type="sphere" size="{RADIUS}" pos="{text(frame.offset.r)}" mass="0" contype="1" conaffinity="0"'
        mark = f'<body name="{robot.body_list[frame.body].name}"'
        start = found.index("/>", found.index("<joint", found.index(mark))) + 2
        found = found[:start] + f'{geom} condim="3" friction="{FRICTION} 0 0"/>' + found[start:]
    floor = f'<geom type="plane" size="0 0 1" contype="0" conaffinity="1" condim="3" friction="{FRICTION} 0 0"/>'
    motors = "".join(
        f'<general joint="{joint.name}" gainprm="0" biastype="affine" biasprm="{KP * target!r} {-KP} {-KD}"/>'
        for joint, target in zip(robot.joints[1:], control.target, strict=True)
    )
    found = found.replace("<worldbody>", f"<worldbody>{floor}")
    return found.replace("</worldbody>", f"</worldbody><actuator>{motors}</actuator>")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulation", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="short runs: half a minute")
    seconds, rounds = (0.5, 2) if parser.parse_args().quick else (4.0, 5)
    pin_to_one_core()
    print(f"{machine.description()}\n")
    print(
        f"{'robot':8} {'contact':10} {'method':20} {'states':>6} {'sixd':>10} {'MuJoCo':>10} {'faster':>8} {'goal':>5}"
    )
    for name, law, integrator, many, one in CASES:
        case = Case(name, law, integrator)
        for batch, peers, goal in ((BATCH, PEER_BATCH, many), (1, 1, one)):
            steps = STEPS if batch > 1 else 25 * STEPS
            (_, mine, _), (_, theirs, _) = compare([case.ours(batch, steps), case.peer(peers, steps)], seconds, rounds)
            wanted = "" if goal is None else f"{goal:4.0f}x"
            figures = f"{1e9 * mine:7.0f} ns {1e9 * theirs:7.0f} ns {theirs / mine:7.1f}x {wanted}".rstrip()
            print(f"{name:8} {law or 'none':10} {integrator:20} {batch:6} {figures}", flush=True)


if __name__ == "__main__":
    main()
