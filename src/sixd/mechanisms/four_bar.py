"""The four-bar linkage."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixd.constraints import Loop
from sixd.joints import Revolute
from sixd.mechanisms.mechanism import Mechanism
from sixd.mechanisms.parts import BLUE, GREEN, GREY, ORANGE, angle_of, bar, finite, lengths, meeting, shape_along
from sixd.robot import Builder

__all__ = ["four_bar"]


def four_bar(
    ground: float = 2.0,
    crank: float = 0.6,
    coupler: float = 1.8,
    rocker: float = 1.4,
    angle: float = 0.9,
    joint: Any = "revolute",
) -> Mechanism:
    """A four-bar linkage in the x-z plane: 3 coordinates, one freedom.

    Crank and rocker turn about y on the base, ``ground`` metres apart; the coupler goes on from the crank's tip and
    meets the rocker's at the pin. The bars are of one kilogram per metre. ``angle`` is that of the crank, rad: at zero
    it points along the ground, a positive one lowers it. ``joint`` closes the loop; the pin of the default is 5 rows,
    of which 2 are independent.

    The pin is on the left of the way from the crank's tip to the rocker's pivot, seen along y with z up. With bars as
    those of a parallelogram, ``four_bar(2, 1, 2, 1)``, that is the parallelogram for an angle below zero or above pi,
    and for one between them the crossed linkage, whose bars cross. At an angle of zero it lies flat, where it has two
    freedoms and leads from one to the other.
    """
    ground, crank, coupler, rocker = lengths(ground=ground, crank=crank, coupler=coupler, rocker=rocker)
    angle = finite(angle, "angle")
    b = Builder("four-bar")
    for name, parent, length, x, color in (
        ("crank", "base", crank, 0.0, ORANGE),
        ("coupler", "crank", coupler, crank, BLUE),
        ("rocker", "base", rocker, ground, GREEN),
    ):
        bar(b, name, parent, Revolute("y"), (length, 0, 0), length, 0.02, color, xyz=(x, 0, 0))
    b.visuals.append(shape_along("base", (0, 0, 0), (ground, 0, 0), 0.015, GREY))
    b.frame("coupler end", on="coupler", xyz=(coupler, 0, 0))
    b.frame("rocker end", on="rocker", xyz=(rocker, 0, 0))
    axis = "y" if isinstance(joint, str) and joint not in ("point", "weld") else None
    robot = b.build().close(Loop("rocker end", "coupler end", joint, axis=axis, name="pin"))
    tip, pivot = crank * np.array([np.cos(angle), -np.sin(angle)]), np.array([ground, 0.0])
    pin = meeting(tip, pivot, coupler, rocker, "four-bar")
    q = [angle, angle_of(pin - tip) - angle, angle_of(pin - pivot)]
    return Mechanism.of(robot, q, freedoms=1, independent=["crank_joint"])
