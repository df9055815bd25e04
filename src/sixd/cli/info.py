"""Describe a robot.

Its tree with masses, its joints with their limits, its frames, its reach, and what looks odd in it. The reach of a tip
is its distance from the first joint that carries it (from the base link, where that floats): the least and the most
that were seen in random positions within the limits, so the true bounds are a little wider.

Of a built-in mechanism with loops, such as mechanisms.four_bar, it tells its constraints, its freedoms, and the state
and the forces that it comes with.
"""

from __future__ import annotations

import argparse
from math import inf
from textwrap import fill
from typing import Any

import numpy as np

from sixd.cli.builtin import NAMES
from sixd.cli.command import Command, register
from sixd.cli.loops import mechanism_lines, mechanism_summary
from sixd.cli.quantities import rate_units
from sixd.cli.robots import ROBOT, add_json, add_robot, columns, load_subject, print_json, shown
from sixd.diagnosis.audit import data_findings
from sixd.joints import Free
from sixd.model import JointView
from sixd.robot import Robot

__all__ = ["INFO", "arguments", "run"]

#: Random positions for the reach; fewer of a robot with loops, whose positions have to be searched.
POSITIONS, ASSEMBLED = 4096, 256

EXAMPLES = """\
examples:
  sixd info arm.urdf
  sixd info humanoid.urdf --base free
  sixd info arm.urdf --json | jq .mass
  sixd info mechanisms.delta_robot
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    listed = fill(", ".join(NAMES), 100, initial_indent="  ", subsequent_indent="  ")
    parser.epilog = f"{EXAMPLES}\nbuilt-in robots and mechanisms, for all commands about a robot:\n{listed}"
    add_robot(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> None:
    subject = load_subject(args, quiet=True)  # what is odd is among the findings
    robot, mechanism = subject.robot, subject.mechanism
    if args.json:
        print_json(_summary(robot) | (mechanism_summary(mechanism) if mechanism else {}))
        return
    print(robot.draw())
    if mechanism:
        print("\n".join(["", *mechanism_lines(mechanism)]))
    for title, rows in (("joints", _joint_rows(robot)), ("reach, m", _reach_rows(robot))):
        if len(rows) > 1:
            print(f"\n{title}")
            print("\n".join(f"  {line}" for line in columns(rows, 3 if title == "joints" else 2)))
    print(f"\nframes\n{fill(', '.join(robot.frames.names), 116, initial_indent='  ', subsequent_indent='  ')}")
    findings = data_findings(robot)
    print(f"\nfindings: {len(findings) or 'none'} (sixd check looks further)")
    for finding in findings:
        print(f"  {finding}")


INFO = register(Command("info", __doc__, arguments, run, words_or_files=ROBOT))


def _joint_rows(robot: Robot) -> list[list[str]]:
    """Name, type, unit, limits and place of each joint that moves by itself; one with several coordinates has a line
    for each.
    """
    rows = [["joint", "type", "unit", "lower", "upper", "speed", "force", "q", "v"]]
    units = rate_units(robot)
    for joint in robot.joints:
        if joint.mimic is not None:
            m = joint.mimic
            offset = f" {m.offset:+g}" if m.offset else ""
            rows.append([joint.name, f"{joint.type!r} = {m.ratio:g} {m.joint}{offset}", *[""] * 7])
            continue
        nq, nv = joint.type.nq, joint.type.nv
        for k in range(nv):
            limits = [_bound(joint.lower[k]), _bound(joint.upper[k])] if nq == nv else ["", ""]
            place = str(joint.q.start + k) if nq == nv else f"{joint.q.start}..{joint.q.stop - 1}" if k == 0 else ""
            head = [joint.name, repr(joint.type)] if k == 0 else ["", ""]
            most = [_bound(joint.velocity[k]), _bound(joint.effort[k])]
            rows.append([*head, units[joint.v.start + k][0], *limits, *most, place, str(joint.v.start + k)])
    return rows


def _bound(x: float) -> str:
    return "-" if abs(x) == inf else shown(x)


def _reach_rows(robot: Robot) -> list[list[str]]:
    rows = [["frame", "from", "least", "most"]]
    return rows + [
        [tip, start, shown(round(least, 3)), shown(round(most, 3))] for tip, start, least, most in _reach(robot)
    ]


def _reach(robot: Robot) -> list[tuple[str, str, float, float]]:
    """For each tip of the tree: a frame there, where distances begin, the least and the largest distance seen, m."""
    tips = [i for i in range(1, robot.n_bodies + 1) if not robot.children[i] and _root(robot, i) != i]
    if not tips:
        return []
    q = robot.random(0, ASSEMBLED if robot.constraint_list else POSITIONS)
    poses = robot.poses(q[np.isfinite(q).all(axis=-1)])
    found = []
    for tip in tips:
        root = robot.bodies[_root(robot, tip)]
        on_tip = [frame for frame in robot.frame_list if frame.body == tip]
        start = poses[:, robot.frames.index(root.name), :3, 3]
        ends = {f.name: np.linalg.norm(poses[:, robot.frames.index(f.name), :3, 3] - start, axis=1) for f in on_tip}
        name = max(ends, key=lambda frame: float(ends[frame].max()))
        assert root.joint is not None
        where = root.name if isinstance(root.joint.type, Free) else root.joint.name
        found.append((name, where, float(ends[name].min()), float(ends[name].max())))
    return found


def _root(robot: Robot, i: int) -> int:
    """The first body on the way to body i."""
    return robot.path(i)[-1]


def _summary(robot: Robot) -> dict[str, Any]:
    return {
        "name": robot.name,
        "file": robot.source,
        "nq": robot.nq,
        "nv": robot.nv,
        "mass": robot.mass,
        "gravity": robot.gravity,
        "bodies": [
            {"name": b.name, "parent": robot.body_list[b.parent].name if k else None, "mass": float(b.inertia.m)}
            for k, b in enumerate(robot.body_list)
        ],
        "joints": [_joint(joint) for joint in robot.joints],
        "frames": [{"name": f.name, "body": robot.body_list[f.body].name} for f in robot.frame_list],
        "reach": [dict(zip(("frame", "from", "least", "most"), row, strict=True)) for row in _reach(robot)],
        "findings": [vars(finding) for finding in data_findings(robot)],
    }


def _joint(joint: JointView) -> dict[str, Any]:
    own = ("lower", "upper", "velocity", "effort", "damping", "friction", "rotor_inertia", "stiffness")
    return {
        "name": joint.name,
        "type": joint.type.name,
        "parameters": joint.type.parameters,
        "predecessor": joint.predecessor,
        "successor": joint.successor,
        "q": [joint.q.start, joint.q.stop],
        "v": [joint.v.start, joint.v.stop],
        "mimic": None if joint.mimic is None else vars(joint.mimic),
        **{item: getattr(joint.data, item) for item in own},
    }
