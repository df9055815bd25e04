"""How a closed robot can move: ranks, freedoms, redundant constraints, singular positions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.errors import ArgumentError, AssemblyError, ShapeError, SingularError
from sixd.process.forks import cached_property
from sixd.robot.closed import lapack
from sixd.robot.closed.inverse_kinematics import ClosedInverseKinematicsMethods

__all__ = ["Mobility", "MobilityMethods"]

Array = NDArray[Any]
#: How far, in rad or lengths of its longest loop, a mechanism is moved to see whether a position is singular.
NEARBY = 0.02
#: In how many directions it is moved, forth and back: random ones if it has more freedoms.
WAYS = 6


class Mobility(NamedTuple):
    """How a closed robot can move at a position."""

    #: The true number of freedoms: nv - rank.
    dof: int
    #: The rank of the constraint Jacobian.
    rank: int
    #: What counting says, nv less the number of rows (Gruebler, Kutzbach); redundant rows make it too small.
    gruebler: int
    #: For each constraint that has some, how many of its rows could be left out while the others stay.
    redundant: dict[str, int]
    #: A basis of the velocities that keep the constraints, (dof, nv), orthonormal in the metric of the mass matrix.
    freedoms: Array
    #: Velocities among them that exist at this position only, not beside it, (k, nv): the position is singular if there
    #: are any.
    singular: Array


class MobilityMethods(ClosedInverseKinematicsMethods):
    """Methods of a closed robot about its freedoms."""

    single = frozenset({"mobility"})

    def _somewhere(self) -> Array:
        return self.assemble(self.neutral())

    def mobility(self, q: ArrayLike) -> Mobility:
        """The degrees of freedom at a position q (nq,) that keeps the constraints.

        Ranks are those of L in the metric of the inverse mass matrix, with the ``rank_tolerance`` of the constraints:
        `sixd.algorithms.constraint_ranks`. Whether a position is singular is seen by moving a little along the
        freedoms.
        """
        at = self._one_position(q)
        L, inverse = self._scaled(at)
        U, s, Vh = np.linalg.svd(L)
        rank = int(self._rank(s))
        freedoms = Vh[rank:] @ inverse.T
        singular = self._singular(at, Vh[rank:], inverse)
        return Mobility(self.nv - rank, rank, self.nv - self.n_rows, self._redundant(U, rank), freedoms, singular)

    def independent(self, q: ArrayLike | None = None) -> tuple[int, ...]:
        """Degrees of freedom whose velocities determine all others, as many as the robot has, at a position q (nq,).

        They are those that are left when one after the other the degree of freedom on which the constraints bear most
        is taken as dependent. Without q the position is found by `assemble`.
        """
        return self._found_independent if q is None else self._independent_at(self._one_position(q))

    @cached_property
    def _found_independent(self) -> tuple[int, ...]:
        """Those at a position that is not singular: of several that are assembled, one with the highest rank."""
        places = [self.assemble(self.neutral())]
        for seed in range(3):
            try:
                places.append(self.assemble(self.neutral(), seed=seed, restarts=2))
            except AssemblyError:  # one position is enough, and far from the first there may be none
                continue
        ranks = [self._rank(np.linalg.svd(self._scaled(q)[0], compute_uv=False)) for q in places]
        return self._independent_at(places[int(np.argmax(ranks))])

    def _independent_at(self, q: Array) -> tuple[int, ...]:
        """Elimination with the largest column first; columns are measured by the roots of their inertias."""
        rank = self.mobility(q).rank
        H = self._code[algorithms.crba](q)
        B = self.constraint_jacobian(q) / self._ranks(q).sizes[:, None] / np.sqrt(np.diag(H))
        dependent: list[int] = []
        for _ in range(rank):
            sizes = np.linalg.norm(B, axis=0)
            sizes[dependent] = -1.0
            k = int(np.argmax(sizes))
            direction = B[:, k] / sizes[k]
            B = B - np.outer(direction, direction @ B)
            dependent.append(k)
        return tuple(k for k in range(self.nv) if k not in dependent)

    def _one_position(self, q: ArrayLike) -> Array:
        at = np.asarray(self._array("q", q), dtype=float)
        if at.ndim != 1:
            raise ShapeError(f"q must be one position ({self.nq},), not a batch of shape {at.shape}")
        if not np.isfinite(at).all():
            raise ArgumentError(f"q is not finite, so there are no freedoms to tell: {at}")
        return at

    def _scaled(self, q: Array) -> tuple[Array, Array]:
        """L R^-1, (..., rows, nv), with rows whose singular values count above 1, and R^-1, where H = R^T R."""
        try:
            R = np.swapaxes(np.linalg.cholesky(self._code[algorithms.crba](q)), -1, -2)
        except np.linalg.LinAlgError:
            raise SingularError(
                f"the mass matrix of {self.name or 'this robot'}, which measures motions, is singular: some joint "
                "moves no inertia; robot.check() names it. Give its bodies mass, or it a rotor inertia"
            ) from None
        inverse = np.linalg.inv(R)
        return lapack.measured(self.constraint_jacobian(q) @ inverse, self._ranks(q).tolerances)[0], inverse

    def _rank(self, s: Array) -> Any:
        """How many singular values of the scaled L count, (...)."""
        return (s > 1.0).sum(axis=-1)

    def _left_null_space(self, q: ArrayLike) -> Array:
        """Combinations of rows of L that vanish, (..., rows, rows): orthonormal columns, zero where there are none.

        They are zero, too, where q is not finite.
        """
        at = self._array("q", q)
        known = np.asarray(np.isfinite(at).all(axis=-1))[..., None]
        q = np.where(known, at, self.neutral()).astype(float)
        L, factor = lapack.measured(self.constraint_jacobian(q) * known[..., None], self._ranks(q).tolerances)
        U, s, _ = np.linalg.svd(L)
        kept = np.arange(U.shape[-1]) >= np.asarray(self._rank(s))[..., None]
        # In terms of the rows as they are: u^T (factor L) = 0.
        spare = U * kept[..., None, :] * factor[..., :, None]
        length = np.linalg.norm(spare, axis=-2, keepdims=True)
        Q, _ = np.linalg.qr(np.where(length > 0.0, spare / np.where(length > 0.0, length, 1.0), 0.0)[..., ::-1])
        columns = np.arange(U.shape[-1]) < (U.shape[-1] - np.asarray(self._rank(s)))[..., None]
        return np.asarray(Q * columns[..., None, :], dtype=at.dtype)

    def _redundant(self, U: Array, rank: int) -> dict[str, int]:
        """How many rows of each constraint depend on all others; U are the left singular vectors of the scaled L.

        The last columns of U are the combinations of rows that vanish. Those that differ in the rows of a constraint
        are the ways to express rows of it by others.
        """
        spare, found = U[:, rank:], {}
        for c in self.closures:
            s = np.linalg.svd(spare[c.rows], compute_uv=False)
            if number := int((s > 1e-6).sum()):
                found[c.constraint.name] = number
        return found

    def _singular(self, q: Array, freedoms: Array, inverse: Array) -> Array:
        """Freedoms (in scaled velocities) that positions beside q do not have; none if the robot cannot leave q."""
        kept = None
        ways = (
            freedoms
            if len(freedoms) <= WAYS
            else np.random.default_rng(0).normal(size=(WAYS, len(freedoms))) @ freedoms
        )
        for v in [*ways, *-ways]:
            step = inverse @ v
            beside = self._nearest(self.integrate(q, NEARBY * step / np.abs(step / self._units).max()))
            if beside is None:
                continue
            _, s, Vh = np.linalg.svd(self._scaled(beside)[0])
            there = Vh[self._rank(s) :]
            if kept is None or len(there) < len(kept):
                kept = there
        if kept is None or len(kept) == len(freedoms):
            return np.zeros((0, self.nv))
        # The directions of the null space at q that are farthest from the one beside it.
        _, _, Wh = np.linalg.svd(kept @ freedoms.T)
        return np.asarray(Wh[len(kept) :] @ freedoms @ inverse.T)
