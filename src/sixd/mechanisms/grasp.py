"""Two arms that hold one box."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from sixd.constraints import Grasp
from sixd.joints import Free, Revolute
from sixd.mechanisms.mechanism import Mechanism
from sixd.mechanisms.parts import BLUE, DARK, GREEN, GREY, ORANGE, bar, lengths
from sixd.model.parts import Visual
from sixd.robot import Builder
from sixd.simulation.forces.joint_spring import JointSpring
from sixd.spatial import Transform

__all__ = ["two_handed_grasp"]

#: Axis and length, m, of each link of an arm.
_LINKS = (("z", 0.34), ("y", 0.2), ("z", 0.2), ("y", 0.2), ("z", 0.2), ("y", 0.13), ("z", 0.1))
_MASSES = (4.0, 4.0, 3.0, 2.7, 1.7, 1.6, 0.4)
#: The angles of the joints of an arm that reaches forward, its hand level, rad.
_POSTURE = (0.0, 0.2, 0.0, 1.2, 0.0, pi / 2.0 - 1.4, 0.0)
#: The stiffness of the springs that hold this posture, N m/rad.
_STIFFNESS = (400.0, 400.0, 100.0, 300.0, 50.0, 100.0, 20.0)
#: Sizes of the box along x, y and z, m.
_BOX = (0.3, 0.25, 0.2)


def two_handed_grasp(box: float = 3.0) -> Mechanism:
    """Two arms of seven joints that face each other and hold a box of ``box`` kilograms between them.

    The box floats on a free joint and is gripped by both hands, 6 rows each: 20 coordinates, 12 rows, 8 freedoms, which
    are the six of the box and a motion of each elbow that leaves the box at rest. Springs at the joints of the arms,
    relaxed in the posture at the start, carry it.
    """
    (box,) = lengths(box=box)
    b = Builder("two-handed grasp")
    x, y, z = _BOX
    inertia = tuple(box / 12.0 * s for s in (y * y + z * z, x * x + z * z, x * x + y * y))
    b.body("box", "base", Free(), mass=box, inertia=inertia)
    b.visuals.append(Visual("box", "box", _BOX, color=GREEN))
    reach = 0.4 * np.sin(0.2) + 0.4 * np.sin(1.4) + 0.23
    for side, sign in (("left", -1.0), ("right", 1.0)):
        parent, place = "base", {"xyz": (sign * (reach + x / 2.0), 0, 0), "rpy": (0, 0, 0 if sign < 0 else pi)}
        for k, ((axis, length), mass) in enumerate(zip(_LINKS, _MASSES, strict=True), 1):
            name, color = f"{side}{k}", (ORANGE if k % 2 else BLUE) if k < 7 else GREY
            options: dict[str, Any] = {**place, "joint_name": f"{side}_joint{k}"}
            bar(b, name, parent, Revolute(axis), (0, 0, length), mass, 0.05 - 0.004 * k, color, **options)
            parent, place = name, {"xyz": (0, 0, length)}
        foot = Transform.translation((sign * (reach + x / 2.0), 0, 0))
        b.visuals.append(Visual("base", "cylinder", (0.12, 0.03), offset=foot, color=DARK))
        b.frame(f"{side} hand", on=parent, xyz=(0, 0, _LINKS[-1][1]))
    tree = b.build()
    arms = [f"{side}_joint{k}" for side in ("left", "right") for k in range(1, 8)]
    q = tree.neutral()
    for joint, angle in zip(arms, 2 * _POSTURE, strict=True):
        q[tree.joint(joint).q] = angle
    hands = {side: np.array(tree.pose(q, f"{side} hand")) for side in ("left", "right")}
    q[tree.joint("box_joint").q][4:] = (hands["left"][:3, 3] + hands["right"][:3, 3]) / 2.0
    to_box = np.linalg.inv(np.array(tree.pose(q, "box")))
    grips = (Grasp("box", f"{side} hand", to_box @ hand, name=f"{side} grip") for side, hand in hands.items())
    spring = JointSpring(2 * _STIFFNESS, rest=2 * _POSTURE, joints=arms)
    known = [*arms[:7], "right_joint3"]
    return Mechanism.of(tree.close(*grips), q, freedoms=8, independent=known, forces=[spring], dt=2.5e-4)
