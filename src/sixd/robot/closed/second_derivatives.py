"""Second derivatives of the forward dynamics of a closed robot."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import Any

from numpy.typing import ArrayLike

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import ExternalForces, JointForces, Position, Velocity
from sixd.compiler.derivatives import jacobian
from sixd.ir import TooLargeError
from sixd.model.tree import Tree
from sixd.robot.closed.changes import constrained_derivatives
from sixd.robot.closed.derivatives import ClosedDerivativeMethods
from sixd.robot.evaluator import BODY, NAMED
from sixd.robot.external_forces import Forces
from sixd.robot.second_derivatives import ForwardDynamicsSecondDerivatives, SecondDerivatives

__all__ = ["ClosedSecondDerivativeMethods"]

#: The most degrees of freedom. Code grows with their fourth power: seven, and fifteen rows, take 43,000 operations.
MOST = 10


def _by_position_and_force(model: Any, q: Any, qd: Any, tau: Any, f_ext: Any = None) -> tuple[Any, Any]:
    """d FD / dq and d FD / dtau."""
    found = constrained_derivatives(model, q, qd, tau, f_ext)
    return found[0], found[2]


def _by_velocity(model: Any, q: Any, qd: Any, tau: Any, f_ext: Any = None) -> Any:
    """d FD / dqd."""
    return constrained_derivatives(model, q, qd, tau, f_ext)[1]


_FIRST = jacobian(_by_position_and_force, "q", tangent=True)
_SECOND = jacobian(_by_velocity, ("q", "qd"), tangent=True)


@algorithm(rolled=False)
def constrained_second_derivatives(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, f_ext: ExternalForces = None
) -> SecondDerivatives:
    """The second derivatives of FD(q, qd, tau) with constraints: automatic derivatives of the analytic first ones."""
    forces = None if f_ext.values is None else [f_ext.values[k : k + 6] for k in range(0, len(f_ext.values), 6)]
    state = tree.model, q.values, qd.values, tau.values, forces
    (dq_by_q, dtau_by_q), (dqd_by_q, dqd_by_qd) = _FIRST(*state), _SECOND(*state)
    found = SecondDerivatives(*(tree.tensor_output(3) for _ in range(4)))
    for i, j, k in product(range(tree.model.nv), repeat=3):
        found.dq_dq.add((i, j, k), 0.5 * (dq_by_q[i, j, k] + dq_by_q[i, k, j]))
        found.dq_dqd.add((i, j, k), dqd_by_q[i, k, j])
        found.dqd_dqd.add((i, j, k), dqd_by_qd[i, j, k])
        found.dq_dlast.add((i, j, k), dtau_by_q[i, k, j])
    return found


NAMED[constrained_second_derivatives] = ForwardDynamicsSecondDerivatives


class ClosedSecondDerivativeMethods(ClosedDerivativeMethods):
    """Methods of a closed robot about second derivatives."""

    def forward_dynamics_second_derivatives(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Forces = None
    ) -> ForwardDynamicsSecondDerivatives:
        """The second derivatives of forward dynamics with constraints, a named tuple of arrays (..., nv, nv, nv).

        Those by q are in the tangent space, as those of a robot without constraints; all nv directions count, as in
        `forward_dynamics_derivatives`. They are automatic derivatives of these, compiled on the first call: in seconds
        for a four-bar. Robots with more than ten degrees of freedom are refused.
        """
        if self.nv > MOST:
            raise TooLargeError(
                f"second derivatives of {self.name or 'this robot'} with its constraints are not compiled: it has "
                f"{self.nv} degrees of freedom, and at most {MOST} are; differences of forward_dynamics_derivatives "
                "come near them"
            )
        method = self._direct(
            constrained_second_derivatives, inf, None if f_ext is None else {"f_ext": (self.n_bodies, 6)}
        )
        assert method is not None  # without a limit there is code
        return method(q, qd, tau) if f_ext is None else method(q, qd, tau, self._forces_by_body(q, f_ext, BODY))
