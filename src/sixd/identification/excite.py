"""Motions that show the parameters of a robot well."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.errors import ModelError
from sixd.identification.excitation_cost import SHARE, Cost, Limits
from sixd.identification.fourier import basis_at
from sixd.identification.unknowns import Unknowns
from sixd.model.configuration import random_generator
from sixd.motion.basis import Motion
from sixd.motion.scipy import scipy_module
from sixd.robot import Robot

__all__ = ["Excitation", "excite"]

Array = NDArray[Any]
#: By how much of a limit it may be exceeded, for rounding.
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Excitation:
    """A periodic motion for identification, as a Fourier series, and at evenly spaced times of one period."""

    #: The period, s.
    duration: float
    #: The coefficients of the series, (1 + 2 harmonics, nv).
    coefficients: Array
    #: The times, (samples,), and the motion there, each (samples, nv).
    t: Array
    q: Array
    qd: Array
    qdd: Array
    #: The joint forces that the robot, as it is modelled, needs for it.
    tau: Array
    #: The condition number of the regressor of the base parameters, with columns scaled to the size that they have in
    #: random states: along this motion, and along the one that the search has started from.
    condition: float
    condition_before: float

    def at(self, t: ArrayLike) -> Motion:
        """q, qd and qdd at any times (samples,), s, each (samples, nv)."""
        times = np.atleast_1d(np.asarray(t, dtype=float))
        return basis_at(times, self.duration, len(self.coefficients) // 2).motion(self.coefficients)


def excite(
    robot: Robot,
    duration: float = 10.0,
    *,
    harmonics: int = 5,
    samples: int = 100,
    velocity: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    joint: str | Iterable[str] = (),
    iterations: int = 200,
    seed: int = 0,
) -> Excitation:
    """A periodic motion within the limits of the robot whose log determines the base parameters well.

    The motion is a Fourier series with the period ``duration``, s, and this many harmonics. It makes the condition
    number of the regressor of the `base_parameters` small, by L-BFGS of SciPy with exact gradients. ``velocity`` and
    ``effort`` replace the limits of the robot, (nv,). ``joint`` is that of `fit`. The result depends on the ``seed`` of
    the motion that the search starts from. J. Swevers et al., "Optimal Robot Excitation and Identification", 1997.
    """
    unknowns = Unknowns(robot, given.words(joint, "joint"))
    if robot.nq != robot.nv:
        named = next(j.name for j in robot.joints if j.type.nq != j.type.nv)
        raise ModelError(
            f"joint {named!r} has a quaternion: a Fourier series is for joints whose q is a vector; lock it"
        )
    duration = given.number(duration, "duration")
    if not 0.0 < duration < np.inf:
        raise ModelError(f"duration must be positive and finite, s, not {duration}")
    given.count(harmonics, "harmonics")
    given.count(samples, "samples", 2 * harmonics + 2)
    given.count(iterations, "iterations")
    limits = Limits.of(robot, velocity, effort)
    times = np.arange(samples) * duration / samples
    basis = basis_at(times, duration, harmonics)
    cost = Cost(unknowns, limits, basis)
    start = _fitting(robot, limits, _random_start(limits, harmonics, seed), duration)
    x = start
    for weight in (1e2, 1e4):
        x = _minimised(partial(cost, weight=weight), x, iterations)
    x = _fitting(robot, limits, x, duration)
    motion = basis.motion(x)
    return Excitation(
        duration,
        x,
        times,
        *motion,
        robot.inverse_dynamics(*motion, passive=True),
        float(np.exp(cost.log_condition(x)[0])),
        float(np.exp(cost.log_condition(start)[0])),
    )


def _minimised(cost: Callable[[Array], tuple[float, Array]], x: Array, iterations: int) -> Array:
    minimize = scipy_module("optimize", "excite").minimize

    def flat(y: Array) -> tuple[float, Array]:
        value, gradient = cost(y.reshape(x.shape))
        return value, gradient.ravel()

    found = minimize(flat, x.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    return np.asarray(found.x).reshape(x.shape)


def _random_start(limits: Limits, harmonics: int, seed: int) -> Array:
    """Random coefficients about the middle of the limits."""
    rng = random_generator(seed)
    x = rng.normal(size=(1 + 2 * harmonics, len(limits.lower))) * 0.3 * limits.velocity
    x[0] = 0.5 * (limits.lower + limits.upper)
    return x


def _fitting(robot: Robot, limits: Limits, x: Array, duration: float) -> Array:
    """The coefficients; all but the constants are made smaller by one factor until the motion is within the limits."""
    harmonics = len(x) // 2
    dense = basis_at(np.linspace(0.0, duration, 80 * harmonics, endpoint=False), duration, harmonics)
    middle = 0.5 * (limits.lower + limits.upper)
    half = SHARE * 0.5 * (limits.upper - limits.lower)
    center = np.clip(x[0], middle - half, middle + half)

    def scaled(factor: float) -> Array:
        return np.concatenate([center[None], factor * x[1:]])

    def excess(factor: float) -> Array:
        motion = dense.motion(scaled(factor))
        found = limits.excess(motion, robot.inverse_dynamics(*motion, passive=True))
        return np.max([np.abs(part).max(axis=0) for part in found], axis=0)

    if (excess(0.0) > _SLACK).any():
        k = int(np.argmax(excess(0.0)))
        joint, limit = Unknowns(robot).coordinate_names[k], limits.effort[k]
        raise ModelError(
            f"effort: with {limit:g}, joint {joint!r} cannot hold the robot still at q = {center.tolist()}"
        )
    low, high = 0.0, 1.0
    if (excess(1.0) <= _SLACK).all():
        return scaled(1.0)
    for _ in range(40):
        factor = 0.5 * (low + high)
        low, high = (low, factor) if (excess(factor) > _SLACK).any() else (factor, high)
    return scaled(low)
