"""A mechanism in a state as bodies and the joints between them, all joints alike: those of the tree and of loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from sys import maxsize
from typing import Any, NamedTuple

from sixd.constraints import Constraint, Loop
from sixd.errors import ArgumentError, ModelError
from sixd.given import described, whole
from sixd.joints import Joint
from sixd.model import Model, Tree
from sixd.operators.subspaces import active_forces, constraint_forces
from sixd.ops import look
from sixd.spatial import Force, Forces, Inertia, Matrix, Motion, Motions, Transform, Vector, pivots

__all__ = [
    "ClosingJoint",
    "Connection",
    "Mechanism",
    "TreeMotion",
    "closing_joints",
    "mechanism",
    "motion",
    "need_inertias",
]

_HERE = Transform.identity()
#: An inertia about an axis below this part of the others is none.
SINGULAR = 1e-13


@dataclass(frozen=True)
class ClosingJoint:
    """A loop (`sixd.Loop`) in its place: a passive joint between two bodies of a tree, or a body and the base.

    Only accelerations are constrained by it. The state that it is used in must have the loop closed, and velocities
    that keep it closed. Its motions must be fixed in the successor, as they are for most types of joints.
    """

    #: The two bodies by their numbers; 0 is the base, which is the predecessor if it is one of them.
    predecessor: int
    successor: int
    #: The type of the joint; None welds the bodies.
    joint: Joint | None = None
    #: From coordinates of the successor to those of the joint.
    at: Transform = _HERE

    def __post_init__(self) -> None:
        for body in (self.predecessor, self.successor):
            number = whole(body)
            if number is None or not 0 <= number <= maxsize:
                raise ModelError(f"a closing joint is between bodies by their numbers, not {described(body)}")
        if self.successor == 0 or self.successor == self.predecessor:
            raise ModelError(
                f"a closing joint needs two bodies, the second of which is not the base, "
                f"not {self.predecessor} and {self.successor}"
            )
        if self.joint is not None and not isinstance(self.joint, Joint):
            raise ArgumentError(f"a closing joint has a type of sixd.joints, or None for a weld, not {self.joint!r}")
        if self.joint is not None and not self.joint.constant_subspace:
            raise ModelError(f"a {self.joint.name} joint cannot close a loop here: its motions vary with its position")
        if not isinstance(self.at, Transform):
            raise ArgumentError(f"a closing joint is placed by a Transform, not by {described(self.at)}")

    def subspace(self) -> Motions:
        """S, in coordinates of the successor."""
        own = Motions(()) if self.joint is None else self.joint.subspace(self.joint.neutral())
        return self.at.inv @ own


@dataclass(frozen=True)
class Connection:
    """A joint in a state, between the bodies predecessor and successor, in coordinates of the successor.

    The relative acceleration r = a_successor - X a_predecessor has T^T (r - c) = 0, and qdd = V^T (r - c). The joint
    force f on the successor has S^T f = tau - R qdd, so f = T beta + V (tau - R qdd).
    """

    predecessor: int
    successor: int
    #: From predecessor to successor coordinates.
    X: Transform
    #: Bases of constraint forces, 6 - n of them, and of active ones, n.
    T: Forces
    V: Forces
    #: Rotor inertia, n x n, and joint force, n.
    R: Matrix
    tau: Vector
    #: What velocities contribute to the relative acceleration.
    c: Motion


@dataclass(frozen=True)
class Mechanism:
    """Bodies 1..N and their connections. Connections 1..N are the joints of the tree, those that follow close loops."""

    #: The inertias of the bodies, each in its coordinates; body i is entry i - 1.
    inertias: tuple[Inertia, ...]
    #: v x I v less the external forces: what moves each body without acceleration.
    bias: tuple[Force, ...]
    connections: tuple[Connection, ...]
    #: The acceleration of the base, -a_g: gravity as an acceleration.
    base: Motion

    @property
    def n(self) -> int:
        """The number of bodies."""
        return len(self.inertias)

    def connection(self, k: int) -> Connection:
        """Connection k, counted from 1."""
        return self.connections[k - 1]

    def accelerations(self, k: int, a: Sequence[Motion]) -> Vector:
        """qdd of joint k, for accelerations a of the base and the bodies."""
        joint = self.connection(k)
        return joint.V.T @ (a[joint.successor] - joint.X @ a[joint.predecessor] - joint.c)


class TreeMotion(NamedTuple):
    """Of the base and the bodies: X from parent to body, velocity, and X from world to body where it is needed."""

    X: Sequence[Transform]
    v: Sequence[Motion]
    X_0: Sequence[Transform]


def motion(tree: Tree, q: Any, qd: Any) -> TreeMotion:
    """The motion of the bodies by the recursion of F10b (9), from the base to the tips."""
    X, v, X_0 = [Transform.identity()], [Motion.zero()], [Transform.identity()]
    for i, p in tree.outward():
        joint = tree.joint(i)
        X.append(joint.transform(q[i]) @ tree.placement(i))
        v.append(X[i] @ v[p] + joint.subspace(q[i]) @ qd[i])
        X_0.append(X[i] @ X_0[p])
    return TreeMotion(X, v, X_0)


def closing_joints(model: Model, loops: Any) -> tuple[ClosingJoint, ...]:
    """The joints that close loops of a mechanism: those that are given, and those of a robot that is closed."""
    if not isinstance(model, Model):
        raise ArgumentError(f"this is for a robot (sixd.load(...)), not for {described(model)}")
    if not isinstance(loops, list | tuple):
        raise ArgumentError(f"loops are a list of sixd.Loop(...), not {described(loops)}")
    found = [_placed(model, loop) for loop in loops]
    return *found, *(own for own in map(partial(_placed, model), model.constraint_list) if own not in found)


def _placed(model: Model, loop: Any) -> ClosingJoint:
    """A loop by the bodies that it ties."""
    if isinstance(loop, ClosingJoint):
        if max(loop.predecessor, loop.successor) > model.n_bodies:
            raise ModelError(
                f"a closing joint is between the bodies {loop.predecessor} and {loop.successor}; "
                f"robot {model.name!r} has the bodies 0 to {model.n_bodies}"
            )
        return loop
    if not isinstance(loop, Loop):
        named = f"constraint {loop.name!r}, a {loop.kind}" if isinstance(loop, Constraint) else described(loop)
        raise ArgumentError(f"each loop is a sixd.Loop here, not {named}; closed.forward_dynamics takes all kinds")
    if any(loop.stabilisation):
        raise ModelError(f"{loop.title} has a stabilisation, which is not known here; closed.forward_dynamics knows it")
    a, b = model.frame(loop.frame_a), model.frame(loop.frame_b)
    joint = loop.joint if isinstance(loop.joint, Joint) else None
    if b.body:
        return ClosingJoint(a.body, b.body, joint, b.offset)
    # The motions that a joint leaves free are the same seen from both its sides, so the other body is the successor.
    return ClosingJoint(b.body, a.body, joint, loop.offset @ a.offset)


def need_inertias(tree: Tree) -> None:
    """Raises if a body has no mass, or no inertia about some axis, so that its inertia has no inverse."""
    for i, _ in tree.outward():
        I = tree.inertia(i)
        if any(type(look(x)) is not float for x in I.components()):
            continue  # recorded numbers, or one for each sample: there is no one value to look at
        size = I.I[0, 0] + I.I[1, 1] + I.I[2, 2]
        if not I.m > 0.0 or not all(p > SINGULAR * size for p in pivots(I.I_com)):
            raise ModelError(
                f"the inertia of body {tree.model.bodies[i].name!r} of robot {tree.model.name!r} has no inverse: "
                "it has no mass, or none away from some axis; robot.forward_dynamics needs no inverse of it"
            )


def mechanism(
    tree: Tree, q: Any, qd: Any, tau: Any, f_ext: Any, moved: TreeMotion, loops: Sequence[ClosingJoint]
) -> Mechanism:
    """The mechanism of a tree whose bodies move so, with joints that close loops."""
    inertias, bias, connections = [], [], []
    for i, p in tree.outward():
        joint, I, v = tree.joint(i), tree.inertia(i), moved.v[i]
        S = joint.subspace(q[i])
        inertias.append(I)
        bias.append(v.cross(I @ v) - f_ext[i])
        c = joint.bias(q[i], qd[i]) + v.cross(S @ qd[i])
        T, V = constraint_forces(S), active_forces(S)
        connections.append(Connection(p, i, moved.X[i], T, V, tree.rotor_inertia(i), tau[i], c))
    connections += [_closed(loop, moved) for loop in loops]
    return Mechanism(tuple(inertias), tuple(bias), tuple(connections), -tree.gravity)


def _closed(loop: ClosingJoint, moved: TreeMotion) -> Connection:
    """A closing joint. Its rate is known by the velocities of its bodies: S qd is their difference."""
    S = loop.subspace()
    p, s, n = loop.predecessor, loop.successor, len(S)
    X = moved.X_0[s] @ moved.X_0[p].inv
    c = moved.v[s].cross(moved.v[s] - X @ moved.v[p])
    V = active_forces(S) if n else Forces(())
    return Connection(p, s, X, constraint_forces(S), V, Matrix.zero(n), Vector.zero(n), c)
