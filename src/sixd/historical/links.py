"""A robot as these papers see it: links in a row or a tree, each with a mass, a centre of mass and an axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sixd.algorithms.declared import Position
from sixd.errors import ModelError
from sixd.historical.formulation import Takes
from sixd.joints import AxisJoint, Spherical
from sixd.model import JointView, Model
from sixd.model.tree import Tree
from sixd.ops import Scalar, divide, where
from sixd.spatial import Inertia, Matrix, Transform, Vector
from sixd.spatial.linear import UPPER, symmetric

__all__ = ["Link", "com_of", "links_of", "need"]


@dataclass(frozen=True)
class Link:
    """A link on a joint with one freedom, at one position of the joint. Vectors are in coordinates of the link."""

    #: The number of the link, and of the one that carries it; 0 is the base.
    i: int
    p: int
    #: E: from coordinates of link p to those of link i (what papers call A_i is its transpose).
    E: Matrix
    #: From the origin of link p to that of link i, in coordinates of link p.
    r: Vector
    #: The joint's screw: how its rate turns the link, and how it moves the link's origin. u = 0 if it is prismatic,
    #: s = 0 if it is revolute.
    u: Vector
    s: Vector
    #: Mass, centre of mass, and rotational inertia about the centre of mass.
    m: Scalar
    c: Vector
    I: Matrix
    #: The inertia of the motor as felt at the joint.
    rotor: Scalar


def links_of(tree: Tree, q: Position, who: str, takes: Takes = Takes.SCREWS) -> list[Link]:
    """The links from the base to the tips. ``who`` is the formulation that errors name."""
    need(tree.model, takes, who)
    found = []
    for i, p in tree.outward():
        joint, inertia = tree.joint(i), tree.inertia(i)
        X: Transform = joint.transform(q[i]) @ tree.placement(i)
        S, (c, I) = joint.subspace(q[i])[0], com_of(inertia)
        found.append(Link(i, p, X.E, X.r, S.ang, S.lin, inertia.m, c, I, tree.rotor_inertia(i)[0, 0]))
    return found


def com_of(inertia: Inertia) -> tuple[Vector, Matrix]:
    """The centre of mass and the rotational inertia about it. A link without mass has its centre at its origin."""
    h = inertia.h
    c = Vector(divide(x, where(inertia.m > 0.0, inertia.m, 1.0)) for x in h)
    t = c @ h
    return c, symmetric([inertia.I[r, k] + h[r] * c[k] - (t if r == k else 0.0) for r, k in UPPER])


def need(model: Model, takes: Takes, who: str) -> None:
    """Raises unless a formulation can be asked about this robot."""
    for joint in model.joints:
        for fault, advice in _faults(model, joint, takes):
            raise ModelError(
                f"{who} is for {takes.value}, but joint {joint.name!r} of robot {model.name!r} {fault}: {advice}"
            )


def _faults(model: Model, joint: JointView, takes: Takes) -> Iterator[tuple[str, str]]:
    """What is wrong with a joint, and what could be done."""
    kind, methods = joint.type, "use the methods of the robot, which take all"
    if joint.mimic is not None:
        yield f"mimics {joint.mimic.joint!r}", f"lock it by robot.lock, or {methods}"
    if takes is Takes.CHAINS and model.parent[joint.index] != joint.index - 1:
        yield "makes a branch", f"take a part of the robot by robot.subtree, or {methods}"
    if takes is Takes.SPHERICAL:
        if type(kind) is not Spherical:
            yield f"is {kind.name}", methods
        elif any(joint.data.rotor_inertia):
            yield "has a rotor inertia", methods
    elif takes is not Takes.ALL and not (isinstance(kind, AxisJoint) and kind.nv == 1 and kind.constant_subspace):
        yield f"is {kind.name}", f"lock it by robot.lock, or {methods}"
