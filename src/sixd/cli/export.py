"""Write an algorithm for a robot as source code.

The code has no dependencies and computes one state, with the robot's numbers in it. With --rolled the loops over bodies
are kept, which is shorter for large robots. The names of the algorithms are those of sixd.algorithms, such as rnea
(inverse dynamics), aba (forward dynamics), crba (mass matrix), pose, jacobian. For a built-in mechanism with loops,
such as mechanisms.four_bar, those whose names begin with constrain know its loops.
"""

from __future__ import annotations

import argparse
from textwrap import fill

from sixd.algorithms import ALGORITHMS
from sixd.algorithms.declared import Kind
from sixd.backends import PRINTERS
from sixd.cli.command import Command, register
from sixd.cli.outputs import are_same
from sixd.cli.robots import ROBOT, add_robot, load_robot
from sixd.compiler.compile import compile
from sixd.errors import ArgumentError, ChoiceError, closest
from sixd.robot import Robot

__all__ = ["EXPORT", "arguments", "run"]

EXAMPLES = """\
examples:
  sixd export arm.urdf --algorithm rnea --c rnea.c
  sixd export arm.urdf --algorithm jacobian --frame tool --expressed-in aligned --c -   (to the terminal)
  sixd export mechanisms.four_bar --algorithm constrained_forward_dynamics --c four_bar.c
  sixd export humanoid.urdf --base free --algorithm aba --rolled --c aba.c
"""


#: What would ignore the loops of a closed robot, and what knows them.
OF_TREES = {
    "aba": "constrained_forward_dynamics",
    "forward_dynamics_crba": "constrained_forward_dynamics",
    "forward_dynamics_naive": "constrained_forward_dynamics",
    "rnea": "constrained_inverse_dynamics, in Python",
    "inverse_mass_matrix": "constrained_forward_dynamics",
    "aba_derivatives": "closed.forward_dynamics_derivatives, in Python",
    "rnea_derivatives": "closed.inverse_dynamics_derivatives, in Python",
    "linearization": "closed.linearize, in Python",
    "operational_space": "constrained_operational_space, in Python",
    "inverse_operational_inertia": "constrained_inverse_operational_inertia, in Python",
    "dynamically_consistent_inverse": "constrained_dynamically_consistent_inverse, in Python",
    "null_space_projector": "constrained_null_space_projector, in Python",
}


#: Languages whose names are not those of their options.
_NAMES = {"c": "C", "javascript": "JavaScript"}


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
        languages.add_argument(
            f"--{language}", metavar="FILE", help=f"write {_NAMES.get(language, language)}; - prints it"
        )


def run(args: argparse.Namespace) -> None:
    algorithm = ALGORITHMS.get(args.algorithm)
    if algorithm is None:
        near = closest(args.algorithm, ALGORITHMS, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else "sixd export --help lists them"
        raise ChoiceError(f"no algorithm is called {args.algorithm!r}; {hint}")
    several = [
        name
        for name in algorithm.arguments
        if name == "frames" or (name != "body" and algorithm.declaration.kind(name) is Kind.BODY)
    ]
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
    _check_loops(args.algorithm, robot)
    language, path = next((name, path) for name in PRINTERS if (path := getattr(args, name)) is not None)
    if are_same(path, args.file):
        raise ArgumentError(f"--{language}: {path} is the robot's own file: give another name")
    kernel = compile(algorithm, robot, rolled=args.rolled or None, name=args.name, **fixed)
    text = kernel.to(language, None if path == "-" else path)
    if path == "-":
        print(text, end="")
    else:
        lines = f"{len(text.splitlines())} lines of {_NAMES.get(language, language)}"
        print(f"{path}: {kernel.__name__} of {robot.name}, {lines}")


EXPORT = register(Command("export", __doc__, arguments, run, {"algorithm": ALGORITHMS}, ROBOT))


def _check_loops(algorithm: str, robot: Robot) -> None:
    """Refuse what would ignore the loops of a robot, and what needs some that it does not have."""
    if algorithm.startswith("constrain") and not robot.constraint_list:
        raise ArgumentError(f"{algorithm} is for robots with loops, such as mechanisms.four_bar: {robot.name} has none")
    if not robot.constraint_list:
        return
    if algorithm in OF_TREES:
        raise ArgumentError(f"{algorithm} would ignore the loops of {robot.name}: take {OF_TREES[algorithm]}")
    if needed := [name for name in ("actuated", "independent") if name in ALGORITHMS[algorithm].arguments]:
        how = f"sixd.compile(sixd.algorithms.{algorithm}, robot, {needed[0]}=(0, ...)).to_c(path)"
        raise ArgumentError(f"{algorithm} needs {needed[0]} degrees of freedom, which only Python can give: {how}")
