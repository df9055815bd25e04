"""What an exciting motion is judged by: the condition number of the regressor, and the limits of the robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.algorithms import rnea, torque_regressor
from sixd.compiler.compile import compile
from sixd.compiler.derivatives import vjp
from sixd.errors import ModelError
from sixd.identification.base import structural
from sixd.identification.unknowns import Unknowns
from sixd.motion.basis import Basis, Motion
from sixd.robot import Robot

__all__ = ["SHARE", "Cost", "Limits"]

Array = NDArray[Any]
#: The part of each limit that the motion may use: between its samples it may go a little further.
SHARE = 0.98


@dataclass(frozen=True)
class Limits:
    """What the motion must stay within, each (nv,)."""

    lower: Array
    upper: Array
    velocity: Array
    effort: Array

    @classmethod
    def of(cls, robot: Robot, velocity: ArrayLike | None, effort: ArrayLike | None) -> Limits:
        found = [*_position_limits(robot)]
        for name, value, own in (("velocity", velocity, robot.velocity_limit), ("effort", effort, robot.effort_limit)):
            limit = np.asarray(own if value is None else given.numbers(value, name, robot.nv), dtype=float)
            if not (limit > 0.0).all():
                raise ModelError(f"{name}: limits must be positive, not {limit.tolist()}")
            found.append(limit)
        if not np.isfinite(found[2]).all():
            k = int(np.flatnonzero(~np.isfinite(found[2]))[0])
            joint = Unknowns(robot).coordinate_names[k]
            raise ModelError(f"joint {joint!r} has no velocity limit: give velocity=, {robot.nv} numbers")
        return cls(*found)

    def excess(self, motion: Motion, tau: Array) -> tuple[Array, Array, Array]:
        """How far q, qd and tau are outside of their limits, relative to these, with the sign of the side."""
        parts = zip((motion.q - 0.5 * (self.lower + self.upper), motion.qd, tau), self.sizes, strict=True)
        by_q, by_qd, by_tau = (np.sign(x) * np.maximum(np.abs(x) / size - 1.0, 0.0) for x, size in parts)
        return by_q, by_qd, by_tau

    @property
    def sizes(self) -> tuple[Array, Array, Array]:
        """What `excess` is relative to."""
        return SHARE * 0.5 * (self.upper - self.lower), SHARE * self.velocity, SHARE * self.effort


def _position_limits(robot: Robot) -> tuple[Array, Array]:
    """The limits of positions. A joint without them is limited to what `Robot.random` gives: a turn or a metre."""
    lower, upper, extent = robot.lower.copy(), robot.upper.copy(), np.zeros(robot.nq)
    for joint in robot.joints:
        if joint.mimic is None:
            extent[joint.q] = joint.type.extent
            if not (robot.lower[joint.q] < robot.upper[joint.q]).all():
                raise ModelError(f"joint {joint.name!r} has no room between its limits: lock it")
    lower = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0 * extent, -extent))
    return lower, np.where(np.isfinite(upper), upper, lower + 2.0 * extent)


class Cost:
    """The logarithm of the condition number, and what leaving the limits costs; with gradients."""

    def __init__(self, unknowns: Unknowns, limits: Limits, basis: Basis) -> None:
        self.unknowns, self.limits, self.basis = unknowns, limits, basis
        robot = unknowns.bare
        base, rng = structural(unknowns), np.random.default_rng(0)
        self.leading = list(base.leading)
        if len(basis.q) * robot.nv < base.count:
            raise ModelError(f"samples: {len(basis.q)} are too few to show {base.count} combinations of parameters")
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
        by_q, by_qd, by_tau = (
            2.0 * factor * part / size for part, size in zip(outside, self.limits.sizes, strict=True)
        )
        through = self.torque_back(*motion, by_tau)
        total = Motion(by_q + through[0], by_qd + through[1], through[2])
        penalty = factor * sum(float(np.sum(part**2)) for part in outside)
        return value + penalty, gradient + self.basis.pulled_back(total)
