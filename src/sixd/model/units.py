"""Which coordinates of a robot are angles and which are lengths."""

from __future__ import annotations

from sixd.joints import Joint
from sixd.model.model import Model

__all__ = ["coordinate_units", "position_units", "shared_types"]


def coordinate_units(model: Model) -> dict[str, list[str]]:
    """By the name of each joint: rad or m for each of its velocity coordinates.

    A coordinate is an angle if it turns its body, or one that shares the coordinate: a mode of a flexible link may only
    displace the tip, and still be an angle, because other bodies of the link turn by it.
    """
    shared = shared_types(model)
    known: dict[Joint, list[str]] = {}
    for kind in (joint.type for joint in model.joints):
        if kind not in known:
            known[kind] = _units(kind)
    return {
        joint.name: [
            "rad" if "rad" in units else "m"
            for units in zip(*(known[kind] for kind in (joint.type, *shared.get(joint.name, ()))), strict=True)
        ]
        for joint in model.joints
    }


def position_units(model: Model) -> list[str]:
    """For each entry of q its unit: rad, m, or "1" for entries of quaternions."""
    units = coordinate_units(model)
    found: list[str] = []
    for joint in model.joints:
        if joint.mimic is None:
            of_quaternions = {first + k for first, number in joint.type.nonzero for k in range(number)}
            lengths = ["m"] * (joint.type.nq - len(of_quaternions))
            rest = iter(units[joint.name] if joint.type.nq == joint.type.nv else lengths)
            found += ["1" if k in of_quaternions else next(rest) for k in range(joint.type.nq)]
    return found


def shared_types(model: Model) -> dict[str, list[Joint]]:
    """By the name of a joint with several coordinates: the types of others that share them, as in a flexible link."""
    leaders = {joint.name: joint.type.nv for joint in model.joints}
    found: dict[str, list[Joint]] = {}
    for joint in model.joints:
        if joint.mimic is not None and joint.type.nv == leaders[joint.mimic.joint] > 1:
            found.setdefault(joint.mimic.joint, []).append(joint.type)
    return found


def _units(joint: Joint) -> list[str]:
    """rad or m, for each velocity coordinate: whether it turns the body at the neutral position."""
    columns = [column.components()[:3] for column in joint.subspace(joint.neutral())]
    return ["rad" if any(abs(float(x)) > 1e-9 for x in angular) else "m" for angular in columns]
