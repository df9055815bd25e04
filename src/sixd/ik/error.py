"""What separates a frame from its target, and how that changes as the joints move: for one state and any number."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import BodyNumber, Position, offset_on
from sixd.algorithms.kinematics import pose
from sixd.ik.plan import GoalFrame, plan_of
from sixd.lie import se3, so3
from sixd.model import Model
from sixd.model.tree import ColumnsOutput, Tree
from sixd.ops import unstack
from sixd.spatial import Matrix, Motion, Transform, Vector

__all__ = ["error", "error_and_slope", "errors_and_slopes", "pose_and_jacobian", "slope"]


@algorithm
def pose_and_jacobian(
    tree: Tree, q: Position, body: BodyNumber, offset: Annotated[Transform, offset_on("body")]
) -> tuple[Transform, ColumnsOutput]:
    """X_F0, from world to frame coordinates, and J in frame coordinates, v_F = J qd: F10b (14), (21) in one walk."""
    J = tree.motions_output()
    X = tree.cell(offset)
    for i, _ in tree.path(body):
        joint = tree.joint(i)
        J[i] = X.now @ joint.subspace(q[i])
        X.now = X.now @ (joint.transform(q[i]) @ tree.placement(i))
    return X.now, J


def error(model: Model, q: Any, target: Any, place: GoalFrame) -> Any:
    """The error e, an array (..., 6) or (..., 3), of a frame at q (..., nq).

    ``target`` (..., 12) is the attitude of the target in the world, row by row, and its position. pose: e = log of
    X_dF, the constant velocity (angular, linear) that leads from the frame F to the target d in unit time, in
    coordinates of either (F10b (15) has its small-angle form). orientation: the same on SO(3). position: e = r_d - r_F
    in world axes.
    """
    return _gap(pose(model, q, place.body, place.offset), target, place)


def slope(model: Model, q: Any, e: Any, place: GoalFrame) -> Any:
    """A = -de/dqd, an array (..., rows, nv), so that to first order a step with A dq = e ends at the target.

    Moving F by the body velocity v changes e = log of X_dF by de = -J_l(e)^-1 v.
    """
    X_F0, J = pose_and_jacobian(model, q, place.body, place.offset)
    return _rate(X_F0, J, e, place)


def error_and_slope(model: Model, q: Any, target: Any, place: GoalFrame) -> tuple[Any, Any]:
    """`error` and `slope` in one walk."""
    X_F0, J = pose_and_jacobian(model, q, place.body, place.offset)
    e = _gap(X_F0, target, place)
    return e, _rate(X_F0, J, e, place)


def errors_and_slopes(model: Model, q: Any, target: Any, places: tuple[GoalFrame, ...]) -> Any:
    """The errors of all goals, then their slopes by the joints that move each of them, row by row: (..., numbers).

    ``target`` (..., 12 goals) has the targets one after the other; `Plan.entries` says where the slopes belong.
    """
    plan = plan_of(model, places)
    parts = [error_and_slope(model, q, target[..., 12 * k : 12 * k + 12], place) for k, place in enumerate(plan.places)]
    slopes = [A[..., plan.columns[own]] for (_, A), own in zip(parts, plan.own_columns, strict=True)]
    flat = [*(e for e, _ in parts), *(A.reshape(*A.shape[:-2], -1) for A in slopes)]
    lead = np.broadcast_shapes(*(part.shape[:-1] for part in flat))
    return np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in flat], axis=-1)


def _gap(X_F0: Transform, target: Any, place: GoalFrame) -> Any:
    numbers = unstack(target)
    r_d = Vector(numbers[9:])
    if place.kind == "position":
        return (r_d - X_F0.r).array()
    X_dF = Transform(Matrix.from_components(numbers[:9], 3).T, r_d) @ X_F0.inverse()
    return so3.log(X_dF.E.T).array() if place.kind == "orientation" else se3.log(X_dF).array()


def _rate(X_F0: Transform, J: Any, e: Any, place: GoalFrame) -> Any:
    if place.kind == "position":
        return X_F0.E.T.array() @ J[..., 3:, :]
    if place.kind == "orientation":
        return so3.left_jacobian_inverse(e).array() @ J[..., :3, :]
    return se3.left_jacobian_inverse(Motion.from_components(unstack(e))).array() @ J
