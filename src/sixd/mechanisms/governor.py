"""Watt's flyball governor."""

from __future__ import annotations

from math import acos
from typing import Any

import numpy as np

from sixd.constraints import Loop
from sixd.errors import ModelError
from sixd.joints import Prismatic, Revolute
from sixd.mechanisms.mechanism import Mechanism
from sixd.mechanisms.parts import BLUE, GREEN, GREY, ORANGE, PURPLE, bar, lengths, shape_along
from sixd.model.parts import Visual
from sixd.robot import Builder

__all__ = ["flyball_governor"]

GRAVITY = 9.81
#: Of the balls, m.
RADIUS = 0.06


def flyball_governor(
    spin: float = 8.0, length: float = 0.4, ball: float = 1.5, collar: float = 2.0, link: float = 0.1
) -> Mechanism:
    """A spindle with two balls on arms, which lift a collar by two links: 6 coordinates, two freedoms.

    Arms and links are ``length`` metres long and have ``link`` kilograms each; a ball of ``ball`` kilograms is where
    they meet. The governor turns with ``spin``, rad/s, in its equilibrium: the arms are at phi from the spindle with

        cos(phi) = g / (l w^2) (2 m + 4 m_l + 2 M) / (2 m + 4/3 m_l),

    m the ball's mass, m_l the link's, M the collar's: g / (l w^2) if only balls have mass. Both pins are 5 rows, of
    which 2 are independent: Gruebler's count is -4.
    """
    spin, length, ball, collar, link = lengths(spin=spin, length=length, ball=ball, collar=collar, link=link)
    lever = GRAVITY / (length * spin * spin)
    cosine = lever * (2.0 * ball + 4.0 * link + 2.0 * collar) / (2.0 * ball + 4.0 / 3.0 * link)
    if cosine >= 1.0:
        raise ModelError(f"flyball governor: at {spin:g} rad/s the balls hang down; turn it faster")
    b = Builder("flyball governor")
    height = 2.0 * length
    b.body("spindle", "base", Revolute("z"), xyz=(0, 0, 1.1 * height), mass=0.5, inertia=(0.02, 0.02, 0.002))
    b.visuals.append(shape_along("spindle", (0, 0, 0.1 * length), (0, 0, -1.1 * height), 0.012, GREY, "cylinder"))
    below: dict[str, Any] = {
        "lower": -2.0 * length,
        "upper": -0.1 * length,
    }  # at zero the links would fold onto the arms
    b.body("collar", "spindle", Prismatic("z"), mass=collar, inertia=(0.004, 0.004, 0.006), **below)
    b.visuals.append(Visual("collar", "cylinder", (0.03, 0.05), color=GREEN))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        axis = (0.0, -sign, 0.0)  # a positive angle lifts the arm
        bar(b, f"{side}_arm", "spindle", Revolute(axis), (0, 0, -length), link, 0.01, ORANGE, thin=True)
        at_arm = (0, 0, -length)
        bar(b, f"{side}_link", f"{side}_arm", Revolute(axis), at_arm, link, 0.01, BLUE, thin=True, xyz=at_arm)
        b.link(f"{side}_ball", mass=ball, inertia=(0.4 * ball * RADIUS**2,) * 3)
        b.joint(f"{side}_weld", f"{side}_arm", f"{side}_ball", None, xyz=at_arm)
        b.visuals.append(Visual(f"{side}_ball", "sphere", (RADIUS,), color=PURPLE))
        b.frame(f"{side} end", on=f"{side}_link", xyz=(0, 0, -length))
    sides = ("left", "right")
    robot = b.build().close(*(Loop("collar", f"{s} end", "revolute", axis="y", name=f"{s} pin") for s in sides))
    phi, q, qd = acos(cosine), robot.neutral(), np.zeros(robot.nv)
    q[robot.joint("collar_joint").q] = -2.0 * length * cosine
    for side in sides:
        q[robot.joint(f"{side}_arm_joint").q], q[robot.joint(f"{side}_link_joint").q] = phi, -2.0 * phi
    qd[robot.joint("spindle_joint").v] = spin
    return Mechanism.of(robot, q, freedoms=2, independent=["spindle_joint", "collar_joint"], qd=qd)
