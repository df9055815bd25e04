"""A chain of screws in the letters of PBP95 sections 3 and 4, and how Ad_j^i varies along it.

Links and joints count from 1, as in the paper. A pose f is a `Transform` X_f, so that Ad_f m is X_f^-1 m and a product
f g is X_g @ X_f, as in `sixd.lie.se3`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sixd.errors import ArgumentError, ModelError, OutOfRangeError, ShapeError
from sixd.given import described, whole
from sixd.lie import se3
from sixd.lie.poe import listed
from sixd.model import Model
from sixd.ops import Scalar, cos, sin, unstack
from sixd.process.forks import cached_property
from sixd.spatial import Inertia, Matrix, Motion, Transform, Vector
from sixd.spatial.linear import cross, skew
from sixd.spatial.value import need_kind

__all__ = ["Chain", "coordinates_of"]


@dataclass(frozen=True)
class Chain:
    """Links 1 to n, each on one screw of the link before: f_(i-1,i) = M_i e^(S_i x_i), PBP95 (23).

    The angular part of every screw is a unit vector (revolute, helical) or zero (prismatic). Rotor inertias are no part
    of it.
    """

    #: S_i, in coordinates of link i.
    S: tuple[Motion, ...]
    #: M_i of (23): the pose of link i in link i-1 at home, where all x are zero.
    M: tuple[Transform, ...]
    #: J_i of (21): the inertia of link i, in its coordinates.
    J: tuple[Inertia, ...]
    #: g, the acceleration of free fall in root coordinates: it points down.
    g: Vector

    def __post_init__(self) -> None:
        need_kind(self.g, Vector, "the gravity of a Chain")
        for name, kind in (("S", Motion), ("M", Transform), ("J", Inertia)):
            object.__setattr__(self, name, tuple(listed(getattr(self, name), kind)))
        if not len(self.S) == len(self.M) == len(self.J):
            found = f"{len(self.S)}, {len(self.M)} and {len(self.J)}"
            raise ShapeError(f"a chain has as many screws as home poses and inertias, not {found}")

    @classmethod
    def of(cls, model: Model) -> Chain:
        """The chain of a robot whose bodies carry each other in a row, by joints that move on one screw each."""
        if not isinstance(model, Model):
            raise ArgumentError(f"a Chain is made of a robot (sixd.load(...)), not of {described(model)}")
        if model.constraint_list:
            raise ModelError("a Chain has no constraints: take closed.tree, the robot without them")
        for body, joint in zip(model.body_list[1:], model.joints, strict=True):
            kind, what = joint.type, f"joint {joint.name!r} of robot {model.name!r}"
            if body.parent != joint.index - 1:
                raise ModelError(f"{what} makes a branch; this is for chains: take a part of it by robot.subtree")
            one_screw = kind.nv == kind.nq == 1 and kind.constant_subspace and kind.has_rates
            if not one_screw or joint.mimic is not None:
                raise ModelError(
                    f"{what} is {'a mimic' if joint.mimic else kind.name}; this is for revolute, prismatic and helical "
                    "joints with coordinates of their own: lock it by robot.lock, or use the methods of the robot"
                )
        bodies = model.body_list[1:]
        screws = (joint.type.subspace(Vector.zero(1))[0] for joint in model.joints)
        homes, inertias = (body.placement for body in bodies), (body.inertia for body in bodies)
        return cls(tuple(screws), tuple(homes), tuple(inertias), Vector(model.gravity))

    @property
    def n(self) -> int:
        """The number of links."""
        return len(self.S)

    @cached_property
    def homes(self) -> tuple[Transform, ...]:
        """The pose of each link in the root at home: M_1 M_2 ... M_i. Script Q of (50) has their Ad."""
        found = [Transform.identity()]
        for M in self.M:
            found.append(M @ found[-1])
        return tuple(found[1:])

    @cached_property
    def A(self) -> tuple[Motion, ...]:
        """A_i of (30): the screws at home in root coordinates."""
        return tuple(X.inv @ S for X, S in zip(self.homes, self.S, strict=True))

    @cached_property
    def D(self) -> tuple[Inertia, ...]:
        """D_i of (44): the inertia of each link at home in root coordinates; it makes the inner product (36)."""
        return tuple(X.inv @ J for X, J in zip(self.homes, self.J, strict=True))

    def coordinates(self, x: Any, what: str = "x") -> list[Scalar]:
        """n numbers of any kind, or arrays of samples (..., n)."""
        values = unstack(x)
        if len(values) != self.n:
            raise ShapeError(f"{what} needs {self.n} entries, one for each joint, not {len(values)}")
        return values

    def moved(self, i: int, j: int, x: Any) -> Transform:
        """e^(A_i x_i) ... e^(A_j x_j) as a pose; the identity for i > j."""
        self._need_range(i, j)
        X, x = Transform.identity(), self.coordinates(x)
        for k in range(i, j + 1):
            X = _exponential(self.A[k - 1], x[k - 1]) @ X
        return X

    def frame(self, i: int, x: Any) -> Transform:
        """f_i of (31): the frame at the centre of mass of link i, with the axes of the link, in the root."""
        self._need(i)
        com = Transform.translation(self.J[i - 1].com)
        return com @ self.homes[i - 1] @ self.moved(1, i, x)

    def Ad(self, i: int, j: int, H: Motion, x: Any) -> Motion:
        """Ad_j^i H = e^(-A_j x_j) ... e^(-A_i x_i) H e^(A_i x_i) ... e^(A_j x_j), and H for i > j: (37)."""
        need_kind(H, Motion, "Ad")
        return self.moved(i, j, x) @ H

    def Ad_matrix(self, i: int, j: int, x: Any) -> Matrix:
        """Ad_j^i as a 6x6 matrix: (42)."""
        return self.moved(i, j, x).matrix()

    def inner(self, k: int, a: Motion, b: Motion) -> Scalar:
        """The inner product <a, b>_k of (36), by the inertia of link k."""
        self._need(k)
        need_kind(a, Motion, "an inner product")
        return a.dot(self.D[k - 1] @ b)

    def velocity(self, i: int, x: Any, dx: Any) -> Motion:
        """(w_i, v_i) of (38), with its rates: Ad of it by the inverse of the frame at home is the velocity (33)."""
        self._need(i)
        x, rates, found = self.coordinates(x), self.coordinates(dx, "dx"), Motion.zero()
        for j in range(1, i + 1):
            found = found + self.Ad(j + 1, i, self.A[j - 1], x) * rates[j - 1]
        return found

    def derivative(self, i: int, j: int, k: int, B: Motion, x: Any) -> Motion:
        """d/dx_k Ad_j^i B = Ad_j^k [Ad_(k-1)^i B, A_k] for i <= k <= j, else zero: proposition 1, (53)."""
        self._need_range(i, j)
        self._need(k)
        x = self.coordinates(x)
        if not i <= k <= j:
            return Motion.zero()
        return self.Ad(k, j, se3.ad(self.Ad(i, k - 1, B, x), self.A[k - 1]), x)

    def second_derivative(self, i: int, j: int, k: int, l: int, B: Motion, x: Any) -> Motion:
        """d2/dx_k dx_l Ad_j^i B = Ad_j^k [Ad_(k-1)^l [Ad_(l-1)^i B, A_l], A_k] for i <= l <= k <= j.

        This is proposition 2, (54). For k < l the two change places, and for others it is zero. The paper prints its
        two cases the other way round.
        """
        self._need_range(i, j)
        self._need(k, l)
        l, k = sorted((k, l))
        if not i <= l <= k <= j:
            return Motion.zero()
        return self.derivative(l, j, k, se3.ad(self.Ad(i, l - 1, B, x), self.A[l - 1]), x)

    def _need_range(self, i: int, j: int) -> None:
        """Joints i to j; none for i = j + 1."""
        if whole(i) is None or whole(j) is None or not (1 <= i <= self.n + 1 and 0 <= j <= self.n):
            raise OutOfRangeError(f"joints count from 1 to {self.n}; there are no {described(i)} to {described(j)}")

    def _need(self, *links: int) -> None:
        for i in links:
            if whole(i) is None or not 1 <= i <= self.n:
                raise OutOfRangeError(f"links count from 1 to {self.n}; there is no {described(i)}")


def coordinates_of(chain: Chain, x: Any, what: str = "x") -> list[Scalar]:
    """The coordinates of a chain, if it is one."""
    if not isinstance(chain, Chain):
        raise ArgumentError(f"this is for a Chain (Chain.of(robot)), not for {described(chain)}")
    return chain.coordinates(x, what)


def _exponential(A: Motion, x: Scalar) -> Transform:
    """e^(A x) for a screw whose angular part w is a unit vector or zero: (15)-(17) as printed.

    exp [w] x = 1 + sin x [w] + (1 - cos x) [w]^2, b = (x 1 + (1 - cos x) [w] + (x - sin x) [w]^2) v.
    """
    w, v, s, c = skew(A.ang), A.lin, sin(x), 1.0 - cos(x)
    once = cross(A.ang, v)
    return Transform((Matrix.identity(3) + w * s + w @ w * c).T, v * x + once * c + cross(A.ang, once) * (x - s))
