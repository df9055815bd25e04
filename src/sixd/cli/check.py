"""Say what looks wrong in robots.

The linter reads the data: inertias that no body can have, limits, units, singular mass matrices. The audit compares the
algorithms with each other on random states of this very robot. Built-in robots are checked by name: gallery.puma560,
mechanisms.four_bar.

Exit codes: 0, no errors (there may be warnings); 1, errors, or with --strict warnings, or a description that does not
load; 2, a file that cannot be read (the others are checked).
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import Any

from sixd.cli.builtin import built_in
from sixd.cli.command import Command, register
from sixd.cli.robots import ROBOT, add_json, print_json
from sixd.diagnosis.audit import Report
from sixd.errors import ArgumentError, ChoiceError, FileError
from sixd.formats.load import check

__all__ = ["CHECK", "arguments", "run"]

EXAMPLES = """\
examples:
  sixd check arm.urdf
  sixd check --strict --json robots/*.urdf > findings.json
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument("file", nargs="+", help="robot descriptions, such as arm.urdf, or built-in robots")
    parser.add_argument("--base", choices=("fixed", "free"), default="fixed", help="how the root link is mounted")
    parser.add_argument("--strict", action="store_true", help="let warnings count as errors")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    reports, unread = [], False
    for file in args.file:
        try:
            reports.append((file, _report(file, args.base)))
        except (FileError, ChoiceError, ArgumentError) as error:
            print(f"sixd: {error}", file=sys.stderr)
            unread = True
            continue
        if not args.json:
            _print(file, reports[-1][1], len(args.file) > 1)
    if args.json:
        print_json([_summary(file, report) for file, report in reports])
    severities = {finding.severity for _, report in reports for finding in report.findings}
    return 2 if unread else int("error" in severities or (args.strict and "warning" in severities))


CHECK = register(Command("check", __doc__, arguments, run, words_or_files=ROBOT))


def _report(file: str, base: str) -> Report:
    """What there is to say of a file or of a built-in robot."""
    if (subject := built_in(file, base)) is not None:
        return subject.robot.check()
    _need(file)
    return check(file, base=base)


def _need(file: str) -> None:
    """Raise if a file cannot be read: that is no finding on a robot."""
    try:
        with open(file, "rb"):
            pass
    except OSError as error:
        raise FileError.of(error, file) from None


def _print(file: str, report: Report, several: bool) -> None:
    if several:
        print(f"--- {file}")
    print(report)


def _summary(file: str, report: Report) -> dict[str, Any]:
    return {
        "file": file,
        "robot": report.name,
        "ok": report.ok,
        "findings": [asdict(finding) for finding in report.findings],
        "disagreement": report.disagreement,
        "skipped": report.skipped,
    }
