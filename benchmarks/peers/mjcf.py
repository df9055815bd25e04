"""A robot in MuJoCo's format, one body a joint, with all digits: MuJoCo's own reader of URDF refuses links without
inertia."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sixd
from benchmarks.robots import text
from sixd.joints import Prismatic, Revolute, Universal

__all__ = ["mjcf"]


def mjcf(
    robot: sixd.Robot, timestep: float = 0.002, within: Mapping[int, str] | None = None, sections: str = ""
) -> str:
    """The robot; ``within`` has more elements for bodies, by number, 0 for the world, and ``sections`` follow the tree.

    Its coordinates are in the robot's order; a universal joint becomes two hinges on one body.
    """
    within = within or {}
    parts, above = [], [0]
    for i in range(1, robot.n_bodies + 1):
        while above[-1] != robot.parent[i]:  # bodies are numbered depth first
            parts.append("</body>")
            above.pop()
        parts.append(_body(robot, i) + within.get(i, ""))
        above.append(i)
    parts += ["</body>"] * (len(above) - 1)
    return (
        f'<mujoco><compiler angle="radian" balanceinertia="false"/>'
        f'<option gravity="{text(robot.gravity)}" timestep="{timestep}"/>'
        f"<worldbody>{within.get(0, '')}{''.join(parts)}</worldbody>{sections}</mujoco>"
    )


def _body(robot: sixd.Robot, i: int) -> str:
    """A body with its joint and inertia, left open for what it carries."""
    body, I = robot.body_list[i], robot.body_list[i].inertia
    x, y, z, w = body.placement.quaternion()
    assert body.joint is not None
    J = I.I_com
    inertia = text((J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))
    return (
        f'<body name="{body.name}" pos="{text(body.placement.r)}" quat="{text((w, x, y, z))}">'
        f"{_joint(body.joint.name, body.joint.type)}"
        f'<inertial mass="{float(I.m)!r}" pos="{text(I.com)}" fullinertia="{inertia}"/>'
    )


def _joint(name: str, joint: Any) -> str:
    if isinstance(joint, Universal):
        axes = {name: "1 0 0", f"{name} y": "0 1 0"}
        return "".join(f'<joint name="{each}" type="hinge" axis="{axis}"/>' for each, axis in axes.items())
    if isinstance(joint, Revolute | Prismatic):
        kind = "hinge" if isinstance(joint, Revolute) else "slide"
        return f'<joint name="{name}" type="{kind}" axis="{text(joint.axis)}"/>'
    if joint.name != "free":
        raise ValueError(f"joint {name!r} is {joint.name}, for which there is no element of MuJoCo here")
    return f'<joint name="{name}" type="free"/>'
