"""The equations of motion of a frame of a robot."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.algorithms.operational_space import SINGULAR, TASKS
from sixd.errors import ModelWarning, SingularError
from sixd.ir import TooLargeError
from sixd.robot.dynamics import DIRECT, DynamicsMethods
from sixd.robot.evaluator import BODY, EXPRESSIONS, Method
from sixd.runtime.arguments import by_chunk, is_lazy

__all__ = ["OperationalSpace", "OperationalSpaceMethods"]

Array = NDArray[Any]


class OperationalSpace(NamedTuple):
    """Lambda x'' + mu + p = f: the equations of motion of a frame that forces f at it drive."""

    #: The inertia that a force at the frame feels, (..., n, n).
    Lambda: Array
    #: Coriolis and centrifugal forces, (..., n).
    mu: Array
    #: The force that holds the frame against gravity, (..., n).
    p: Array


class OperationalSpaceMethods(DynamicsMethods):
    """The method of a robot about operational space."""

    def operational_space(
        self, q: ArrayLike, qd: ArrayLike, frame: str, kind: str = "pose", expressed_in: str = BODY
    ) -> OperationalSpace:
        """Lambda (..., n, n), mu (..., n) and p (..., n) of a frame, with Lambda x'' + mu + p = f for tau = J^T f.

        Khatib (1987): Lambda = (J H^-1 J^T)^-1, mu = Lambda (J H^-1 c - (dJ/dt) qd), p = Lambda J H^-1 g, where c are
        Coriolis and centrifugal forces and g those of gravity. ``kind`` says which rows of J the task has: "pose"
        (n = 6, angular first), "position" or "rotation" (n = 3). x'' = J qdd + (dJ/dt) qd is the spatial acceleration
        of the frame, for "aligned" the conventional one; ``expressed_in`` as in `jacobian`.

        If the frame cannot move in every direction of the task, because it is at a singular position or the robot has
        too few joints, such samples are NaN, with a warning; if all samples are, `SingularError` is raised.
        """
        key = algorithms.operational_space, frame, expressed_in, kind
        method = self._code.find(key)
        if method is None:
            place = self._place(frame)
            n = len(range(*TASKS[given.choice(kind, "kind", TASKS)].indices(6)))
            if is_lazy(q) or is_lazy(qd):
                later = partial(self.operational_space, frame=frame, kind=kind, expressed_in=expressed_in)
                return OperationalSpace(*by_chunk(later, (q, qd), ((self.nq,), (self.nv,)), ((n, n), (n,), (n,))))
            given.choice(expressed_in, "expressed_in", EXPRESSIONS)
            method = self._unrolled(key, {**place, "expressed_in": expressed_in, "kind": kind})
        found = self._by_lapack(q, qd, frame, kind, expressed_in) if method is None else method(q, qd)
        return self._movable(OperationalSpace(*found), (q, qd), frame, kind)

    def _unrolled(self, key: Any, fixed: dict[str, Any]) -> Method | None:
        """The method in unrolled code; None if that would be too large."""
        if key in self._too_large:
            return None
        try:
            return self._code.add(key, algorithms.operational_space, fixed, limit=DIRECT)
        except TooLargeError:
            self._too_large.add(key)
            return None

    def _by_lapack(self, q: Any, qd: Any, frame: str, kind: str, expressed_in: str) -> tuple[Array, Array, Array]:
        """The same from the inverse of the mass matrix, for robots that are too large for unrolled code."""
        rows = TASKS[kind]
        J = self._at(algorithms.jacobian, frame, expressed_in)(q)[..., rows, :]
        conventional = expressed_in == "aligned"
        drift = self._at(algorithms.acceleration, frame, expressed_in, conventional, without="qdd")(q, qd)[..., rows]
        JH = J @ self.inverse_mass_matrix(q)
        mobility = JH @ np.swapaxes(J, -1, -2)
        least = np.linalg.eigvalsh(mobility)[..., 0] / np.trace(mobility, axis1=-2, axis2=-1)
        singular = ~(least > SINGULAR)[..., None, None]
        Lambda = np.linalg.inv(np.where(singular, np.eye(J.shape[-2]), mobility)) + np.where(singular, np.nan, 0.0)
        c, g = self._code[algorithms.coriolis_forces](q, qd), self.gravity_forces(q)
        mu, p = ((Lambda @ x[..., None])[..., 0] for x in (_times(JH, c) - drift, _times(JH, g)))
        return Lambda, mu, p

    def _movable(
        self, found: OperationalSpace, state: tuple[ArrayLike, ...], frame: str, kind: str
    ) -> OperationalSpace:
        """What was found, unless the frame can nowhere move in every direction of the task."""
        if is_lazy(found.p):
            return found
        singular = np.isnan(found.p).all(axis=-1)
        if not singular.any():
            return found
        finite = [np.isfinite(np.asarray(x, dtype=float)).all(axis=-1) for x in state]
        singular = singular & np.logical_and(*finite)
        where = f"frame {getattr(frame, 'name', frame)!r} cannot move in every direction of its {kind}"
        if singular.any() and singular.all():
            raise SingularError(
                f"{where}: Lambda does not exist; move the robot out of the singular position, or choose a kind with "
                "fewer directions: 'position' or 'rotation'"
            )
        if singular.any():
            text = f"{where} in {singular.sum()} of {singular.size} states: NaN there"
            warnings.warn(ModelWarning(text), stacklevel=3)
        return found


def _times(A: Array, x: Array) -> Array:
    return np.asarray((A @ x[..., None])[..., 0])
