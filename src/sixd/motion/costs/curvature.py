"""Motions that avoid where the mass matrix is strongly curved."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.algorithms import scalar_curvature
from sixd.compiler.compile import compile
from sixd.compiler.derivatives import gradient
from sixd.errors import ModelError
from sixd.motion.basis import Motion
from sixd.motion.costs.energy import Energy
from sixd.robot import Robot

__all__ = ["Curvature"]

Array = NDArray[Any]
#: The most degrees of freedom: code for the gradient of the curvature grows with their fourth power.
MOST = 8
#: Curvatures of this part of the Christoffel symbols' size are rounding errors.
FLAT = 1e-9


class Curvature(Energy):
    """(1 + (R(q) / R_0)^2) T: the kinetic energy, counted more where the scalar curvature R of H is large, J.

    PBP95 section 5 takes small curvature for a measure of performance: where it is zero, coordinates exist in which the
    dynamics are linear, and where it is large, they change quickly. The integral of R^2 alone has no least value on
    motions of a given duration: these would jump across what is curved and wait where it is not. This cost has one. Its
    motions are geodesics of the metric (1 + (R / R_0)^2) H, in which ways through curved regions are longer.
    R_0 is the root mean square of R on the straight way between the ends: what is less curved than that costs little
    more than its energy. If the mass matrix is flat there, the cost is the energy.
    """

    name = "curvature"

    def __init__(self, robot: Robot, start: Motion) -> None:
        if robot.nv > MOST:
            raise ModelError(f"cost 'curvature' is for at most {MOST} degrees of freedom, not {robot.nv}: lock joints")
        super().__init__(robot, start)
        self.slope = compile(gradient(scalar_curvature, "q"), robot)
        size = float(np.mean(robot.scalar_curvature(start.q) ** 2))
        self.weight = 1.0 / size if np.sqrt(size) > FLAT * _symbols_size(robot, start.q) else 0.0

    def values(self, motion: Motion) -> Array:
        return (1.0 + self.weight * self.robot.scalar_curvature(motion.q) ** 2) * super().values(motion)

    def __call__(self, motion: Motion) -> tuple[Array, Motion]:
        T, by = super().__call__(motion)
        R = self.robot.scalar_curvature(motion.q)
        factor = 1.0 + self.weight * R * R
        by_q = factor[:, None] * by.q + (2.0 * self.weight * R * T)[:, None] * self.slope(motion.q)
        return factor * T, Motion(by_q, factor[:, None] * by.qd, by.qdd)


def _symbols_size(robot: Robot, q: Array) -> float:
    """The square of the Christoffel symbols, measured by H: of the size of the terms that a curvature is the sum of."""
    Gamma, H_inv = robot.christoffel(q), robot.inverse_mass_matrix(q)
    each = np.einsum("sijk,slmn,sil,sjm,skn->s", Gamma, Gamma, H_inv, H_inv, H_inv, optimize=True)
    return float(np.mean(np.abs(each)))
