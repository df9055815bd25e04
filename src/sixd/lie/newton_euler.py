"""The recursive Newton-Euler algorithm of PBP95 in the operators of SE(3), for a chain of screws.

Poses are `Transform`: f_(i-1,i), the pose of link i in link i-1, is X_i,i-1, and a product f g is X_g @ X_f, as in
`sixd.lie.se3`. The paper prints Ad and Ad* of f in (24)-(26), where its appendix derives those of the inverse in (70),
(73), (80): these are used here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sixd.errors import ShapeError
from sixd.lie import se3
from sixd.lie.poe import listed
from sixd.ops import Scalar, unstack
from sixd.spatial.force import Force
from sixd.spatial.inertia import Inertia
from sixd.spatial.linear import Vector
from sixd.spatial.motion import Motion
from sixd.spatial.transform import Transform
from sixd.spatial.value import need_kind

__all__ = ["NewtonEuler", "newton_euler"]


class NewtonEuler(NamedTuple):
    """For each link, in its own coordinates: velocity, its derivative, the force from the link before; and tau."""

    V: tuple[Motion, ...]
    dV: tuple[Motion, ...]
    F: tuple[Force, ...]
    tau: Vector


def newton_euler(
    screws: Iterable[Motion],
    homes: Iterable[Transform],
    inertias: Iterable[Inertia],
    x: Iterable[Scalar],
    dx: Iterable[Scalar],
    ddx: Iterable[Scalar],
    acceleration: Motion | None = None,
) -> NewtonEuler:
    """V_i, dV_i, F_i and tau of a chain with f_(i-1,i) = M_i e^(S_i x_i): PBP95 (22)-(27).

    Screw S_i and inertia J_i are in coordinates of link i, home M_i is the pose of link i in link i-1 at x_i = 0. The
    base accelerates with ``acceleration``, default none, (22); -a_g makes gravity.
    """
    S, M, J = listed(screws, Motion), listed(homes, Transform), listed(inertias, Inertia)
    if acceleration is not None:
        need_kind(acceleration, Motion, "the acceleration of the base")
    x, dx, ddx = (unstack(numbers) for numbers in (x, dx, ddx))
    if {len(part) for part in (M, J, x, dx, ddx)} != {len(S)}:
        found = ", ".join(str(len(part)) for part in (M, J, x, dx, ddx))
        raise ShapeError(f"a chain of {len(S)} screws needs as many homes, inertias, x, dx and ddx, found {found}")
    f = [se3.exp(s * at) @ m for s, at, m in zip(S, x, M, strict=True)]  # (23)
    V, dV = [Motion.zero()], [acceleration or Motion.zero()]  # (22)
    for i, back in enumerate(step.inverse() for step in f):
        carried = se3.Ad(back, V[-1])
        V.append(carried + S[i] * dx[i])  # (24), (70)
        dV.append(S[i] * ddx[i] + se3.Ad(back, dV[-1]) + se3.ad(carried, S[i] * dx[i]))  # (25), (73)
    F = [Force.zero()]
    for i in reversed(range(len(S))):
        beyond = se3.Ad_dual(f[i + 1].inverse(), F[-1]) if i + 1 < len(S) else Force.zero()
        F.append(beyond + J[i] @ dV[i + 1] - se3.ad_dual(V[i + 1], J[i] @ V[i + 1]))  # (26)
    forces = tuple(reversed(F[1:]))
    tau = Vector(s.dot(force) for s, force in zip(S, forces, strict=True))  # (27)
    return NewtonEuler(tuple(V[1:]), tuple(dV[1:]), forces, tau)
