"""The error of a configuration and its derivative: the least-squares problem behind inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.kinematics import pose
from sixd.ik.targets import Goal
from sixd.lie import se3, so3
from sixd.model import Model, Tree
from sixd.model.configuration import integrate, plain_coordinates
from sixd.ops import unstack
from sixd.spatial import Matrix, Transform

__all__ = ["Problem", "pose_and_jacobian"]

Array = NDArray[Any]


@algorithm
def pose_and_jacobian(tree: Tree, q: Any, body: int, offset: Transform) -> Any:
    """X_F0, from world to frame coordinates, and J in frame coordinates, v_F = J qd: F10b (14), (21) in one walk."""
    J = tree.motions_output()
    X = tree.cell(offset)
    for i, _ in tree.path(body):
        joint = tree.joint(i)
        J[i] = X.now @ joint.subspace(q[i])
        X.now = X.now @ (joint.transform(q[i]) @ tree.placement(i))
    return X.now, J


def frame_error(goal: Goal, X_F0: Transform, J: Array, rows: Array) -> tuple[Array, Array]:
    """The error e of a frame and A = -de/dq, so that to first order a step with A dq = e ends at the target.

    pose: e = log of X_dF, the constant velocity (angular, linear) that leads from the frame F to the target d in unit
    time, in coordinates of either (F10b (15) has its small-angle form). Moving F by the body velocity v changes it by
    de = -J_l(e)^-1 v. orientation: the same on SO(3). position: e = r_d - r_F in world axes.
    """
    n = len(rows)
    if goal.kind == "position":
        R_F = np.broadcast_to(X_F0.E.T.array(), (n, 3, 3))
        return goal.position[rows] - X_F0.r.array(), R_F @ J[:, 3:]
    E = Matrix.from_components(unstack(np.swapaxes(goal.rotation[rows], -1, -2), 2), 3)
    X_d0 = Transform(E, Transform.translation(goal.position[rows]).r)
    X_dF = X_d0 @ X_F0.inverse()
    if goal.kind == "orientation":
        phi = so3.log(X_dF.E.T)
        D = so3.left_jacobian_inverse(phi).array()
        return np.broadcast_to(phi.array(), (n, 3)), D @ J[:, :3]
    m = se3.log(X_dF)
    return m.array(), se3.left_jacobian_inverse(m).array() @ J


@dataclass(frozen=True)
class Problem:
    """Minimise 1/2 sum w e^2 over q within [lower, upper]. ``tolerance`` is (rad, m)."""

    model: Model
    goals: tuple[Goal, ...]
    lower: Array
    upper: Array
    tolerance: tuple[float, float]

    @cached_property
    def columns(self) -> Array:
        """The velocity coordinates that move some goal's frame, (n,)."""
        return self._moving("v")

    @cached_property
    def bounded(self) -> tuple[Array, Array]:
        """Which of `columns` have limits on a position coordinate of their own, and which coordinate that is."""
        iq, iv = plain_coordinates(self.model)
        place = dict(zip(iv.tolist(), iq.tolist(), strict=True))
        pairs = [(c, place[k]) for c, k in enumerate(self.columns.tolist()) if k in place]
        return np.array([c for c, _ in pairs], dtype=int), np.array([k for _, k in pairs], dtype=int)

    @cached_property
    def positions(self) -> Array:
        """The position coordinates that move some goal's frame."""
        return self._moving("q")

    @cached_property
    def turns(self) -> Array:
        """How fast each of `columns` turns a body, rad per unit of the coordinate, (n,)."""
        speed = np.zeros(self.model.nv)
        for joint in self.model.joints:
            ratio = abs(self.model.coordinates[joint.index].ratio)
            own = [ratio * np.linalg.norm(S.ang.array()) for S in joint.type.subspace(joint.type.neutral())]
            speed[joint.v] = np.maximum(speed[joint.v], own)
        return speed[self.columns]

    @cached_property
    def root_weights(self) -> Array:
        return np.sqrt(np.concatenate([goal.weights for goal in self.goals]))

    @cached_property
    def angular(self) -> Array:
        """Which rows of the error are angles, (m,)."""
        parts = {"pose": [True] * 3 + [False] * 3, "orientation": [True] * 3, "position": [False] * 3}
        return np.concatenate([parts[goal.kind] for goal in self.goals])

    def _moving(self, kind: str) -> Array:
        bodies = {i for goal in self.goals for i in self.model.path(goal.frame.body)}
        spans = [getattr(self.model.coordinates[i], kind) for i in bodies]
        return np.array(sorted({k for span in spans for k in range(span.start, span.stop)}), dtype=int)

    def without_limits(self) -> Problem:
        return replace(self, lower=np.full_like(self.lower, -np.inf), upper=np.full_like(self.upper, np.inf))

    def error(self, q: Array, rows: Array) -> tuple[Array, Array]:
        """e (B, m) and A = -de/dv (B, m, n) by `columns`, for configurations (B, nq) and the targets ``rows`` (B,)."""
        errors, slopes = [], []
        with np.errstate(all="ignore"):
            for goal in self.goals:
                X, J = pose_and_jacobian(self.model, q, goal.frame.body, goal.frame.offset)
                J = np.broadcast_to(J, (len(q), 6, self.model.nv))[:, :, self.columns]
                e, A = frame_error(goal, X, J, rows)
                errors.append(e)
                slopes.append(A)
        return np.concatenate(errors, axis=1), np.concatenate(slopes, axis=1)

    def poses(self, q: Array, goal: Goal) -> Array:
        """The poses of a goal's frame at configurations (B, nq), (B, 4, 4)."""
        X = pose(self.model, q, goal.frame.body, goal.frame.offset)
        return np.broadcast_to(X.pose(), (len(q), 4, 4))

    def cost(self, e: Array) -> Array:
        """1/2 sum w e^2, (B,)."""
        return 0.5 * np.sum((self.root_weights * e) ** 2, axis=1)

    def measured(self, e: Array) -> Array:
        """The rows of the error that count, the others zero."""
        return np.where(self.root_weights > 0.0, e, 0.0)

    def reached(self, e: Array) -> Array:
        """Whether every frame is within tolerance, (B,)."""
        e = self.measured(e)
        ok = np.ones(len(e), dtype=bool)
        for part, tolerance in zip((self.angular, ~self.angular), self.tolerance, strict=True):
            for start in range(0, e.shape[1], 3):
                if part[start]:
                    ok &= np.linalg.norm(e[:, start : start + 3], axis=1) <= tolerance
        return ok

    def room(self, q: Array) -> tuple[Array, Array]:
        """How far each of `columns` may go down (<= 0) and up (>= 0) until its limit, (B, n) each."""
        columns, iq = self.bounded
        below, above = (np.full((len(q), len(self.columns)), side) for side in (-np.inf, np.inf))
        below[:, columns], above[:, columns] = self.lower[iq] - q[:, iq], self.upper[iq] - q[:, iq]
        return below, above

    def clip(self, q: Array) -> Array:
        return np.clip(q, self.lower, self.upper)

    def moved(self, q: Array, dv: Array) -> Array:
        """The configuration reached by a step (B, n) of the coordinates `columns`, within limits."""
        full = np.zeros((len(q), self.model.nv))
        full[:, self.columns] = dv
        return self.clip(integrate(self.model, q, full))
