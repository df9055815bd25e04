"""What the constraints of a closed robot demand of its state."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.robot.robot import Robot

__all__ = ["ConstraintMethods"]

Array = NDArray[Any]


class ConstraintMethods(Robot):
    """Methods of a closed robot about the equations of its constraints. Their rows stand in the order of `constraints`;
    ``closed.rows("name")`` is the slice of one.
    """

    def rows(self, constraint: str) -> slice:
        """Where the rows of a constraint are among those of all."""
        return self.closures[self.constraints.index(constraint)].rows

    def constraint_error(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """phi(q), (..., rows): how far the position is from keeping the constraints, rad and m. FO00 (16).

        Rows that constrain velocities only, such as rolling, are zero.
        """
        return self._code[algorithms.constraint_error](q, out=out)

    def constraint_jacobian(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """L = phi', (..., rows, nv), with L qd = 0 for velocities that keep the constraints. FO00 (17), (18)."""
        return self._code[algorithms.constraint_jacobian](q, out=out)

    def constraint_bias(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """c = -(dL/dt) qd, (..., rows), with L qdd = c for accelerations that keep the constraints. FO00 (17), (18)."""
        return self._code[algorithms.constraint_bias](q, qd, out=out)
