"""The parts of a model: bodies, joints with their technical data, frames, pictures."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import inf, isfinite, isnan
from operator import index
from typing import Any

from sixd import given
from sixd.constraints import Constraint
from sixd.errors import ModelError
from sixd.joints import Joint
from sixd.spatial import Inertia, Matrix, Transform, rotation_fault
from sixd.stored import Stored

__all__ = ["Body", "Frame", "JointData", "Mimic", "Visual"]


#: The placement of a frame that coincides with its body's.
IDENTITY = Transform.identity()

#: How far the rotation of a placement may be from an exact one.
ROTATION = 1e-9

_PLAIN = (str, int, type(None))


def content(value: Any) -> Any:
    """A value as nested tuples of plain numbers and strings, by which equality and hashes are defined."""
    if isinstance(value, float):
        return float(value) + 0.0  # so that -0.0 becomes 0.0, and a NumPy float a float
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, tuple):
        return tuple([content(v) for v in value])
    if isinstance(value, Transform | Inertia):
        return tuple([content(x) for x in value.components()])
    if isinstance(value, Joint):
        # The class, not its name: another class may have the same name, for example after a cell of a notebook was run
        # again.
        return (type(value), *content(value.parameters))
    if isinstance(value, Constraint):
        kind, *values = value.content
        return (kind, *[content(v) for v in values])
    if hasattr(value, "__dataclass_fields__"):
        return tuple([content(getattr(value, name)) for name in value.__dataclass_fields__])
    return value


def sound_transform(X: Transform, what: str) -> Transform:
    """A placement in plain floats; refused unless it is finite and its rotation is a rotation."""
    if not isinstance(X, Transform):
        raise ModelError(f"{what}: a place is a Transform, not {type(X).__name__}")
    if X is IDENTITY:
        return X
    numbers = [x + 0.0 for x in given.numbers(tuple(X.components()), f"{what}: its place")]
    E, r = numbers[:9], numbers[9:]
    if not all(map(isfinite, numbers)):
        raise ModelError(f"{what}: its place is not finite: rotation {E}, position {r}")
    if not _is_rotation(*E):
        # The columns of a pose's rotation are the axes of the placed frame, which are the rows of E.
        fault = rotation_fault(Matrix.from_components(E, 3).T, ROTATION) or f"its rotation is inexact: {E}"
        raise ModelError(f"{what}: its place is no pose: {fault}")
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
    return all(abs(x - 1.0) <= ROTATION for x in ones) and all(abs(x) <= ROTATION for x in zeros)


def sound_inertia(inertia: Inertia, what: str) -> Inertia:
    """An inertia in plain floats; refused unless it is finite and its mass is not negative."""
    if not isinstance(inertia, Inertia):
        raise ModelError(f"{what}: an inertia is an Inertia, not {type(inertia).__name__}")
    numbers = [x + 0.0 for x in given.numbers(tuple(inertia.components()), f"{what}: its inertia")]
    if not all(map(isfinite, numbers)):
        raise ModelError(f"{what}: its inertia is not finite: {numbers}")
    if numbers[0] < 0.0:
        raise ModelError(f"{what}: its mass is negative: {numbers[0]:g}")
    return Inertia.from_components(numbers)


def _sound_number(value: Any, what: str) -> int:
    """The number of a body as an int."""
    try:
        return index(value)
    except TypeError:
        raise ModelError(f"{what} is the number of a body, not {given.described(value)}") from None


class Part(Stored):
    """A part of a model. Parts with the same content are equal and have the same hash."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and bool(content(self) == content(other))

    def __hash__(self) -> int:
        return hash(content(self))


@dataclass(frozen=True)
class Mimic(Stored):
    """An exact linear coupling: q = ratio * q_of(joint) + offset. The coupled joint has no coordinate of its own.

    A joint with several coordinates can share those of another that has as many: with ratio 1 and offset 0. Whether
    ratio and offset are finite is looked at where the name of the coupled joint is known, in `JointData`.
    """

    joint: str
    ratio: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        given.name(self.joint, "the joint of a Mimic")
        for item in ("ratio", "offset"):
            value = given.number(getattr(self, item), f"the {item} of a Mimic of {self.joint!r}")
            object.__setattr__(self, item, value)


@dataclass(frozen=True, eq=False)
class JointData(Part):
    """A joint of a model: its type, and what a data sheet says of it. Every tuple has one entry per coordinate.

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
        what = f"joint {given.name(self.name, 'the name of a joint')!r}"
        if not isinstance(self.type, Joint):
            raise ModelError(f"{what}: its type is a Joint such as Revolute((0, 0, 1)), not {self.type!r}")
        if not all(map(isfinite, given.numbers(self.type.parameters, f"{what}: the parameters of its type"))):
            raise ModelError(f"{what}: the parameters of its type are not finite: {self.type!r}")
        if self.mimic is not None and not isinstance(self.mimic, Mimic):
            raise ModelError(f"{what}: mimic is a Mimic(joint, ratio, offset), not {self.mimic!r}")
        if (mimic := self.mimic) is not None:
            for item in ("ratio", "offset"):
                if not isfinite(value := getattr(mimic, item)):
                    raise ModelError(f"{what}: the {item} of its Mimic of {mimic.joint!r} must be finite, not {value}")
        lower, upper = self.type.limits()
        nv, rest = self.type.nv, tuple(self.type.neutral())
        defaults = {"lower": lower, "upper": upper, "rest": rest, "velocity": (inf,) * nv, "effort": (inf,) * nv}
        for item in DATA_SHEET:
            default = defaults.get(item, (0.0,) * nv)
            value = getattr(self, item)
            if type(value) is tuple and not value:
                object.__setattr__(self, item, default)
                continue
            value = given.numbers(value, f"{what}: {item}") or default
            if any(map(isnan, value)):
                raise ModelError(f"{what}: {item} is not a number: {value}")
            if item not in LIMITS and not all(map(isfinite, value)):
                raise ModelError(f"{what}: {item} must be finite, not {value}; only limits may be infinite")
            if len(value) != len(default):
                raise ModelError(
                    f"{what}: {item} needs {len(default)} numbers for a {self.type.name} joint, not {len(value)}"
                )
            object.__setattr__(self, item, value)
        if self.mimic is not None and self.type.nq != self.type.nv:
            raise ModelError(f"{what}: a {self.type.name} joint cannot mimic another: its position is no vector")
        if self.mimic is not None and self.type.nv > 1 and (self.mimic.ratio, self.mimic.offset) != (1.0, 0.0):
            raise ModelError(f"{what}: a joint with several coordinates mimics another with ratio 1 and offset 0 only")


#: The fields of `JointData` with one number for each coordinate.
DATA_SHEET = tuple(item.name for item in fields(JointData)[2:-1])
#: Those of them that may be infinite.
LIMITS = ("lower", "upper", "velocity", "effort")


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
        what = f"body {given.name(self.name, 'the name of a body')!r}"
        object.__setattr__(self, "parent", _sound_number(self.parent, f"{what}: its parent"))
        if self.joint is not None and not isinstance(self.joint, JointData):
            raise ModelError(f"{what}: its joint is a JointData, not {given.described(self.joint)}")
        object.__setattr__(self, "placement", sound_transform(self.placement, what))
        object.__setattr__(self, "inertia", sound_inertia(self.inertia, what))


@dataclass(frozen=True, eq=False)
class Frame(Part):
    """A named place on a body. ``offset`` is the transform from the body's coordinates to the frame's."""

    name: str
    body: int
    offset: Transform = field(default_factory=lambda: IDENTITY)

    def __post_init__(self) -> None:
        what = f"frame {given.name(self.name, 'the name of a frame')!r}"
        object.__setattr__(self, "body", _sound_number(self.body, f"{what}: its body"))
        object.__setattr__(self, "offset", sound_transform(self.offset, what))


@dataclass(frozen=True, eq=False)
class Visual(Part):
    """A picture or collision shape of a link. The file that it names is opened only when the robot is drawn.

    ``shape`` is "mesh", "box", "cylinder", "sphere" or "capsule"; ``size`` holds its dimensions (the scale of a mesh);
    ``offset`` is the transform from the frame's coordinates to the shape's.
    """

    frame: str
    shape: str
    size: tuple[float, ...] = ()
    mesh: str | None = None
    offset: Transform = field(default_factory=lambda: IDENTITY)
    color: tuple[float, ...] | None = None
    collision: bool = False
    material: str | None = None

    def __post_init__(self) -> None:
        what = f"a shape of {given.name(self.frame, 'the frame of a shape')!r}"
        if self.shape not in SHAPES:
            raise ModelError(f"{what} must be one of {', '.join(SHAPES)}, not {given.described(self.shape)}")
        size = given.numbers(self.size, f"{what}: its size")
        object.__setattr__(self, "size", given.finite(size, f"{what}: its size", len(size)))
        if self.color is not None:
            object.__setattr__(self, "color", given.finite(self.color, f"{what}: its color", 4))
        for item in ("mesh", "material"):
            if not isinstance(getattr(self, item), str | None):
                raise ModelError(f"{what}: its {item} is text, not {given.described(getattr(self, item))}")
        object.__setattr__(self, "offset", sound_transform(self.offset, what))
        if not isinstance(self.collision, bool):
            raise ModelError(f"{what}: collision is True or False, not {given.described(self.collision)}")


#: The shapes that a `Visual` may have.
SHAPES = ("mesh", "box", "cylinder", "sphere", "capsule")
