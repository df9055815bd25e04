"""Whether the velocities of a log are the rates of its positions, and its accelerations those of its velocities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import degrees, isclose, pi

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError, ModelWarning
from sixd.process.told import warn
from sixd.robot import Robot
from sixd.tables.fields import coordinate_names

__all__ = ["compare_rates"]

Array = NDArray[np.float64]
#: Fewer samples tell nothing.
LEAST_SAMPLES = 8
#: Steps of time that are longer than the median by this factor are gaps, in which nothing is known of the rates.
GAP = 5.0
#: Between these a factor is taken for 1: of few samples per period, the trapezoidal rule gives less than the integral,
#: (h/2) cot(h/2) of it for sin t at steps of h.
LOW, HIGH = 0.5, 1.25
#: The squared correlation from which a factor is certain, and below which one has nothing to do with the other.
ALIKE, UNLIKE = 0.9, 0.5
#: Of what is random from sample to sample, the mean square of the changes is twice the variance: less is motion.
MOTION = 1.0
#: Rates within this factor of the differences are comparable; others are noise beside them, or differ by a unit.
COMPARABLE = 4.0
#: A trend that leaves less than this share of the squares is all that there is.
REST = 1e-3
#: Factors that differences of units make.
_UNITS = {
    degrees(1.0): "degrees for radians",
    1.0 / degrees(1.0): "degrees for radians",
    1000.0: "mm for m, or ms for s",
    0.001: "mm for m, or ms for s",
    60.0 / (2.0 * pi): "rpm for rad/s",
    1.0 / (2.0 * pi): "turns for radians",
    -1.0: "a sign",
}


def compare_rates(robot: Robot, log: Mapping[str, Array], t: Array, what: str) -> None:
    """Raise if qd is dq/dt in another unit, or qdd dqd/dt; warn of other multiples, or if they are unlike.

    Changes of q are compared with integrals of qd over t, by the trapezoidal rule, which noise of q and long sampling
    times harm less than differences over t. Times that do not increase begin anew, as where logs are joined. Of what is
    noise rather than motion, nothing is said.
    """
    dt = np.diff(t)
    goes = np.isfinite(dt) & (dt > 0.0)
    if goes.sum() < LEAST_SAMPLES:
        return
    goes &= dt <= GAP * np.median(dt[goes])
    step = np.where(goes, dt, 0.0)[:, None]
    changes = {"qd": robot.difference(log["q"][:-1], log["q"][1:]), "qdd": np.diff(log["qd"], axis=0)}
    names = coordinate_names(robot, positions=False)
    unlike: list[str] = []
    multiples: list[str] = []
    for (rate, change), of in zip(changes.items(), ("q", "qd"), strict=True):
        whole = goes[:, None] & (np.abs(change) < pi if of == "q" else True)  # where angles jump by a turn, none counts
        mean = 0.5 * (log[rate][:-1] + log[rate][1:])
        dx, dy = (np.where(whole, each, 0.0) for each in (change, mean * step))
        measured, integrated = _without_trend(dx, dy, step)
        for k, name in enumerate(names):
            x, y = measured[:, k], integrated[:, k]
            if not (x.any() and y.any()):
                continue
            if (x @ y) ** 2 > ALIKE * (x @ x) * (y @ y):
                factor = float(x @ y) / float(x @ x)
                _refuse_unit(factor, f"{what}: {rate} of {name!r}", of)
                if not LOW < factor < HIGH:
                    multiples.append(f"{rate} of {name!r} is {float(f'{factor:.3g}'):g} times the rate of {of}")
            elif (x @ y) ** 2 < UNLIKE * (x @ x) * (y @ y):
                moves = dx[:, k] @ dx[:, k] < MOTION * (x @ x)
                ratio = float(np.linalg.norm(dy[:, k])) / float(np.linalg.norm(dx[:, k]))
                if moves and 1.0 / COMPARABLE < ratio < COMPARABLE:
                    unlike.append(f"{rate} of {name!r}")
    if multiples:
        warn(ModelWarning(f"{what}: {_some(multiples)} over t; check their units and those of t (all in rad, m and s)"))
    if unlike:
        fault = "this is not the rate over t that it should be"
        warn(ModelWarning(f"{what}: {fault}: {_some(unlike)}; are the rows in order?"))


def _without_trend(dx: Array, dy: Array, step: Array) -> tuple[Array, Array]:
    """The sums x and y of changes up to each step, less their means, and less what grows evenly over t.

    A constant error of a rate only makes its integral grow so. Where x grows so and does nothing else, as in a motion
    of constant velocity, this is kept, in both.
    """
    s, x, y = (_summed(each) for each in (step, dx, dy))
    rest_x, rest_y = (each - s * (s.T @ each) / np.maximum(s.T @ s, np.finfo(float).tiny) for each in (x, y))
    even = (rest_x**2).sum(axis=0) < REST * (x**2).sum(axis=0)
    return np.where(even, x, rest_x), np.where(even, y, rest_y)


def _summed(changes: Array) -> Array:
    """The sums up to each step, less their mean."""
    total = np.cumsum(changes, axis=0)
    return total - total.mean(axis=0)


def _refuse_unit(factor: float, what: str, of: str) -> None:
    """Raise if a rate is so many times the differences over t as a difference of units makes it."""
    for size, unit in _UNITS.items():
        if isclose(factor, size, rel_tol=0.1):
            found = f"{what} is {float(f'{factor:.3g}'):g} times the rate of {of} over t"
            raise ModelError(f"{found}: {unit}? (all in rad, m and s)")


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:6]) + (f" and {len(texts) - 6} more" if len(texts) > 6 else "")
