"""FO00 (28): the constraint forces of all joints alone, from which everything else follows body by body.

    T^T I^-1 T beta = T^T a_0 - T^T I^-1 (f_a - v x I v)

Two joints meet in this matrix if they have a body in common. For a chain it is block tridiagonal. Every body must have
an inertia that can be inverted.

A joint with a rotor transmits a force mu = tau - R qdd along its motions too, which is not known. Its unknowns are
beta, mu and qdd, and its equations T^T (r - c) = 0, V^T (r - c) = qdd and mu + R qdd = tau, the last with a negative
sign to keep the matrix symmetric. It stays invertible if R is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sixd.operators.elimination import BlockSystem
from sixd.operators.inverse_inertia import InverseInertia
from sixd.operators.mechanism import Connection, Mechanism
from sixd.ops import Scalar
from sixd.spatial import Force, Forces, Matrix, Motion, Vector

__all__ = ["ConstraintForceSystem", "ConstraintForces"]


class ConstraintForces(NamedTuple):
    """What (28) gives: joint forces by connection, from 1; accelerations, base first; blocks that were filled in."""

    forces: dict[int, Force]
    accelerations: list[Motion]
    filled: int


class ConstraintForceSystem:
    """(28) for any mechanism, loops included, in the coordinates of the bodies."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.inverses = [InverseInertia.of(I) for I in mechanism.inertias]
        joints = dict(enumerate(mechanism.connections, 1))
        self.known = {k: Force.zero() if _has_rotor(j) else _combined(j.V, j.tau.entries) for k, j in joints.items()}
        #: The bases of the unknown forces: T, for a joint with a rotor T and V.
        self.bases = {k: Forces([*j.T, *j.V]) if _has_rotor(j) else j.T for k, j in joints.items()}
        at_rest = self._accelerations(self.known)
        self.system = BlockSystem()
        for k, joint in joints.items():
            if len(self.bases[k]):
                r = at_rest[joint.successor] - joint.X @ at_rest[joint.predecessor]
                self.system.unknown(k, _extended(joint, len(self.bases[k])), self._right(k, joint.c - r))
        self._couple()

    def _couple(self) -> None:
        """Add F_i^T I^-1 F_j for every two joints at a body, where F are the forces of their unknowns on that body."""
        at: list[list[tuple[int, Forces]]] = [[] for _ in self.inverses]
        for k in self.system.rhs:
            joint, basis = self.mechanism.connection(k), self.bases[k]
            at[joint.successor - 1].append((k, basis))
            if joint.predecessor:
                at[joint.predecessor - 1].append((k, -(joint.X.inv @ basis)))
        for inverse, forces in zip(self.inverses, at, strict=True):
            moved = [(k, inverse @ F) for k, F in forces]
            for place, (i, F) in enumerate(forces):
                for j, a in moved[place:]:
                    self._add(i, j, F.T @ a)

    def _add(self, i: int, j: int, block: Matrix) -> None:
        rows, columns = len(self.system.rhs[i]), len(self.system.rhs[j])
        padded = _padded(block, rows, columns)
        if i == j:
            self.system.blocks[i, i] = self.system.blocks[i, i] + padded
        else:
            self.system.couple(i, j, padded)

    def _right(self, k: int, r: Motion) -> Vector:
        """The right-hand side: B^T r, and -tau for a joint with a rotor."""
        joint, own = self.mechanism.connection(k), list(self.bases[k].T @ r)
        return Vector([*own, *(-t for t in joint.tau)] if _has_rotor(joint) else own)

    def _accelerations(self, forces: dict[int, Force]) -> list[Motion]:
        """a = I^-1 (sum of joint forces - bias) of each body, the base first."""
        total = [-p for p in self.mechanism.bias]
        for k, f in forces.items():
            joint = self.mechanism.connection(k)
            total[joint.successor - 1] = total[joint.successor - 1] + f
            if joint.predecessor:
                total[joint.predecessor - 1] = total[joint.predecessor - 1] - joint.X.inv @ f
        return [self.mechanism.base, *(inverse @ f for inverse, f in zip(self.inverses, total, strict=True))]

    @property
    def inward(self) -> list[int]:
        """From the tips to the base: an order that fills nothing in for trees, and has the depth of the tree."""
        return sorted(self.system.rhs, reverse=True)

    def solve(self, order: Iterable[int]) -> ConstraintForces:
        """Eliminate the joints in this order; those that transmit no unknown force may be missing."""
        found = self.system.solve(k for k in order if k in self.system.rhs)
        forces = dict(self.known)
        for k, x in found.x.items():
            basis = self.bases[k]
            forces[k] = forces[k] + basis @ Vector(x.entries[: len(basis)])
        return ConstraintForces(forces, self._accelerations(forces), found.filled)


def _has_rotor(joint: Connection) -> bool:
    """Whether there may be a rotor: an inertia that is no plain zero. What is recorded may be anything."""
    return any(type(x) is not float or x != 0.0 for x in joint.R.components())


def _combined(V: Forces, x: Sequence[Scalar]) -> Force:
    return V @ Vector(x) if len(V) else Force.zero()


def _extended(joint: Connection, n: int) -> Matrix:
    """What the block of a joint has beside forces at its bodies: nothing, or [0, -E; -E^T, -R] for one with a rotor."""
    if not _has_rotor(joint):
        return Matrix.zero(n)
    first, freedoms = n - len(joint.V), range(len(joint.V))
    rows: list[list[Scalar]] = [[-1.0 if r == first + c else 0.0 for c in freedoms] for r in range(n)]
    top = [[0.0] * n + row for row in rows]
    bottom = [[rows[r][c] for r in range(n)] + [-x for x in joint.R.rows[c]] for c in freedoms]
    return Matrix(top + bottom)


def _padded(block: Matrix, rows: int, columns: int) -> Matrix:
    """A block with zeros below and to its right."""
    wide = [[*row, *([0.0] * (columns - len(row)))] for row in block.rows]
    return Matrix(wide + [[0.0] * columns] * (rows - len(wide)))
