"""Links, joints and bearings that give way, in the place of rigid ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from sixd.flexible.beam import Beam
from sixd.robot.evaluator import Evaluated

__all__ = ["FlexibleMethods"]


class FlexibleMethods(Evaluated):
    """Methods of a robot that make parts of it flexible."""

    def with_flexible_link(
        self,
        link: str,
        beam: Beam,
        end: str,
        *,
        bending_y: int | None = None,
        bending_z: int | None = None,
        torsion: int = 0,
        axial: int = 0,
        shapes: Any = "polynomial",
        damping_ratio: float = 0.0,
        stations: int | None = None,
        segments: int = 1,
        inertia: Any = None,
        keep: Iterable[str] = (),
        y: Any = None,
    ) -> Self:
        """The robot with a link that bends: a beam from the link's origin to ``end``, a joint or frame on it.

        The beam's length must be their distance; ``y`` is the direction of its y axis in the link, any across it by
        default. Its mass takes the place of the link's inertia; ``inertia`` is an `Inertia` that stays rigid at the
        origin, as a hub has. All joints and frames of the link move to its tip, but those that ``keep`` names.
        The other options are those of `Builder.flexible_body`, and so are the names of what is added.
        """
        from sixd.flexible.attach import with_flexible_link
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
        return with_flexible_link(self, link, end, bending, inertia, keep, y)

    def with_elastic_joint(self, joint: str, stiffness: Any, *, damping: Any = 0.0, rotor_inertia: Any = None) -> Self:
        """The robot with an elastic transmission at a joint: the motor turns a rotor, which moves the link by a spring.

        The joint keeps its name, limits and data on the side of the motor, whose coordinate it has, reduced by the
        gears. A joint of the same type follows it, named by "_spring" at the end: its coordinate is the stretch of the
        spring, so the position of the link is the sum of both. ``stiffness``, N m/rad or N/m, and ``damping`` are those
        of the spring, seen at the link. ``rotor_inertia`` is that of the motor times the square of the gear ratio; by
        default what the joint has. It must not be zero.
        """
        from sixd.flexible.compliance import with_elastic_joint

        return with_elastic_joint(self, joint, stiffness, damping, rotor_inertia)

    def with_compliant_bearing(self, joint: str, stiffness: Any, *, damping: Any = 0.0, inertia: Any = None) -> Self:
        """The robot with a bearing that gives way, between a joint and the body that carries it.

        ``stiffness`` is six numbers in the frame of the joint: against turning about its axes x, y, z, N m/rad, and
        against moving along them, N/m; those that are infinite are rigid. ``damping`` is one number or six. The added
        joint has a coordinate for each direction that gives way; it is named as the joint with "_bearing" at the end,
        and the body between them with "_housing". Where the joint moves itself, its bearing must be rigid, unless it
        has an `Inertia`, ``inertia``, of its own.
        """
        from sixd.flexible.compliance import with_compliant_bearing

        return with_compliant_bearing(self, joint, stiffness, damping, inertia)
