"""Building robots in code."""

from __future__ import annotations

from collections.abc import Iterable

from sixd.model import ModelBuilder, announce
from sixd.robot.robot import Robot

__all__ = ["Builder"]


class Builder(ModelBuilder):
    """Builds a `Robot` body by body; see `sixd.model.ModelBuilder` for the methods."""

    def build(self, base: str = "fixed", gravity: Iterable[float] | None = None, base_joint: str = "base") -> Robot:
        """The robot: bodies numbered depth first in the order joints were given, welded links merged.

        ``base="free"`` lets the root float on a free joint named ``base_joint``. Oddities, such as an inertia that no
        body can have, are listed in ``robot.warnings`` and announced by one `ModelWarning`.
        """
        robot = self.assemble(base, gravity, base_joint)
        announce(robot.warnings, stacklevel=3)
        return robot

    def assemble(self, base: str = "fixed", gravity: Iterable[float] | None = None, base_joint: str = "base") -> Robot:
        """The same as `build`, but without the announcement: oddities are only listed in ``robot.warnings``."""
        return Robot.of(super().assemble(base, gravity, base_joint))
