"""Vereshchagin's algorithm of 1974: Gauss' principle of least constraint, solved by dynamic programming in O(N)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

from sixd.algorithms.algorithm import algorithm
from sixd.algorithms.declared import JointForces, Position, Velocity
from sixd.algorithms.factorization import ltdl, solve_ltdl
from sixd.errors import ShapeError
from sixd.historical.formulation import Computes, Takes, register
from sixd.historical.links import need
from sixd.model.tree import Output, Tree
from sixd.ops import Scalar, divide, where
from sixd.spatial import ArticulatedInertia, Force, Forces, Motion, Transform, Vector, symmetric_product
from sixd.spatial.value import need_kind

__all__ = ["ConstrainedMotion", "vereshchagin", "vereshchagin_constrained"]

#: Directions are dependent, or the tip cannot move along one, where a pivot is below this share of its diagonal.
SINGULAR = 1e-12


class ConstrainedMotion(NamedTuple):
    """The accelerations of the joints, and the forces at the tip that keep the constraints."""

    #: qdd, one entry for each joint.
    qdd: Output
    #: lambda, one entry for each constraint: the sum of directions times these is the force that acts on the tip.
    forces: Vector


@dataclass(frozen=True)
class _Stage:
    """What is left of Gauss' function of a joint once its acceleration is eliminated."""

    X: Transform
    S: Motion
    #: The acceleration that velocities make.
    c: Motion
    #: I S, the inverse of S^T I S, the joint force that is left over, and the unit constraint forces at this link.
    U: Force
    D_inv: Scalar
    u: Scalar
    A: tuple[Force, ...]


@algorithm(rolled=False)
def vereshchagin(tree: Tree, q: Position, qd: Velocity, tau: JointForces) -> Output:
    """qdd = FD(q, qd, tau) of a chain by Vereshchagin's recursion, without constraints at the tip, O(N).

    Vereshchagin, 1974: the first O(N) algorithm of forward dynamics. Of all accelerations that the joints allow, the
    true ones make Gauss' function least, the sum over links of 1/2 a^T I a + a . p, less the work tau qdd. As in
    dynamic programming, the least value over all links beyond link i is a function of the acceleration of link i alone,
    again quadratic: 1/2 a^T I_i a + a . p_i. So one pass from the tip to the base finds I_i and p_i, and one back finds
    the accelerations. I_i is what Featherstone called articulated inertia nine years later (`sixd.algorithms.aba`).
    """
    return _least_constraint(tree, q, qd, tau, (), Vector(())).qdd


@algorithm(rolled=False)
def vereshchagin_constrained(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, directions: Forces, accelerations: Any
) -> ConstrainedMotion:
    """qdd and the constraint forces of a chain whose tip is held, by Vereshchagin's recursion, O(N + N m^2 + m^3).

    The last link keeps ``directions[k] . a = accelerations[k]`` for k = 1..m: ``directions`` are m unit constraint
    forces, ``accelerations`` (..., m) what they allow, and a is the spatial acceleration of the last link, all in its
    coordinates. Gravity counts as a force here: a = 0 is a tip that does not accelerate. Multipliers lambda join Gauss'
    function. They are carried through the elimination: A_i is what the unit forces do at link i, and at the base a
    symmetric m x m system is left, whose matrix is the inverse of the tip's inertia in these directions. Where
    directions are dependent, or the tip cannot move along one, no lambda is determined, and all results are NaN.
    """
    need_kind(directions, Forces, "directions")
    beta = Vector.from_array(accelerations)
    if len(directions) != len(beta):
        raise ShapeError(f"each direction needs one acceleration: there are {len(directions)} and {len(beta)}")
    return _least_constraint(tree, q, qd, tau, list(directions), beta)


def _least_constraint(
    tree: Tree, q: Position, qd: Velocity, tau: JointForces, alpha: Sequence[Force], beta: Vector
) -> ConstrainedMotion:
    """The recursion: out with velocities, in with Gauss' function, out with accelerations."""
    need(tree.model, Takes.CHAINS, "Vereshchagin's algorithm")
    v, g = Motion.zero(), tree.gravity
    moving = []
    for i, _ in tree.outward():
        joint, I = tree.joint(i), tree.inertia(i)
        X: Transform = joint.transform(q[i]) @ tree.placement(i)
        S = joint.subspace(q[i])[0]
        v, g = X @ v + S * qd[i][0], X @ g
        moving.append((X, S, v.cross(S * qd[i][0]), I.articulated(), v.cross(I @ v), tau[i][0], tree.rotor_inertia(i)))
    stages = list[_Stage]()
    I_next, p_next, A, held = ArticulatedInertia.zero(), Force.zero(), tuple(alpha), [a.dot(g) for a in alpha]
    mobility = [[0.0 for _ in alpha] for _ in alpha]
    for X, S, c, I_own, p_own, force, rotor in reversed(moving):
        IA, p = I_own + I_next, p_own + p_next
        U = IA @ S
        D_inv = divide(1.0, S.dot(U) + rotor[0, 0])
        u = force - S.dot(p)
        stages.append(_Stage(X, S, c, U, D_inv, u, A))
        I_left = IA - symmetric_product(Forces([U * D_inv]), Forces([U]))
        free = D_inv * (u - U.dot(c))  # the acceleration of the joint, if the link before had none
        along = [S.dot(a) for a in A]
        mobility = [
            [L + D_inv * along[r] * s for L, s in zip(row, along, strict=True)] for r, row in enumerate(mobility)
        ]
        held = [h + a.dot(c) + s * free for h, a, s in zip(held, A, along, strict=True)]
        I_next, p_next = X.inv @ I_left, X.inv @ (p + I_left @ c + U * (D_inv * u))
        A = tuple(X.inv @ (a - U * (D_inv * s)) for a, s in zip(A, along, strict=True))
    a = -tree.gravity
    forces = _multipliers(mobility, [b - h - f.dot(a) for b, h, f in zip(beta, held, A, strict=True)])
    qdd = tree.output()
    for i, stage in enumerate(reversed(stages), start=1):
        a = stage.X @ a + stage.c
        pushed = stage.u - stage.U.dot(a)
        for f, size in zip(stage.A, forces, strict=True):
            pushed = pushed + stage.S.dot(f) * size
        qdd[i] = Vector((stage.D_inv * pushed,))
        a = a + stage.S * (stage.D_inv * pushed)
    return ConstrainedMotion(qdd, Vector(forces))


def _multipliers(mobility: list[list[Scalar]], wanted: list[Scalar]) -> list[Scalar]:
    """lambda with mobility lambda = wanted; NaN where the mobility is singular."""
    dense = range(-1, len(wanted) - 1)
    L, D = ltdl(mobility, dense)
    doubt: Scalar = 0.0
    for k, pivot in enumerate(D):
        doubt = where(pivot > SINGULAR * mobility[k][k], doubt, nan)
    return [x + doubt for x in solve_ltdl(L, D, wanted, dense)]


_PAPER = (
    "A. F. Vereshchagin, Computer simulation of the dynamics of complicated mechanisms of robot manipulators, "
    "Engineering Cybernetics 12"
)
VERESHCHAGIN = register(vereshchagin, Computes.FORWARD_DYNAMICS, Takes.CHAINS, "O(N)", 1974, _PAPER)
VERESHCHAGIN_CONSTRAINED = register(
    vereshchagin_constrained, Computes.CONSTRAINED_DYNAMICS, Takes.CHAINS, "O(N)", 1974, _PAPER
)
