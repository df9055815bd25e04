"""Identification: from a log of motions and joint forces to a corrected robot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.errors import ModelError, ShapeError
from sixd.identification.base import structural
from sixd.identification.combinations import Combinations, combinations_of
from sixd.identification.consistent import consistent_least_squares, is_consistent
from sixd.identification.logs import Log, read_log
from sixd.identification.noise import condensed, found_noise, given_noise, reduced, rms
from sixd.identification.unknowns import Unknowns
from sixd.robot import Robot

__all__ = ["Fit", "fit"]

Array = NDArray[Any]
METHODS = ("consistent", "least squares")
#: How much a relative change of a body by 1 costs, in units of half the squared noise: next to nothing.
PRIOR = 0.01
#: Noise is taken to be at least this share of the torques: below it, rounding would be taken for a signal.
LEAST_NOISE = 1e-7


@dataclass(frozen=True, eq=False)
class Fit:
    """A robot whose parameters were fitted to a log; print it."""

    #: The robot with the fitted parameters.
    robot: Robot
    #: The fitted values, in the order of the names in ``base``.
    parameters: Array
    #: The combinations of parameters that the log determines. What they leave open is near to the start.
    base: Combinations
    #: The values of the combinations, by ordinary least squares.
    estimates: Array
    #: The covariance of the estimates, by the noise.
    covariance: Array
    #: How many combinations the model alone would let one determine, by a log that excites all of them.
    structural: int
    #: The standard deviation of the noise of each joint force, given or found.
    noise: Array
    #: The root mean square of measured less predicted joint forces, for each coordinate: before and after.
    residual_before: Array
    residual: Array
    #: The number of samples.
    samples: int

    @property
    def deviations(self) -> Array:
        """The standard deviations of the estimates."""
        return np.sqrt(np.diagonal(self.covariance))

    def __str__(self) -> str:
        values = self.base.matrix @ self.parameters
        rows = zip(self.base.lines(), values, self.deviations, strict=True)
        without = ", ".join(self.base.without_effect) or "none"
        return "\n".join(
            [
                f"{self.samples} samples determine {self.base.count} of {self.structural} combinations that "
                f"a rich log would, of {len(self.base.names)} parameters:",
                *(f"  {value:12.5g} +- {deviation:8.2g}  {line}" for line, value, deviation in rows),
                f"without effect: {without}",
                "what these values leave open is as near to the robot that was given as they allow",
                "rms of measured less predicted joint forces, before and after, and the noise:",
                *(
                    f"  {a:10.4g} {b:10.4g} {c:10.4g}"
                    for a, b, c in zip(self.residual_before, self.residual, self.noise, strict=True)
                ),
            ]
        )


def fit(
    robot: Robot,
    log: Mapping[str, ArrayLike] | str | PathLike[str],
    *,
    joint: str | Iterable[str] = (),
    method: str = "consistent",
    noise: ArrayLike | None = None,
) -> Fit:
    """Fit the inertial parameters of a robot to a log of a motion.

    ``log`` is a mapping with q, qd, qdd and tau, arrays (samples, nq) and (samples, nv); an NPZ file with such arrays;
    or a CSV or Parquet file with columns such as "q_elbow", "qd_elbow", "qdd_elbow", "tau_elbow". tau is what the
    motors deliver: `Robot.inverse_dynamics` with ``passive=True``. If there are times, "t", s, it is refused that qd is
    a multiple of the rate of q, as in deg/s, or qdd of that of qd.

    It minimises the sum of ((Y p - tau) / noise)^2. ``noise`` is the standard deviation of each joint force, (nv,); by
    default it is found from what least squares leaves. One that is given is scaled up if the joint forces scatter more
    than that about what any parameters predict. ``joint`` names parameters of the joints to be fitted too:
    "rotor_inertia", "damping", "friction".

    ``method``: "consistent" keeps each body one that can exist (its pseudo-inertia is positive definite, and what
    ``joint`` names is positive: where it is zero in the robot, the fit starts from what makes a tenth of the torques),
    "least squares" does not. What the log does not determine is not guessed: such
    parameters are as near to those of the given robot as the rest allows, and ``base`` tells which they are.
    """
    unknowns = Unknowns(robot, given.words(joint, "joint"))
    given.choice(method, "method", METHODS)
    if method == "consistent":
        _need_consistent(robot)
    motion = read_log(robot, log)
    wanted = structural(unknowns)
    _need_samples(motion, wanted)
    n = len(motion.tau)
    A, y = condensed(unknowns, motion)
    if not A.any():
        raise ModelError("the joint forces of this log depend on no parameter: the robot rests and needs no force")
    sigma = found_noise(A, y, n, unknowns.names) if noise is None else given_noise(noise, robot.nv)
    sigma = np.maximum(sigma, LEAST_NOISE * max(np.sqrt(np.mean(motion.tau**2)), 1e-300))
    rows, right = (A / sigma[:, None]).reshape(-1, A.shape[-1]), (y / sigma).ravel()
    base = combinations_of(rows, unknowns.names)
    R, z = reduced(rows[:, base.leading], right)
    # What least squares leave has n nv - count degrees of freedom: the noise is at least as large as it says.
    excess = np.sqrt(max(1.0, (right @ right - z @ z) / (y.shape[1] * n - base.count)))
    R, z, sigma = R / excess, z / excess, sigma * excess
    estimates = np.linalg.solve(R, z)
    if method == "consistent":
        start = _start(unknowns, rows, right)
        p = consistent_least_squares(R @ base.matrix, z, start, robot.n_bodies, PRIOR)
    else:
        p = _nearest(base.matrix, estimates, unknowns.start)
    inverse = np.linalg.inv(R)
    return Fit(
        robot=_robot_with(unknowns, p),
        parameters=p,
        base=base,
        estimates=estimates,
        covariance=inverse @ inverse.T,
        structural=wanted.count,
        noise=sigma,
        residual_before=rms(A @ unknowns.start - y, n),
        residual=rms(A @ p - y, n),
        samples=n,
    )


def _robot_with(unknowns: Unknowns, p: Array) -> Robot:
    try:
        return unknowns.robot_with(p)
    except ModelError as error:
        remedy = "fit by method='consistent', or to a log that determines more"
        raise ModelError(f"least squares gives no robot: {error}; {remedy}") from None


def _need_consistent(robot: Robot) -> None:
    """Refuse a robot with a body that cannot exist: no fit can start from it and keep bodies possible."""
    for body, p in zip(robot.body_list[1:], robot.inertial_parameters.reshape(-1, 10), strict=True):
        if not is_consistent(p):
            raise ModelError(
                f"the fit cannot start from body {body.name!r}: no body with density has the parameters {p.tolist()}; "
                "give it another inertia (robot.with_inertia), or fit by method='least squares'"
            )


def _start(unknowns: Unknowns, rows: Array, right: Array) -> Array:
    """The values to start from. For parameters of joints that are zero, it is what makes a tenth of the torques."""
    start, first = unknowns.start.copy(), 10 * unknowns.robot.n_bodies
    size = 0.1 * np.linalg.norm(right) / np.maximum(np.linalg.norm(rows, axis=0), 1e-300)
    start[first:] = np.where(start[first:] > 0.0, start[first:], size[first:])
    return start


def _need_samples(motion: Log, wanted: Combinations) -> None:
    samples, nv = motion.tau.shape
    if samples * nv <= wanted.count:
        raise ShapeError(
            f"too few samples: {samples} of {nv} joint forces are {samples * nv} equations for {wanted.count} unknown "
            f"combinations of parameters; record at least {10 * wanted.count // nv + 1}"
        )


def _nearest(matrix: Array, values: Array, start: Array) -> Array:
    """The p with ``matrix @ p = values`` that is nearest to the start, relative to the size of its entries."""
    size = np.abs(start) + 1e-3 * max(np.abs(start).max(), 1e-300)
    change = np.linalg.lstsq(matrix * size, values - matrix @ start, rcond=None)[0]
    return start + np.where(matrix.any(axis=0), size * change, 0.0)
