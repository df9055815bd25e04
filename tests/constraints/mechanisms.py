"""Mechanisms with loops, built by hand, each with a position that keeps its constraints or is near one that does."""

from __future__ import annotations

from functools import cache
from math import acos, atan2, hypot

import numpy as np

import sixd
from sixd import Builder, ClosedRobot, Loop, Transform
from sixd.gallery import rod
from sixd.joints import Prismatic, Revolute, Universal

__all__ = ["MECHANISMS", "bricard", "four_bar", "standing", "stewart"]

Mechanism = tuple[ClosedRobot, np.ndarray]


@cache
def four_bar(ground=2.0, crank=0.6, coupler=1.8, rocker=1.4, angle=0.9, joint="revolute") -> Mechanism:
    """Four bars in the x-z plane; a revolute joint closes the loop, which is 5 rows, of which 2 are independent."""
    b = Builder("four-bar")
    bars = ("crank", "base", crank, 0), ("coupler", "crank", coupler, crank), ("rocker", "base", rocker, ground)
    for name, parent, length, x in bars:
        inertia, middle = rod(length, length)[::-1], (length / 2, 0, 0)
        b.body(name, parent, Revolute("y"), mass=length, com=middle, inertia=inertia, xyz=(x, 0, 0))
    b.frame("coupler end", on="coupler", xyz=(coupler, 0, 0))
    b.frame("rocker end", on="rocker", xyz=(rocker, 0, 0))
    axis = {} if joint in ("point", "weld") else {"axis": "y"}
    closed = b.build().close(Loop("rocker end", "coupler end", joint, name="pin", **axis))
    # From the crank's tip P to the rocker's pivot G; the triangle P, G, pin gives the angles. Turning about y lowers x.
    P, G = np.array([np.cos(angle), -np.sin(angle)]) * crank, np.array([ground, 0.0])
    far, at_P = hypot(*(G - P)), atan2(*(G - P)[::-1])
    inner = acos((far**2 + coupler**2 - rocker**2) / (2 * far * coupler))
    pin = P + coupler * np.array([np.cos(at_P + inner), np.sin(at_P + inner)])
    world = [-atan2(*(pin - start)[::-1]) for start in (P, G)]
    return closed, np.array([angle, world[0] - angle, world[1]])


@cache
def bricard() -> Mechanism:
    """Six bars along edges of a cube, each axis across both its bars: one freedom, though counting says none."""
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)], dtype=float)
    b = Builder("Bricard")
    for k in range(5):
        along, before = points[(k + 1) % 6] - points[k], points[k] - points[k - 1]
        axis = tuple(np.cross(before, along))
        place = points[k] if k == 0 else before
        inertia = np.diag([0.001 + (0 if along[i] else 1 / 12) for i in range(3)])
        b.body(
            f"bar{k + 1}",
            f"bar{k}" if k else "base",
            Revolute(axis),
            xyz=place,
            mass=1.0,
            com=along / 2,
            inertia=inertia,
        )
    b.frame("end", on="bar5", xyz=points[5] - points[4])
    b.frame("start", on="base", xyz=points[5])
    axis = tuple(np.cross(points[5] - points[4], points[0] - points[5]))
    return b.build().close(Loop("start", "end", "revolute", axis=axis, name="last")), np.zeros(5)


@cache
def stewart() -> Mechanism:
    """A platform on six legs: universal joints below, sliders, balls above; 24 coordinates, 18 rows, 6 freedoms."""
    b = Builder("Stewart platform")
    b.link("base")
    b.body("platform", "base", sixd.joints.Free(), mass=4.0, inertia=(0.2, 0.2, 0.4))
    feet, heads, q = [], [], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]
    for k in range(6):
        turn, lean = 2 * np.pi / 3 * (k // 2), 0.2 if k % 2 else -0.2
        feet.append((np.cos(turn + 3 * lean) * 0.9, np.sin(turn + 3 * lean) * 0.9, 0.0))
        heads.append((np.cos(turn + lean) * 0.5, np.sin(turn + lean) * 0.5, 0.0))
    for k in range(6):
        b.body(f"lower{k}", "base", Universal(), xyz=feet[k], mass=0.5, com=(0, 0, 0.2), inertia=rod(0.5, 0.4, 0.02))
        b.body(f"upper{k}", f"lower{k}", Prismatic("z"), mass=0.3, com=(0, 0, -0.2), inertia=rod(0.3, 0.4, 0.02))
        b.frame(f"head{k}", on="platform", xyz=heads[k])
        way = np.array(heads[k]) + np.array([0, 0, 1.0]) - np.array(feet[k])
        length = np.linalg.norm(way)
        q += [atan2(-way[1], way[2]), np.arcsin(way[0] / length), length]
    robot = b.build()
    names = [joint.name for joint in robot.joints]
    assert names[0] == "platform_joint"
    loops = (Loop(f"head{k}", f"upper{k}", "point", name=f"ball{k}") for k in range(6))
    return robot.close(*loops), np.array(q)


@cache
def standing() -> Mechanism:
    """A quadruped whose four feet stay where they are: 18 coordinates, 12 rows."""
    dog = sixd.gallery.quadruped()
    q = dog.neutral()
    for joint in dog.joints[1:]:
        q[joint.q] = {"abduction": 0.1, "flexion": 0.7, "knee": -1.3}[joint.name.split("_")[1]]
    feet = [frame.name for frame in dog.frame_list if "foot" in frame.name]
    places = {foot: Transform.translation(dog.pose(q, foot)[:3, 3]) for foot in feet}
    base = dog.bodies[0].name
    return dog.close(*(Loop(base, foot, "point", offset=places[foot], name=foot) for foot in feet)), q


MECHANISMS = {"four-bar": four_bar, "Bricard": bricard, "Stewart": stewart, "standing": standing}
