"""Rows of constraints from kernels of the tree and NumPy, for robots that are too large for straight code.

The kernels have loops, so that they are compiled once for all robots with the same joint types, and each gives its
results for all bodies at once. What belongs to a constraint is then computed by NumPy, for all samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms
from sixd.errors import ModelError
from sixd.model import Closure
from sixd.robot.evaluator import Evaluated
from sixd.robot.robot import Robot
from sixd.spatial import Matrix, Motion, Transform, Vector

__all__ = ["constraint_bias", "constraint_error", "constraint_jacobian", "constraint_subspaces", "target_of"]

Array = NDArray[Any]


def constraint_error(robot: Robot, q: Array, targets: Array | None) -> Array:
    """`algorithms.constraint_error` of a batch q (..., nq)."""
    poses = robot._code[algorithms.forward_kinematics](q)
    parts = []
    for c in robot.closures:
        found = c.constraint.error(_relative(poses, c), [_position(robot, q, j) for j in c.joints])
        phi = np.broadcast_to(found.array(), (*q.shape[:-1], c.constraint.rows))
        parts.append(phi - target_of(c, targets, 0))
    return np.concatenate(parts, axis=-1)


def constraint_jacobian(robot: Robot, q: Array) -> Array:
    """`algorithms.constraint_jacobian` of a batch q (..., nq).

    In world coordinates the columns of J_b - J_a are the joint axes, with a sign where they belong to the way to a.
    """
    if robot.is_coupled:
        raise ModelError(
            f"{robot.name!r} has mimic joints and more constraints than straight code is made for: load it with "
            "mimic=False, and tie the joints by sixd.Coupling"
        )
    poses, axes = robot._code[algorithms.forward_kinematics](q), robot._code[algorithms.joint_axes](q)
    L = np.zeros((*q.shape[:-1], robot.n_rows, robot.nv))
    for c in robot.closures:
        T = c.constraint.forces(_relative(poses, c)).array()
        to_b = _transform(_pose(poses, c.b, c.X_b)).matrix().array()
        for path, sign in ((c.path_b, 1.0), (c.path_a, -1.0)):
            own = [k for i in path for k in range(robot.nv)[robot.coordinates[i].v]]
            L[..., c.rows, own] = sign * (np.swapaxes(T, -1, -2) @ (to_b @ axes[..., own]))
        for j, G in zip(c.joints, c.constraint.coefficients(), strict=True):
            L[..., c.rows, robot.coordinates[j].v] += G.array()
    return L


def constraint_subspaces(robot: Robot, q: Array) -> Array:
    """`algorithms.constraint_subspaces` of a batch q (..., nq)."""
    poses = robot._code[algorithms.forward_kinematics](q)
    parts = [np.swapaxes(c.constraint.forces(_relative(poses, c)).array(), -1, -2) for c in robot.closures]
    return np.concatenate([np.broadcast_to(T, (*q.shape[:-1], *T.shape[-2:])) for T in parts], axis=-2)


def constraint_bias(robot: Robot, q: Array, qd: Array, targets: Array | None) -> Array:
    """`algorithms.constraint_bias` of a batch q (..., nq), qd (..., nv)."""
    poses = robot._code[algorithms.forward_kinematics](q)
    v, a = robot._code[algorithms.velocities](q, qd), robot._code[algorithms.bias_accelerations](q, qd)
    parts = []
    for c in robot.closures:
        X = _relative(poses, c)
        v_b, a_b = (c.X_b @ Motion.from_array(x[..., c.b, :]) for x in (v, a))
        v_a, a_a = (X @ (c.X_a @ Motion.from_array(x[..., c.a, :])) for x in (v, a))
        rate = a_b - a_a + v_b.cross(v_a)
        T, dT = c.constraint.forces(X), c.constraint.force_rate(X, v_b - v_a)
        rows = np.broadcast_to((T.T @ rate + dT.T @ (v_b - v_a)).array(), (*v.shape[:-2], c.constraint.rows))
        parts.append(target_of(c, targets, 2) - rows)
    return np.concatenate(parts, axis=-1)


def _position(robot: Evaluated, q: Array, j: int) -> Vector:
    """The coordinates of a joint; those of a mimic joint are scaled and shifted."""
    place = robot.coordinates[j]
    return Vector.from_array(place.ratio * q[..., place.q] + place.offset)


def _pose(poses: Array, body: int, X: Transform) -> Array:
    """The pose in the world of a frame at X on a body, from the poses of all bodies."""
    return np.asarray(poses[..., body, :, :] @ X.pose())


def _relative(poses: Array, c: Closure) -> Transform:
    """X_ba of many samples."""
    a, b = (_transform(_pose(poses, *at)) for at in ((c.a, c.X_a), (c.b, c.X_b)))
    return b @ a.inv


def _transform(pose: Array) -> Transform:
    """The transform of a pose that a kernel has computed: it is not checked again."""
    E = Matrix.from_array(np.swapaxes(pose[..., :3, :3], -1, -2))
    return Transform(E, Vector.from_array(pose[..., :3, 3]))


def target_of(c: Closure, targets: Array | None, which: int) -> Array:
    """The position (0), velocity (1) or acceleration (2) that the rows of a constraint are to have."""
    if targets is None or not c.constraint.driven:
        return np.array(c.constraint.held if which == 0 else [0.0] * c.constraint.rows)
    return targets[..., c.targets, which]
