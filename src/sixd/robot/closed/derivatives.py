"""How the dynamics of a closed robot change with its state."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms, given
from sixd.compiler.choice import kernel
from sixd.compiler.request import without_methods
from sixd.errors import ArgumentError
from sixd.robot.closed.changes import (
    FORCES_BY_Q,
    INVERSE,
    VIOLATION,
    constrained_derivatives,
    constrained_linearization,
    response,
)
from sixd.robot.closed.dofs import warn_of_undetermined
from sixd.robot.closed.reduced import ReducedDynamicsMethods
from sixd.robot.derivatives import ForwardDynamicsDerivatives, InverseDynamicsDerivatives, Linearization, discrete
from sixd.robot.dynamics import DIRECT
from sixd.robot.evaluator import BODY, NAMED
from sixd.robot.external_forces import Forces

__all__ = ["ClosedDerivativeMethods"]

Array = NDArray[Any]
_ID = algorithms.rnea_derivatives
NAMED[constrained_derivatives] = ForwardDynamicsDerivatives
NAMED[constrained_linearization] = Linearization


class ClosedDerivativeMethods(ReducedDynamicsMethods):
    """Methods of a closed robot about derivatives."""

    def forward_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces = None
    ) -> ForwardDynamicsDerivatives:
        """The derivatives of forward dynamics with constraints by q, qd and tau, a named tuple of arrays (..., nv, nv).

        ``dq`` is in the tangent space, as that of a robot without constraints. The state need not move along the
        constraints: all nv directions count, as in `forward_dynamics` itself. `linearize` has those that keep them.
        Robots that are too large for one kernel of it take several, one of them on a batch of all directions.
        """
        more = self._more(q, f_ext, BODY, None)
        code = self._direct(constrained_derivatives, DIRECT, self._shapes(more))
        found: ForwardDynamicsDerivatives = (
            self._by_columns(q, qd, tau, more) if code is None else code(q, qd, tau, *more.values())
        )
        if not self.may_be_singular:
            return found
        return ForwardDynamicsDerivatives(*(self._if_regular(q, part, 2) for part in found))

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, f_ext: Forces = None, *, actuated: Any = None
    ) -> InverseDynamicsDerivatives:
        """The derivatives of the forces of ``actuated`` joints, by name, by q, qd and qdd, arrays (..., nv, nv).

        There must be as many actuated degrees of freedom as the robot has, so that the forces are unique; by default
        those of `independent`. Rows of other joints are zero. These are automatic derivatives of
        `sixd.algorithms.constrained_inverse_dynamics`, recorded and compiled on the first call. ``dq`` is in the
        tangent space; all nv directions count, as in `forward_dynamics_derivatives`.
        """
        dofs = self._found_independent if actuated is None else self._actuated(actuated)
        needed = len(self._found_independent)
        if len(dofs) != needed:
            raise ArgumentError(
                f"actuated names {len(dofs)} degrees of freedom, but {self.name or 'this robot'} has {needed}: the "
                "forces are unique, and have derivatives, only with as many"
            )
        model = without_methods(self)
        if f_ext is None:
            return InverseDynamicsDerivatives(*kernel(INVERSE, model, actuated=dofs)(q, qd, qdd))
        code = kernel(INVERSE, model, {"f_ext": (self.n_bodies, 6)}, actuated=dofs)
        return InverseDynamicsDerivatives(*code(q, qd, qdd, self._forces_by_body(q, f_ext, BODY)))

    def linearize(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Forces = None,
        dt: float | None = None,
        *,
        passive: bool = False,
        independent: Any = None,
    ) -> Linearization:
        """A and B of the motion near a state, in independent coordinates: dx/dt = A x + B u, A (..., 2 m, 2 m).

        The m freedoms of the closed robot are those of ``independent`` joints, by name, or of degrees of freedom by
        number; by default those of `independent`, the same at every position. x = (y, z): y is the way of these in the
        tangent space, z the difference of their velocities; all others follow through the constraints, e = K y and
        d = K z + N y with L K = 0 and L N = -d(L qd)/dq K. u (nv) are joint forces. States should keep the constraints.
        ``dt`` gives the discrete system, as in `Robot.linearize`, and ``passive`` lets springs, dampers and friction
        act.

        Samples in which the independent coordinates do not determine the others are NaN, with a warning;
        `SingularError` is raised if all are.
        """
        free = self._independent(independent)
        more = self._more(q, f_ext, BODY, None)
        code = self._reduced(constrained_linearization, more, free, passive=given.flag(passive, "passive"))
        found: Linearization = code(q, qd, tau, *more.values())
        if self.may_be_singular:
            found = Linearization(*(self._if_regular(q, part, 2) for part in found))
        warn_of_undetermined(self, found.A, 2, (q, qd, tau, *more.values()), free)
        if dt is None:
            return found
        if not 0.0 < given.number(dt, "dt") < inf:
            raise ArgumentError(f"dt must be a time step, longer than zero, not {dt}")
        return Linearization(*discrete(*found, dt))

    def _by_columns(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, more: dict[str, Array]
    ) -> ForwardDynamicsDerivatives:
        """`constrained_derivatives` with a sample of a batch for each column of the results."""
        q, qd, tau = (self._array(name, x) for name, x in (("q", q), ("qd", qd), ("tau", tau)))
        model, n, forced = without_methods(self), self.nv, more.values()
        qdd = self._whole(algorithms.constrained_forward_dynamics, more)(q, qd, tau, *forced)
        multipliers, _ = self._whole(algorithms.constraint_multipliers, more)(q, qd, tau, *forced)
        of_bodies = self.tree._forced(_ID) if more else self.tree._code[_ID]
        by_q, by_qd, _ = of_bodies(q, qd, qdd, *forced)
        of_forces = kernel(FORCES_BY_Q, model, {"multipliers": (self.n_rows,)})(q, multipliers)
        rows_by_q, rows_by_qd = kernel(VIOLATION, model)(q, qd, qdd)
        u = np.concatenate(np.broadcast_arrays(of_forces - by_q, -by_qd, np.eye(n)), axis=-1)
        c = np.concatenate([-rows_by_q, -rows_by_qd, np.zeros_like(rows_by_q)], axis=-1)
        solve = kernel(response, model, {"u": (n,), "c": (self.n_rows,)})
        x = solve(q[..., None, :], np.swapaxes(u, -1, -2), np.swapaxes(c, -1, -2))
        return ForwardDynamicsDerivatives(*np.split(np.swapaxes(x, -1, -2), 3, axis=-1))
