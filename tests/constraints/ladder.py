"""A chain of four-bar linkages, each standing on the coupler of the one before: as many loops as one likes."""

from __future__ import annotations

import numpy as np

from sixd import Builder, ClosedRobot, Loop
from sixd.joints import Revolute

__all__ = ["ladder"]


def ladder(n: int, joint: str = "revolute") -> tuple[ClosedRobot, np.ndarray]:
    """n linkages in a plane, 3 n bodies, and a position that keeps the constraints; it has n freedoms."""
    b, parent, loops = Builder(f"ladder {n}"), "base", []
    for k in range(n):
        first = 0.0 if k == 0 else 1.0
        for name, on, x in ((f"a{k}", parent, first), (f"c{k}", f"a{k}", 1.0), (f"r{k}", parent, first + 1.0)):
            moments = (0.001, 0.1, 0.1)
            b.body(name, on, Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=moments, xyz=(x, 0, 0))
        b.frame(f"end of c{k}", on=f"c{k}", xyz=(1.0, 0, 0)).frame(f"end of r{k}", on=f"r{k}", xyz=(1.1, 0, 0))
        axis = {"axis": "y"} if joint == "revolute" else {}
        loops.append(Loop(f"end of r{k}", f"end of c{k}", joint, name=f"pin {k}", **axis))
        parent = f"c{k}"
    closed = b.build().close(*loops)
    return closed, closed.assemble(np.tile([-1.2, 1.2, -1.0], n))
