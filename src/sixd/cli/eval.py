"""Compute joint forces, matrices, poses, ... for one state or a file of states.

One state is given by numbers in the order of the joints, by name=value (others are neutral or zero), or by one of the
words neutral, zero, random; what is not given is neutral (q) or zero. SI units, radians.

Of a built-in mechanism with loops, what is not given is its own state, and coordinates given by name=value lead the
others, so that the loops stay closed; its springs are not part of what is computed.

A file of states (.csv, .npz, .parquet) has a column for each coordinate, such as q_elbow, qd_elbow, qdd_elbow,
tau_elbow, or q_wrist[0], q_wrist[1] for a joint with several; an archive may have arrays q (rows, nq). Columns without
joint names (q0, q1, ...) are taken by their numbers if there are exactly as many as needed. What is given by --q, --qd,
... is the same for all rows; where there are loops, what it names leads the others in each row. A row with NaN gives a
row of NaN. Columns t and time are copied. Files may be larger than memory; without --out, results are printed as CSV.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sixd.cli.builtin import Subject
from sixd.cli.command import Command, register
from sixd.cli.quantities import QUANTITIES, Quantity, quantity_of, rate_units
from sixd.cli.robots import ROBOT, add_json, add_robot, columns, load_subject, print_json, shown, whole
from sixd.cli.starts import open_loop, open_rates, position_of, state_of
from sixd.cli.states import STATE, Part, add_state, state_part
from sixd.cli.stream import evaluate_file
from sixd.errors import ArgumentError
from sixd.robot import Robot

__all__ = ["EVAL", "arguments", "run"]

Array = NDArray[np.float64]

EXAMPLES = """\
examples:
  sixd eval id arm.urdf --q 0.1 -0.5 --qd 1 0 --qdd 0 0
  sixd eval gravity arm.urdf --q elbow=1.2
  sixd eval jacobian arm.urdf --frame tool --expressed-in aligned --json
  sixd eval id arm.urdf --states log.parquet --out torques.parquet
  sixd eval mass arm.urdf --states log.csv > mass.csv
  sixd eval id mechanisms.four_bar --q crank_joint=0.5 --qdd crank_joint=1 --actuated crank_joint
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    rows = [[f"  {row.name}", f"{row.about} ({', '.join(row.needs)})"] for row in QUANTITIES.values()]
    listed = "\n".join(columns(rows, 2))
    parser.epilog = f"what to compute, and of what:\n{listed}\n\n{EXAMPLES}"
    parser.add_argument("what", help="what to compute: id, fd, mass, pose, jacobian, ...; see below")
    add_robot(parser)
    add_state(parser, *STATE)
    parser.add_argument("--frame", help="the frame of a pose, velocity, acceleration or Jacobian")
    parser.add_argument("--expressed-in", choices=("body", "world", "aligned"), help="coordinates of motions")
    parser.add_argument("--actuated", nargs="+", metavar="JOINT", help="the joints with motors, of a robot with loops")
    parser.add_argument("--states", metavar="FILE", help="a file of states: .csv, .npz or .parquet")
    parser.add_argument("--out", metavar="FILE", help="the file for the results: .csv, .npz or .parquet")
    parser.add_argument("--chunk", metavar="ROWS", type=whole(1), help="rows at a time; by default some 32 MB")
    parser.add_argument("--seed", type=whole(0), default=0, help="for the word random")
    add_json(parser)


def run(args: argparse.Namespace) -> None:
    quantity = quantity_of(args.what)
    quantity.check(args.frame, args.expressed_in)
    subject = load_subject(args)
    quantity.check_robot(subject.robot)
    words = {name: given for name in STATE if (given := getattr(args, name))}
    if unused := [name for name in words if name not in quantity.needs]:
        raise ArgumentError(f"{quantity.name} depends on {', '.join(quantity.needs)}: leave out --{unused[0]}")
    if args.states is not None and args.json:
        raise ArgumentError("--json is for one state: results for a file of states go to --out, or to CSV")
    if args.states is None and args.out is not None:
        raise ArgumentError("--out is for the results of a file of states: add --states FILE, or leave it out")
    given = {name: state_part(subject.robot, name, words[name], args.seed) for name in words if name != "q"}
    if args.states is None:
        _evaluate_state(args, quantity, subject, given)
        return
    same = {"q": position_of(subject, words["q"], args.seed)} if "q" in words else {}
    evaluate_file(args, quantity, subject, same, given)


EVAL = register(Command("eval", __doc__, arguments, run, {"what": QUANTITIES}, ROBOT))


# ---- one state


def _evaluate_state(args: argparse.Namespace, quantity: Quantity, subject: Subject, given: Mapping[str, Part]) -> None:
    robot = subject.robot
    options = quantity.options(args, robot)
    state = state_of(subject, {"q": position_of(subject, args.q, args.seed)}, given, quantity.needs)
    if quantity.name != "constraint-error" and (fault := open_loop(subject, state["q"]) or open_rates(subject, state)):
        print(f"sixd: warning: {fault}", file=sys.stderr)
    result = np.asarray(quantity.compute(robot, state, options))
    if not np.isfinite(result).all():
        print("sixd: warning: the result is not finite: a state that is not, or a singular position", file=sys.stderr)
    labels = quantity.labels(robot)
    if args.json:
        about = {"robot": robot.name, "method": quantity.method, "frame": args.frame, "state": state}
        print_json({**about, "symbol": quantity.symbol, "labels": labels, "result": result})
        return
    at = ", ".join(f"{name} = {_brief(name, x, robot)}" for name, x in state.items())
    print(f"{quantity.symbol}: {quantity.about}{f' ({args.frame})' if args.frame else ''}, at {at}")
    print("\n".join(_table(result, labels, quantity, robot)))


def _brief(name: str, x: Array, robot: Robot) -> str:
    if np.array_equal(x, robot.neutral() if name == "q" else np.zeros(robot.nv)):
        return "neutral" if name == "q" else "0"
    return f"({', '.join(shown(v) for v in x[:8])}{', ...' if len(x) > 8 else ''})"


def _table(result: Array, labels: list[list[str]], quantity: Quantity, robot: Robot) -> list[str]:
    if not labels:
        return [f"  {shown(float(result))}"]
    if len(labels) == 2:
        header = ["", *labels[1]]
        rows = [[f"  {name}", *map(shown, row)] for name, row in zip(labels[0], result, strict=True)]
        return columns([header, *rows])
    units = [""] * len(result)
    if quantity.axes == ("dof",):
        units = [f"{length}/s^2" if quantity.symbol == "qdd" else force for length, force in rate_units(robot)]
    rows = [[f"  {n}", shown(x), f" {u}"] for n, x, u in zip(labels[0], result, units, strict=True)]
    return columns(rows)
