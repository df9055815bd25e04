"""Motions of least kinetic energy: geodesics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.algorithms import kinetic_energy
from sixd.compiler.compile import compile
from sixd.compiler.derivatives import gradient
from sixd.motion.basis import Motion
from sixd.motion.costs.contract import Cost
from sixd.robot import Robot

__all__ = ["Energy"]

Array = NDArray[Any]


class Energy(Cost):
    """T = 1/2 qd^T H(q) qd, the kinetic energy, J. Twice its integral is J(x) of PBP95 section 5.

    A motion that makes the integral least is a geodesic of the metric H: it is the motion of the robot without gravity
    and without joint forces, H qdd + C(q, qd) qd = 0, and T is constant on it. Gravity has no part in this cost. The
    velocities at the ends are free, for a motion from rest would have no least cost.
    """

    name, unit, rest = "energy", "J s", False

    def __init__(self, robot: Robot, start: Motion) -> None:
        super().__init__(robot, start)
        self.gradient = compile(gradient(kinetic_energy, ("q", "qd")), robot)

    def values(self, motion: Motion) -> Array:
        return self.robot.kinetic_energy(motion.q, motion.qd)

    def __call__(self, motion: Motion) -> tuple[Array, Motion]:
        by_q, by_qd = self.gradient(motion.q, motion.qd)
        T = 0.5 * np.sum(by_qd * motion.qd, axis=-1)  # by_qd is H qd
        return T, Motion(by_q, by_qd, np.zeros_like(by_q))

    def factors(self, motion: Motion) -> Motion:
        roots = np.linalg.eigh(self.robot.mass_matrix(motion.q))
        F = np.sqrt(np.maximum(roots.eigenvalues, 0.0))[:, :, None] * np.swapaxes(roots.eigenvectors, 1, 2)
        return Motion(np.zeros_like(F), F, np.zeros_like(F))
