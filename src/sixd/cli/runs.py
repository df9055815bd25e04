"""The work of ``sixd simulate``: a motion is computed, written and told."""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from pathlib import Path

from sixd.cli.builtin import Subject
from sixd.cli.outcome import LARGEST, described, outcome, until_finite
from sixd.cli.outputs import PAGES, PICTURES, are_same, need_writable
from sixd.cli.robots import load_subject, print_json
from sixd.cli.scenario import contacts_of, control_of, start_of, steps_of
from sixd.errors import ArgumentError, SimulationError, SimulationWarning
from sixd.files import replacing
from sixd.mechanisms import Mechanism
from sixd.simulation.forces.element import ForceElement
from sixd.simulation.forces.passive import Passive
from sixd.simulation.simulate import simulate
from sixd.simulation.trajectory import Trajectory
from sixd.tables import FORMATS
from sixd.view.extras import optional

__all__ = ["simulate_robot"]


def simulate_robot(args: argparse.Namespace) -> int:
    """Simulate what the arguments ask for, write and tell it; the exit code."""
    _check_outputs(args)
    subject = load_subject(args)
    if args.gravity is not None:
        subject = replace(subject, robot=subject.robot.with_gravity(args.gravity))
    _settle(args, subject.mechanism)
    try:
        motion = _simulated(args, subject)
    except SimulationError as error:
        if isinstance(error.trajectory, Trajectory):
            _report(args, error.trajectory, summary=False)
        raise
    _report(args, motion)
    return 130 if motion.stopped else int(not motion.finished)


def _settle(args: argparse.Namespace, mechanism: Mechanism | None) -> None:
    """Put in what is not given: a mechanism's own step."""
    dt = 1e-3 if mechanism is None else mechanism.dt
    args.dt = dt if args.dt is None else args.dt
    if args.no_forces and not (mechanism and mechanism.forces):
        raise ArgumentError(f"--no-forces is for a mechanism with springs: {args.file} has none, leave it out")


def _forces(args: argparse.Namespace, mechanism: Mechanism | None) -> list[ForceElement]:
    own = () if mechanism is None or args.no_forces else mechanism.forces
    return [*own, *([Passive()] if args.passive else [])]


def _simulated(args: argparse.Namespace, subject: Subject) -> Trajectory:
    """The motion. What is said when it ends early is told in the summary, not as a warning."""
    steps, robot = steps_of(args), subject.robot
    contacts = contacts_of(args, robot)
    q, qd = start_of(args, subject, contacts)
    control = control_of(args, subject, q, steps)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*(interrupted|blew up)", SimulationWarning)
        return simulate(
            robot,
            q,
            qd,
            args.duration,
            dt=args.dt,
            control=control.control,
            inputs=control.inputs,
            forces=_forces(args, subject.mechanism),
            contacts=contacts,
            integrator=args.integrator,
            record=args.record,
        )


def _report(args: argparse.Namespace, motion: Trajectory, summary: bool = True) -> None:
    """Write what is asked for, and print what came of it: as JSON, or in words, if there is to be a summary."""
    found = {**outcome(motion), "written": _write(args, motion)}
    if args.json:
        print_json(found)
        return
    if summary:
        print(described(found))
    end = float(_shown(motion).t[-1])
    whole = motion.q.ndim > 2 or end == motion.t[-1]
    cut = "" if whole else f" up to t = {end:g} s, where numbers grow beyond {LARGEST:g}"
    for file in found["written"]:
        print(f"wrote {file}{cut}")


# ---- files


def _check_outputs(args: argparse.Namespace) -> None:
    """Refuse before the run what could not be written after it."""
    for option, suffixes in (("out", tuple(FORMATS)), ("html", PAGES), ("plot", PICTURES)):
        path = getattr(args, option)
        if path is not None:
            need_writable(path, f"--{option}", suffixes)
    for word in args.control or ():
        if args.out is not None and are_same(args.out, word):
            raise ArgumentError(f"{args.out} is the file of joint forces itself: give --out another name")
    if args.plot is not None:
        optional("matplotlib.figure", "--plot", "plot")
    if args.out is not None and args.out.lower().endswith(".parquet"):
        optional("pyarrow", "--out", "tables")
    if args.samples is not None and args.out is not None and not args.out.lower().endswith(".npz"):
        raise ArgumentError(f"--out: {args.out} is for one sample; write a batch to an .npz file")


def _shown(motion: Trajectory) -> Trajectory:
    """What is drawn: one sample, as long as its numbers are of a usual size."""
    return until_finite(motion if motion.q.ndim == 2 else motion.sample(0))


def _write(args: argparse.Namespace, motion: Trajectory) -> list[str]:
    """Write what is asked for; the files."""
    one = _shown(motion)
    if args.out is not None:
        (one if motion.q.ndim == 2 else motion).save(args.out)
    if args.html is not None:
        one.save_html(args.html)
    if args.plot is not None:
        pyplot, figure = optional("matplotlib.pyplot", "--plot", "plot"), one.plot()
        try:
            with replacing(Path(args.plot)) as part:
                figure.savefig(part, dpi=150)
        finally:
            pyplot.close(figure)
    return [file for file in (args.out, args.html, args.plot) if file is not None]
