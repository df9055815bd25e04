"""The inertial parameters of a robot, and regressors: matrices that give torques, energies and momentum from them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.errors import ShapeError
from sixd.model.inertias import with_inertias
from sixd.process.forks import cached_property
from sixd.robot.evaluator import Evaluated
from sixd.runtime.batches import as_batch
from sixd.spatial import Inertia

__all__ = ["ParameterMethods"]

Array = NDArray[Any]


class ParameterMethods(Evaluated):
    """Methods of a robot about its inertial parameters."""

    @cached_property
    def inertial_parameters(self) -> Array:
        """Ten numbers for each body, one body after the other, (10 N,), read-only.

        They are m, m c, and Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the body's origin, in body coordinates; kg, kg m,
        kg m^2.
        """
        found = np.array([x for body in self.body_list[1:] for x in body.inertia.components()], dtype=float)
        found.flags.writeable = False
        return found

    def with_inertial_parameters(self, p: ArrayLike) -> Self:
        """The same robot with other inertial parameters, (10 N,), in the form of `inertial_parameters`.

        Inertias that no body can have are used as they are, with a warning; a negative mass is refused.
        """
        size = 10 * self.n_bodies
        array = as_batch("p", p, (size,), "10 for each body")
        if array.ndim > 1:
            raise ShapeError(f"p has shape {array.shape}, but ({size},) is needed: one robot has one set of parameters")
        each = array.astype(float).reshape(-1, 10).tolist()
        return with_inertias(self, [Inertia.from_components(numbers) for numbers in each])

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None) -> Array:
        """Y with inverse_dynamics(q, qd, qdd) = Y inertial_parameters, (..., nv, 10 N).

        The inertia of rotors is no part of it: they add rotor_inertia * qdd.
        """
        return self._code[algorithms.torque_regressor](q, qd, qdd, out=out)

    def slotine_li_regressor(
        self, q: ArrayLike, qd: ArrayLike, qd_r: ArrayLike, qdd_r: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Y with H(q) qdd_r + C(q, qd) qd_r + g(q) = Y inertial_parameters, (..., nv, 10 N); rotors apart.

        C is the Coriolis matrix of the Christoffel symbols, for which dH/dt - 2 C is skew. Adaptive control needs it:
        qd_r and qdd_r are the reference velocity and acceleration. PBP95 section 5.
        """
        return self._code[algorithms.slotine_li_regressor](q, qd, qd_r, qdd_r, out=out)

    def energy_regressor(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Y with (kinetic energy, potential energy) = Y inertial_parameters, (..., 2, 10 N), J; rotors apart."""
        return self._code[algorithms.energy_regressor](q, qd, out=out)

    def momentum_regressor(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Y with momentum(q, qd) = Y inertial_parameters, (..., 6, 10 N), in world coordinates."""
        return self._code[algorithms.momentum_regressor](q, qd, out=out)
