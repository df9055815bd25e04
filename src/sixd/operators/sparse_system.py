"""FO00 (27): accelerations and constraint forces of all bodies from one sparse system, solved in O(N).

    [I, T; T^T, 0] (a, -beta) = (f_a - v x I v, T^T a_0)

The unknowns of body i are a_i and -beta_i, of its joint. They meet only those of the parent and the children, so
elimination from the tips to the base fills nothing in: a perfect elimination order. D. Baraff, "Linear-time dynamics
using Lagrange multipliers", 1996.

A rotor adds R V^T r, the force that turns it with the relative acceleration r of its joint, so I becomes
I + P^T V R V^T P. That has the sparsity of the tree too.
"""

from __future__ import annotations

from collections.abc import Sequence

from sixd.operators.elimination import BlockSystem
from sixd.operators.mechanism import Connection, Mechanism
from sixd.ops import Scalar
from sixd.spatial import Force, Forces, Matrix, Motion, Motions, Vector, inverse

__all__ = ["SparseSystem", "saddle_inverse"]


class SparseSystem:
    """(27) for a tree, in the coordinates of the bodies."""

    def __init__(self, mechanism: Mechanism, subspaces: Sequence[Motions]) -> None:
        """``subspaces`` are the motions S of the joints, by body."""
        self.mechanism, self.subspaces = mechanism, subspaces
        n = mechanism.n
        diagonal: list[Matrix] = [I.matrix() for I in mechanism.inertias]
        forces = [-p for p in mechanism.bias]
        rotors = [_rotor(joint) for joint in mechanism.connections[:n]]
        for joint, rotor in zip(mechanism.connections, rotors, strict=True):
            s, p, known = joint.successor - 1, joint.predecessor - 1, self._known(joint, rotor)
            diagonal[s] = diagonal[s] + rotor
            forces[s] = forces[s] + known
            if joint.predecessor:
                diagonal[p] = diagonal[p] + joint.X.matrix().T @ rotor @ joint.X.matrix()
                forces[p] = forces[p] - joint.X.inv @ known
        self.system = BlockSystem()
        for joint, A, f in zip(mechanism.connections, diagonal, forces, strict=True):
            rhs = Vector([*f.components(), *(joint.T.T @ self._drive(joint))])
            self.system.unknown(joint.successor, _bordered(A, joint.T), rhs)
        for joint, rotor in zip(mechanism.connections, rotors, strict=True):
            if joint.predecessor:
                parent = self.mechanism.connection(joint.predecessor)
                self.system.couple(joint.successor, joint.predecessor, _coupling(joint, rotor, len(parent.T)))

    @property
    def order(self) -> list[int]:
        """The perfect elimination order: from the tips to the base."""
        return list(range(self.mechanism.n, 0, -1))

    def solve(self) -> tuple[list[Motion], list[Force], int]:
        """The accelerations of the base and the bodies, T beta of their joints, and how many blocks were filled in."""
        found = self.system.solve(self.order, self._inverted)
        a, constraint = [self.mechanism.base], [Force.zero()]
        for joint in self.mechanism.connections:
            x = found.x[joint.successor].entries
            a.append(Motion.from_components(x[:6]))
            constraint.append(_combined(joint.T, [-beta for beta in x[6:]]))
        return a, constraint, found.filled

    def _inverted(self, i: int, block: Matrix) -> Matrix:
        return saddle_inverse(block, self.subspaces[i - 1], self.mechanism.connection(i).T)

    def _drive(self, joint: Connection) -> Motion:
        """The relative acceleration at qdd = 0, with that of the base where it is the predecessor."""
        return joint.c if joint.predecessor else joint.c + joint.X @ self.mechanism.base

    def _known(self, joint: Connection, rotor: Matrix) -> Force:
        """V tau, and what the rotor takes at qdd = 0, where the relative acceleration does not turn it."""
        drive = rotor @ Vector(self._drive(joint).components())
        return joint.V @ joint.tau + Force.from_components(drive.entries)


def saddle_inverse(block: Matrix, S: Motions, T: Forces) -> Matrix:
    """The inverse of [I, T; T^T, 0] for T^T S = 0, T^T T = 1, by the null space S of T^T: with D = S^T I S,

        [S D^-1 S^T, (1 - S D^-1 S^T I) T; (...)^T, -T^T (I - I S D^-1 S^T I) T].

    I itself need not be invertible. I - I S D^-1 S^T I is the inertia I^a that the articulated-body algorithm hands to
    the parent.
    """
    I = Matrix(row[:6] for row in block.rows[:6])
    s, t = _columns(S), _columns(T)
    Is = I @ s
    D = inverse(s.T @ Is)
    free = s @ D @ s.T
    if not len(T):
        return free
    beside = t - s @ (D @ (Is.T @ t))
    corner = t.T @ (I @ t) - t.T @ (Is @ (D @ (Is.T @ t)))
    top = [[*a, *b] for a, b in zip(free.rows, beside.rows, strict=True)]
    bottom = [[*a, *b] for a, b in zip(beside.T.rows, (-corner).rows, strict=True)]
    return Matrix(top + bottom)


def _columns(vectors: Motions | Forces) -> Matrix:
    """Vectors as a 6 x n matrix."""
    return Matrix(x.components() for x in vectors).T


def _rotor(joint: Connection) -> Matrix:
    """V R V^T."""
    V = _columns(joint.V)
    return V @ joint.R @ V.T


def _bordered(A: Matrix, T: Forces) -> Matrix:
    """[A, T; T^T, 0]."""
    t = [x.components() for x in T]
    top = [[*row, *(column[r] for column in t)] for r, row in enumerate(A.rows)]
    return Matrix(top + [[*column, *([0.0] * len(t))] for column in t])


def _coupling(joint: Connection, rotor: Matrix, width: int) -> Matrix:
    """The block in the rows of a body and the columns of its parent: -V R V^T X and -T^T X, zeros for beta."""
    upper = rotor @ joint.X.matrix()
    lower = [(joint.X.inv @ x).components() for x in joint.T]
    zeros: list[Scalar] = [0.0] * width
    return -Matrix([[*row, *zeros] for row in [*upper.rows, *lower]])


def _combined(T: Forces, beta: Sequence[Scalar]) -> Force:
    return T @ Vector(beta) if len(T) else Force.zero()
