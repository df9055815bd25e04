"""Quadrupeds that are dropped from random poses and then stand or lie: what is measured of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sixd.simulation import simulate
from sixd.simulation.contact import Contacts, Point, Sphere
from tests.simulation.bodies import FEET, quadruped

__all__ = ["LAWS", "Outcome", "drop"]

#: The law and the step of each robot; light legs need less viscous friction.
LAWS: dict[tuple[str, str], tuple[dict[str, float], float]] = {
    ("anymal", "rigid"): ({}, 1e-3),
    ("solo", "rigid"): ({}, 1e-3),
    ("anymal", "compliant"): ({"viscosity": 50.0}, 5e-4),
    ("solo", "compliant"): ({"viscosity": 10.0, "stiffness": 1e5}, 5e-4),
}


class Outcome(NamedTuple):
    """What was seen: each a number or an array by sample."""

    #: The greatest depth of a foot in the last second, and at any time that was recorded, m.
    depth: Any
    deepest: Any
    #: The way of the feet along the ground in the last second, m.
    slip: Any
    #: The greatest entry of the velocity at the end.
    speed: Any
    #: The height of the base at the end over that of standing.
    height: Any
    #: The force of the ground at the end over the weight.
    support: Any
    #: The largest velocity at any time that was recorded.
    fastest: Any


def drop(name: str, law: str, number: int, duration: float, tilt: float, seed: int = 0) -> Outcome:
    """Drop a quadruped from a height of up to 0.6 of that of its base, in poses and with velocities at random.

    ``tilt`` is the size of the angles by which the base is turned, rad.

    Beside its feet, the base touches with a sphere at its middle, so that a robot that falls lies on it.
    """
    robot, stand, control = quadruped(name)
    parameters, dt = LAWS[name, law]
    rng, radius = np.random.default_rng(seed), 0.3 * float(stand[6])
    dv = np.zeros((number, robot.nv))
    dv[:, :3] = tilt * rng.normal(size=(number, 3))
    dv[:, 6:] = 0.2 * rng.normal(size=(number, robot.nv - 6))
    q = robot.integrate(np.tile(stand, (number, 1)), dv)
    lowest = np.minimum(np.min([robot.pose(q, foot)[:, 2, 3] for foot in FEET[name]], axis=0), q[:, 6] - radius)
    q[:, 6] += rng.uniform(0.1, 0.6, size=number) * stand[6] - lowest
    qd = 0.2 * rng.normal(size=(number, robot.nv))
    base = robot.body_list[1].name
    shapes = [*(Point(foot) for foot in FEET[name]), Sphere(base, radius)]
    contacts = Contacts(shapes, law=Contacts.of(robot, FEET[name], law=law, **parameters).law)
    every = round(0.02 / dt)
    found = simulate(robot, q, qd, duration, dt=dt, control=control, contacts=contacts, record=every)
    last = found.t > duration - 1.0
    feet = np.stack([robot.pose(found.q, foot)[..., :3, 3] for foot in FEET[name]])
    depth = -np.minimum(feet[..., 2], 0.0).min(axis=0)
    return Outcome(
        depth[:, last].max(axis=-1),
        depth.max(axis=-1),
        np.linalg.norm(np.ptp(feet[:, :, last, :2], axis=2), axis=-1).max(axis=0),
        abs(found.qd[:, -1]).max(axis=-1),
        found.q[:, -1, 6] / stand[6],
        found.contact_forces[..., 2][:, last].sum(axis=-1).mean(axis=-1) / (robot.mass * 9.81),
        abs(found.qd).max(axis=(1, 2)),
    )
