"""Motions of least joint forces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.motion.basis import Motion
from sixd.motion.costs.contract import Cost

__all__ = ["Torque"]

Array = NDArray[Any]


class Torque(Cost):
    """tau^T tau with tau = ID(q, qd, qdd), the joint forces that the motion needs, gravity included, N^2 m^2.

    Springs, dampers and friction of the joints have no part in it.
    """

    name, unit, rest = "torque", "N^2 m^2 s", True

    def values(self, motion: Motion) -> Array:
        return np.sum(self.robot.inverse_dynamics(*motion) ** 2, axis=-1)

    def __call__(self, motion: Motion) -> tuple[Array, Motion]:
        tau = self.robot.inverse_dynamics(*motion)
        derivatives = self.robot.inverse_dynamics_derivatives(*motion)
        by = (2.0 * (tau[:, None, :] @ part)[:, 0] for part in derivatives)
        return np.sum(tau * tau, axis=-1), Motion(*by)

    def factors(self, motion: Motion) -> Motion:
        """Those of Gauss and Newton: the derivatives of tau."""
        return Motion(*(np.sqrt(2.0) * part for part in self.robot.inverse_dynamics_derivatives(*motion)))
