"""Motions that show the parameters of a robot well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.algorithms import rnea, torque_regressor
from sixd.compiler.compile import compile
from sixd.compiler.derivatives import vjp
from sixd.errors import ArgumentError, ModelError
from sixd.identification.base import structural
from sixd.identification.fourier import Basis, Motion, basis_at
from sixd.identification.unknowns import Unknowns
from sixd.model.configuration import random_generator
from sixd.process.forks import importing
from sixd.robot import Robot

__all__ = ["Excitation", "excite"]

Array = NDArray[Any]
#: The part of each limit that the motion may use: between its samples it may go a little further.
SHARE = 0.98


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
    joint: str | tuple[str, ...] = (),
    iterations: int = 200,
    seed: int = 0,
) -> Excitation:
    """A periodic motion within the limits of the robot whose log determines the base parameters well.

    The motion is a Fourier series with the period ``duration``, s, and this many harmonics. It makes the condition
    number of the regressor of the `base_parameters` small, by L-BFGS of SciPy with exact gradients. ``velocity`` and
    ``effort`` replace the limits of the robot, (nv,). ``joint`` is that of `fit`. The result depends on the ``seed`` of
    the motion that the search starts from. J. Swevers et al., "Optimal Robot Excitation and Identification", 1997.
    """
    unknowns = Unknowns(robot, joint if isinstance(joint, tuple) else (joint,))
    if robot.nq != robot.nv:
        named = next(j.name for j in robot.joints if j.type.nq != j.type.nv)
        raise ModelError(f"joint {named!r} has a quaternion: a Fourier series is for joints whose q is a vector; lock it")
    duration = given.number(duration, "duration")
    if not 0.0 < duration < np.inf:
        raise ModelError(f"duration must be positive and finite, s, not {duration}")
    given.count(harmonics, "harmonics")
    given.count(samples, "samples", 2 * harmonics + 2)
    given.count(iterations, "iterations")
    limits = _Limits.of(robot, velocity, effort)
    times = np.arange(samples) * duration / samples
    basis = basis_at(times, duration, harmonics)
    cost = _Cost(unknowns, limits, basis)
    start = _fitting(robot, limits, _random_start(limits, harmonics, duration, seed), duration)
    x = start
    for weight in (1e2, 1e4):
        x = _minimised(lambda x, weight=weight: cost(x, weight), x, iterations)
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


@dataclass(frozen=True)
class _Limits:
    """What the motion must stay within, each (nv,)."""

    lower: Array
    upper: Array
    velocity: Array
    effort: Array

    @classmethod
    def of(cls, robot: Robot, velocity: ArrayLike | None, effort: ArrayLike | None) -> _Limits:
        free = ~np.isfinite(robot.lower) | ~np.isfinite(robot.upper)
        lower, upper = np.where(free, -np.pi, robot.lower), np.where(free, np.pi, robot.upper)
        found = [lower, upper]
        for name, value, own in (("velocity", velocity, robot.velocity_limit), ("effort", effort, robot.effort_limit)):
            limit = np.asarray(own if value is None else given.numbers(value, name, robot.nv), dtype=float)
            if not (limit > 0.0).all():
                raise ModelError(f"{name}: limits must be positive, not {limit.tolist()}")
            found.append(limit)
        if not np.isfinite(found[2]).all():
            k = int(np.flatnonzero(~np.isfinite(found[2]))[0])
            raise ModelError(
                f"joint {Unknowns(robot).coordinate_names[k]!r} has no velocity limit: give velocity=, {robot.nv} numbers"
            )
        return cls(*found)

    def excess(self, motion: Motion, tau: Array) -> tuple[Array, Array, Array]:
        """How far q, qd and tau are outside of their limits, relative to these, with the sign of the side."""
        middle, half = 0.5 * (self.lower + self.upper), SHARE * 0.5 * (self.upper - self.lower)
        v, f = SHARE * self.velocity, SHARE * self.effort
        inside = ((motion.q - middle) / half, motion.qd / v, tau / f)
        return tuple(np.sign(x) * np.maximum(np.abs(x) - 1.0, 0.0) for x in inside)  # type: ignore[return-value]

    @property
    def sizes(self) -> tuple[Array, Array, Array]:
        """What `excess` is relative to."""
        return SHARE * 0.5 * (self.upper - self.lower), SHARE * self.velocity, SHARE * self.effort


class _Cost:
    """The logarithm of the condition number, and what leaving the limits costs; with gradients."""

    def __init__(self, unknowns: Unknowns, limits: _Limits, basis: Basis) -> None:
        self.unknowns, self.limits, self.basis = unknowns, limits, basis
        robot = unknowns.bare
        base, rng = structural(unknowns), np.random.default_rng(0)
        self.leading = list(base.leading)
        states = robot.random(rng, 500), *rng.normal(size=(2, 500, robot.nv))
        self.scale = 1.0 / np.sqrt(np.mean(unknowns.columns(*states)[..., self.leading] ** 2, axis=(0, 1)))
        self.back = compile(vjp(torque_regressor, ("q", "qd", "qdd")), robot)
        self.torque_back = compile(vjp(rnea, ("q", "qd", "qdd")), unknowns.robot)

    def log_condition(self, x: Array) -> tuple[float, Array]:
        """log of the condition number of the scaled regressor W of the base parameters, and its gradient.

        For the eigenvalues s and eigenvectors u of W^T W, d s = 2 u^T W^T dW u.
        """
        motion = self.basis.motion(x)
        W = self.unknowns.columns(*motion)[..., self.leading] * self.scale
        s, U = np.linalg.eigh(np.tensordot(W, W, axes=((0, 1), (0, 1))))
        least, most = U[:, 0], U[:, -1]
        by_W = (W @ most)[..., None] * most / s[-1] - (W @ least)[..., None] * least / max(s[0], 1e-300)
        by_columns = np.zeros((*W.shape[:2], len(self.unknowns.names)))
        by_columns[..., self.leading] = by_W * self.scale
        value = 0.5 * float(np.log(s[-1]) - np.log(max(s[0], 1e-300)))
        return value, self.basis.pulled_back(self._pulled_back(motion, by_columns))

    def _pulled_back(self, motion: Motion, by_columns: Array) -> Motion:
        """The gradient by q, qd and qdd, from that by `Unknowns.columns`."""
        n, nv = 10 * self.unknowns.robot.n_bodies, self.unknowns.robot.nv
        found = dict(zip(Motion._fields, self.back(*motion, by_columns[..., :n]), strict=True))
        for k, kind in enumerate(self.unknowns.joint):
            own = np.diagonal(by_columns[..., n + k * nv : n + (k + 1) * nv], axis1=1, axis2=2)
            if kind != "friction":  # whose column, sign(qd), is constant
                by = "qdd" if kind == "rotor_inertia" else "qd"
                found[by] = found[by] + own
        return Motion(**found)

    def __call__(self, x: Array, weight: float) -> tuple[float, Array]:
        """log of the condition number + weight * mean square of what is outside of the limits; and its gradient."""
        value, gradient = self.log_condition(x)
        motion = self.basis.motion(x)
        outside = self.limits.excess(motion, self.unknowns.robot.inverse_dynamics(*motion))
        factor = weight / len(self.basis.q)
        by_q, by_qd, by_tau = (2.0 * factor * part / size for part, size in zip(outside, self.limits.sizes, strict=True))
        through = self.torque_back(*motion, by_tau)
        total = Motion(by_q + through[0], by_qd + through[1], through[2])
        penalty = factor * sum(float(np.sum(part**2)) for part in outside)
        return value + penalty, gradient + self.basis.pulled_back(total)


def _minimised(cost: Callable[[Array], tuple[float, Array]], x: Array, iterations: int) -> Array:
    with importing:
        try:
            from scipy.optimize import minimize
        except ImportError:
            raise ArgumentError("excite needs SciPy: pip install scipy") from None

    def flat(y: Array) -> tuple[float, Array]:
        value, gradient = cost(y.reshape(x.shape))
        return value, gradient.ravel()

    found = minimize(flat, x.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    return np.asarray(found.x).reshape(x.shape)


def _random_start(limits: _Limits, harmonics: int, duration: float, seed: int) -> Array:
    """Random coefficients about the middle of the limits."""
    rng = random_generator(seed)
    x = rng.normal(size=(1 + 2 * harmonics, len(limits.lower))) * 0.3 * limits.velocity
    x[0] = 0.5 * (limits.lower + limits.upper)
    return x


def _fitting(robot: Robot, limits: _Limits, x: Array, duration: float) -> Array:
    """The coefficients, with all but the constants made smaller by the same factor until the motion is within limits."""
    harmonics = len(x) // 2
    dense = basis_at(np.linspace(0.0, duration, 80 * harmonics, endpoint=False), duration, harmonics)
    middle = 0.5 * (limits.lower + limits.upper)
    half = SHARE * 0.5 * (limits.upper - limits.lower)
    center = np.clip(x[0], middle - half, middle + half)

    def scaled(factor: float) -> Array:
        return np.concatenate([center[None], factor * x[1:]])

    def outside(factor: float) -> tuple[Array, Array, Array]:
        motion = dense.motion(scaled(factor))
        return limits.excess(motion, robot.inverse_dynamics(*motion, passive=True))

    if any(part.any() for part in outside(0.0)):
        k = int(np.flatnonzero(outside(0.0)[2].any(axis=0))[0])
        raise ModelError(
            f"joint {Unknowns(robot).coordinate_names[k]!r} cannot hold the robot still at {center.tolist()} with its effort "
            "limit: give effort="
        )
    low, high = 0.0, 1.0
    if not any(part.any() for part in outside(1.0)):
        return scaled(1.0)
    for _ in range(40):
        factor = 0.5 * (low + high)
        low, high = (low, factor) if any(part.any() for part in outside(factor)) else (factor, high)
    return scaled(low)
