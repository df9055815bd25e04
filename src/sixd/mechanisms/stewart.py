"""The Stewart platform: a hexapod."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np

from sixd import given
from sixd.constraints import Loop
from sixd.errors import ModelError
from sixd.gallery import rod
from sixd.joints import Free, Prismatic, Universal
from sixd.mechanisms.mechanism import Mechanism
from sixd.mechanisms.parts import BLUE, DARK, GREEN, GREY, shape_along
from sixd.model.parts import Visual
from sixd.robot import Builder
from sixd.simulation.forces.joint_spring import JointSpring
from sixd.spatial import Transform

__all__ = ["stewart_platform"]

#: The length of each half of a leg, m.
HALF = 0.7


def stewart_platform(place: Sequence[float] = (0.0, 0.0, 1.0)) -> Mechanism:
    """A platform on six legs: universal joints below, sliders, balls above; 24 coordinates, 18 rows, six freedoms.

    The platform is at ``place``, m, and not turned. The leg from the foot a to the head b of the platform has the
    length |place + b - a|, which is the coordinate of its slider. Springs in the legs, relaxed there,
    carry the platform.
    """
    p = np.array(given.finite(place, "place", 3))
    turns = [(2.0 * pi / 3.0 * (k // 2), 0.2 if k % 2 else -0.2) for k in range(6)]
    feet = [0.9 * np.array([np.cos(turn + 3 * lean), np.sin(turn + 3 * lean), 0.0]) for turn, lean in turns]
    heads = [0.5 * np.array([np.cos(turn + lean), np.sin(turn + lean), 0.0]) for turn, lean in turns]
    b = Builder("Stewart platform")
    b.body("platform", "base", Free(), mass=4.0, inertia=(0.2, 0.2, 0.4))
    b.visuals.append(Visual("platform", "cylinder", (0.52, 0.03), color=GREEN))
    floor = Transform.translation((0, 0, -0.04))
    b.visuals.append(Visual("base", "cylinder", (1.0, 0.03), offset=floor, color=DARK))
    q, leg_lengths = [0.0, 0.0, 0.0, 1.0, *p], []
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True)):
        inertia = rod(0.5, HALF, 0.02)
        b.body(f"lower{k}", "base", Universal(), xyz=foot, mass=0.5, com=(0, 0, HALF / 2), inertia=inertia)
        b.visuals.append(shape_along(f"lower{k}", (0, 0, 0), (0, 0, HALF), 0.025, GREY, "cylinder"))
        inertia, slider = rod(0.3, HALF, 0.02), Prismatic("z")
        b.body(f"upper{k}", f"lower{k}", slider, mass=0.3, com=(0, 0, -HALF / 2), inertia=inertia)
        b.visuals.append(shape_along(f"upper{k}", (0, 0, -HALF), (0, 0, 0), 0.015, BLUE))
        b.frame(f"head{k}", on="platform", xyz=head)
        way = p + head - foot
        if way[2] <= 0.0:
            raise ModelError(f"Stewart platform: a height of {p[2]:g} m is not above the feet")
        leg_lengths.append(float(np.linalg.norm(way)))
        q += [np.arctan2(-way[1], way[2]), np.arcsin(way[0] / leg_lengths[-1]), leg_lengths[-1]]
    legs = [f"upper{k}_joint" for k in range(6)]
    robot = b.build().close(*(Loop(f"head{k}", f"upper{k}", "point", name=f"ball{k}") for k in range(6)))
    spring = JointSpring(2000.0, rest=leg_lengths, joints=legs)
    return Mechanism.of(robot, q, freedoms=6, independent=legs, forces=[spring], dt=5e-4)
