"""The articulated-body algorithm as Brandl, Johanni and Otter made it fast in 1986, in 3-D vectors."""

from __future__ import annotations

from dataclasses import dataclass

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import JointForces, Position, Velocity
from sixd.historical.axial import ZXZ, Blocks, Turn, split
from sixd.historical.formulation import Computes, Takes, register
from sixd.historical.links import need
from sixd.joints import Joint
from sixd.model.tree import BodyIndex, Output, Tree
from sixd.ops import Scalar, cos, divide, sin
from sixd.spatial import Matrix, Vector
from sixd.spatial.linear import UPPER, congruence, cross, outer, skew, symmetric

__all__ = ["brandl_johanni_otter"]


@dataclass(frozen=True)
class _Link:
    """A link in coordinates whose z axis is the joint's. The screw of the joint is (u, s) along it."""

    i: int
    p: int
    u: Scalar
    s: Scalar
    #: From the link before, and the joint's own turn with the last turn of that.
    fixed: ZXZ
    joint: Turn
    #: The second move, along z: the fixed part and the joint's.
    along: Scalar

    def rotated(self, v: Vector) -> Vector:
        """A vector of the link before, in coordinates of this one."""
        return self.joint.of(self.fixed.second.of(self.fixed.first.of(v)))

    @property
    def r(self) -> Vector:
        """Where this link's origin is, in coordinates of the link before turned by the first turn."""
        return self.fixed.move + self.fixed.second.back(Vector((0.0, 0.0, self.along)))

    def moved(self, dw: Vector, a: Vector) -> tuple[Vector, Vector]:
        """The accelerations at this link's origin, in its coordinates, if it were fixed in the link before."""
        fixed = self.fixed
        dw, a = fixed.first.of(dw), fixed.first.of(a)
        a = a + cross(dw, fixed.move)
        dw, a = fixed.second.of(dw), fixed.second.of(a)
        a = a + cross(dw, Vector((0.0, 0.0, self.along)))
        return self.joint.of(dw), self.joint.of(a)

    def back(self, b: Blocks) -> Blocks:
        """An inertia and a force of this link, as the link before feels them."""
        fixed = self.fixed
        b = self.joint.back_blocks(b).shifted(Vector((0.0, 0.0, self.along)))
        b = fixed.second.back_blocks(b).shifted(fixed.move)
        return fixed.first.back_blocks(b)


@algorithm(rolled=False)
def brandl_johanni_otter(tree: Tree, q: Position, qd: Velocity, tau: JointForces) -> Output:
    """qdd = FD(q, qd, tau) by articulated bodies in 3-D vectors, O(N).

    Brandl, Johanni and Otter, 1986: Featherstone's algorithm with about a fifth fewer operations. Three things save
    them. Each link has coordinates whose z axis is its joint's, so that products with the axis pick an entry, and the
    row of the axis drops out of the inertia that is handed on. The way to the link before is taken in turns about z and
    x, for to turn a 3x3 matrix in a plane takes half the multiplications of a general turn. And with accelerations of
    origins instead of spatial ones, no linear velocities are needed. Here the moves are taken in such steps too, as
    McMillan and Orin did in 1995 with their successive axial screws (`sixd.historical.axial`).
    """
    need(tree.model, Takes.SCREWS, "brandl_johanni_otter")
    axes = {0: Matrix.identity()}
    w, links, own, bias = {0: Vector.zero()}, list[_Link](), dict[int, Blocks](), dict[int, tuple[Vector, Vector]]()
    for i, p in tree.outward():
        link = _link(tree, i, p, axes, q[i][0])
        carried, rate = link.rotated(w[p]), qd[i][0]
        w[i] = carried + Vector((0.0, 0.0, link.u * rate))
        swing = link.fixed.first.of(w[p])
        centripetal = cross(swing, cross(swing, link.r))
        spin, slide = Vector((0.0, 0.0, link.u * rate)), Vector((0.0, 0.0, link.s * (2.0 * rate)))
        bias[i] = cross(carried, spin), link.joint.of(link.fixed.second.of(centripetal)) + cross(carried, slide)
        own[i] = _moving(tree, i, axes[i], w[i])
        links.append(link)
    whole = own | {0: Blocks(Matrix.zero(), Matrix.zero(), Matrix.zero(), Vector.zero(), Vector.zero())}
    pivots = dict[int, tuple[Vector, Vector, Scalar, Scalar]]()
    for k in reversed(links):
        b, (dw, a) = whole[k.i], bias[k.i]
        # U = I S, of which the column of the axis is picked
        n, f = b.I.column(2) * k.u + b.H.column(2) * k.s, Vector(b.H.rows[2]) * k.u + b.M.column(2) * k.s
        D_inv = divide(1.0, k.u * n[2] + k.s * f[2] + tree.rotor_inertia(k.i)[0, 0])
        force = tau[k.i][0] - (k.u * b.n[2] + k.s * b.f[2])
        pivots[k.i] = n, f, D_inv, force
        I, H, M = _less(b.I, n * D_inv, n), b.H - outer(n * D_inv, f), _less(b.M, f * D_inv, f)
        moment, push = b.n + I @ dw + H @ a + n * (D_inv * force), b.f + H.T @ dw + M @ a + f * (D_inv * force)
        whole[k.p] = whole[k.p] + k.back(Blocks(I, H, M, moment, push))
    qdd, state = tree.output(), {0: (Vector.zero(), -tree.gravity.lin)}
    for k in links:
        dw, a = (x + y for x, y in zip(k.moved(*state[k.p]), bias[k.i], strict=True))
        n, f, D_inv, force = pivots[k.i]
        acceleration = D_inv * (force - (n @ dw + f @ a))
        qdd[k.i] = Vector((acceleration,))
        along = Vector((0.0, 0.0, acceleration))
        state[k.i] = dw + along * k.u, a + along * k.s
    return qdd


def _link(tree: Tree, i: BodyIndex, p: BodyIndex, axes: dict[int, Matrix], x: Scalar) -> _Link:
    """Link i at the position x of its joint. ``axes`` has the rotations to coordinates whose z axis is the joint's."""
    joint, placement = tree.joint(i), tree.placement(i)
    axes[i] = joint.frame()
    S = _aligned(joint).subspace(Vector((x,)))[0]
    fixed = split(axes[i] @ placement.E @ axes[p].T, axes[p] @ placement.r)
    u, s = S.ang[2], S.lin[2]
    angle, third = u * x, fixed.third
    c, sine = cos(angle), sin(angle)
    turn = Turn(2, c * third.c - sine * third.s, sine * third.c + c * third.s)
    return _Link(i, p, u, s, fixed, turn, fixed.along + s * x)


def _aligned(joint: Joint) -> Joint:
    """The joint in its own frame: its axis is exactly z."""
    return joint.from_parameters(
        own if given is None else given for own, given in zip(joint.parameters, joint.standard, strict=True)
    )


def _less(A: Matrix, a: Vector, b: Vector) -> Matrix:
    """A - a b^T where the product is known to be symmetric: six entries are computed."""
    return symmetric([A[k] - a[k[0]] * b[k[1]] for k in UPPER])


def _moving(tree: Tree, i: BodyIndex, F: Matrix, w: Vector) -> Blocks:
    """The inertia of a link alone, in coordinates turned by F, and the force that its angular velocity asks for."""
    inertia = tree.inertia(i)
    h, I = F @ inertia.h, congruence(F.T, inertia.I)
    return Blocks(I, skew(h), Matrix.diagonal((inertia.m,) * 3), cross(w, I @ w), cross(w, cross(w, h)))


BRANDL_JOHANNI_OTTER = register(
    brandl_johanni_otter,
    Computes.FORWARD_DYNAMICS,
    Takes.SCREWS,
    "O(N)",
    1986,
    "H. Brandl, R. Johanni, M. Otter, A very efficient algorithm for the simulation of robots and similar multibody "
    "systems without inversion of the mass matrix, IFAC/IFIP/IMACS Symposium on Theory of Robots",
)
