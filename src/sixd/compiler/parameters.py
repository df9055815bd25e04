"""Parameters: numbers of a model as arrays, which can be inputs of a kernel instead of constants.

=============  ===========  ====================================================================================
``inertia``    (N, 10)      m, h = m c and the moments of inertia about the body's origin: `Inertia.components`
``placement``  (N, 4, 4)    the pose of each joint's frame in the parent body
``axis``       (N, 3)       the axis of each joint that has one; rows of other joints are not used
``pitch``      (N,)         the pitch of each helical joint, m/rad; entries of other joints are not used
``rotor``      (nv,)        the inertia of the motors as felt at the joints
``gravity``    (3,)         the acceleration of gravity in world coordinates
=============  ===========  ====================================================================================

Entries of a pose and of an axis are not independent. In their tangent space (`TANGENTS`) a placement varies by six
numbers, a small motion x of the joint's frame in its own coordinates, pose exp(x), angular first; and an axis u by two,
along directions a and b perpendicular to it (`tangent_directions`): it turns towards a x_1 + b x_2 by the length of x.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.compiler.rolled import has_free_axis
from sixd.errors import ModelError
from sixd.joints import AxisJoint
from sixd.lie.coefficients import stumpff
from sixd.lie.se3 import exp
from sixd.model import Body, Model
from sixd.ops import Scalar, divide, where
from sixd.spatial import Inertia, Matrix, Motion, Transform, Vector

__all__ = [
    "PARAMETERS",
    "TANGENTS",
    "check_parameters",
    "moved",
    "named_parameters",
    "numbers_of",
    "parameters",
    "tangent_directions",
    "tangent_shape",
    "with_parameters",
]

#: Every kind of parameter with its shape, in the order in which kernels take them.
PARAMETERS: dict[str, tuple[int | str, ...]] = {
    "inertia": ("moving", 10),
    "placement": ("moving", 4, 4),
    "axis": ("moving", 3),
    "pitch": ("moving",),
    "rotor": ("nv",),
    "gravity": (3,),
}
#: The shape of what moves parameters in their tangent space; others move by numbers of their own shape.
TANGENTS: dict[str, tuple[int | str, ...]] = {"placement": ("moving", 6), "axis": ("moving", 2)}


def named_parameters(names: str | Iterable[str]) -> tuple[str, ...]:
    """The names of parameters, checked, in the order in which kernels take them."""
    chosen = given.words(names, "parameters")
    for name in chosen:
        given.choice(name, "parameters", PARAMETERS)
    return tuple(name for name in PARAMETERS if name in chosen)


def parameters(model: Model, name: str) -> NDArray[np.float64]:
    """The parameters of a model as an array, as kernels compiled with ``parameters=name`` take them.

    ``name`` is "inertia" (N, 10): m, m c, and Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the body's origin; "placement" (N, 4,
    4): the pose of each joint's frame in the parent; "axis" (N, 3); "pitch" (N,); "rotor" (nv,); or "gravity" (3,).
    """
    given.choice(name, "name", PARAMETERS)
    given.instance(model, "model", Model, "sixd.load(...)")
    return numbers_of(model, name).astype(np.float64)


def tangent_shape(model: Model, name: str) -> tuple[int, ...]:
    """The shape of what moves parameters of a model: (N, 6) for placements, (N, 2) for axes, else their own."""
    own: tuple[int, ...] = numbers_of(model, name).shape
    return (own[0], *(n for n in TANGENTS[name] if isinstance(n, int))) if name in TANGENTS else own


def numbers_of(model: Model, name: str) -> NDArray[Any]:
    """`parameters` for a model whose numbers may be of any kind, such as recorded numbers: an array of objects."""
    bodies = model.body_list[1:]
    if name == "inertia":
        return _objects([x for b in bodies for x in b.inertia.components()], (-1, 10))
    if name == "placement":
        return _objects([x for b in bodies for x in b.placement.pose().ravel().tolist()], (-1, 4, 4))
    if name == "axis":
        return _objects([x for b in bodies for x in _axis(b)], (-1, 3))
    if name == "pitch":
        return _objects([_pitch(b) for b in bodies], (-1,))
    if name == "rotor":
        found = [0.0] * model.nv
        for i, body in enumerate(bodies, start=1):
            if body.joint and not body.joint.mimic:
                found[model.coordinates[i].v] = body.joint.rotor_inertia
        return _objects(found, (-1,))
    return _objects(model.gravity, (-1,))


def _objects(values: Sequence[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array.reshape(shape)


def check_parameters(model: Model, names: Iterable[str]) -> None:
    """Refuse axes as inputs if a joint of the model has other directions that must fit its axis."""
    for joint in model.joints if "axis" in names else ():
        if isinstance(joint.type, AxisJoint) and not has_free_axis(type(joint.type)):
            what = f"joint {joint.name!r} ({joint.type.name}) has more directions than an axis"
            raise ModelError(f"{what}: axes of this robot cannot be inputs")


def _axis(body: Body) -> tuple[Scalar, ...]:
    joint = body.joint.type if body.joint else None
    return joint.axis.entries if isinstance(joint, AxisJoint) else (0.0, 0.0, 0.0)


def _pitch(body: Body) -> Scalar:
    joint = body.joint.type if body.joint else None
    return 0.0 if joint is None or joint.pitch_at is None else joint.parameters[joint.pitch_at]


def moved(name: str, own: NDArray[Any], x: NDArray[Any]) -> NDArray[Any]:
    """Parameters of a kind that has a tangent space (`TANGENTS`), moved by x: arrays of numbers of any kind."""
    rows = []
    for value, step in zip(own, x, strict=True):
        if name == "placement":
            E = Matrix([value[c, r] for c in range(3)] for r in range(3))
            X = exp(Motion.from_components(list(step))) @ Transform(E, Vector(value[:3, 3]))
            rows += X.pose().ravel().tolist()
        else:
            u, (a, b) = Vector(value), tangent_directions(Vector(value))
            along = a * step[0] + b * step[1]
            s = along @ along
            rows += (u * stumpff(0, s) + along * stumpff(1, s)).components()
    return _objects(rows, own.shape)


def tangent_directions(u: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors that are perpendicular to a unit vector and to each other, u = a x b, for any kind of number.

    T. Duff et al., "Building an Orthonormal Basis, Revisited", 2017.
    """
    x, y, z = u
    side = where(z < 0.0, -1.0, 1.0)
    k = -divide(1.0, side + z)
    return Vector((1.0 + side * x * x * k, side * x * y * k, -side * x)), Vector((x * y * k, side + y * y * k, -y))


def with_parameters(model: Model, values: Mapping[str, Any]) -> Model:
    """A copy of the model with these parameters, for recording: numbers of any kind, which are not checked."""
    changed = _unchecked(model)
    if "gravity" in values:
        object.__setattr__(changed, "gravity", tuple(values["gravity"]))
    bodies = [model.body_list[0]]
    for i, body in enumerate(model.body_list[1:], start=1):
        new = _unchecked(body)
        if "inertia" in values:
            object.__setattr__(new, "inertia", Inertia.from_components(list(values["inertia"][i - 1])))
        if "placement" in values:
            pose = values["placement"][i - 1]
            E = Matrix([pose[c, r] for c in range(3)] for r in range(3))
            object.__setattr__(new, "placement", Transform(E, Vector(pose[:3, 3])))
        object.__setattr__(new, "joint", _joint(model, i, values))
        bodies.append(new)
    object.__setattr__(changed, "body_list", tuple(bodies))
    return changed


def _joint(model: Model, i: int, values: Mapping[str, Any]) -> Any:
    data = model.body_list[i].joint
    new = _unchecked(data)
    assert data is not None
    if "axis" in values and has_free_axis(type(data.type)):
        numbers = (*values["axis"][i - 1], *data.type.parameters[3:])
        object.__setattr__(new, "type", type(data.type).from_parameters(numbers))
    if "pitch" in values and data.type.pitch_at is not None:
        entries = list(new.type.parameters)
        entries[data.type.pitch_at] = values["pitch"][i - 1]
        object.__setattr__(new, "type", type(data.type).from_parameters(entries))
    if "rotor" in values and not data.mimic:
        object.__setattr__(new, "rotor_inertia", tuple(values["rotor"][model.coordinates[i].v]))
    return new


def _unchecked(part: Any) -> Any:
    """A copy of a frozen dataclass, made without its checks, whose fields may then hold numbers of any kind."""
    new = object.__new__(type(part))
    for f in fields(part):
        object.__setattr__(new, f.name, getattr(part, f.name))
    return new
