"""The parts of a model: bodies, joints with their technical data, frames, pictures."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import inf
from typing import Any

from sixd.errors import ModelError
from sixd.joints import Joint
from sixd.spatial import Inertia, Transform

__all__ = ["Body", "Frame", "JointData", "Mimic", "Visual"]


def content(value: Any) -> Any:
    """A value as nested tuples of plain numbers and strings: what equality and hashes go by."""
    if isinstance(value, Transform | Inertia):
        return tuple(value.components())
    if isinstance(value, Joint):
        return (value.name, *value.parameters)
    if isinstance(value, tuple):
        return tuple(content(v) for v in value)
    if hasattr(value, "__dataclass_fields__"):
        return tuple(content(getattr(value, f.name)) for f in fields(value))
    return value


class Part:
    """Equality and hash by content."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and bool(content(self) == content(other))

    def __hash__(self) -> int:
        return hash(content(self))


@dataclass(frozen=True)
class Mimic:
    """An exact linear coupling: q = ratio * q_of(joint) + offset. The coupled joint has no coordinate of its own."""

    joint: str
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class JointData(Part):
    """A joint of a model: its type, and what a data sheet says of it. One entry per coordinate in every tuple.

    ``rotor_inertia`` is the inertia of motor and gears as felt at the joint (kg m^2); it enters the mass matrix,
    inverse and forward dynamics. ``damping``, ``friction`` and ``stiffness`` (about ``rest``) make the passive forces.
    """

    name: str
    type: Joint
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    velocity: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()
    damping: tuple[float, ...] = ()
    friction: tuple[float, ...] = ()
    rotor_inertia: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()
    mimic: Mimic | None = None

    def __post_init__(self) -> None:
        lower, upper = self.type.limits()
        nv, rest = self.type.nv, tuple(self.type.neutral())
        defaults = {"lower": lower, "upper": upper, "rest": rest, "velocity": (inf,) * nv, "effort": (inf,) * nv}
        for item in fields(self)[2:-1]:
            default = defaults.get(item.name, (0.0,) * nv)
            value = tuple(float(x) for x in getattr(self, item.name)) or default
            if len(value) != len(default):
                raise ModelError(
                    f"joint {self.name!r}: {item.name} needs {len(default)} numbers for a {self.type.name} joint, "
                    f"not {len(value)}"
                )
            object.__setattr__(self, item.name, value)
        if self.mimic is not None and not (self.type.nq == self.type.nv == 1):
            raise ModelError(f"joint {self.name!r}: only a joint with one coordinate can mimic another")


@dataclass(frozen=True, eq=False)
class Body(Part):
    """Body i of a model: the joint that leads to it from body ``parent``, and its inertia in its own coordinates.

    ``placement`` is X_T(i) of F10b (3), from the parent's coordinates to the joint's frame on the parent.
    """

    name: str
    parent: int
    placement: Transform = field(default_factory=Transform.identity)
    joint: JointData | None = None
    inertia: Inertia = field(default_factory=Inertia.zero)


@dataclass(frozen=True, eq=False)
class Frame(Part):
    """A named place on a body. ``offset`` leads from the body's coordinates to the frame's."""

    name: str
    body: int
    offset: Transform = field(default_factory=Transform.identity)


@dataclass(frozen=True, eq=False)
class Visual(Part):
    """A picture or collision shape of a link, kept for viewers; files it names are never opened here.

    ``shape`` is "mesh", "box", "cylinder", "sphere" or "capsule"; ``size`` holds its dimensions (the scale of a mesh);
    ``offset`` leads from the frame's coordinates to the shape's.
    """

    frame: str
    shape: str
    size: tuple[float, ...] = ()
    mesh: str | None = None
    offset: Transform = field(default_factory=Transform.identity)
    color: tuple[float, ...] | None = None
    collision: bool = False
    material: str | None = None
