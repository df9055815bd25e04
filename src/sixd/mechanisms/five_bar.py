"""The five-bar linkage: the simplest parallel robot."""

from __future__ import annotations

import numpy as np

from sixd.constraints import Loop
from sixd.joints import Revolute
from sixd.mechanisms.mechanism import Mechanism
from sixd.mechanisms.parts import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    angle_of,
    bar,
    finite,
    lengths,
    meeting,
    shape_along,
)
from sixd.robot import Builder
from sixd.simulation.forces.joint_spring import JointSpring

__all__ = ["five_bar"]


def five_bar(
    ground: float = 0.4, proximal: float = 0.4, distal: float = 0.6, left: float = -2.2, right: float = -0.9
) -> Mechanism:
    """Two arms of two bars each that share their tip, in the x-z plane: 4 coordinates, two freedoms.

    The motors are at "left" and "right" on the base, ``ground`` metres apart; ``left`` and ``right`` are their angles,
    rad, at zero along x; a positive one lowers the bar. The frame "tip" is on the left arm. Springs at the motors,
    relaxed there, carry the arms.
    """
    ground, proximal, distal = lengths(ground=ground, proximal=proximal, distal=distal)
    left, right = finite(left, "left"), finite(right, "right")
    b, elbows = Builder("five-bar"), []
    for side, x, angle, colors in (
        ("left", 0.0, left, (ORANGE, BLUE)),
        ("right", ground, right, (GREEN, PURPLE)),
    ):
        first, second = f"{side}_proximal", f"{side}_distal"
        bar(b, first, "base", Revolute("y"), (proximal, 0, 0), 0.6, 0.02, colors[0], xyz=(x, 0, 0), joint_name=side)
        bar(b, second, first, Revolute("y"), (distal, 0, 0), 0.5, 0.015, colors[1], xyz=(proximal, 0, 0))
        elbows.append(np.array([x, 0.0]) + proximal * np.array([np.cos(angle), -np.sin(angle)]))
    b.visuals.append(shape_along("base", (0, 0, 0), (ground, 0, 0), 0.012, GREY))
    b.frame("tip", on="left_distal", xyz=(distal, 0, 0))
    b.frame("right tip", on="right_distal", xyz=(distal, 0, 0))
    robot = b.build().close(Loop("right tip", "tip", "revolute", axis="y", name="pin"))
    tip = meeting(elbows[0], elbows[1], distal, distal, "five-bar")
    q = [left, angle_of(tip - elbows[0]) - left, right, angle_of(tip - elbows[1]) - right]
    motors = ("left", "right")
    spring = JointSpring(10.0, rest=(left, right), joints=motors)
    return Mechanism.of(robot, q, freedoms=2, independent=motors, forces=[spring])
