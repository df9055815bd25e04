"""What ``sixd simulate`` is asked to simulate: the start, the control and the ground, from the command line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.cli.builtin import Subject
from sixd.cli.starts import open_loop, position_of, velocity_of
from sixd.cli.states import is_random, state_part
from sixd.cli.tables import read_table
from sixd.errors import ArgumentError, ChoiceError, ModelError, closest
from sixd.robot import Robot
from sixd.simulation.contact import Contacts
from sixd.simulation.controllers.controller import Controller
from sixd.simulation.controllers.gravity_compensation import GravityCompensation
from sixd.simulation.controllers.joint_pd import JointPD
from sixd.simulation.controllers.total import Total
from sixd.simulation.setup import whole_steps
from sixd.tables import state_field

__all__ = ["Control", "contacts_of", "control_of", "start_of", "steps_of"]

Array = NDArray[np.float64]


def steps_of(args: argparse.Namespace) -> int:
    """The number of steps of a run."""
    if not (isfinite(args.dt) and args.dt > 0.0):
        raise ModelError(f"--dt must be a positive number of seconds, not {args.dt:g}")
    steps = whole_steps(args.duration, args.dt, "--duration")
    if 0 < steps < args.record:
        raise ArgumentError(f"--record {args.record} keeps nothing of a run of {steps} steps: give a smaller number")
    return steps


# ---- the start


def start_of(args: argparse.Namespace, subject: Subject, contacts: Contacts | None) -> tuple[Array, Array]:
    """The positions and velocities at the start, (nq,) and (nv,), or (samples, n) for what is random in a batch."""
    words, size = args.q, () if args.samples is None else (args.samples,)
    if args.samples is not None:
        words = args.q or ["random"]
        if not any(is_random(part or ()) for part in (words, args.qd)):
            raise ArgumentError("--samples are random starts: leave out --q, or give --q random or --qd random")
    q = position_of(subject, words, args.seed, size)
    if fault := open_loop(subject, q):
        raise ModelError(fault)
    given = None if args.qd is None else state_part(subject.robot, "qd", args.qd, args.seed, size)
    qd = velocity_of(subject, q, given)
    for name, values in (("q", q), ("qd", qd)):
        if not np.isfinite(values).all():
            raise ModelError(f"--{name} must be finite numbers at the start of a motion")
    if args.clearance is not None:
        q = _lifted(subject.robot, q, contacts, args.clearance)
    return q, qd


def _lifted(robot: Robot, q: Array, contacts: Contacts | None, clearance: float) -> Array:
    """The positions with the free base moved along z, so that the lowest site is so high above the ground, m."""
    base = robot.joints[0] if len(robot.joints) else None
    if robot.constraint_list:
        raise ArgumentError("--clearance would take a robot with loops out of its constraints: give its place by --q")
    if contacts is None or base is None or base.type.name != "free":
        raise ArgumentError("--clearance moves a free base above the ground: give --base free and --contact FRAME too")
    if not isfinite(clearance):
        raise ModelError(f"--clearance must be a finite number of metres, not {clearance:g}")
    heights = [robot.pose(q, shape.frame)[..., 2, 3] - getattr(shape, "radius", 0.0) for shape in contacts.shapes]
    found = q.copy()
    found[..., base.q.stop - 1] += clearance - np.min(heights, axis=0)
    return found


# ---- the ground


def contacts_of(args: argparse.Namespace, robot: Robot) -> Contacts | None:
    """What touches the floor z = 0."""
    parameters = {name: getattr(args, name) for name in ("friction", "radius", "law")}
    given = {name: value for name, value in parameters.items() if value is not None}
    if args.contact is None:
        if given:
            raise ArgumentError(f"--{next(iter(given))} is for contact with the floor: add --contact FRAME")
        return None
    return Contacts.of(robot, args.contact, **{"law": "rigid", **given})


# ---- the control


@dataclass(frozen=True)
class Control:
    """The arguments of `simulate` that tell the joint forces."""

    control: Controller | Array | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)


def control_of(args: argparse.Namespace, subject: Subject, q: Array, steps: int) -> Control:
    """The control that words name: pd, gravity, both, none, or a file of joint forces. q is the start.

    Without words a mechanism has its own drive, and a robot none.
    """
    robot, words = subject.robot, [word for word in args.control or () if word != "none"]
    if "pd" not in words and (unused := [name for name in ("kp", "kd", "target") if getattr(args, name) is not None]):
        raise ArgumentError(f"--{unused[0]} is for --control pd: add that, or leave out --{unused[0]}")
    if args.control is None and subject.mechanism is not None and subject.mechanism.tau.any():
        return Control(subject.mechanism.tau)
    files = [word for word in words if word not in ("pd", "gravity")]
    if files:
        if len(words) > 1:
            raise ArgumentError(f"--control takes pd and gravity together, or one file alone, not {' '.join(words)}")
        if "." not in files[0]:
            near = closest(files[0], ("none", "gravity", "pd"), cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ChoiceError(f"--control takes none, gravity, pd, or a file of joint forces, not {files[0]!r}{hint}")
        return Control(_forces(robot, files[0], args.dt, steps))
    parts: list[Controller] = []
    inputs: dict[str, Any] = {}
    if "pd" in words:
        if args.kp is None or args.kd is None:
            raise ArgumentError("--control pd needs gains: --kp, N m/rad or N/m, and --kd, N m s/rad or N s/m")
        parts.append(JointPD(*(gain[0] if len(gain) == 1 else tuple(gain) for gain in (args.kp, args.kd))))
        target = q if args.target is None else position_of(subject, args.target, args.seed, option="target")
        inputs["q_target"] = target if target.ndim == 1 else target[:, None]  # the same for all steps
    if "gravity" in words:
        parts.append(GravityCompensation())
    return Control(parts[0] if len(parts) == 1 else Total(parts) if parts else None, inputs)


def _forces(robot: Robot, file: str, dt: float, steps: int) -> Array:
    """Joint forces for each step, (steps, nv), from a table: a row for each step, or rows that hold from their time."""
    times, forces = read_table(file, "--control", state_field(robot, "tau"))
    if not np.isfinite(forces).all():
        row = int(np.flatnonzero(~np.isfinite(forces).all(axis=1))[0])
        raise ModelError(f"row {row}, counted from 0, has joint forces that are missing or not finite", file=file)
    if times is None:
        if len(forces) != steps:
            raise ModelError(
                f"it has {len(forces)} rows, but the run has {steps} steps: give a row for each, or a column t, from "
                "which time on each row holds",
                file=file,
            )
        return forces
    if not (np.isfinite(times).all() and (np.diff(times) > 0.0).all()):
        raise ModelError("its times must be finite and increase from row to row", file=file)
    begins = (np.arange(steps) + 1e-6) * dt  # a time on a step belongs to it, whichever way it was rounded
    which = np.searchsorted(times, begins, side="right") - 1
    if steps and which[0] < 0:
        raise ModelError("it must have joint forces from t = 0 on", file=file)
    return forces[which]
