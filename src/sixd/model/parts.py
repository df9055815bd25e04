"""The parts of a model: bodies, joints with their technical data, frames, pictures."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import inf, isfinite, isnan
from typing import Any

from sixd.errors import ModelError
from sixd.joints import Joint
from sixd.spatial import Inertia, Transform

__all__ = ["Body", "Frame", "JointData", "Mimic", "Visual"]


#: The place of a frame that is its body's own.
IDENTITY = Transform.identity()

_PLAIN = (str, int, type(None))


def content(value: Any) -> Any:
    """A value as nested tuples of plain numbers and strings: what equality and hashes go by."""
    if isinstance(value, float):
        return float(value) + 0.0  # -0.0 is 0.0, and a NumPy float is a float
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, tuple):
        return tuple([content(v) for v in value])
    if isinstance(value, Transform | Inertia):
        return tuple([content(x) for x in value.components()])
    if isinstance(value, Joint):
        # The class itself: another one may have the same name, as where a notebook's cell was run again.
        return (type(value), *content(value.parameters))
    if hasattr(value, "__dataclass_fields__"):
        return tuple([content(getattr(value, name)) for name in value.__dataclass_fields__])
    return value


def _sound_transform(X: Transform, what: str) -> Transform:
    """The same placement in plain floats, if it is one: finite, and its rotation is a rotation."""
    if not isinstance(X, Transform):
        raise ModelError(f"{what}: a place is a Transform, not {type(X).__name__}")
    if X is IDENTITY:
        return X
    numbers = [float(x) + 0.0 for x in X.components()]
    E, r = numbers[:9], numbers[9:]
    if not all(map(isfinite, numbers)):
        raise ModelError(f"{what}: its place is not finite: rotation {E}, position {r}")
    if not _is_rotation(*E):
        raise ModelError(f"{what}: its place has no rotation matrix but {E}")
    return Transform.from_components(numbers)


def _is_rotation(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float
) -> bool:
    """Whether rows a, b, c are orthogonal unit vectors and right-handed: (a x b) . c = 1."""
    ones = (
        ax * ax + ay * ay + az * az,
        bx * bx + by * by + bz * bz,
        cx * cx + cy * cy + cz * cz,
        (ay * bz - az * by) * cx + (az * bx - ax * bz) * cy + (ax * by - ay * bx) * cz,
    )
    zeros = ax * bx + ay * by + az * bz, bx * cx + by * cy + bz * cz, cx * ax + cy * ay + cz * az
    return all(abs(x - 1.0) <= 1e-9 for x in ones) and all(abs(x) <= 1e-9 for x in zeros)


def _sound_inertia(inertia: Inertia, what: str) -> Inertia:
    """The same inertia in plain floats, if it is finite and its mass is not negative."""
    if not isinstance(inertia, Inertia):
        raise ModelError(f"{what}: an inertia is an Inertia, not {type(inertia).__name__}")
    numbers = [float(x) + 0.0 for x in inertia.components()]
    if not all(map(isfinite, numbers)):
        raise ModelError(f"{what}: its inertia is not finite: {numbers}")
    if numbers[0] < 0.0:
        raise ModelError(f"{what}: its mass is negative: {numbers[0]:g}")
    return Inertia.from_components(numbers)


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
        if not isinstance(self.type, Joint):
            raise ModelError(f"joint {self.name!r}: its type is a Joint such as Revolute((0, 0, 1)), not {self.type!r}")
        if self.mimic is not None and not isinstance(self.mimic, Mimic):
            raise ModelError(f"joint {self.name!r}: mimic is a Mimic(joint, ratio, offset), not {self.mimic!r}")
        lower, upper = self.type.limits()
        nv, rest = self.type.nv, tuple(self.type.neutral())
        defaults = {"lower": lower, "upper": upper, "rest": rest, "velocity": (inf,) * nv, "effort": (inf,) * nv}
        for item in DATA_SHEET:
            default = defaults.get(item, (0.0,) * nv)
            value = tuple(map(float, getattr(self, item))) or default
            if any(map(isnan, value)):
                raise ModelError(f"joint {self.name!r}: {item} is not a number: {value}")
            if len(value) != len(default):
                raise ModelError(
                    f"joint {self.name!r}: {item} needs {len(default)} numbers for a {self.type.name} joint, "
                    f"not {len(value)}"
                )
            object.__setattr__(self, item, value)
        if self.mimic is not None and not (self.type.nq == self.type.nv == 1):
            raise ModelError(f"joint {self.name!r}: only a joint with one coordinate can mimic another")


#: The fields of `JointData` with one number for each coordinate.
DATA_SHEET = tuple(item.name for item in fields(JointData)[2:-1])


@dataclass(frozen=True, eq=False)
class Body(Part):
    """Body i of a model: the joint that leads to it from body ``parent``, and its inertia in its own coordinates.

    ``placement`` is X_T(i) of F10b (3), from the parent's coordinates to the joint's frame on the parent.
    """

    name: str
    parent: int
    placement: Transform = field(default_factory=lambda: IDENTITY)
    joint: JointData | None = None
    inertia: Inertia = field(default_factory=Inertia.zero)

    def __post_init__(self) -> None:
        what = f"body {self.name!r}"
        object.__setattr__(self, "placement", _sound_transform(self.placement, what))
        object.__setattr__(self, "inertia", _sound_inertia(self.inertia, what))


@dataclass(frozen=True, eq=False)
class Frame(Part):
    """A named place on a body. ``offset`` leads from the body's coordinates to the frame's."""

    name: str
    body: int
    offset: Transform = field(default_factory=lambda: IDENTITY)

    def __post_init__(self) -> None:
        object.__setattr__(self, "offset", _sound_transform(self.offset, f"frame {self.name!r}"))


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
