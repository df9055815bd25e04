"""Loading robots from files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from sixd import given
from sixd.diagnosis.audit import Report
from sixd.diagnosis.linter import Finding
from sixd.errors import ArgumentError, ModelError, ModelWarning
from sixd.formats.registry import format_of
from sixd.formats.source import read_source
from sixd.model import Model, announce
from sixd.model.build import check_base
from sixd.model.model import sound_gravity
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

    The format is told by the root tag of XML, else by the suffix of the file (`sixd.formats.FORMATS`).

    ``base="free"`` lets the root link float on a six-freedom joint named ``base_joint``. ``mimic=False`` gives coupled
    joints coordinates of their own. ``gravity`` is in m/s^2, world coordinates, default (0, 0, -9.81). What is odd in
    the description but cannot change the dynamics is listed in ``robot.warnings`` and announced by one `ModelWarning`;
    ``strict=True`` makes it an error. Wrong descriptions raise `ModelError` with file and line.
    """
    check_base(base)
    mimic, strict = given.flag(mimic, "mimic"), given.flag(strict, "strict")
    if gravity is not None:
        gravity = sound_gravity(gravity)
    content = read_source(source)
    description = format_of(content).reader(content, strict=strict, mimic=mimic)
    model = description.builder.assemble(base=base, gravity=gravity, base_joint=base_joint)
    warned = (*description.warnings, *model.warnings)
    robot = Robot.of(replace(model, warnings=warned, source=description.file))
    announce(robot.warnings)
    return robot


def check(source: Robot | str | Path | bytes | IO[Any], **options: Any) -> Report:
    """The linter for a robot or a description, also one that does not load: everything odd or wrong, as a report.

    What the reader refuses (a cycle, two roots, a zero axis, a mimic of a fixed joint, ...) becomes the one finding;
    else it is what `Robot.check` says.
    """
    if isinstance(source, Model):
        if options:
            raise ArgumentError(f"a robot has no {', '.join(options)}: such options are for descriptions")
        return Robot.of(source).check()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            robot = load(source, **options)
        except ModelError as error:
            place = f"line {error.line}" if error.line is not None else "the description"
            finding = Finding("error", "does-not-load", place, error.message)
            return Report(error.file or "", (finding,), {})
    return robot.check()
