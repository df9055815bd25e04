"""Explain why two robots differ.

Which joint, body or parameter changes the mass matrix H or the torques tau? Joints and frames are found by name. Each
parameter that differs (mass, centre of mass, inertia, position, orientation, axis, limits, ...) is put from the second
robot into the first, alone, and the change of H and tau on random states is told, the largest first. Every degree of
freedom counts alike.

Exit codes: 0, the robots are the same; 1, they differ; 2, a file that cannot be used.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace

from sixd.cli.command import Command, register
from sixd.cli.robots import ROBOT, add_json, add_robot, load_robot, print_json, whole
from sixd.diagnosis.compare import LINES, compare

__all__ = ["COMPARE", "arguments", "run"]

EXAMPLES = """\
examples:
  sixd compare old.urdf new.urdf
  sixd compare cad.urdf fitted.urdf --json | jq '.differences[0]'
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    add_robot(parser, "first", "second")
    parser.add_argument("--states", type=whole(1), default=64, metavar="N", help="how many random states (64)")
    parser.add_argument("--seed", type=whole(0), default=0, help="for the random states")
    parser.add_argument("--all", action="store_true", help=f"list all differences, not only {LINES} of each kind")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    found = compare(load_robot(args, args.first), load_robot(args, args.second), args.states, args.seed)
    found = replace(found, names=(args.first, args.second))
    if args.json:
        print_json({"same": found.same, **asdict(found)})
    else:
        print(found.text(None if args.all else LINES))
    return int(not found.same)


COMPARE = register(Command("compare", __doc__, arguments, run, words_or_files=ROBOT))
