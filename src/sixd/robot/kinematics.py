"""Where the frames of a robot are, and how they move."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.compiler.compile import LARGE
from sixd.process.forks import cached_property
from sixd.robot.evaluator import Evaluated, fill
from sixd.spatial import Transform

__all__ = ["KinematicsMethods"]

Array = NDArray[Any]
#: The key of the method that computes the poses of all frames in unrolled code.
_POSES = algorithms.frame_poses, "direct"


class KinematicsMethods(Evaluated):
    """Methods of a robot about its frames."""

    def pose(self, q: ArrayLike, frame: str, *, out: Array | None = None) -> Array:
        """The pose of a frame in the world, homogeneous matrices (..., 4, 4)."""
        return self._at(algorithms.pose, frame)(q, out=out)

    def poses(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """The poses of all frames in the world, (..., n_frames, 4, 4), in the order of `frames`.

        For robots that are too large for unrolled code, they are the poses of the bodies times those on the bodies.
        """
        direct = self._code.get(_POSES) or self._direct(algorithms.frame_poses, LARGE, frames=self._frame_places)
        if direct is not None:
            return direct(q, out=out)
        bodies = self._code[algorithms.forward_kinematics](q)
        offsets = self._frame_offsets.astype(bodies.dtype, copy=False)
        poses = np.matmul(bodies[..., [f.body for f in self.frame_list], :, :], offsets)
        return poses if out is None else fill(out, poses)

    def velocity(
        self, q: ArrayLike, qd: ArrayLike, frame: str, expressed_in: str = "body", *, out: Array | None = None
    ) -> Array:
        """The spatial velocity of a frame, (..., 6), angular first.

        ``expressed_in``: "body" (the frame's own coordinates), "world" (the world's, at its origin) or "aligned" (the
        world's axes at the frame's origin: there the linear part is the velocity of that point, F10b (26)).
        """
        return self._at(algorithms.velocity, frame, expressed_in)(q, qd, out=out)

    def acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str,
        expressed_in: str = "body",
        conventional: bool = False,
        *,
        out: Array | None = None,
    ) -> Array:
        """The spatial acceleration of a frame, (..., 6), without gravity; expressed as in `velocity`.

        With ``conventional`` the linear part is the acceleration of the frame's origin, the second derivative of its
        position (F10a (22)), in "body" or "aligned" axes. An accelerometer there measures it minus gravity.
        """
        return self._at(algorithms.acceleration, frame, expressed_in, conventional)(q, qd, qdd, out=out)

    def bias_acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str,
        expressed_in: str = "body",
        conventional: bool = False,
        *,
        out: Array | None = None,
    ) -> Array:
        """The part of a frame's acceleration that is due to velocities, (..., 6): a = J qdd + bias, F10b (33).

        It is spatial by default; ``conventional`` as in `acceleration`.
        """
        method = self._at(algorithms.acceleration, frame, expressed_in, conventional, without="qdd")
        return method(q, qd, out=out)

    def jacobian(self, q: ArrayLike, frame: str, expressed_in: str = "body", *, out: Array | None = None) -> Array:
        """J with velocity(q, qd, frame) = J qd, (..., 6, nv): F10b (17)-(25)."""
        return self._at(algorithms.jacobian, frame, expressed_in)(q, out=out)

    def jacobian_rate(
        self, q: ArrayLike, qd: ArrayLike, frame: str, expressed_in: str = "body", *, out: Array | None = None
    ) -> Array:
        """dJ/dt, (..., 6, nv).

        (dJ/dt) qd is `bias_acceleration`, in "aligned" the conventional one.
        """
        return self._at(algorithms.jacobian_rate, frame, expressed_in)(q, qd, out=out)

    def frame_forces(
        self, q: ArrayLike, frame: str, force: ArrayLike, expressed_in: str = "body", *, out: Array | None = None
    ) -> Array:
        """tau = J^T f, (..., nv): the joint forces equivalent to a force (..., 6) on a frame, F10b (27)."""
        return self._at(algorithms.frame_forces, frame, expressed_in)(q, force, out=out)

    def grasp_constraint(self, q: ArrayLike, qd: ArrayLike, left: str, right: str) -> tuple[Array, Array]:
        """A (..., 6, nv) and b (..., 6) with A qdd = b while two frames hold one rigid object, F10b (34)."""
        key = algorithms.grasp_constraint, left, right
        method = self._code.find(key)
        if method is None:
            hands = {"left": self._place(left), "right": self._place(right)}
            bodies = {side: place["body"] for side, place in hands.items()}
            offsets = {f"{side}_offset": place["offset"] for side, place in hands.items()}
            method = self._code.add(key, algorithms.grasp_constraint, {**bodies, **offsets})
        A, b = method(q, qd)
        return A, b

    @property
    def _frame_places(self) -> tuple[tuple[int, Transform], ...]:
        """The body of each frame, and the transform from body to frame coordinates."""
        return tuple((frame.body, frame.offset) for frame in self.frame_list)

    @cached_property
    def _frame_offsets(self) -> Array:
        """The pose of each frame on its body."""
        return np.array([frame.offset.pose() for frame in self.frame_list], dtype=float).reshape(-1, 4, 4)
