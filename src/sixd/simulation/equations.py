"""The equations of motion as a function that SciPy's `solve_ivp` and other solvers take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.compiler.choice import kernel
from sixd.compiler.derivatives import Derivative
from sixd.errors import ArgumentError, ShapeError
from sixd.robot import Robot
from sixd.runtime.arguments import common_lead, real_numbers
from sixd.runtime.batches import as_batch
from sixd.simulation.contact.contacts import Contacts
from sixd.simulation.controllers.controller import Controller
from sixd.simulation.forces.element import ForceElement
from sixd.simulation.observe import observer
from sixd.simulation.setup import setup_of

__all__ = ["EquationsOfMotion", "StateParts"]

Array = NDArray[Any]
#: dq/dt of positions that move with qd: the derivative of q (+) dv along qd at dv = 0.
_RATE = Derivative("jvp", algorithms.integrate, "dv")


class StateParts(NamedTuple):
    """Position (..., nq) and velocity (..., nv)."""

    q: Array
    qd: Array


class EquationsOfMotion:
    """y' = f(t, y) with y = (q, qd), nq + nv numbers: ``f(t, y)`` for ``scipy.integrate.solve_ivp``.

    y may be one state (n,), or many, (n, k), the states in columns: pass ``vectorized=True``. The rate of a quaternion
    is q (omega, 0) / 2; solvers that do not know quaternions let their length drift, which changes no attitude.
    ``control`` is an array (nv,) or a `Controller`, ``forces`` are force elements, ``contacts`` those of a
    compliant law: all as in `simulate`, and as they are when this object is made.
    """

    def __init__(
        self,
        robot: Robot,
        control: ArrayLike | Controller | None = None,
        forces: Sequence[ForceElement] = (),
        contacts: Contacts | None = None,
    ) -> None:
        self._setup = setup_of(robot, 1.0, control, None, forces, "rk4", None, False, contacts)
        if self._setup.outside is not None or self._setup.stepped:
            raise ArgumentError("control must be constant joint forces (nv,) or a Controller, which are compiled")
        self.robot, self._acceleration = robot, observer(self._setup, "qdd")
        self._rate = kernel(_RATE, robot, {"tangent": (robot.nv,)})
        #: The coordinates of each quaternion.
        self._quaternions = [
            slice(joint.q.start + first, joint.q.start + first + number)
            for joint in robot.joints
            if joint.mimic is None
            for first, number in joint.type.nonzero
        ]

    def join(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """y of a position (..., nq) and a velocity (..., nv), (nq + nv, ...)."""
        parts = {"q": as_batch("q", q, (self.robot.nq,)), "qd": as_batch("qd", qd, (self.robot.nv,))}
        lead = common_lead({name: x.shape[:-1] for name, x in parts.items()})
        whole = [np.broadcast_to(x, (*lead, x.shape[-1])) for x in parts.values()]
        return np.moveaxis(np.concatenate(whole, axis=-1), -1, 0)

    def split(self, y: ArrayLike) -> StateParts:
        """Position and velocity of y (nq + nv, ...), as a solver returns it."""
        rows = np.moveaxis(self._rows(y), 0, -1)
        return StateParts(rows[..., : self.robot.nq], rows[..., self.robot.nq :])

    def _rows(self, y: ArrayLike) -> Array:
        array, n = real_numbers("y", y), self.robot.nq + self.robot.nv
        if not array.ndim or array.shape[0] != n:
            raise ShapeError(f"y has shape {array.shape}, but ({n}, ...) is needed: nq + nv rows")
        return array

    def __call__(self, t: float, y: ArrayLike) -> Array:
        """dy/dt, of the shape of y."""
        q, qd = self.split(y)
        qdd = self._acceleration(q, qd, t, self._setup.given)
        qdot = np.array(self._rate(q, np.zeros(self.robot.nv), qd))
        for some in self._quaternions:  # the rate of one of length 1; a longer one turns as fast
            qdot[..., some] *= np.linalg.norm(q[..., some], axis=-1, keepdims=True)
        return np.moveaxis(np.concatenate([qdot, qdd], axis=-1), -1, 0)
