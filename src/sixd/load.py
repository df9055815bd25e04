"""Loading robots from files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from sixd.errors import ModelWarning
from sixd.formats.urdf import read_urdf
from sixd.robot import Robot

__all__ = ["load"]


def load(
    source: str | Path | bytes | IO[Any],
    *,
    base: str = "fixed",
    mimic: bool = True,
    gravity: Iterable[float] | None = None,
    strict: bool = False,
) -> Robot:
    """A robot from a description: a path, a file object or the XML text itself.

    ``base="free"`` lets the root link float on a six-freedom joint named "base". ``mimic=False`` gives coupled joints
    coordinates of their own. ``gravity`` is in m/s^2, world coordinates, default (0, 0, -9.81). What is odd in the
    description but cannot change the dynamics is listed in ``robot.warnings`` and announced by one `ModelWarning`;
    ``strict=True`` makes it an error. Wrong descriptions raise `ModelError` with file and line.
    """
    description = read_urdf(source, strict=strict, mimic=mimic)
    model = description.builder.build(base=base, gravity=gravity)
    robot = Robot.of(replace(model, warnings=description.warnings))
    if robot.warnings:
        first, more = robot.warnings[0], len(robot.warnings) - 1
        tail = f" (and {more} more, see robot.warnings)" if more else ""
        warnings.warn(ModelWarning(f"{first}{tail}"), stacklevel=2)
    return robot
