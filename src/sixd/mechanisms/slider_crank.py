"""The slider-crank of pumps and engines."""

from __future__ import annotations

import numpy as np

from sixd.constraints import Loop
from sixd.errors import ModelError
from sixd.joints import Prismatic, Revolute
from sixd.mechanisms.mechanism import Mechanism
from sixd.mechanisms.parts import BLUE, GREEN, GREY, ORANGE, angle_of, bar, finite, lengths, shape_along
from sixd.model.parts import Visual
from sixd.robot import Builder

__all__ = ["slider_crank"]


def slider_crank(crank: float = 0.3, rod: float = 1.0, angle: float = 0.9) -> Mechanism:
    """A crank, a connecting rod and a slider along x, in the x-z plane: 3 coordinates, one freedom.

    The slider is at x = r cos(angle) + sqrt(l^2 - r^2 sin(angle)^2), where r is the length of the ``crank`` and l that
    of the ``rod``, m. ``angle`` is that of the crank, rad: a positive one lowers it.
    """
    crank, rod = lengths(crank=crank, rod=rod)
    angle = finite(angle, "angle")
    down = -crank * float(np.sin(angle))
    if abs(down) > rod:
        raise ModelError(f"slider-crank: at {angle:g} rad a rod of {rod:g} m does not reach the slider's line")
    b = Builder("slider-crank")
    bar(b, "crank", "base", Revolute("y"), (crank, 0, 0), 2.0 * crank, 0.03, ORANGE)
    bar(b, "rod", "crank", Revolute("y"), (rod, 0, 0), rod, 0.02, BLUE, xyz=(crank, 0, 0))
    b.body("slider", "base", Prismatic("x"), mass=0.8, inertia=(0.002, 0.002, 0.002))
    b.visuals.append(Visual("slider", "box", (0.16, 0.06, 0.12), color=GREEN))
    b.visuals.append(shape_along("base", (0, 0, 0), (1.1 * (crank + rod), 0, 0), 0.01, GREY))
    b.frame("rod end", on="rod", xyz=(rod, 0, 0))
    robot = b.build().close(Loop("slider", "rod end", "revolute", axis="y", name="pin"))
    across = float(np.sqrt(rod * rod - down * down))
    q = [angle, angle_of((across, -down)) - angle, crank * np.cos(angle) + across]
    return Mechanism.of(robot, q, freedoms=1, independent=["crank_joint"])
