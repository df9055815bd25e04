"""The scenes of the simulations in MuJoCo: a free robot, or ANYmal on its feet under the same PD as actuators.

Its contacts have its Newton solver and its usual softness, accuracy and pyramids for cones.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import mujoco

import sixd
from benchmarks.peers.mjcf import mjcf
from benchmarks.peers.mujoco_rollout import Rollout, read
from benchmarks.robots import text
from benchmarks.stance import FEET, FRICTION, KD, KP, RADIUS
from sixd.layouts import mujoco_layout

__all__ = ["MuJoCoSimulation"]


class MuJoCoSimulation:
    """A robot; ``target`` is where its joints are held on the ground, None if it is free, without contact."""

    def __init__(self, robot: sixd.Robot, dt: float, integrator: str, target: tuple[float, ...] | None) -> None:
        if target is None:
            self.model = read(mjcf(robot, dt), "CONSTRAINT", "CONTACT")
        else:
            self.model = read(_standing(robot, dt, target))
        kinds = {"semi_implicit_euler": mujoco.mjtIntegrator.mjINT_EULER, "rk4": mujoco.mjtIntegrator.mjINT_RK4}
        self.model.opt.integrator = kinds[integrator]
        self.layout = mujoco_layout(robot, self.model)

    def rollout(self, q: Any, qd: Any, steps: int) -> Rollout:
        return Rollout(self.model, self.layout, q, qd, steps)


def _standing(robot: sixd.Robot, dt: float, target: tuple[float, ...]) -> str:
    """The robot on a floor, with a sphere at each foot and a PD at each joint."""
    surface = f'condim="3" friction="{FRICTION} 0 0"'
    within = defaultdict(str, {0: f'<geom type="plane" size="0 0 1" contype="0" conaffinity="1" {surface}/>'})
    for name in FEET:
        frame = robot.frames[name]
        sphere = f'type="sphere" size="{RADIUS}" pos="{text(frame.offset.r)}" mass="0"'
        within[frame.body] += f'<geom {sphere} contype="1" conaffinity="0" {surface}/>'
    motors = "".join(
        f'<general joint="{joint.name}" gainprm="0" biastype="affine" biasprm="{KP * angle!r} {-KP} {-KD}"/>'
        for joint, angle in zip(robot.joints[1:], target, strict=True)
    )
    return mjcf(robot, dt, within, f"<actuator>{motors}</actuator>")
