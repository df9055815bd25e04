"""Simulate a robot over time: what it does under gravity, control and contact with the floor.

The start is given as in sixd eval: numbers in the order of the joints, name=value, or one of the words neutral, zero,
random; what is not given is neutral (q) or zero (qd). With --samples, starts are random and run as one batch. The floor
is z = 0, and frames named by --contact touch it.

A built-in mechanism, such as mechanisms.delta_robot, starts at its own state with its own springs and its own drive, by
rk4 in its own steps. Joints given by name=value are held there, and the others are moved until its loops are closed.

Control is none, gravity (holds the joints against gravity), pd (joints to --target, by default where they start, with
gains --kp and --kd: one number, or one for each degree of freedom but those of a free base), pd gravity (both), or a
file of joint forces with columns as those of sixd eval, tau_elbow or an array tau: with a column t each row holds from
its time on, without one there is a row for each step.

The motion goes to --out (a table), --html (a page that plays it) and --plot (curves); of a batch, --out takes .npz, and
pages and plots show the first sample. Ctrl-C ends a run early, and a run that blows up ends itself: what was computed
is written all the same.

Exit codes: 0, all is well; 1, some samples of a batch blew up; 2, wrong use, or the run blew up; 130, interrupted.
"""

from __future__ import annotations

import argparse

from sixd.cli.command import Command, register
from sixd.cli.robots import ROBOT, add_json, add_robot, whole
from sixd.cli.states import add_state

__all__ = ["SIMULATE", "arguments", "run"]

CONTROLS = ("none", "gravity", "pd")

EXAMPLES = """\
examples:
  sixd simulate arm.urdf --q elbow=1.2 --duration 2 --html run.html
  sixd simulate arm.urdf --control pd gravity --kp 200 --kd 20 --target 0.5 -1 --out run.csv --plot run.png
  sixd simulate dog.urdf --base free --contact LF_FOOT RF_FOOT LH_FOOT RH_FOOT --clearance 0.1 --html drop.html
  sixd simulate arm.urdf --samples 1000 --seed 1 --out runs.npz --json
  sixd simulate mechanisms.four_bar --q crank_joint=0.5 --qd crank_joint=2 --duration 5 --html four_bar.html
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    from sixd.simulation.adaptive import ADAPTIVE
    from sixd.simulation.contact import LAWS
    from sixd.simulation.integrators import INTEGRATORS

    parser.epilog = EXAMPLES
    add_robot(parser)
    add_state(parser, "q", "qd")
    parser.add_argument("--duration", type=float, default=1.0, metavar="S", help="how long, s (1)")
    parser.add_argument("--dt", type=float, metavar="S", help="the step of the integrator, s (0.001)")
    names = (*INTEGRATORS, *ADAPTIVE)
    parser.add_argument(
        "--integrator",
        choices=names,
        help="how steps are made (rk43; with rigid contact or dry friction semi_implicit_parts)",
    )
    parser.add_argument("--control", nargs="+", metavar="WORD", help="none, gravity, pd, or a file")
    for name, unit in (("kp", "N m/rad or N/m"), ("kd", "N m s/rad or N s/m")):
        parser.add_argument(f"--{name}", nargs="+", type=float, metavar="K", help=f"gains of pd, {unit}")
    parser.add_argument(
        "--target", nargs="+", metavar="X", help="where pd leads the joints: as --q; by default the start"
    )
    parser.add_argument("--contact", nargs="+", metavar="FRAME", help="the frames that touch the floor z = 0")
    parser.add_argument("--law", choices=tuple(LAWS), help="the law of contact (rigid)")
    parser.add_argument("--friction", type=float, metavar="MU", help="the coefficient of friction (0.8)")
    parser.add_argument(
        "--radius", type=float, metavar="M", help="spheres of this radius at the frames, m; else points"
    )
    parser.add_argument("--clearance", type=float, metavar="M", help="put a free base so high above the floor, m")
    parser.add_argument("--passive", action="store_true", help="add the springs, dampers and friction of the file")
    parser.add_argument("--no-forces", action="store_true", help="leave out the springs that a mechanism comes with")
    parser.add_argument("--gravity", nargs=3, type=float, metavar=("X", "Y", "Z"), help="in the world, m/s^2")
    parser.add_argument("--samples", type=whole(1), metavar="N", help="so many random starts, as a batch")
    parser.add_argument("--seed", type=whole(0), default=0, help="for what is random")
    parser.add_argument("--record", type=whole(1), default=1, metavar="N", help="keep every N-th step (1)")
    parser.add_argument("--out", metavar="FILE", help="the file for the motion: .csv, .npz or .parquet")
    parser.add_argument("--html", metavar="FILE", help="a page that plays the motion")
    parser.add_argument("--plot", metavar="FILE", help="curves over time: .png, .svg or .pdf")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from sixd.cli.runs import simulate_robot

    return simulate_robot(args)


SIMULATE = register(Command("simulate", __doc__, arguments, run, {"control": CONTROLS}, ROBOT))
