"""What commands about a robot share: the arguments that name it, and how it is loaded."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from sixd.cli.builtin import NAMES, Subject, built_in
from sixd.cli.streams import is_unicode
from sixd.errors import ModelWarning
from sixd.formats.load import load
from sixd.robot import Robot

__all__ = ["ROBOT", "add_json", "add_robot", "columns", "load_robot", "load_subject", "print_json", "shown", "whole"]


#: What shells complete of an argument that is a robot, by the names that `add_robot` gives it; files, too.
ROBOT = dict.fromkeys(("file", "first", "second"), NAMES)


def add_robot(parser: argparse.ArgumentParser, *names: str) -> None:
    """The arguments for one robot, or for several, and for how files are read."""
    for name in names or ("file",):
        parser.add_argument(
            name, help="a robot description, such as arm.urdf, or a built-in robot: gallery.puma560, ..."
        )
    parser.add_argument("--base", choices=("fixed", "free"), default="fixed", help="how the root link is mounted")
    parser.add_argument("--no-mimic", action="store_true", help="give coupled joints coordinates of their own")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def whole(least: int) -> Callable[[str], int]:
    """The type of an argument that is a whole number, at least ``least``."""

    def number(text: str) -> int:
        try:
            found = int(text)
        except ValueError:
            found = least - 1
        if not least <= found <= sys.maxsize:
            raise argparse.ArgumentTypeError(f"it must be a whole number of at least {least}, not {text!r}")
        return found

    return number


def load_robot(args: argparse.Namespace, file: str | None = None, quiet: bool = False) -> Robot:
    """The robot that the arguments name. What is odd in its file is told in a line, unless ``quiet``."""
    return load_subject(args, file, quiet).robot


def load_subject(args: argparse.Namespace, file: str | None = None, quiet: bool = False) -> Subject:
    """The robot that the arguments name, with the state and the forces that a built-in mechanism comes with."""
    word = args.file if file is None else file
    if (found := built_in(word, args.base, not args.no_mimic)) is not None:
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        robot = load(word, base=args.base, mimic=not args.no_mimic)
    if robot.warnings and not quiet:
        more = len(robot.warnings) - 1
        tail = f" (and {more} more: sixd check lists them)" if more else ""
        print(f"sixd: warning: {robot.warnings[0]}{tail}", file=sys.stderr)
    return Subject(robot)


def print_json(value: Any) -> None:
    """Print a value as JSON, plain arrays in a line. Numbers that are not finite become null, since JSON has none."""
    print(_indented(_for_json(value), ""))


def _dumped(value: Any) -> str:
    """Plain JSON, with letters as they are where the output can show them."""
    return json.dumps(value, ensure_ascii=not is_unicode(sys.stdout))


def _indented(value: Any, margin: str) -> str:
    if isinstance(value, dict) and value:
        parts = [f"{_dumped(key)}: {_indented(x, margin + '  ')}" for key, x in value.items()]
    elif isinstance(value, list) and any(isinstance(x, dict | list) for x in value):
        parts = [_indented(x, margin + "  ") for x in value]
    else:
        return _dumped(value)
    first, last = "{}" if isinstance(value, dict) else "[]"
    inside = f",\n{margin}  ".join(parts)
    return f"{first}\n{margin}  {inside}\n{margin}{last}"


def _for_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _for_json(x) for key, x in value.items()}
    if isinstance(value, np.ndarray):
        return _for_json(value.tolist())
    if isinstance(value, list | tuple):
        return [_for_json(x) for x in value]
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return value


def shown(x: float) -> str:
    """A number in six digits; a minus sign before a zero is left out."""
    return f"{x + 0.0:.6g}"


def columns(rows: list[list[str]], left: int = 1) -> list[str]:
    """Rows of a table as aligned lines: the first ``left`` columns to the left, the others, numbers, to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if k < left else text.rjust(width)
            for k, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
