"""A tree in a state as one system of N bodies in 6N dimensions: FO00 3.5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sixd.errors import ArgumentError
from sixd.given import described
from sixd.model import Model, ModelTree, Tree
from sixd.operators.blocks import BlockDiagonal, Incidence, RigidLink
from sixd.operators.operator import Operator
from sixd.operators.stacks import ForceStack, JointStack, MotionStack
from sixd.operators.subspaces import active_forces, constraint_forces
from sixd.spatial import Motion, Transform

__all__ = ["System"]


@dataclass(frozen=True)
class System:
    """The operators and vectors of FO00 (23)-(29), each body's part in its own coordinates.

    Gravity acts as an acceleration of the base, as FO00 after (5) allows: accelerations are relative to free fall.
    Rotors, which the paper leaves out, are inertias R of the joints. A joint that mimics another counts as a joint of
    its own here; algorithms add up what coupled joints share.
    """

    #: The parent of each body 1..N.
    parents: tuple[int, ...]
    #: X_i from parent to body coordinates.
    X: tuple[Transform, ...]
    #: diag(h_i), from joint rates to relative motions. With several freedoms a joint has several columns.
    H: BlockDiagonal
    #: The incidence matrix.
    P: Incidence
    #: diag(I_i), from motions to forces.
    I: BlockDiagonal
    #: diag(R_i), the rotors as felt at the joints.
    R: BlockDiagonal
    #: Bases T_i of the forces that each joint can transmit without doing work, as a block diagonal.
    joint_constraints: BlockDiagonal
    #: V_i with V_i^T h_i = 1: joint forces tau act as V tau.
    V: BlockDiagonal
    #: The velocities of the bodies.
    v: MotionStack
    #: (dH/dt) qd, what joint velocities contribute to the accelerations.
    Hd_qd: MotionStack
    #: The acceleration of the base, -a_g, as it reaches the bodies that the base carries; zero for others.
    base: MotionStack

    @classmethod
    def of(cls, model: Model | Tree, q: Any, qd: Any = None) -> System:
        """The system of a robot at a position, moving with a velocity (default: at rest)."""
        tree = ModelTree(model) if isinstance(model, Model) else model
        if not isinstance(tree, Tree):
            raise ArgumentError(f"a System is made of a robot (sixd.load(...)), not of {described(model)}")
        q, qd = tree.positions(q), tree.velocities(qd)
        parents, X, S, v, rates, base = [], [], [], [Motion.zero()], [], []
        for i, p in tree.outward():
            joint = tree.joint(i)
            parents.append(p)
            X.append(joint.transform(q[i]) @ tree.placement(i))
            S.append(joint.subspace(q[i]))
            vJ = S[-1] @ qd[i]
            v.append(X[-1] @ v[p] + vJ)
            rates.append(joint.bias(q[i], qd[i]) + v[i].cross(vJ))
            base.append(Motion.zero() if p else X[-1] @ -tree.gravity)
        bodies = range(1, len(X) + 1)
        return cls(
            tuple(parents),
            tuple(X),
            BlockDiagonal(S),
            Incidence(parents, [RigidLink(x) for x in X]),
            BlockDiagonal([tree.inertia(i) for i in bodies]),
            BlockDiagonal([tree.rotor_inertia(i) for i in bodies]),
            BlockDiagonal([constraint_forces(s) for s in S]),
            BlockDiagonal([active_forces(s) for s in S]),
            MotionStack(v[1:]),
            MotionStack(rates),
            MotionStack(base),
        )

    @property
    def S(self) -> Operator:
        """P^-1 H: the motions of all bodies per joint rate, whose rows are the bodies' Jacobians. (24) with (29)."""
        return self.P.inv @ self.H

    @property
    def T(self) -> Operator:
        """P^T diag(T_i): the constraint forces on the bodies, since what acts on a body acts back on its parent."""
        return self.P.T @ self.joint_constraints

    @property
    def M(self) -> Operator:
        """H^T P^-T I P^-1 H, the Newton-Euler factorisation of the mass matrix, and the rotors."""
        return self.H.T @ self.P.T.inv @ self.I @ self.P.inv @ self.H + self.R

    @property
    def a0(self) -> MotionStack:
        """The accelerations at qdd = 0, those that gravity makes included."""
        return self.P.inv @ (self.Hd_qd + self.base)

    @property
    def gyroscopic(self) -> ForceStack:
        """v x I v of (23)."""
        return ForceStack(v.cross(I @ v) for v, I in zip(self.v, self.I.blocks, strict=True))

    def accelerations(self, qdd: JointStack) -> MotionStack:
        """a = a_0 + S qdd, (24)."""
        return self.a0 + self.S @ qdd

    def forces(self, a: MotionStack) -> ForceStack:
        """f = I a + v x I v, (23): the sum of all forces on each body but gravity."""
        return self.I @ a + self.gyroscopic

    def joint_forces(self, a: MotionStack, external: ForceStack) -> ForceStack:
        """P^-T (f - f^x): what each joint transmits, where the forces f of (23) include external ones f^x."""
        return self.P.T.inv @ (self.forces(a) - external)

    def active(self, tau: JointStack, external: ForceStack) -> ForceStack:
        """f_a of (25): the known forces on the bodies, of motors, P^T V tau, and external ones."""
        return self.P.T @ (self.V @ tau) + external

    def projected(self, active: ForceStack) -> JointStack:
        """S^T (f_a - I a_0 - v x I v), the right-hand side of (26), which is (S^T I S + R) qdd."""
        return self.S.T @ (active - self.forces(self.a0))

    def joints(self, x: Any) -> JointStack:
        """A joint vector from an array (..., n) or a list, one entry per freedom of each joint."""
        return self.H.domain.of(x)  # type: ignore[return-value]
