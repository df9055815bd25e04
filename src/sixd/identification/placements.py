"""Where a frame is, by the placements of the joints that carry it: errors against measurements, and derivatives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.algorithms import pose
from sixd.compiler.compile import compile
from sixd.compiler.derivatives import jacobian
from sixd.compiler.parameters import parameters
from sixd.errors import ModelError, PoseError, ShapeError
from sixd.identification.logs import refuse_degrees
from sixd.lie import se3
from sixd.robot import Robot
from sixd.runtime.batches import as_batch
from sixd.spatial import Motion, Transform, pose_fault

__all__ = ["Placements"]

Array = NDArray[Any]
#: Measured positions that are scattered so many times as much as the robot's reach, or its own positions, are in
#: another unit.
FAR = 10.0
#: Units that lengths may be in by mistake, m.
_LENGTHS = {"mm": 1e-3, "cm": 1e-2, "inches": 0.0254, "km": 1e3}
#: The coordinates of a small displacement, in the order of a motion vector.
DIRECTIONS = ("rx", "ry", "rz", "x", "y", "z")


class Placements:
    """The errors of a frame at some positions q, and their derivatives by small displacements of placements."""

    def __init__(
        self, robot: Robot, frame: str, q: ArrayLike, measured: ArrayLike, joints: Any, tool: bool, noise: Any
    ) -> None:
        self.robot, self.frame, self.tool = robot, robot.frame(frame), tool
        on_way = [i for i in robot.path(self.frame.body) if i]
        if not on_way:
            raise ModelError(f"frame {frame!r} is on the base: no joint carries it")
        names = (
            [joint.name for i in on_way[::-1] if (joint := robot.body_list[i].joint)]
            if joints is None
            else given.words(joints, "joints")
        )
        self.bodies = [robot.joint(name).index for name in names]
        for name, i in zip(names, self.bodies, strict=True):
            if i not in on_way:
                raise ModelError(f"joint {name!r} does not carry frame {frame!r}: its placement has no effect on it")
        places = [*names, *([frame] if tool else [])]
        if not places:
            raise ModelError("there is nothing to correct: name joints, or let the frame be corrected with tool=True")
        self.names = tuple(f"{place}.{direction}" for place in places for direction in DIRECTIONS)
        self.q = as_batch("q", q, (robot.nq,), "nq of this robot").astype(float)
        if self.q.ndim != 2:
            raise ShapeError(f"q has shape {self.q.shape}, but (samples, {robot.nq}) is needed")
        self.measured, self.poses = _measured(measured, len(self.q))
        angle, distance = given.finite(noise, "noise", 2)
        if min(angle, distance) <= 0.0:
            raise ModelError(f"noise must be two positive standard deviations, not {noise}")
        self.weights = np.array([1.0 / angle] * 3 + [1.0 / distance] * 3)[0 if self.poses else 3 :]
        rows = len(self.q) * len(self.weights)
        if rows < len(self.names):
            raise ShapeError(
                f"too few measurements: {rows} numbers for {len(self.names)} corrections; measure at more q"
            )
        refuse_degrees(robot, self.q, "calibration")
        body = robot.body_list[self.frame.body].name
        self.pose = compile(pose, robot, frame=body, parameters="placement")
        self.by_placement = compile(jacobian(pose, "placement"), robot, frame=body, parameters="placement")
        self._need_metres()

    def _need_metres(self) -> None:
        """Raise if the measured positions are scattered much more than the robot reaches, or much less than its own."""
        offset = np.asarray(self.frame.offset.pose(), dtype=float)
        own = (self.pose(self.q, parameters(self.robot, "placement")) @ offset)[:, :3, 3]
        found = self.measured[:, :3, 3] if self.poses else self.measured
        scatter, extent = (float(np.linalg.norm(x - x.mean(axis=0), axis=1).max()) for x in (own, found))
        links = [self.robot.body_list[i].placement for i in self.robot.path(self.frame.body) if i]
        reach = max(scatter, sum(float(np.linalg.norm(X.r.array())) for X in (*links, self.frame.offset)))
        if scatter / FAR <= extent <= FAR * reach:
            return
        unit = next((unit for unit, size in _LENGTHS.items() if 0.5 * scatter < size * extent < 2.0 * scatter), "")
        raise ModelError(
            f"measured: the positions are up to {extent:.4g} m from their mean, those of frame {self.frame.name!r} at "
            f"the same q up to {scatter:.4g} m, and the robot reaches {reach:.4g} m: "
            + (f"are they in {unit}?" if unit else "are they in m, and of this frame?")
        )

    def errors(self, placements: Array, offset: Array) -> tuple[Array, Array]:
        """The weighted errors, and the derivative of what would reduce them by displacements of the placements.

        The error of a pose T is log(T^-1 T_measured), that of a position its difference, in coordinates of the frame.
        """
        T = self.pose(self.q, placements) @ offset
        inverse = np.linalg.inv(T)
        by_entries = self.by_placement(self.q, placements)[..., [i - 1 for i in self.bodies], :, :]
        # Placement M becomes M exp(x); the derivative by direction k is M E_k. Axes: sample, row, column, joint, k.
        moved = np.einsum("jab,kbc->jkac", placements[[i - 1 for i in self.bodies]], _GENERATORS)
        by_joint = np.einsum("nrcjab,jkab->njkrc", by_entries, moved)
        J = _twist(inverse[:, None, None] @ by_joint @ offset).reshape(len(T), -1, 6)
        if self.tool:
            J = np.concatenate([J, np.broadcast_to(np.eye(6), (len(T), 6, 6))], axis=1)
        J = np.swapaxes(J, 1, 2)  # sample, component of the twist, parameter
        if self.poses:
            left = se3.log(Transform.from_pose(inverse @ self.measured))
            e, J = left.array(), np.asarray(se3.left_jacobian_inverse(left).array()) @ J
        else:
            e = np.einsum("nij,nj->ni", inverse[:, :3, :3], self.measured - T[:, :3, 3])
            turned = np.einsum("nik,nkp->nip", _skew(e), J[:, :3])  # the frame turns too, in which e is measured
            J = J[:, 3:] - turned
        return (e * self.weights).ravel(), (J * self.weights[:, None]).reshape(-1, J.shape[-1])

    def moved(self, placements: Array, offset: Array, step: Array) -> tuple[Array, Array]:
        """The placements after small displacements."""
        by_place, changed = step.reshape(-1, 6), placements.copy()
        for i, x in zip(self.bodies, by_place, strict=False):
            changed[i - 1] = placements[i - 1] @ _exp(x)
        return changed, offset @ _exp(by_place[-1]) if self.tool else offset

    def robot_with(self, placements: Array, offset: Array) -> Robot:
        """The robot with these placements, and the frame at this offset on its body."""
        bodies = list(self.robot.body_list)
        for i in self.bodies:
            bodies[i] = replace(bodies[i], placement=Transform.from_pose(placements[i - 1]))
        placed = replace(self.frame, offset=Transform.from_pose(offset))
        frames = tuple(placed if f.name == self.frame.name else f for f in self.robot.frame_list)
        return replace(self.robot, body_list=tuple(bodies), frame_list=frames)

    def rms(self, e: Array) -> tuple[float, float]:
        """The root mean square of the errors in rotation and in position."""
        each = e.reshape(len(self.q), -1) / self.weights
        parts = (each[:, :3] if self.poses else np.full((1, 3), np.nan), each[:, -3:])
        angle, distance = (float(np.sqrt(np.mean(np.sum(part**2, axis=1)))) for part in parts)
        return angle, distance


def _measured(measured: ArrayLike, samples: int) -> tuple[Array, bool]:
    """Measured poses (samples, 4, 4) or positions (samples, 3); and whether they are poses."""
    array = as_batch("measured", measured, ()).astype(float)
    if array.shape not in ((samples, 4, 4), (samples, 3)):
        raise ShapeError(
            f"measured has shape {array.shape}, but ({samples}, 4, 4), poses, or ({samples}, 3), positions, is needed: "
            "one for each q"
        )
    if not np.isfinite(array).all():
        raise ModelError("measured: some numbers are not finite; leave such samples out, in q as well")
    fault = pose_fault(array, 1e-6) if array.ndim == 3 else ""
    if fault:
        raise PoseError(f"measured: {fault}")
    return array, array.ndim == 3


def _generators() -> Array:
    """The 4x4 matrices of the unit motions, (6, 4, 4)."""
    found = np.zeros((6, 4, 4))
    found[:3, :3, :3] = _skew(np.eye(3))
    found[range(3, 6), range(3), 3] = 1.0
    return found


def _skew(x: Array) -> Array:
    """The matrices of the vector product, (..., 3, 3)."""
    return np.cross(x[..., None, :], np.eye(3), axis=-1).swapaxes(-1, -2)


def _twist(m: Array) -> Array:
    """The motion vector of a 4x4 matrix T^-1 dT, (..., 6)."""
    return np.stack([m[..., 2, 1], m[..., 0, 2], m[..., 1, 0], *(m[..., k, 3] for k in range(3))], axis=-1)


def _exp(x: Array) -> Array:
    """The displacement by a motion vector, as a pose (4, 4)."""
    return np.asarray(se3.exp(Motion.from_array(x)).pose(), dtype=float)


_GENERATORS = _generators()
