"""The command line itself: it finds the subcommand, runs it, and tells mistakes in one line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from sixd._version import __version__
from sixd.cli import COMMANDS
from sixd.errors import SixdError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``sixd`` with these arguments, or the process's own; 0 if all is well, 1 after an error, 2 for wrong use."""
    parser = _parser()
    args = parser.parse_args(argv)
    if args.run is None:
        parser.print_help(sys.stderr)
        return 2
    return _reported(args.run, args)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sixd", description="Rigid-body dynamics with 6-D vectors.")
    parser.add_argument("--version", action="version", version=f"sixd {__version__}")
    parser.set_defaults(run=None)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS.values():
        text = command.help or command.name
        subparser = subparsers.add_parser(command.name, help=text.splitlines()[0].rstrip("."), description=text)
        subparser.set_defaults(run=command.run)
        command.arguments(subparser)
    return parser


def _reported(run: Callable[[argparse.Namespace], None], args: argparse.Namespace) -> int:
    try:
        run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as in `sixd cache | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (SixdError, OSError) as error:
        print("sixd:", *str(error).splitlines(), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
