"""The parameters that are identified: their names, their values in a robot, and the columns of the equations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.errors import ArgumentError
from sixd.process.forks import cached_property
from sixd.robot import Robot
from sixd.robot.robot import open_robot

__all__ = ["INERTIAL", "JOINT", "Unknowns"]

Array = NDArray[Any]
#: The inertial parameters of a body, in the order of `Inertia.components`.
INERTIAL = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
#: The parameters of a joint that can be identified beside them.
JOINT = ("rotor_inertia", "damping", "friction")


@dataclass(frozen=True)
class Unknowns:
    """The inertial parameters of all bodies and, for each kind in ``joint``, those of all joints but mimic ones.

    Torques are linear in them: tau = ``columns`` @ p + ``known``. A rotor inertia has the column qdd, damping qd and
    dry friction sign(qd).
    """

    robot: Robot
    joint: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        open_robot(self.robot, "identification")
        for kind in self.joint:
            given.choice(kind, "joint", JOINT)
        if len(set(self.joint)) < len(self.joint):
            raise ArgumentError(f"joint names something twice: {self.joint}")
        if not self.robot.n_bodies:
            raise ArgumentError("robot has no moving body: there is nothing to identify")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each parameter, such as "link2.Ixx" or "elbow.damping"."""
        inertial = [f"{body.name}.{what}" for body in self.robot.body_list[1:] for what in INERTIAL]
        return (*inertial, *(f"{name}.{kind}" for kind in self.joint for name in self.coordinate_names))

    @property
    def coordinate_names(self) -> list[str]:
        """A name for each velocity: that of its joint, with a number if the joint has several."""
        own = [joint for joint in self.robot.joints if joint.mimic is None]
        ordered = sorted(own, key=lambda joint: joint.v.start)
        return [
            joint.name if n == 1 else f"{joint.name}[{k}]"
            for joint in ordered
            for n in [joint.type.nv]
            for k in range(n)
        ]

    @cached_property
    def start(self) -> Array:
        """The values of the parameters in the robot."""
        joints = [self._joint_values(kind) for kind in self.joint]
        return np.concatenate([self.robot.inertial_parameters, *joints])

    def _joint_values(self, kind: str) -> Array:
        found = np.zeros(self.robot.nv)
        for joint in self.robot.joints:
            if joint.mimic is None:
                found[joint.v] = getattr(joint.data, kind)
        return found

    @cached_property
    def bare(self) -> Robot:
        """The robot without what these parameters make: they are all zero.

        Its code does not depend on their values, so that fits of one robot after another share it.
        """
        return self.robot_with(np.zeros_like(self.start))

    def columns(self, q: Array, qd: Array, qdd: Array) -> Array:
        """d tau / d p, (samples, nv, parameters)."""
        factors = {"rotor_inertia": qdd, "damping": qd, "friction": np.sign(qd)}
        joints = [factors[kind][..., None] * np.eye(self.robot.nv) for kind in self.joint]
        return np.concatenate([self.bare.regressor(q, qd, qdd), *joints], axis=-1)

    def known(self, q: Array, qd: Array, qdd: Array) -> Array:
        """The part of tau that does not depend on these parameters, (samples, nv): other passive forces and rotors."""
        return self.bare.inverse_dynamics(q, qd, qdd, passive=True)

    def robot_with(self, p: Array) -> Robot:
        """The robot with these values of the parameters."""
        robot, n = self.robot, self.robot.nv
        inertial, rest = p[: 10 * robot.n_bodies], p[10 * robot.n_bodies :]
        changed = robot.with_inertial_parameters(inertial)
        values = {kind: rest[k * n : (k + 1) * n] for k, kind in enumerate(self.joint)}
        bodies = list(changed.body_list)
        for joint in robot.joints:
            if joint.mimic is None and values:
                own: dict[str, Any] = {kind: tuple(x[joint.v].tolist()) for kind, x in values.items()}
                data = replace(joint.data, **own)
                bodies[joint.index] = replace(bodies[joint.index], joint=data)
        return replace(changed, body_list=tuple(bodies))
