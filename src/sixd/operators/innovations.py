"""The innovations factorisation of the mass matrix, and its inverse: the articulated-body algorithm.

G. Rodriguez, A. Jain and K. Kreutz-Delgado, "A spatial operator algebra for manipulator modeling and control", 1991, in
the operators of FO00 3.5, where P^-1 is their phi^*:

    M    = (1 + H^T P^-T K) D (1 + H^T P^-T K)^T
    M^-1 = (1 - H^T A^-T K)^T D^-1 (1 - H^T A^-T K)

D is block diagonal, D_i = S_i^T I_i^A S_i + rotor, K = (1 - P)^T G hands the gains G_i = I_i^A S_i D_i^-1 to the
parents, and A is the incidence matrix of links whose joints give way: A^T = P^T + K H^T.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixd.operators.blocks import ArticulatedLink, BlockDiagonal, Incidence
from sixd.operators.operator import Identity, Operator
from sixd.operators.stacks import Space
from sixd.operators.system import System
from sixd.spatial import Forces, Matrix, inverse, symmetric_product
from sixd.spatial.value import need_kind

__all__ = ["Innovations"]


@dataclass(frozen=True)
class Innovations:
    """The factors of M and of its inverse."""

    system: System
    #: diag(I_i^A), the articulated-body inertias.
    articulated: BlockDiagonal
    #: diag(D_i), and its inverse.
    D: BlockDiagonal
    Dinv: BlockDiagonal
    #: diag(G_i).
    G: BlockDiagonal
    #: The incidence matrix of the links (1 - S_i G_i^T) X_i.
    A: Incidence

    @classmethod
    def of(cls, system: System) -> Innovations:
        """By the recursion I^A = I + sum of X^T (1 - G S^T) I^A X over the children, from the tips to the base."""
        need_kind(system, System, "the innovations factorisation")
        IA = [I.articulated() for I in system.I.blocks]
        D, Dinv, G = dict[int, Matrix](), dict[int, Matrix](), dict[int, Forces]()
        for i in range(len(IA), 0, -1):
            S, p = system.H.blocks[i - 1], system.parents[i - 1]
            U = IA[i - 1] @ S
            D[i] = S.T @ U + system.R.blocks[i - 1]
            Dinv[i] = inverse(D[i])
            G[i] = U @ Dinv[i]
            if p:
                IA[p - 1] = IA[p - 1] + system.X[i - 1].inv @ (IA[i - 1] - symmetric_product(G[i], U))
        links = [ArticulatedLink(X, S, G[i]) for i, (X, S) in enumerate(zip(system.X, system.H.blocks, strict=True), 1)]
        factors = [BlockDiagonal([found[i] for i in sorted(found)]) for found in (D, Dinv)]
        gains = BlockDiagonal([G[i] for i in sorted(G)])
        return cls(system, BlockDiagonal(IA), factors[0], factors[1], gains, Incidence(system.parents, links))

    @property
    def K(self) -> Operator:
        """(1 - P)^T G: the gains of the bodies' joints, felt at their parents."""
        one = Identity(Space.forces(len(self.system.X)))
        return (one - self.system.P.T) @ self.G

    @property
    def factor(self) -> Operator:
        """1 + H^T P^-T K, a unit triangular matrix in blocks: M = factor D factor^T."""
        P, H = self.system.P, self.system.H
        return Identity(H.domain) + H.T @ P.T.inv @ self.K

    @property
    def inverse_factor(self) -> Operator:
        """1 - H^T A^-T K, the inverse of `factor`, by one recursion too."""
        H = self.system.H
        return Identity(H.domain) - H.T @ self.A.T.inv @ self.K

    @property
    def M(self) -> Operator:
        """The mass matrix."""
        return self.factor @ self.D @ self.factor.T

    @property
    def Minv(self) -> Operator:
        """The inverse of the mass matrix: applied to joint forces, it is the articulated-body algorithm."""
        return self.inverse_factor.T @ self.Dinv @ self.inverse_factor
