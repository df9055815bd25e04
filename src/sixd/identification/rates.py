"""Whether the velocities of a log are the rates of its positions, and its accelerations those of its velocities."""

from __future__ import annotations

from collections.abc import Mapping
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
#: A rate that is within this factor of what is measured is taken for it.
FACTOR = 1.25
#: The squared correlation from which a factor is certain, and below which one has nothing to do with the other.
ALIKE, UNLIKE = 0.9, 0.5
#: Factors that differences of units make.
_UNITS = {
    degrees(1.0): "degrees for radians",
    1.0 / degrees(1.0): "degrees for radians",
    1000.0: "mm for m, or ms for s",
    0.001: "mm for m, or ms for s",
    -1.0: "a sign",
}


def compare_rates(robot: Robot, log: Mapping[str, Array], t: Array, what: str) -> None:
    """Raise if qd is a multiple of dq/dt, or qdd of dqd/dt; warn if one has nothing to do with the other.

    Changes of q are compared with integrals of qd over t, by the trapezoidal rule, which noise of q and long sampling
    times harm less than differences over t. Times that do not increase begin anew, as where logs are joined.
    """
    dt = np.diff(t)
    goes = np.isfinite(dt) & (dt > 0.0)
    if goes.sum() < LEAST_SAMPLES:
        return
    step = np.where(goes, dt, 0.0)[:, None]
    changes = {"qd": robot.difference(log["q"][:-1], log["q"][1:]), "qdd": np.diff(log["qd"], axis=0)}
    names = coordinate_names(robot, positions=False)
    unlike: list[str] = []
    for (rate, change), of in zip(changes.items(), ("q", "qd"), strict=True):
        whole = goes[:, None] & (np.abs(change) < pi if of == "q" else True)  # where angles jump by a turn, none counts
        mean = 0.5 * (log[rate][:-1] + log[rate][1:])
        measured, integrated = (_summed(np.where(whole, x, 0.0)) for x in (change, mean * step))
        for k, name in enumerate(names):
            x, y = measured[:, k], integrated[:, k]
            if not (x.any() and y.any()):
                continue
            if (x @ y) ** 2 < UNLIKE * (x @ x) * (y @ y):
                unlike.append(f"{rate} of {name!r}")
            elif (x @ y) ** 2 > ALIKE * (x @ x) * (y @ y):
                _need_unit(float(x @ y) / float(x @ x), f"{what}: {rate} of {name!r}", of)
    if unlike:
        some = ", ".join(unlike[:6]) + (f" and {len(unlike) - 6} more" if len(unlike) > 6 else "")
        warn(ModelWarning(f"{what}: this is not the rate over t that it should be: {some}; are the rows in order?"))


def _summed(changes: Array) -> Array:
    """The sums up to each step, less their mean."""
    total = np.cumsum(changes, axis=0)
    return total - total.mean(axis=0)


def _need_unit(factor: float, what: str, of: str) -> None:
    """Raise if the factor between a rate and the differences over t is not near 1."""
    if 1.0 / FACTOR < factor < FACTOR:
        return
    likely = next((unit for x, unit in _UNITS.items() if isclose(factor, x, rel_tol=0.1)), "")
    why = f": {likely}?" if likely else "; check their units and those of t"
    raise ModelError(f"{what} is {float(f'{factor:.3g}'):g} times the rate of {of} over t{why} (all in rad, m and s)")
