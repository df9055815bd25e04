"""The Jacobian of a frame, its rate, and what it maps."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import BodyNumber, FrameForce, FrameOffset, Position, Velocity, offset_on
from sixd.algorithms.kinematics import acceleration, along_path, body_motion, expression, pose
from sixd.model.tree import ColumnsOutput, Output, Slots, Tree
from sixd.spatial import Force, Motion, Transform, Vector

__all__ = [
    "GraspConstraint",
    "external_force",
    "force_in_frame",
    "frame_forces",
    "grasp_constraint",
    "jacobian",
    "jacobian_rate",
    "joint_axes",
]


@algorithm
def jacobian(
    tree: Tree, q: Position, body: BodyNumber, offset: FrameOffset = None, expressed_in: str = "body"
) -> ColumnsOutput:
    """J with v_F = J qd, 6 x nv, for frame F at ``offset`` on ``body``: F10b (17)-(25).

    Column i is S_i seen from the expression frame if joint i is on the way to the body, else zero (F10b (20), (21)).
    """
    J = tree.motions_output()
    offset = offset or Transform.identity()
    X = tree.cell(expression(pose(tree, q, body, offset), expressed_in) @ offset)
    for i, _ in tree.path(body):
        joint = tree.joint(i)
        J[i] = X.now @ joint.subspace(q[i])
        X.now = X.now @ (joint.transform(q[i]) @ tree.placement(i))
    return J


@algorithm
def joint_axes(tree: Tree, q: Position) -> ColumnsOutput:
    """S of all joints in world coordinates, 6 x nv: F10b (20). J of a body in "world" has those that carry it."""
    X, S = tree.slots(Transform, base=Transform.identity()), tree.motions_output()
    for i, p in tree.outward():
        joint = tree.joint(i)
        X[i] = joint.transform(q[i]) @ tree.placement(i) @ X[p]
        S[i] = X[i].inv @ joint.subspace(q[i])
    return S


@algorithm
def jacobian_rate(
    tree: Tree, q: Position, qd: Velocity, body: BodyNumber, offset: FrameOffset = None, expressed_in: str = "body"
) -> ColumnsOutput:
    """dJ/dt, 6 x nv: the entries of J differentiated, as F10b (32) needs them.

    Column i is (v_i - v_E) x s_i + (dS_i/dt), where v_E is the velocity of the expression frame: that of F for "body",
    zero for "world", that of F's origin alone for "aligned" (from F10a (15)). So (dJ/dt) qd is the bias acceleration in
    "body" and "world"; in "aligned" it is the conventional one.
    """
    Jd = tree.motions_output()
    offset = offset or Transform.identity()
    link, v, _ = body_motion(tree, q, qd, to=body)
    Y = expression(along_path(tree, link, body, offset), expressed_in)
    v_F = Y @ (offset @ v[body])
    v_E = {"body": v_F, "world": Motion.zero(), "aligned": Motion(Vector.zero(), v_F.lin)}[expressed_in]
    X = tree.cell(Y @ offset)
    for i, _ in tree.path(body):
        joint = tree.joint(i)
        s = X.now @ joint.subspace(q[i])
        Jd[i] = (X.now @ v[i] - v_E).cross(s) + X.now @ joint.subspace_rate(q[i], qd[i])
        X.now = X.now @ link[i]
    return Jd


@algorithm
def force_in_frame(
    tree: Tree, q: Position, force: FrameForce, body: BodyNumber, offset: FrameOffset = None, expressed_in: str = "body"
) -> Force:
    """A force on a frame in that frame's own coordinates: X f^x of FDSV (15), for a force in world coordinates.

    ``force`` is a `Force`, or its six numbers, expressed as in `velocity`.
    """
    return expression(pose(tree, q, body, offset), expressed_in).inv @ force


@algorithm
def external_force(
    tree: Tree, q: Position, force: FrameForce, body: BodyNumber, offset: FrameOffset = None, expressed_in: str = "body"
) -> Slots[Force]:
    """A force on a frame as external forces by body, each in its body's coordinates: zero but for the body that has it.

    Without the base, which comes first, it is the ``f_ext`` of `rnea`, `aba` and others. ``force`` is a `Force`, or its
    six numbers, expressed as in `velocity`: X f^x of FDSV (15), for a force in world coordinates.
    """
    f = tree.slots(Force, base=Force.zero())
    for i, _ in tree.outward():
        f[i] = Force.zero()
    offset = offset or Transform.identity()
    f[body] = offset.inv @ force_in_frame(tree, q, force, body, offset, expressed_in)
    return f


@algorithm
def frame_forces(
    tree: Tree, q: Position, force: FrameForce, body: BodyNumber, offset: FrameOffset = None, expressed_in: str = "body"
) -> Output:
    """tau = J^T f, the joint forces that a force on a frame is equivalent to: F10b (27).

    ``force`` is a `Force`, or its six numbers.
    """
    tau = tree.output()
    offset = offset or Transform.identity()
    f = tree.cell(offset.inv @ force_in_frame(tree, q, force, body, offset, expressed_in))
    for i, _ in tree.path(body):
        joint = tree.joint(i)
        tau[i] = joint.subspace(q[i]).T @ f.now
        f.now = (joint.transform(q[i]) @ tree.placement(i)).inv @ f.now
    return tau


class GraspConstraint(NamedTuple):
    """What a rigid grasp demands of the joint accelerations: A qdd = b, F10b (34)."""

    A: ColumnsOutput
    b: Motion


@algorithm(rolled=False)
def grasp_constraint(
    tree: Tree,
    q: Position,
    qd: Velocity,
    left: BodyNumber,
    right: BodyNumber,
    left_offset: Annotated[Transform | None, offset_on("left")] = None,
    right_offset: Annotated[Transform | None, offset_on("right")] = None,
) -> GraspConstraint:
    """What a rigid object held by two hands demands of the joint accelerations: A qdd = b, F10b (34).

    A = J_l - J_r (6 x nv) and b = a_r^vp - a_l^vp, all in world coordinates, where it does not matter which points of
    the hands are meant.
    """
    hands = (left, left_offset), (right, right_offset)
    Jl, Jr = (jacobian(tree, q, *hand, "world").columns for hand in hands)
    al, ar = (acceleration(tree, q, qd, None, *hand, "world") for hand in hands)
    A = tree.motions_output()
    A.columns = [a - b for a, b in zip(Jl, Jr, strict=True)]
    return GraspConstraint(A, ar - al)
