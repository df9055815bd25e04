"""Write an algorithm for a robot as source code.

The code has no dependencies and computes one state, with the robot's numbers in it. With --rolled the loops over bodies
are kept, which is shorter for large robots. The names of the algorithms are those of sixd.algorithms, such as rnea
(inverse dynamics), aba (forward dynamics), crba (mass matrix), pose, jacobian.
"""

from __future__ import annotations

import argparse
from textwrap import fill

from sixd.algorithms import ALGORITHMS
from sixd.algorithms.declared import Kind
from sixd.backends import PRINTERS
from sixd.cli.command import Command, register
from sixd.cli.robots import add_robot, load_robot
from sixd.compiler.compile import compile
from sixd.errors import ArgumentError, ChoiceError, closest

__all__ = ["EXPORT", "arguments", "run"]

EXAMPLES = """\
examples:
  sixd export arm.urdf --algorithm rnea --c rnea.c
  sixd export arm.urdf --algorithm jacobian --frame tool --expressed-in aligned --c -   (to the terminal)
  sixd export humanoid.urdf --base free --algorithm aba --rolled --c aba.c
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    listed = fill(", ".join(ALGORITHMS), 100, initial_indent="  ", subsequent_indent="  ")
    parser.epilog = f"{EXAMPLES}\nalgorithms:\n{listed}"
    add_robot(parser)
    parser.add_argument("--algorithm", required=True, metavar="NAME", help="what to write, such as rnea; see below")
    parser.add_argument("--frame", help="the frame of a pose, a Jacobian, ...")
    parser.add_argument("--expressed-in", choices=("body", "world", "aligned"), help="coordinates of motions")
    parser.add_argument("--rolled", action="store_true", help="keep the loops over bodies")
    parser.add_argument("--name", help="the name of the function; by default that of the algorithm")
    languages = parser.add_mutually_exclusive_group(required=True)
    for language in PRINTERS:
        languages.add_argument(f"--{language}", metavar="FILE", help=f"write {language.upper()}; - prints it")


def run(args: argparse.Namespace) -> None:
    algorithm = ALGORITHMS.get(args.algorithm)
    if algorithm is None:
        near = closest(args.algorithm, ALGORITHMS, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else "sixd export --help lists them"
        raise ChoiceError(f"no algorithm is called {args.algorithm!r}; {hint}")
    several = [name for name in algorithm.arguments if algorithm.declaration.kind(name) is Kind.BODY and name != "body"]
    if several:
        how = f"sixd.compile(sixd.algorithms.{args.algorithm}, robot, {several[0]}=...).to_c(path)"
        raise ArgumentError(f"{args.algorithm} needs {' and '.join(several)}, which only Python can give: {how}")
    of_frame = "body" in algorithm.arguments and algorithm.declaration.kind("body") is Kind.BODY
    if of_frame and args.frame is None:
        raise ArgumentError(f"{args.algorithm} is that of a frame: add --frame NAME (sixd info lists the frames)")
    if not of_frame and args.frame is not None:
        raise ArgumentError(f"{args.algorithm} is not that of one frame: leave out --frame")
    if args.expressed_in is not None and "expressed_in" not in algorithm.arguments:
        raise ArgumentError(f"{args.algorithm} has no choice of coordinates: leave out --expressed-in")
    fixed = {name: value for name in ("frame", "expressed_in") if (value := getattr(args, name)) is not None}
    robot = load_robot(args)
    kernel = compile(algorithm, robot, rolled=args.rolled or None, name=args.name, **fixed)
    language, path = next((name, path) for name in PRINTERS if (path := getattr(args, name)) is not None)
    text = kernel.to(language, None if path == "-" else path)
    if path == "-":
        print(text, end="")
    else:
        print(f"{path}: {kernel.__name__} of {robot.name}, {len(text.splitlines())} lines of {language.upper()}")


EXPORT = register(Command("export", __doc__, arguments, run, {"algorithm": ALGORITHMS}))
