"""The command line itself: it finds the subcommand, runs it, and tells mistakes in one line.

Exit codes: 0, all is well; 1, a command that compares or checks has found something; 2, wrong use, wrong input, or
output that cannot be written; 130, interrupted from the keyboard; 141, the reader of the output has closed it.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from shutil import get_terminal_size
from textwrap import fill
from typing import Any, NoReturn, TextIO

from sixd._version import __version__
from sixd.cli import COMMANDS
from sixd.cli.streams import Closed, UnwritableError, open_streams
from sixd.errors import SixdError, closest, shorten

__all__ = ["main", "make_parser"]

EPILOG = """\
examples:
  sixd info arm.urdf                            what is in a robot
  sixd check arm.urdf                           what looks wrong in it
  sixd eval id arm.urdf --q 0.1 0.2             joint forces for one state
  sixd eval id arm.urdf --states log.csv --out tau.csv
  sixd simulate arm.urdf --duration 2 --html run.html
  sixd view arm.urdf --open                     the robot in the browser
  sixd view mechanisms.delta_robot --open       a built-in one: sixd info --help lists them
  sixd COMMAND --help                           more on a command

exit codes:
  0  all is well
  1  check: errors were found; compare: the robots differ; simulate: some samples blew up
  2  wrong use, input that cannot be used, or output that cannot be written: one line says why
"""

#: Negative numbers, of which argparse takes -1e-3 and -5. for options.
_NEGATIVE = re.compile(r"^-(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``sixd`` with these arguments, or the process's own, and return the exit code."""
    open_streams()
    try:
        return _written(_reported(lambda: _run(argv)))
    except SystemExit as ended:  # of the parser, after help, the version, or a mistake in use
        raise SystemExit(_written(ended.code)) from None


def _run(argv: Sequence[str] | None) -> int:
    """The exit code of the command that these arguments name."""
    parser = make_parser()
    args, unknown = parser.parse_known_args(sys.argv[1:] if argv is None else list(argv))
    if unknown:
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}{_near_option(args.parser, unknown[0])}")
    if args.run is None:
        parser.print_help(sys.stderr)
        return 2
    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.showwarning = _warn
        return args.run(args) or 0


class Parser(argparse.ArgumentParser):
    """Errors that name the closest command or choice."""

    words: Sequence[str] = ()
    #: What declares the arguments, when they are first needed: those of other commands need not be imported.
    declare: Callable[[argparse.ArgumentParser], None] | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._negative_number_matcher = _NEGATIVE
        self.suggest_on_error = False  # from Python 3.15 on argparse has suggestions, too

    def _declared(self) -> None:
        declare, self.declare = self.declare, None
        if declare is not None:
            declare(self)

    def format_help(self) -> str:
        self._declared()
        return super().format_help()

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        self._declared()
        self.words = args or ()
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        found = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        near = closest(found[1], re.findall(r"[\w-]+", found[2])) if found else []
        hint = f"; did you mean {near[0]!r}?" if near else self._swallowed(message)
        message = re.sub(r"\S{80,}", lambda word: shorten(word[0], 40), message)
        self.exit(2, f"{self.prog}: {message}{hint} ({self.prog} --help tells more)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or the version; argparse itself says nothing if that fails."""
        if message:
            (file or sys.stderr).write(message)

    def _swallowed(self, message: str) -> str:
        """A hint where an option that takes several values may have taken the file, too."""
        several = {name for action in self._actions if action.nargs == "+" for name in action.option_strings}
        used = [word for word in self.words if word in several]
        if not used or "required" not in message:
            return ""
        return f"; {used[0]} takes all values that follow it: put the file before it"


def make_parser() -> argparse.ArgumentParser:
    """The parser of the command line, with all subcommands."""
    style = argparse.RawDescriptionHelpFormatter
    about = "Rigid-body dynamics with 6-D vectors."
    parser = Parser(prog="sixd", description=about, epilog=EPILOG, formatter_class=style, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"sixd {__version__}")
    parser.set_defaults(run=None, parser=parser)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS.values():
        text = command.help or command.name
        subparser = subparsers.add_parser(
            command.name,
            help=text.splitlines()[0].rstrip("."),
            description=_filled(text),
            formatter_class=style,
            allow_abbrev=False,
        )
        subparser.set_defaults(run=command.run, parser=subparser)
        subparser.declare = command.arguments
    return parser


def _near_option(parser: argparse.ArgumentParser, word: str) -> str:
    """A hint at the option that a word may have meant."""
    options = [name for action in parser._actions for name in action.option_strings]
    near = closest(word, options) if word.startswith("-") else []
    return f"; did you mean {near[0]}?" if near else ""


def _filled(text: str) -> str:
    """The paragraphs of a text, as wide as the terminal allows, up to 100 letters."""
    width = min(get_terminal_size().columns - 2, 100)
    return "\n\n".join(fill(paragraph, width) for paragraph in text.strip().split("\n\n"))


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Tell a warning in one line, in place of `warnings.showwarning`."""
    print("sixd: warning:", *str(message).splitlines(), file=sys.stderr)


def _reported(run: Callable[[], int]) -> int:
    """The exit code; what goes wrong on purpose is told in one line."""
    try:
        return run()
    except BrokenPipeError:
        return _unread()
    except UnwritableError as error:
        return _unwritable(error)
    except (SixdError, OSError) as error:
        print("sixd:", *str(error).splitlines(), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _written(code: Any) -> Any:
    """The exit code, once all that was printed is written; another if it cannot be."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _unread()
    except UnwritableError as error:
        return code or _unwritable(error)
    if isinstance(sys.stdout, Closed) and sys.stdout.lost:
        print("sixd: standard output is closed, and what was to be printed is lost", file=sys.stderr)
        return code or 2
    return code


def _unwritable(error: UnwritableError) -> int:
    """What was printed is lost, as on a full disk."""
    print("sixd: standard output cannot be written:", error, file=sys.stderr)
    _discard()
    return 2


def _unread() -> int:
    """The reader has seen enough, as in `sixd cache | head`."""
    _discard()
    return 141


def _discard() -> None:
    """Let nothing that is left fail at the end of the process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
