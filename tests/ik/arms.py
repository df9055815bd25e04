"""Arms to try inverse kinematics on: real ones, and small ones whose answers are known."""

from __future__ import annotations

import warnings
from functools import cache

import sixd
from sixd.joints import Revolute
from tests.robots import example_urdf

#: The arms of the acceptance run, with the frame to be placed.
REAL = {
    "panda": ("panda_description/panda", "panda_hand_tcp"),
    "ur5": ("ur_description/ur5_robot", "tool0"),
    "xarm7": ("xarm_description/xarm7", "link_eef"),
    "z1": ("z1_description/z1", "gripperStator"),
}


@cache
def real_arm(name: str) -> tuple[sixd.Robot, str]:
    path, frame = REAL[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sixd.ModelWarning)
        return sixd.load(example_urdf(path)), frame


def planar_arm(n: int = 2, limit: float | None = None) -> sixd.Robot:
    """n links of one metre in the plane x y, stretched along x at q = 0; ``limit`` holds for every joint, rad."""
    b = sixd.Builder("planar arm")
    limits = {} if limit is None else {"lower": -limit, "upper": limit}
    for k in range(n):
        parent = f"link{k}" if k else "base"
        b.body(f"link{k + 1}", parent=parent, joint=Revolute(), joint_name=f"joint{k + 1}", xyz=(k > 0, 0, 0), **limits)
    b.frame("tip", on=f"link{n}", xyz=(1, 0, 0))
    return b.build()
