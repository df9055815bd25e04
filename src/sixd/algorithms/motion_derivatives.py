"""Derivatives of the velocity and acceleration of a frame, and of its Jacobian.

If coordinate k of joint j moves, the frame moves by the column s of its Jacobian. Seen from a frame that moves along,
its velocity changes by psi1 and its acceleration by psi2 - v x psi1 (`inverse_dynamics_derivatives`). The coordinates
in which they are expressed move by e: with the frame ("body": e = s), not at all ("world": e = 0), or with its origin
("aligned"). So the components of a vector x change by (s - e) x x in addition.
"""

from __future__ import annotations

from typing import NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import Acceleration, BodyNumber, FrameOffset, Position, Velocity
from sixd.algorithms.inverse_dynamics_derivatives import psi
from sixd.algorithms.kinematics import along_path, body_motion, expression
from sixd.joints.contract import units
from sixd.model.joint_view import Coordinates
from sixd.model.tree import ColumnsOutput, MatrixOutput, Tree
from sixd.spatial import Motion, Motions, Transform, Vector

__all__ = ["MotionDerivatives", "jacobian_derivative", "motion_derivatives"]


class MotionDerivatives(NamedTuple):
    """Derivatives of the spatial velocity and acceleration of a frame, 6 x nv each.

    The velocity's by qd and the acceleration's by qdd are the Jacobian.
    """

    velocity_dq: ColumnsOutput
    acceleration_dq: ColumnsOutput
    acceleration_dqd: ColumnsOutput


@algorithm
def motion_derivatives(
    tree: Tree,
    q: Position,
    qd: Velocity,
    qdd: Acceleration,
    body: BodyNumber,
    offset: FrameOffset = None,
    expressed_in: str = "body",
) -> MotionDerivatives:
    """Derivatives of `velocity` and `acceleration`, for frame F at ``offset`` on ``body``, along the path to it.

    q varies in the tangent space, as in `rnea_derivatives`.
    """
    dv, da, da_dqd = tree.motions_output(), tree.motions_output(), tree.motions_output()
    offset = offset or Transform.identity()
    X, v, a = body_motion(tree, q, qd, qdd, to=body)
    Y = expression(along_path(tree, X, body, offset), expressed_in)
    v_F, a_F = Y @ (offset @ v[body]), Y @ (offset @ a[body])
    Z = tree.cell(Y @ offset)
    for i, p in tree.path(body):
        joint = tree.joint(i)
        psi1, psi2, psi3 = (Z.now @ x for x in psi(joint, q[i], qd[i], qdd[i], X[i] @ v[p], X[i] @ a[p]))
        s = Z.now @ joint.subspace(q[i])
        turn = s - _moves(s, expressed_in)
        dv[i] = psi1 - v_F.cross(turn)
        da[i] = psi2 - v_F.cross(psi1) - a_F.cross(turn)
        da_dqd[i] = psi3 - v_F.cross(s)
        Z.now = Z.now @ X[i]
    return MotionDerivatives(dv, da, da_dqd)


def _moves(s: Motions, expressed_in: str) -> Motions:
    """How the coordinates move in which vectors of a frame are expressed, if the frame itself moves by s."""
    if expressed_in == "body":
        return s
    if expressed_in == "world":
        return Motions([Motion.zero()] * len(s))
    return Motions(Motion(Vector.zero(), m.lin) for m in s)


@algorithm(rolled=False)
def jacobian_derivative(
    tree: Tree, q: Position, body: BodyNumber, offset: FrameOffset = None, expressed_in: str = "body"
) -> list[MatrixOutput]:
    """d J / dq of `jacobian`: for each row of J a matrix nv x nv, whose entry [j, k] is that of column j by q_k.

    The axis s_j moves with coordinate k if k is between the base and it: by s_k x s_j, and by dS/dq_k if both belong to
    one joint. The coordinates in which it is expressed move by e_k.
    """
    offset = offset or Transform.identity()
    link, _, _ = body_motion(tree, q, None, to=body)
    Y = expression(along_path(tree, link, body, offset), expressed_in)
    Z, model = Y @ offset, tree.model
    found = [[Motion.zero()] * model.nv for _ in range(model.nv)]  # dJ / dq_k for each k, by its columns
    beyond: list[tuple[int, Motions]] = []  # the joints between this one and the frame, and their axes
    for i, _ in tree.path(body):
        joint, own = tree.joint(i), model.coordinates[i]
        s = Z @ joint.subspace(q[i])
        e = _moves(s, expressed_in)
        for k, unit in enumerate(units(joint.nv)):
            columns = found[own.v.start + k]
            _add(columns, own, own.ratio, (s[k] - e[k]).cross(s) + Z @ joint.subspace_rate(q[i], unit))
            for j, s_j in beyond:
                _add(columns, model.coordinates[j], own.ratio, (s[k] - e[k]).cross(s_j))
        for j, s_j in beyond:  # axes before a joint do not move with it, but the coordinates may
            at = model.coordinates[j]
            for k, e_j in enumerate(_moves(s_j, expressed_in)):
                _add(found[at.v.start + k], own, at.ratio, -e_j.cross(s))
        beyond.append((i, s))
        Z = Z @ link[i]
    by_row = [tree.matrix_output() for _ in range(6)]
    for k, columns in enumerate(found):
        for j, column in enumerate(columns):
            for matrix, x in zip(by_row, column.components(), strict=True):
                matrix.rows[j][k] = x
    return by_row


def _add(columns: list[Motion], at: Coordinates, ratio: float, block: Motions) -> None:
    """Add a block to the columns of a joint; joints that mimic others share columns."""
    for k, motion in enumerate(block, start=at.v.start):
        columns[k] = columns[k] + motion * (ratio * at.ratio)
