"""Base parameters: the combinations of inertial parameters that torques depend on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.errors import ArgumentError
from sixd.identification.combinations import Combinations, combinations_of
from sixd.identification.unknowns import Unknowns
from sixd.robot import Robot
from sixd.runtime.batches import as_batch

__all__ = ["base_parameters"]

Array = NDArray[Any]


def base_parameters(
    robot: Robot,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    joint: str | Iterable[str] = (),
) -> Combinations:
    """The combinations of inertial parameters that the joint forces of a robot determine; print the result.

    Without q, qd and qdd the answer is that of the model alone: it is the same for almost all motions, and found from
    random states. With them, arrays (samples, nq) and (samples, nv), it is that of this motion, which may determine
    fewer. ``joint`` names parameters of the joints to be determined too: "rotor_inertia", "damping", "friction".

    The names of parameters are those of the body and m, mx, my, mz (the first moments m c), Ixx, Ixy, Ixz, Iyy, Iyz,
    Izz (about the body's origin), such as "link2.Ixx", in the order of `Robot.inertial_parameters`.
    """
    unknowns = Unknowns(robot, given.words(joint, "joint"))
    motion = {"q": q, "qd": qd, "qdd": qdd}
    missing = [name for name, x in motion.items() if x is None]
    if missing == list(motion):
        return structural(unknowns)
    if missing:
        raise ArgumentError(f"a motion is given by q, qd and qdd, or not at all; {', '.join(missing)} is missing")
    sizes = (robot.nq, robot.nv, robot.nv)
    arrays = [as_batch(name, x, (n,)).reshape(-1, n) for (name, x), n in zip(motion.items(), sizes, strict=True)]
    return combinations_of(_rows(unknowns.columns(*arrays)), unknowns.names)


def structural(unknowns: Unknowns) -> Combinations:
    """The combinations that the model alone determines: those of random states."""
    robot, rng = unknowns.robot, np.random.default_rng(0)
    samples = 4 + (4 * len(unknowns.names)) // robot.nv
    q, (qd, qdd) = robot.random(rng, samples), rng.normal(size=(2, samples, robot.nv))
    return combinations_of(_rows(unknowns.columns(q, qd, qdd)), unknowns.names)


def _rows(columns: Array) -> Array:
    """The columns of all samples and joints, (equations, parameters)."""
    return columns.reshape(-1, columns.shape[-1])
