"""Building robots in code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from sixd.flexible.beam import Beam
from sixd.joints import Joint
from sixd.model import ModelBuilder, announce
from sixd.robot.robot import Robot

__all__ = ["Builder"]


class Builder(ModelBuilder):
    """Builds a `Robot` body by body; see `sixd.model.ModelBuilder` for the methods."""

    def flexible_body(
        self,
        name: str,
        beam: Beam,
        parent: str = "base",
        joint: Joint | None = None,
        joint_name: str | None = None,
        *,
        bending_y: int | None = None,
        bending_z: int | None = None,
        torsion: int = 0,
        axial: int = 0,
        shapes: Any = "polynomial",
        damping_ratio: float = 0.0,
        stations: int | None = None,
        segments: int = 1,
        mass: float = 0.0,
        com: Iterable[float] = (0, 0, 0),
        inertia: Any = (0, 0, 0),
        **options: Any,
    ) -> Self:
        """A link that bends, and the joint that carries it: a beam along the link's x axis, clamped at its origin.

        What the link carries is put on the frame ``name_tip`` at the end of the beam, whose x axis is the tangent. The
        joint ``name_modes`` has the modal coordinates, in the order of bending about y, about z, torsion, axial; its
        stiffness and damping are those of the beam. Bodies ``name_1``, ``name_2``, ... hold the beam's mass.

        ``bending_y``, ``bending_z``, ``torsion``, ``axial`` are the numbers of modes; by default three for each
        bending whose stiffness is finite, none for the others. n modes give n - 1 frequencies within a percent or so.

        ``shapes`` says how strain varies along the beam: "polynomial" is right whatever the beam carries; "cantilever"
        are the natural modes of the beam alone; "pinned" are sines; or functions of x/L, one for each mode, which are
        made orthogonal in turn. {kind: shapes} tells kinds apart. Of polynomial modes the first coordinate is the angle
        between both ends, rad, or the elongation, m.

        ``damping_ratio``: the fraction of critical damping at the lowest frequency of each kind, with the beam clamped;
        at other frequencies it is in proportion to them. ``stations`` is the number of masses of a segment, by default
        as many as make modal masses exact. ``segments`` cuts the beam into pieces of moderate deflection each. Mass,
        com and inertia are those of a rigid hub; ``options`` are those of `joint`.
        """
        from sixd.flexible.attach import add_flexible_parts, flexible_parts
        from sixd.flexible.link import bending_of

        bending = bending_of(
            beam,
            bending_y=bending_y,
            bending_z=bending_z,
            torsion=torsion,
            axial=axial,
            shapes=shapes,
            damping_ratio=damping_ratio,
            stations=stations,
            segments=segments,
        )
        parts = flexible_parts(self, name, bending)  # before anything is added: a call that fails leaves nothing behind
        self.body(name, parent, joint, joint_name, mass, com, inertia, **options)
        add_flexible_parts(self, parts, bending.beam.section)
        return self

    def build(self, base: str = "fixed", gravity: Iterable[float] | None = None, base_joint: str = "base") -> Robot:
        """The robot: bodies numbered depth first in the order joints were given, welded links merged.

        ``base="free"`` lets the root float on a free joint named ``base_joint``. Oddities, such as an inertia that no
        body can have, are listed in ``robot.warnings`` and announced by one `ModelWarning`.
        """
        robot = self.assemble(base, gravity, base_joint)
        announce(robot.warnings)
        return robot

    def assemble(self, base: str = "fixed", gravity: Iterable[float] | None = None, base_joint: str = "base") -> Robot:
        """The same as `build`, but without the announcement: oddities are only listed in ``robot.warnings``."""
        return Robot.of(super().assemble(base, gravity, base_joint))
