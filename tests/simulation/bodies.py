"""Robots for tests of simulation: single bodies, and quadrupeds of the package example-robot-data that stand."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import sixd
from sixd.simulation import Controller, Moment
from tests.robots import example_urdf

__all__ = ["FEET", "JointPD", "ball", "body", "quadruped", "slider"]

G = 9.81
#: The URDF, the frames of the feet, the posture of a leg by the ends of the names of joints, gains.
DOGS: dict[str, tuple[str, tuple[str, ...], dict[str, float], float, float]] = {
    "anymal": (
        "anymal_b_simple_description/anymal",
        ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"),
        {"HAA": 0.0, "HFE": 0.4, "KFE": -0.8},
        150.0,
        5.0,
    ),
    "solo": (
        "solo_description/solo12",
        ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"),
        {"HAA": 0.0, "HFE": 0.8, "KFE": -1.6},
        6.0,
        0.1,
    ),
}
FEET = {name: feet for name, (_, feet, *_) in DOGS.items()}


def body(mass: float = 1.0, inertia: Any = None, joint: Any = None) -> sixd.Robot:
    """One body on a free joint, or on another."""
    builder = sixd.Builder("one body")
    builder.link("world")
    moments = np.diag([0.01, 0.012, 0.015]) if inertia is None else inertia
    joint = sixd.joints.Free() if joint is None else joint
    builder.body("body", parent="world", joint=joint, joint_name="joint", mass=mass, com=(0, 0, 0), inertia=moments)
    return builder.build()


def ball(mass: float = 1.0, radius: float = 0.1) -> sixd.Robot:
    """A solid ball."""
    return body(mass, 0.4 * mass * radius**2 * np.eye(3))


def slider(friction: float, mass: float = 2.0) -> sixd.Robot:
    """A mass on a horizontal rail with dry friction."""
    builder = sixd.Builder("slider")
    builder.link("world")
    builder.body(
        "car",
        parent="world",
        joint=sixd.joints.Prismatic((1, 0, 0)),
        joint_name="rail",
        mass=mass,
        com=(0, 0, 0),
        inertia=np.eye(3),
        friction=(friction,),
    )
    return builder.build()


@dataclass(frozen=True)
class JointPD(Controller):
    """tau = kp (target - q) - kd qd, for the joints after a free base."""

    name = "joint pd of tests"
    target: tuple[float, ...]
    kp: float
    kd: float

    def torque(self, moment: Moment) -> list[Any]:
        q, qd = moment.q[7:], moment.qd[6:]
        return [0.0] * 6 + [self.kp * (t - a) - self.kd * v for t, a, v in zip(self.target, q, qd, strict=True)]


@cache
def quadruped(name: str) -> tuple[sixd.Robot, np.ndarray, JointPD]:
    """A quadruped, its position standing on the floor, and a controller that holds its posture."""
    urdf, feet, posture, kp, kd = DOGS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)
        robot = sixd.load(example_urdf(urdf), base="free")
    q = robot.neutral()
    for joint in robot.joints[1:]:
        fore = joint.name[0] == "F" or joint.name[1] == "F"
        q[joint.q] = (1.0 if fore else -1.0) * posture[joint.name[-3:]]
    q[6] = -min(robot.pose(q, foot)[2, 3] for foot in feet)
    return robot, q, JointPD(tuple(q[7:].tolist()), kp, kd)
