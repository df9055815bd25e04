"""Constraints within the articulated-body recursion: H x = u + L^T lambda, L x = c in O(N) where loops are local.

The Schur complement, FO00 (21), couples every row with every other through H^-1. But a row is moved only by the joints
between its frames and the body that carries them all. So rows are carried from the tips to that body, as the
articulated-body algorithm carries inertias, and solved for there, as functions of the acceleration of that body. What
is left is a tree, in which the articulated inertia of that body knows the loop. While row k is open at body i,

    L_k x = K_ik^T a_i + sum_l A_kl lambda_l + b_k  and  f_i = I_i a_i + p_i - sum_k K_ik lambda_k,

where a_i is the acceleration of the body, and f_i the force that its joint has to transmit. K_ik is what the joints
behind body i make of the row: if they were locked, all frames of the row would move with body i, and K would be zero.

After A. F. Vereshchagin, "Modeling and control of motion of manipulation robots", 1989, who has constraints at the tip
of a chain, in the same recursion. Here they are solved for as early as they can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sixd.algorithms.articulated_joints import link_transforms
from sixd.algorithms.constraint_factors import ConstraintFactors, Solution
from sixd.algorithms.declared import Position
from sixd.algorithms.guarded import Guard, dot, is_nothing
from sixd.model.closures import Closure
from sixd.model.tree import Tree
from sixd.ops import Scalar
from sixd.spatial import ArticulatedInertia, Force, Forces, Matrix, Motion, Vector, inverse, symmetric_product

__all__ = ["ArticulatedLoops"]


class SolvedRow(NamedTuple):
    """lambda = inverse (c - b - K^T a - sum_l A_l lambda_l), with the rows l that are solved for later."""

    number: int
    #: Zero if the row depends on others.
    inverse: Scalar
    K: Force
    later: dict[int, Scalar]


class ArticulatedLoops(ConstraintFactors):
    """The equations of a tree with constraints at a position, factorised from the tips to the base.

    ``L`` are the rows of `constraint_jacobian`. A row counts as redundant if its pivot is at most its tolerance times
    what it would be without other rows. O(N w^2), where w is the number of rows that are open at one joint. The tree
    must have no mimic joints, as in the articulated-body algorithm.
    """

    def __init__(self, tree: Tree, q: Position, L: Sequence[Sequence[Scalar]], tolerances: Sequence[Scalar]) -> None:
        self.tree, self.q, self.L, self._guard = tree, q, L, Guard(tolerances)
        self.X = link_transforms(tree, q)
        self.UD, self.Dinv = tree.slots(Forces), tree.slots(Matrix)
        bodies = range(tree.model.n_bodies + 1)
        #: N_ik, the force on joint i per unit of lambda_k, for the rows that are open there.
        self.N: list[dict[int, Vector]] = [{} for _ in bodies]
        #: The rows that are solved for at each body, in this order.
        self.solved: list[list[SolvedRow]] = [[] for _ in bodies]
        #: What K and A are while rows are open, and the pivots as they would be without other rows.
        self._K: list[dict[int, Force]] = [{} for _ in bodies]
        self._A: list[dict[int, Scalar]] = [{k: 0.0} for k in range(len(L))]
        self._sizes: list[Scalar] = [0.0] * len(L)
        self.inverses: list[Scalar] = [0.0] * len(L)
        #: The tree without constraints, once it is asked for.
        self._free: ArticulatedLoops | None = None
        self._factorise()

    def _factorise(self) -> None:
        tree, (opened, last) = self.tree, _places(self.tree, self.tree.constraints() if self.L else ())
        IA = tree.slots(ArticulatedInertia, base=ArticulatedInertia.zero())
        for i, _ in tree.outward():
            IA[i] = tree.inertia(i).articulated()
        for i, p in tree.inward():
            for k in last[i]:
                IA[i] = IA[i] + self._solved(k, i)
            S, place = tree.joint(i).subspace(self.q[i]), tree.model.coordinates[i].v
            U = IA[i] @ S
            self.Dinv[i] = inverse(S.T @ U + tree.rotor_inertia(i))
            self.UD[i] = U @ self.Dinv[i]
            for k in opened[i]:
                N = Vector(self.L[k][place])
                self.N[i][k] = N + S.T @ self._K[i][k] if k in self._K[i] else N
            self._pass_on(i, p)
            IA[p] = IA[p] + self.X[i].inv @ (IA[i] - symmetric_product(self.UD[i], U))
        for k in last[0]:
            self._solved(k, 0)

    def _pass_on(self, i: int, p: int) -> None:
        """What joint i makes of its open rows: A grows by N^T D^-1 N, K changes by -U D^-1 N."""
        for k, N in self.N[i].items():
            DN = self.Dinv[i] @ N
            for m, other in self.N[i].items():
                if m <= k:
                    self._add(k, m, dot(DN, other))
            self._sizes[k] = self._sizes[k] + dot(DN, N)
            K = self._K[i].get(k, Force.zero()) - self.UD[i] @ N
            self._K[p][k] = self._K[p].get(k, Force.zero()) + self.X[i].inv @ K

    def _solved(self, k: int, i: int) -> ArticulatedInertia:
        """Solve for row k, which no joint from body i on moves. The result is what that adds to the inertia of i."""
        A, K = self._A[k], self._K[i].pop(k, Force.zero())
        self.inverses[k] = r = self._guard.inverse(k, A.pop(k), self._sizes[k])
        for m, x in A.items():
            del self._A[m][k]
            self._K[i][m] = self._K[i].get(m, Force.zero()) - K * (x * r)
            for n, y in A.items():
                if n <= m:
                    self._add(m, n, -(x * r) * y)
        self.solved[i].append(SolvedRow(k, r, K, A))
        return symmetric_product(Forces([K * r]), Forces([K]))

    def _add(self, k: int, m: int, x: Scalar) -> None:
        """Add to A_km and A_mk."""
        if not is_nothing(x):
            self._A[k][m] = self._A[m][k] = self._A[k].get(m, 0.0) + x

    def solve(self, c: Sequence[Scalar], u: Sequence[Scalar] | None = None) -> Solution:
        """Right-hand sides from the tips to the base, then accelerations and multipliers back to the tips."""
        tree, q, rest = self.tree, self.q, list(c)  # rest: c - b
        p = tree.slots(Force, base=Force.zero())
        w, a = tree.slots(Vector), tree.slots(Motion, base=Motion.zero())
        x: list[Scalar] = [0.0] * tree.model.nv
        lam: list[Scalar] = [0.0] * len(rest)
        for i, _ in tree.outward():
            p[i] = Force.zero()
        for i, parent in tree.inward():
            for row in self.solved[i]:
                p[i] = p[i] - row.K * self._share(row, rest)
            S, place = tree.joint(i).subspace(q[i]), tree.model.coordinates[i].v
            w[i] = -(S.T @ p[i]) if u is None else Vector(u[place]) - S.T @ p[i]
            Dw = self.Dinv[i] @ w[i]
            for k, N in self.N[i].items():
                rest[k] = rest[k] - dot(N, Dw)
            p[parent] = p[parent] + self.X[i].inv @ (p[i] + self.UD[i] @ w[i])
        for row in self.solved[0]:
            self._share(row, rest)
        self._multipliers(0, a[0], rest, lam)
        for i, parent in tree.outward():
            ap = self.X[i] @ a[parent]
            for k, N in self.N[i].items():
                w[i] = w[i] + N * lam[k]
            xi = self.Dinv[i] @ w[i] - self.UD[i].T @ ap
            x[tree.model.coordinates[i].v] = xi
            a[i] = ap + tree.joint(i).subspace(q[i]) @ xi
            self._multipliers(i, a[i], rest, lam)
        return Solution(x, lam)

    def mobility(self, u: Sequence[Scalar]) -> Scalar:
        if self._free is None:
            self._free = ArticulatedLoops(self.tree, self.q, (), ())
        return dot(u, self._free.solve((), u).x)

    def _share(self, row: SolvedRow, rest: list[Scalar]) -> Scalar:
        """lambda of a row as far as it is known on the way to the base; later rows are told of it."""
        lam = rest[row.number] * row.inverse
        for m, A in row.later.items():
            rest[m] = rest[m] - A * lam
        return lam

    def _multipliers(self, i: int, a: Motion, rest: list[Scalar], lam: list[Scalar]) -> None:
        """lambda of the rows that were solved for at body i, from its acceleration and the later ones."""
        for row in reversed(self.solved[i]):
            others = [lam[m] for m in row.later]
            lam[row.number] = row.inverse * (rest[row.number] - row.K.dot(a) - dot(list(row.later.values()), others))


def _places(tree: Tree, constraints: Iterable[Closure]) -> tuple[list[list[int]], list[list[int]]]:
    """For each body, the rows that its joint moves, and the rows that are solved for there.

    A row is solved for at the body nearest to the tips that carries all its frames and joints.
    """
    model = tree.model
    opened: list[list[int]] = [[] for _ in range(model.n_bodies + 1)]
    last: list[list[int]] = [[] for _ in range(model.n_bodies + 1)]
    for c in constraints:
        ends = [*((c.a, c.b) if c.constraint.frames else ()), *(model.parent[j] for j in c.joints)]
        ways = [(*model.path(i), 0) for i in ends]
        top = max(set(ways[0]).intersection(*ways))
        moved = {i for way in ways for i in way if i > top} | set(c.joints)
        rows = range(c.rows.start, c.rows.stop)
        last[top] += rows
        for i in moved:
            opened[i] += rows
    return opened, last
