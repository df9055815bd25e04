"""Show a robot, or a motion of it, in the browser.

Writes one HTML file that needs no network: the robot with its meshes or, without them, bones and inertia ellipsoids;
sliders for the joints, switches for the layers. A motion (--motion) is a .csv, .npz or .parquet file with a column t
and the columns of sixd eval, q_elbow or an array q, such as sixd simulate writes; the page plays it beside its curves.
A built-in mechanism is shown at its own position; where joints are given by name=value, the others close its loops.

With --live a server on this machine shows the same until Ctrl-C is pressed (pip install 'sixd[view]'). The address that
it prints has a secret: other pages in the browser cannot look at the robot.
"""

from __future__ import annotations

import argparse
import webbrowser

import numpy as np
from numpy.typing import NDArray

from sixd import view
from sixd.cli.builtin import Subject, plain_name
from sixd.cli.command import Command, register
from sixd.cli.outputs import PAGES, need_writable, open_page
from sixd.cli.robots import ROBOT, add_robot, load_subject, whole
from sixd.cli.starts import position_of
from sixd.cli.states import add_state
from sixd.cli.tables import read_table
from sixd.errors import ArgumentError, ModelError
from sixd.tables import state_field

__all__ = ["VIEW", "arguments", "run"]

Array = NDArray[np.float64]

EXAMPLES = """\
examples:
  sixd view arm.urdf --open                               writes arm.html
  sixd view arm.urdf --q 0.3 -0.8 --layers links frames --out pose.html
  sixd view arm.urdf --motion run.csv --out run.html
  sixd view arm.urdf --live --port 8080
  sixd view mechanisms.delta_robot --q motor0=0.7         writes delta_robot.html
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    add_robot(parser)
    add_state(parser, "q")
    parser.add_argument("--motion", metavar="FILE", help="positions over time: .csv, .npz or .parquet")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--out", metavar="FILE", help="the page to write; by default the robot's file name with .html")
    where.add_argument("--live", action="store_true", help="show it by a server, until Ctrl-C is pressed")
    parser.add_argument("--host", help="where the server listens (127.0.0.1: this machine; others: the network)")
    parser.add_argument("--port", type=whole(0), help="its port (8080)")
    parser.add_argument(
        "--layers", nargs="+", choices=tuple(view.LAYERS), metavar="LAYER", help="what is shown at first"
    )
    parser.add_argument("--seed", type=whole(0), default=0, help="for the word random")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")


def run(args: argparse.Namespace) -> None:
    server = {name: value for name in ("host", "port") if (value := getattr(args, name)) is not None}
    page = args.out or f"{plain_name(args.file)}.html"
    if not args.live:
        if server:
            raise ArgumentError(f"--{next(iter(server))} is for a server: add --live, or leave it out")
        need_writable(page, "--out", PAGES)
    subject = load_subject(args)
    robot, (t, q) = subject.robot, _motion(args, subject)
    if args.live:
        _serve(view.show(robot, t, q, layers=args.layers, **server), args.open)
        return
    view.save_html(page, robot, t, q, layers=args.layers)
    print(page)
    if args.open:
        open_page(page)


VIEW = register(Command("view", __doc__, arguments, run, words_or_files=ROBOT))


def _motion(args: argparse.Namespace, subject: Subject) -> tuple[Array | None, Array]:
    """Times (T,) and positions (T, nq) of a motion; or no times and one position (nq,)."""
    if args.motion is None:
        return None, position_of(subject, args.q, args.seed)
    if args.q is not None:
        raise ArgumentError("--motion has the positions: leave out --q")
    t, q = read_table(args.motion, "--motion", state_field(subject.robot, "q"))
    if t is None:
        raise ModelError("a motion needs the time of each row, s, in a column t", file=args.motion)
    if not len(t):
        raise ModelError("it has no rows: there is nothing to show", file=args.motion)
    bad = np.flatnonzero(~np.isfinite(np.column_stack([t, q])).all(axis=-1))
    if len(bad):
        raise ModelError(
            f"row {bad[0]}, counted from 0, has numbers that are not finite: leave it out", file=args.motion
        )
    return t, q


def _serve(live: view.LiveView, opened: bool) -> None:
    print("(Ctrl-C ends it)", flush=True)
    if opened:
        webbrowser.open(live.url)
    live.wait()
