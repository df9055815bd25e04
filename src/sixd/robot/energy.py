"""Energy, momentum and the centre of mass of a robot."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.robot.evaluator import Evaluated

__all__ = ["EnergyMethods"]

Array = NDArray[Any]
#: What momentum is about, unless something else is said.
ORIGIN = "origin"
_MOMENTUM = {ORIGIN: algorithms.momentum, "com": algorithms.centroidal_momentum}
_MOMENTUM_MATRIX = {ORIGIN: algorithms.momentum_matrix, "com": algorithms.centroidal_momentum_matrix}


class EnergyMethods(Evaluated):
    """Methods of a robot about its energy, momentum and centre of mass."""

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """T = 1/2 qd^T H qd, (...), J."""
        return self._code[algorithms.kinetic_energy](q, qd, out=out)

    def potential_energy(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The energy in the gravitational field, (...), J; zero at the world's origin."""
        return self._code[algorithms.potential_energy](q, out=out)

    def spring_energy(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The energy in the joint springs, (...), J."""
        return self._code[algorithms.spring_energy](q, out=out)

    def center_of_mass(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The centre of mass of all moving bodies in the world, (..., 3), m."""
        return self._code[algorithms.center_of_mass](q, out=out)

    def center_of_mass_jacobian(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """J with d/dt center_of_mass = J qd, (..., 3, nv)."""
        return self._code[algorithms.center_of_mass_jacobian](q, out=out)

    def momentum(self, q: ArrayLike, qd: ArrayLike, about: str = ORIGIN, *, out: Array | None = None) -> Array:
        """The spatial momentum of the robot in world axes, (..., 6): about the world's origin, or about "com"."""
        if about is ORIGIN:
            return self._code[algorithms.momentum](q, qd, out=out)
        return self._code[_MOMENTUM[given.choice(about, "about", _MOMENTUM)]](q, qd, out=out)

    def momentum_matrix(self, q: ArrayLike, about: str = ORIGIN, *, out: Array | None = None) -> Array:
        """A with momentum = A qd, (..., 6, nv), about the origin; about "com" it is the centroidal momentum matrix."""
        if about is ORIGIN:
            return self._code[algorithms.momentum_matrix](q, out=out)
        return self._code[_MOMENTUM_MATRIX[given.choice(about, "about", _MOMENTUM_MATRIX)]](q, out=out)

    def composite_inertia(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The inertia of the whole robot, frozen at q, in world coordinates, (..., 6, 6): F10a (24)."""
        return self._code[algorithms.composite_inertia](q, out=out)
