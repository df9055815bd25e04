"""Bricard's mechanism: six bars that counting says cannot move."""

from __future__ import annotations

import numpy as np

from sixd.constraints import Loop
from sixd.joints import Revolute
from sixd.mechanisms.mechanism import Mechanism
from sixd.mechanisms.parts import BLUE, DARK, GREEN, GREY, ORANGE, PURPLE, bar, shape_along
from sixd.robot import Builder

__all__ = ["bricard"]


def bricard() -> Mechanism:
    """Six bars of one metre and one kilogram along edges of a cube, each axis across both its bars.

    Five coordinates and a pin of 5 rows: Gruebler's count is no freedom. Its true freedom is one, since the rank is 4.
    The sixth bar is the base. From the cube on, the angles of neighbouring joints, counted from where the bars would be
    in one line, take turns and keep cos t_1 + cos t_2 + cos t_1 cos t_2 = 0.
    """
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)], dtype=float)
    b = Builder("Bricard")
    for k, color in enumerate((ORANGE, BLUE, GREEN, PURPLE, GREY)):
        along, before = points[k + 1] - points[k], points[k] - points[k - 1]
        parent, place = (f"bar{k}", before) if k else ("base", points[0])
        axis = tuple(np.cross(before, along))
        bar(b, f"bar{k + 1}", parent, Revolute(axis), along, 1.0, 0.03, color, xyz=place)
    b.visuals.append(shape_along("base", points[5], points[0], 0.03, DARK))
    b.frame("end", on="bar5", xyz=points[5] - points[4])
    b.frame("start", on="base", xyz=points[5])
    axis = tuple(np.cross(points[5] - points[4], points[0] - points[5]))
    robot = b.build().close(Loop("start", "end", "revolute", axis=axis, name="last"))
    return Mechanism.of(robot, np.zeros(5), freedoms=1, independent=["bar1_joint"], dt=5e-4)
