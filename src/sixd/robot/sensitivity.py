"""Derivatives of a robot's quantities by anything: by its state, and by the numbers of its model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.algorithms.declared import Kind
from sixd.compiler.choice import kernel
from sixd.compiler.derivatives import jacobian
from sixd.compiler.request import without_methods
from sixd.errors import ArgumentError
from sixd.robot.evaluator import BODY, EXPRESSIONS, Evaluated

__all__ = ["SensitivityMethods"]

Array = NDArray[Any]
#: What can be differentiated, by the name that a robot's method has.
QUANTITIES: dict[str, Any] = {
    "inverse_dynamics": algorithms.rnea,
    "forward_dynamics": algorithms.aba,
    "mass_matrix": algorithms.crba,
    "inverse_mass_matrix": algorithms.inverse_mass_matrix,
    "bias_forces": algorithms.bias_forces,
    "gravity_forces": algorithms.gravity_forces,
    "passive_forces": algorithms.passive_forces,
    "kinetic_energy": algorithms.kinetic_energy,
    "potential_energy": algorithms.potential_energy,
    "center_of_mass": algorithms.center_of_mass,
    "momentum": algorithms.momentum,
    "momentum_matrix": algorithms.momentum_matrix,
    "centroidal_momentum": algorithms.centroidal_momentum,
    "centroidal_momentum_matrix": algorithms.centroidal_momentum_matrix,
    "pose": algorithms.pose,
    "velocity": algorithms.velocity,
    "acceleration": algorithms.acceleration,
    "jacobian": algorithms.jacobian,
}


class SensitivityMethods(Evaluated):
    """Methods of a robot that differentiate others."""

    def derivatives(
        self,
        what: str,
        wrt: str | Iterable[str],
        *state: ArrayLike,
        frame: str | None = None,
        expressed_in: str | None = None,
    ) -> Any:
        """The derivative of a quantity, with its axes first: (..., *axes of what, *axes of wrt).

        ``what`` is the name of a method, such as "inverse_dynamics" or "pose"; ``state`` are the arrays that it takes,
        and ``frame`` and ``expressed_in`` the frame, if it takes one. ``wrt`` says by what, one name or several, for a
        tuple: an argument ("q", "qd", "qdd", "tau", or "f_ext", forces by body (N, 6) in body coordinates) or numbers
        of the model. These are "inertia" (N, 10), "placement" (N, 6), "axis" (N, 2), "pitch" (N,), "rotor" (nv,) and
        "gravity" (3,), in the order of `bodies` without the base, as `sixd.jacobian` takes them in the tangent space.
        So are derivatives by q, which have nv columns.

        They are automatic derivatives of the algorithm, recorded and compiled when they are first asked for. All those
        of inverse or forward dynamics by the state together come faster from `inverse_dynamics_derivatives` and
        `forward_dynamics_derivatives`.
        """
        algorithm = QUANTITIES[given.choice(what, "what", QUANTITIES)]
        by = wrt if isinstance(wrt, str) else given.words(wrt, "wrt")
        fixed: dict[str, Any] = {}
        shapes: dict[str, tuple[int, ...]] = {}
        if "body" in algorithm.arguments:
            if frame is None:
                raise ArgumentError(f"the derivative of {what} needs the name of a frame: frame=...")
            fixed = self._place(frame)
            expression = given.choice(BODY if expressed_in is None else expressed_in, "expressed_in", EXPRESSIONS)
            if "expressed_in" in algorithm.arguments:
                fixed["expressed_in"] = expression
        elif frame is not None or expressed_in is not None:
            raise ArgumentError(f"{what} is of no frame: leave frame and expressed_in out")
        names = [a.name for a in algorithm.arguments.values() if a.shape is not None and a.kind is not Kind.BODY_FORCES]
        if len(state) != len(names):
            raise ArgumentError(f"{what} takes {', '.join(names)}; {len(state)} arrays are given")
        if "f_ext" in ((by,) if isinstance(by, str) else by):
            shapes = {"f_ext": (self.n_bodies, 6)}
            state = (*state, np.zeros((self.n_bodies, 6)))  # all that takes forces is linear in them
        derived = jacobian(algorithm, by, tangent=True)
        return kernel(derived, without_methods(self), shapes, **fixed)(*state)
