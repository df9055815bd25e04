"""Linear-quadratic regulators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sixd import algorithms, given
from sixd.errors import ArgumentError, ModelError, ShapeError
from sixd.model import Model
from sixd.model.configuration import neutral
from sixd.ops import Scalar
from sixd.robot import Robot
from sixd.robot.robot import open_robot
from sixd.runtime.arguments import real_numbers
from sixd.simulation.controllers.controller import Controller, register
from sixd.simulation.controllers.targets import driven, value_of
from sixd.simulation.moment import Moment
from sixd.simulation.parts import Names, joint_names, joints_of, settle

__all__ = ["LQR"]

#: The force that a joint without a motor may need at a set point, relative to the weight, at an arm of 1 m.
BALANCE = 1e-3


@register
@dataclass(frozen=True)
class LQR(Controller):
    """A linear regulator about a set point: tau = tau* - K (e, d), with e = difference(q*, q) and d = qd - qd*.

    ``q`` (nq), ``qd`` and ``tau`` (nv) are the set point, ``gain`` is K, nv rows of 2 nv numbers. `LQR.of` finds K and
    tau. Only ``joints`` get forces, by default all but those with six freedoms.
    """

    name = "lqr"
    q: Sequence[float]
    qd: Sequence[float]
    tau: Sequence[float]
    gain: Sequence[Sequence[float]]
    joints: Names = None

    def __post_init__(self) -> None:
        for item in ("q", "qd", "tau"):
            found = given.numbers(getattr(self, item), item)
            settle(self, **{item: given.finite(found, item, len(found))})
        n = len(self.tau)
        rows: Any = self.gain
        if isinstance(rows, str) or not hasattr(rows, "__len__") or len(rows) != n or len(self.qd) != n:
            raise ShapeError(f"gain needs a row for each of {n} joint forces, and qd {n} numbers: nv of the robot")
        settle(self, gain=tuple(given.finite(row, "each row of gain", 2 * n) for row in rows))
        settle(self, joints=joint_names(self.joints, "joints"))

    @classmethod
    def of(
        cls,
        robot: Robot,
        q: ArrayLike,
        Q: ArrayLike,
        R: ArrayLike,
        qd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        joints: Names = None,
    ) -> LQR:
        """The regulator that makes the integral of x^T Q x + u^T R u least, for x = (e, d) and u = tau - tau*.

        The system is that of ``robot.linearize`` at the set point; the gain comes from its Riccati equation, by SciPy
        (`pip install 'sixd[control]'`). ``Q`` is (2 nv, 2 nv), ``R`` (m, m) for the m degrees of freedom of ``joints``,
        by default all joints but those with six freedoms; a number or a vector stands for a diagonal. ``tau`` is by
        default what holds the robot there; a joint that is not driven must not need any.
        """
        open_robot(robot, "LQR")
        driven_joints = [k for j in joints_of(robot, joint_names(joints, "joints")) for k in range(j.v.start, j.v.stop)]
        if not driven_joints:
            raise ModelError(f"{robot.name!r} has no joint for a regulator to drive: name some with joints=...")
        rest = np.zeros(robot.nv)
        at = _vector(q, "q", robot.nq), rest if qd is None else _vector(qd, "qd", robot.nv)
        held = robot.inverse_dynamics(*at, rest) if tau is None else _vector(tau, "tau", robot.nv)
        if tau is None:
            _need_balance(robot, held, driven_joints)
        A, B = robot.linearize(*at, held)
        K = np.zeros((robot.nv, 2 * robot.nv))
        weights = _square(Q, "Q", 2 * robot.nv), _square(R, "R", len(driven_joints))
        K[driven_joints] = _gain(A, B[:, driven_joints], *weights)
        return cls(at[0].tolist(), at[1].tolist(), held.tolist(), K.tolist(), joints)

    def torque(self, moment: Moment) -> Sequence[Scalar]:
        model = moment.model
        q = value_of(moment, self.q, model.nq, "q of the regulator")
        qd = value_of(moment, self.qd, model.nv, "qd of the regulator")
        e = algorithms.difference(moment.tree, list(q), moment.q).values
        x = [*e, *(a - b for a, b in zip(moment.qd, qd, strict=True))]
        tau = [t - _dot(row, x) for t, row in zip(self.tau, self.gain, strict=True)]
        return driven(moment, self.joints, tau)

    @classmethod
    def examples(cls, model: Model) -> Sequence[Self]:
        n = model.nv
        rows = [[0.1 * ((i + j) % 3) for j in range(2 * n)] for i in range(n)]
        return [cls(neutral(model).tolist(), [0.0] * n, [0.2] * n, rows)]


def _dot(row: Sequence[float], x: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for a, b in zip(row, x, strict=True):
        if a:
            total = total + a * b
    return total


def _need_balance(robot: Robot, tau: Any, driven_joints: Sequence[int]) -> None:
    """Raise if a joint that is not driven needs a force at the set point: the robot would not stay there."""
    needed = np.abs(tau)
    needed[list(driven_joints)] = 0.0
    k = int(np.argmax(needed))
    if needed[k] > BALANCE * robot.mass * np.linalg.norm(robot.gravity):
        name = next(joint.name for joint in robot.joints if joint.v.start <= k < joint.v.stop)
        raise ModelError(
            f"the robot does not stay at the set point: joint {name!r} is not driven and needs {tau[k]:.3g} there. "
            "Choose a set point in balance, drive this joint (joints=...), or give tau"
        )


def _vector(value: Any, what: str, n: int) -> Any:
    return np.array(given.finite(value, what, n))


def _square(value: Any, what: str, n: int) -> Any:
    """A symmetric weight, (n, n): a number or a vector stands for a diagonal."""
    found = np.asarray(real_numbers(what, value), dtype=float)
    if found.ndim < 2:
        if found.shape not in ((), (n,)):
            raise ShapeError(f"{what} needs one number, {n}, or a matrix ({n}, {n}), not the shape {found.shape}")
        found = np.diag(np.broadcast_to(found, n))
    if found.shape != (n, n):
        raise ShapeError(f"{what} needs one number, {n}, or a matrix ({n}, {n}), not the shape {found.shape}")
    if not np.isfinite(found).all() or not np.allclose(found, found.T):
        raise ModelError(f"{what} must be a finite symmetric matrix")
    return found


def _gain(A: Any, B: Any, Q: Any, R: Any) -> Any:
    """R^-1 B^T P with the solution P of the Riccati equation."""
    try:
        from scipy.linalg import LinAlgError, solve_continuous_are
    except ImportError:
        raise ArgumentError("LQR.of needs SciPy: pip install 'sixd[control]'") from None
    if np.linalg.eigvalsh(R)[0] <= 0.0 or np.linalg.eigvalsh(Q)[0] < -1e-12 * np.abs(Q).max():
        raise ModelError("R must be positive definite and Q positive semidefinite")
    try:
        return np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))
    except (LinAlgError, np.linalg.LinAlgError) as error:
        raise ModelError(f"no regulator holds the robot there with these joints: {error}") from None
