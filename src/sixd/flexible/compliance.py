"""Compliance of joints: a spring between a motor and what it moves, and bearings that give way."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any, TypeVar

import numpy as np

from sixd import given
from sixd.errors import ModelError
from sixd.joints import Flexure
from sixd.model import JointView, Model
from sixd.model.parts import Body, Frame, JointData
from sixd.spatial import Inertia, Transform

__all__ = ["with_compliant_bearing", "with_elastic_joint"]

M = TypeVar("M", bound=Model)

#: What the six stiffnesses of a bearing are about.
_DIRECTIONS = ("turning about x", "turning about y", "turning about z", "moving along x", "moving along y", "along z")


def with_elastic_joint(model: M, joint: str, stiffness: Any, damping: Any, rotor_inertia: Any) -> M:
    """The robot with a spring behind a motor: see `Robot.with_elastic_joint`."""
    old = _independent(model, joint)
    what = f"joint {old.name!r}"
    if not old.type.has_rates:
        raise ModelError(f"{what} is a {old.type.name} joint: a spring needs a joint whose position is a vector")
    rotor = old.data.rotor_inertia if rotor_inertia is None else _each(rotor_inertia, old.type.nv, "rotor_inertia")
    if not all(isfinite(x) and x > 0.0 for x in rotor):
        raise ModelError(
            f"{what} needs a rotor_inertia above zero, as felt at the joint, for its motor to move: {rotor}"
        )
    k, d = (_each(x, old.type.nv, word) for x, word in ((stiffness, "stiffness"), (damping, "damping")))
    if not all(isfinite(x) and x > 0.0 for x in k) or not all(isfinite(x) and x >= 0.0 for x in d):
        raise ModelError(f"{what}: stiffness must be above zero and damping not below: {k}, {d}")
    motor = replace(old.data, rotor_inertia=rotor)
    spring = JointData(f"{old.name}_spring", old.type, stiffness=k, damping=d)
    return _inserted(model, old.index, f"{old.name}_rotor", motor, Inertia.zero(), spring)


def with_compliant_bearing(model: M, joint: str, stiffness: Any, damping: Any, inertia: Any) -> M:
    """The robot with a bearing that gives way: see `Robot.with_compliant_bearing`."""
    old = model.joint(joint)
    what = f"the bearing of joint {old.name!r}"
    k, d = given.numbers(stiffness, f"{what}: stiffness", 6), _each(damping, 6, f"{what}: damping")
    if not all(x > 0.0 for x in k) or not all(isfinite(x) and x >= 0.0 for x in d):
        raise ModelError(f"{what}: each stiffness must be above zero, infinite if it is rigid, and damping not below")
    soft = [c for c in range(6) if isfinite(k[c])]
    if not soft:
        raise ModelError(f"{what} is rigid: all six stiffnesses are infinite")
    own = Inertia.zero()
    if inertia is None:
        _check_apart(old, soft, what)
    else:
        own = given.instance(inertia, f"{what}: inertia", Inertia, "sixd.Inertia.from_mass_com(mass, com, I)")
    bushing = JointData(
        f"{old.name}_bearing",
        Flexure(np.eye(6)[soft]),
        stiffness=tuple(k[c] for c in soft),
        damping=tuple(d[c] for c in soft),
    )
    return _inserted(model, old.index, f"{old.name}_housing", bushing, own, old.data)


def _check_apart(joint: JointView, soft: list[int], what: str) -> None:
    """Raise if a bearing without inertia moves as its joint does: what moves between both would be undetermined."""
    S = np.asarray(joint.type.subspace(joint.type.neutral()).array(), dtype=float)
    directions = np.eye(6)

    def meet(columns: list[int]) -> bool:
        both = np.hstack([S, directions[:, columns]])
        return bool(np.linalg.matrix_rank(both) < both.shape[1])

    if meet(soft):
        shared = [_DIRECTIONS[c] for c in soft if meet([c])]
        raise ModelError(
            f"{what} gives way where the {joint.type.name} joint moves itself ({', '.join(shared) or 'its axis'}): "
            "make that stiffness infinite, or give the bearing an inertia"
        )


def _independent(model: Model, name: str) -> JointView:
    joint = model.joint(name)
    if joint.mimic is not None:
        raise ModelError(f"joint {name!r} follows {joint.mimic.joint!r} and has no motor of its own")
    return joint


def _each(value: Any, n: int, what: str) -> tuple[float, ...]:
    """n numbers, or one for all."""
    if hasattr(value, "__len__"):
        return given.numbers(value, what, n)
    return (given.number(value, what),) * n


def _inserted(model: M, i: int, name: str, inner: JointData, inertia: Inertia, outer: JointData) -> M:
    """The model with one more body before body i: it is carried by joint ``inner`` and carries i by ``outer``."""
    bodies: list[Body] = []
    for k, body in enumerate(model.body_list):
        parent = body.parent + (body.parent >= i)
        if k == i:
            bodies.append(Body(name, body.parent, body.placement, inner, inertia))
            bodies.append(replace(body, parent=i, placement=Transform.identity(), joint=outer))
        else:
            bodies.append(replace(body, parent=parent))
    frames = tuple(replace(f, body=f.body + (f.body >= i)) for f in model.frame_list)
    return replace(model, body_list=tuple(bodies), frame_list=(*frames, Frame(name, i)))
