"""Loading robots from files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from sixd.audit import Report
from sixd.errors import ModelError, ModelWarning
from sixd.formats.urdf import read_urdf
from sixd.model.check import Finding
from sixd.robot import Robot

__all__ = ["check", "load"]


def load(
    source: str | Path | bytes | IO[Any],
    *,
    base: str = "fixed",
    mimic: bool = True,
    gravity: Iterable[float] | None = None,
    strict: bool = False,
    base_joint: str = "base",
) -> Robot:
    """A robot from a description: a path, a file object or the XML text itself.

    ``base="free"`` lets the root link float on a six-freedom joint named ``base_joint``. ``mimic=False`` gives coupled
    joints coordinates of their own. ``gravity`` is in m/s^2, world coordinates, default (0, 0, -9.81). What is odd in
    the description but cannot change the dynamics is listed in ``robot.warnings`` and announced by one `ModelWarning`;
    ``strict=True`` makes it an error. Wrong descriptions raise `ModelError` with file and line.
    """
    description = read_urdf(source, strict=strict, mimic=mimic)
    model = description.builder.build(base=base, gravity=gravity, base_joint=base_joint)
    robot = Robot.of(replace(model, warnings=description.warnings, source=description.file))
    if robot.warnings:
        first, more = robot.warnings[0], len(robot.warnings) - 1
        tail = f" (and {more} more, see robot.warnings)" if more else ""
        warnings.warn(ModelWarning(f"{first}{tail}"), stacklevel=2)
    return robot


def check(source: Robot | str | Path | bytes | IO[Any], **options: Any) -> Report:
    """The linter for a robot or a description, also one that does not load: everything odd or wrong, as a report.

    What the reader refuses (a cycle, two roots, a zero axis, a mimic of a fixed joint, ...) becomes the one finding;
    else it is what `Robot.check` says.
    """
    if isinstance(source, Robot):
        return source.check()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            robot = load(source, **options)
        except ModelError as error:
            place = f"line {error.line}" if error.line is not None else "the description"
            finding = Finding("error", "does-not-load", place, error.message)
            return Report(error.file or "", (finding,), {})
    return robot.check()
