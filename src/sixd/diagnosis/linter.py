"""The linter: what looks wrong in a model, with the body or joint it is about and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import degrees, hypot, inf, isfinite, pi, remainder, sqrt

import numpy as np

from sixd.joints import Revolute, SphericalEuler, Universal
from sixd.model.joint_view import JointView
from sixd.model.model import Model
from sixd.model.parts import Body, JointData
from sixd.model.plausible import impossible

__all__ = ["Finding", "find"]

#: Sizes beyond which a number is more likely a slip of units than a robot: kg, m.
HEAVY, LIGHT, FAR = 5e3, 1e-7, 20.0
#: Gravity beyond this is none of a planet, m/s^2.
STRONG = 100.0
#: A turn, rad, and how many of them no joint makes.
FULL_TURN, MANY_TURNS = 2.0 * pi, 10.0


@dataclass(frozen=True)
class Finding:
    """One thing that looks wrong: an "error" (results will be wrong or missing), a "warning", or a "note"."""

    severity: str
    code: str
    subject: str
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.severity}: {self.subject}: {self.message}{self.remedy and '; ' + self.remedy} [{self.code}]"


def find(model: Model) -> list[Finding]:
    """All findings on the data of a model, bodies first."""
    found = [f for body in model.body_list[1:] for f in _of_body(body)]
    for body in model.body_list[1:]:
        assert body.joint is not None
        found.extend(_of_joint(body.joint))
    return [*found, *_of_coordinates(model), *_of_gravity(model)]


def _of_gravity(model: Model) -> Iterator[Finding]:
    x, y, z = model.gravity
    size = hypot(x, y, z)
    if z > hypot(x, y):
        yield Finding(
            "warning",
            "gravity-upward",
            "gravity",
            f"it points upward: {model.gravity} m/s^2, along z",
            "robot.with_gravity((0, 0, -9.81)) points down; where z points down, this is right",
        )
    if size > STRONG:
        yield Finding("warning", "suspicious-gravity", "gravity", f"it is {size:g} m/s^2", "check the unit: m/s^2")


def _of_body(body: Body) -> Iterator[Finding]:
    subject, I = f"body {body.name!r}", body.inertia
    if fault := impossible(I.m, I.I_com if I.m else I.I):
        yield Finding(
            "warning",
            "impossible-inertia",
            subject,
            f"no real body has its inertia: {fault}",
            "correct the inertia about the centre of mass (results follow the numbers as they are)",
        )
    if I.m > HEAVY or 0.0 < I.m < LIGHT:
        yield Finding("warning", "suspicious-mass", subject, f"its mass is {I.m:g} kg", "check the unit: kg")
    away = hypot(*body.placement.r)
    if away > FAR:
        yield Finding(
            "warning", "suspicious-place", subject, f"its joint is {away:.3g} m from its parent's", "check the unit: m"
        )
    if I.m > 0.0:
        distance = hypot(*I.com)
        if distance > FAR:
            yield Finding(
                "warning",
                "suspicious-com",
                subject,
                f"its centre of mass is {distance:.3g} m from its origin",
                "check the unit: m",
            )
        gyration = sqrt(abs(np.linalg.eigvalsh(I.I_com.array())).max() / I.m)
        if gyration > FAR:
            yield Finding(
                "warning",
                "suspicious-inertia",
                subject,
                f"its radius of gyration is {gyration:.3g} m",
                "check the units of mass and inertia: kg, kg m^2",
            )


def _of_coordinates(model: Model) -> Iterator[Finding]:
    """Joints that move nothing: neither they nor the joints that follow them carry inertia or have a rotor."""
    carries = [any(body.inertia.components()) for body in model.body_list]  # inertia, its own or that of a body above
    for i in range(model.n_bodies, 0, -1):
        carries[model.parent[i]] |= carries[i]
    groups: dict[int, list[JointView]] = {}
    for joint in model.joints:
        groups.setdefault(joint.v.start, []).append(joint)
    for joint in model.joints:
        group = groups[joint.v.start]
        if joint.mimic is None and not any(carries[j.index] or any(j.data.rotor_inertia) for j in group):
            yield Finding(
                "error",
                "massless-tip",
                f"body {joint.successor!r}",
                f"it moves by joint {joint.name!r} but has no inertia and carries none, so the acceleration of "
                "that joint is undefined",
                "give the link a mass and an inertia, give the joint a rotor inertia, or lock the joint",
            )


def _of_degrees(joint: JointData) -> Iterator[Finding]:
    """Angles of a limit or of a rest position beyond a full turn, but those of few turns, round in degrees."""
    if not isinstance(joint.type, Revolute | Universal | SphericalEuler):
        return
    for what, values in (("limits are", (*joint.lower, *joint.upper)), ("spring is at rest at", joint.rest)):
        beyond = [abs(x) for x in values if isfinite(x) and abs(x) > 1.001 * FULL_TURN]
        if any(x > MANY_TURNS * FULL_TURN or not _is_round(degrees(x)) for x in beyond):
            shown = ", ".join(f"{x:g}" for x in values)
            yield Finding(
                "warning",
                "degrees",
                f"joint {joint.name!r}",
                f"its {what} {shown} rad, more than a full turn",
                "check the unit: rad, not degrees",
            )


def _is_round(angle: float) -> bool:
    """Whether an angle in degrees is a multiple of 180 or of 5, as it is when rounded to two or three digits of rad."""
    return abs(remainder(angle, 180.0)) < 1.8 or abs(remainder(angle, 5.0)) < 0.03


def _of_joint(joint: JointData) -> Iterator[Finding]:
    subject = f"joint {joint.name!r}"
    yield from _of_degrees(joint)
    for lower, upper in zip(joint.lower, joint.upper, strict=True):
        if lower > upper:
            yield Finding(
                "error",
                "unreachable-limits",
                subject,
                f"its lower limit {lower:g} is above its upper limit {upper:g}",
                "exchange them",
            )
        elif lower == upper and isfinite(lower):
            yield Finding(
                "warning",
                "no-range",
                subject,
                f"both its limits are {lower:g}: it cannot move",
                "widen the limits, or make the joint fixed",
            )
    for what, values in (("velocity", joint.velocity), ("effort", joint.effort)):
        if any(v <= 0.0 for v in values):
            yield Finding(
                "warning",
                f"no-{what}",
                subject,
                f"its {what} limit is {min(values):g}: it could never move",
                f"set the {what} limit, or leave it out",
            )
    for what in ("damping", "friction", "rotor_inertia", "stiffness"):
        worst = min(getattr(joint, what), default=inf)
        if worst < 0.0:
            yield Finding(
                "warning",
                f"negative-{what}",
                subject,
                f"its {what.replace('_', ' ')} is negative ({worst:g})",
                "it should not be: it would feed energy in",
            )
    if any(not low <= x <= high for low, x, high in zip(joint.lower, joint.type.neutral(), joint.upper, strict=True)):
        yield Finding(
            "note",
            "neutral-outside-limits",
            subject,
            "its neutral position is outside its limits",
            "start from robot.clip(robot.neutral()) or robot.random()",
        )
    if joint.mimic and joint.mimic.ratio == 0.0:
        yield Finding(
            "warning",
            "mimic-without-motion",
            subject,
            f"it mimics {joint.mimic.joint!r} with ratio 0: it never moves",
            "set the ratio, or make the joint fixed",
        )
