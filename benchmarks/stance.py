"""ANYmal on its feet: where they are, the ground under them, and the PD that holds its joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sixd
from sixd.simulation import Controller, Moment

__all__ = ["FEET", "FRICTION", "KD", "KP", "RADIUS", "Stand", "stance"]

FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
#: Of the feet, m, and on the ground.
RADIUS, FRICTION = 0.02, 0.8
#: Gains, N m/rad and N m s/rad.
KP, KD = 150.0, 5.0


def stance(robot: sixd.Robot) -> Any:
    """A position, (nq,): knees bent, fore and hind legs as in a mirror, feet on the ground."""
    q = robot.neutral()
    for joint in robot.joints[1:]:
        side = 1.0 if "F_" in joint.name else -1.0
        q[joint.q] = side * {"HAA": 0.0, "HFE": 0.4, "KFE": -0.8}[joint.name[-3:]]
    q[6] = RADIUS - min(float(robot.pose(q, foot)[2, 3]) for foot in FEET)
    return q


@dataclass(frozen=True)
class Stand(Controller):
    """tau = kp (target - q) - kd qd for all joints but the base."""

    name = "stand"
    target: tuple[float, ...]

    def torque(self, moment: Moment) -> list[Any]:
        q, qd = moment.q[7:], moment.qd[6:]
        return [0.0] * 6 + [KP * (t - a) - KD * v for t, a, v in zip(self.target, q, qd, strict=True)]
