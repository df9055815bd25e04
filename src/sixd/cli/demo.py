"""Show what sixd can do, on robots that come with it.

A tour of dynamics, batches, inverse kinematics and the linter. It needs no files.
"""

from __future__ import annotations

import argparse

from sixd.cli.command import Command, register
from sixd.cli.tour import tour

__all__ = ["DEMO", "arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "example:\n  sixd demo\n"


def run(_: argparse.Namespace) -> None:
    tour()


DEMO = register(Command("demo", __doc__, arguments, run))
