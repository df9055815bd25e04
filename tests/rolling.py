"""A joint that sixd does not have, written only against the contract: a wheel that rolls on the plane z = 0."""

from __future__ import annotations

from sixd.joints import Joint
from sixd.ops import cos, sin
from sixd.spatial import Motion, Motions, Transform, Vector


class Rolling(Joint):
    """q: the angle rolled. The wheel of this radius turns about y and its centre moves along x by radius * q."""

    __slots__ = ()
    name, nq, nv, extent = "rolling", 1, 1, (3.0,)
    constant_subspace = False

    def __init__(self, radius: float = 0.3) -> None:
        self._parameters = (float(radius),)

    def transform(self, q: Vector) -> Transform:
        (radius,) = self._parameters
        return Transform.rotation((0.0, 1.0, 0.0), q[0]) @ Transform.translation((radius * q[0], 0.0, 0.0))

    def subspace(self, q: Vector) -> Motions:
        (radius,) = self._parameters
        return Motions([Motion((0.0, 1.0, 0.0), (radius * cos(q[0]), 0.0, radius * sin(q[0])))])

    def subspace_rate(self, q: Vector, qd: Vector) -> Motions:
        (radius,) = self._parameters
        turn = radius * qd[0]
        return Motions([Motion(Vector.zero(), (-turn * sin(q[0]), 0.0, turn * cos(q[0])))])
