"""Gauss-Newton steps onto the manifold of consistent positions, for many samples at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sixd.robot.closed.constraints import ConstraintMethods

__all__ = ["Newton"]

Array = NDArray[Any]
#: The most steps of one search, and the most that coordinates change in one, rad or lengths of the longest loop.
STEPS, STRIDE = 100, 1.0
#: Singular values below this, relative to the largest, count as zero.
SINGULAR = 1e-9
#: What rounding leaves of an error, relative to the size of its row: in large units more than a tolerance in metres.
ROUNDING = 1e-14


class Newton:
    """A search for positions q with phi(q) = 0, by steps dq = -L^+ phi that are damped while they do not help.

    Steps are measured in radians and lengths of the longest loop, errors relative to the sizes of their rows, so that
    units of length change no step.
    """

    def __init__(
        self, robot: ConstraintMethods, targets: Array | None, fixed: frozenset[int], limits: bool, tolerance: float
    ) -> None:
        self.robot, self.targets, self.limits, self.tolerance = robot, targets, limits, tolerance
        self.fixed_mask = np.array([k in fixed for k in range(robot.nv)], dtype=bool)
        #: Rows that are about positions.
        self.rows = np.array([h for c in robot.closures for h in c.constraint.holonomic], dtype=bool)
        self.lower, self.upper = np.full(robot.nv, -np.inf), np.full(robot.nv, np.inf)
        for joint in robot.joints if limits else ():
            if joint.mimic is None and joint.type.nq == joint.type.nv:
                self.lower[joint.v], self.upper[joint.v] = robot.lower[joint.q], robot.upper[joint.q]

    def error(self, q: Array, which: Array) -> Array:
        """phi of the rows that are about positions, (samples, rows); ``which`` of all samples they are."""
        return self.robot._error(q, None if self.targets is None else self.targets[which])[:, self.rows]

    def search(self, q: Array, which: Array) -> tuple[Array, Array]:
        """From positions (samples, nq): the positions reached, and the length of phi at each, (samples,).

        ``which`` are the numbers of these samples among those that have targets. Where rounding alone makes rows larger
        than the tolerance, since they are about large lengths, phi is told relative to it.

        The damping mu of each sample is multiplied or divided as its steps fail or help, as Levenberg and Marquardt do
        it; without damping the steps are those of Gauss and Newton, which double the digits each time.
        """
        q = self._clipped(q)
        phi, sizes = self.error(q, which), self.sizes(q)
        cost, mu = _cost(phi / sizes), np.zeros(len(q))
        told = np.minimum(1.0, self.tolerance / (ROUNDING * sizes))
        idle = np.zeros(len(q), dtype=int)
        for _ in range(STEPS):
            active = np.flatnonzero((np.abs(phi * told).max(axis=-1, initial=0.0) > 0.01 * self.tolerance) & (idle < 8))
            if not active.size:
                break
            step = self._step(q[active], phi[active], sizes[active], mu[active])
            there = self._clipped(np.asarray(self.robot.integrate(q[active], step)))
            phi_there = self.error(there, which[active])
            cost_there = _cost(phi_there / sizes[active])
            better = cost_there < cost[active]
            idle[active] = np.where(cost_there < 0.999 * cost[active], 0, idle[active] + 1)
            scale = np.maximum(cost[active], 1e-30)
            mu[active] = np.where(better, mu[active] * 0.1, np.maximum(10.0 * mu[active], 1e-3 * np.sqrt(scale)))
            mu[mu < 1e-12] = 0.0
            moved = active[better]
            q[moved], phi[moved], cost[moved] = there[better], phi_there[better], cost_there[better]
        return q, np.sqrt(_cost(phi * told))

    def sizes(self, q: Array) -> Array:
        """The sizes of the rows that are about positions, (samples, rows); 1 where a position is not finite."""
        found = self.robot._ranks(q).sizes[:, self.rows]
        return np.where(np.isfinite(found), found, 1.0)

    def jacobian(self, q: Array, sizes: Array) -> Array:
        """L of these rows, (samples, rows, nv), relative to their sizes and by the units of coordinates."""
        return np.asarray(self.robot.constraint_jacobian(q)[:, self.rows, :] / sizes[..., None] * self.robot._units)

    def _step(self, q: Array, phi: Array, sizes: Array, mu: Array) -> Array:
        """-L^+ phi, damped. Coordinates at a limit that would be pushed beyond it stay; the others make up for them."""
        L, phi = self.jacobian(q, sizes), phi / sizes
        still = np.broadcast_to(self.fixed_mask, (len(q), self.robot.nv))
        step = _least_squares(np.where(still[:, None, :], 0.0, L), phi, mu)
        at = self.coordinates(q)
        pushed = ((at <= self.lower) & (step < 0.0)) | ((at >= self.upper) & (step > 0.0))
        if pushed.any():
            step = _least_squares(np.where((still | pushed)[:, None, :], 0.0, L), phi, mu)
        largest = np.abs(step).max(axis=-1, initial=0.0, keepdims=True)
        return np.asarray(self.robot._units * step * np.minimum(1.0, STRIDE / np.maximum(largest, 1e-300)))

    def coordinates(self, q: Array) -> Array:
        """The coordinates that have limits, by degree of freedom; zero for others."""
        at = np.zeros((len(q), self.robot.nv))
        for joint in self.robot.joints:
            if joint.mimic is None and joint.type.nq == joint.type.nv:
                at[:, joint.v] = q[:, joint.q]
        return at

    def _clipped(self, q: Array) -> Array:
        return self.robot.clip(q) if self.limits else q

    def failure(self, q: Array, sample: int) -> tuple[str, float]:
        """What an error says of a position at which the search for a sample has ended, and the error there."""
        phi = self.robot._error(q, None if self.targets is None else self.targets[sample])
        phi = np.where(self.rows, phi, 0.0)
        sizes = {c.constraint.name: float(np.linalg.norm(phi[c.rows])) for c in self.robot.closures}
        name = max(sizes, key=lambda constraint: sizes[constraint])
        within = " within the joint limits" if np.isfinite(self.lower).any() or np.isfinite(self.upper).any() else ""
        text = (
            f"{self.robot.name or 'this robot'} cannot be assembled{within}: the smallest error found is "
            f"{sizes[name]:.3g} (rad or m), and constraint {name!r} holds it. Check lengths and frames, or give "
            "another guess, more restarts or limits=False"
        )
        return text, sizes[name]


def _cost(phi: Array) -> Array:
    return np.asarray((phi * phi).sum(axis=-1))


def _least_squares(L: Array, phi: Array, mu: Array) -> Array:
    """-L^+ phi by singular values s / (s^2 + mu), of which very small ones count as zero."""
    U, s, Vh = np.linalg.svd(L, full_matrices=False)
    kept = s > SINGULAR * np.maximum(s[:, :1], 1e-300)
    gain = np.where(kept, s / np.where(kept, s * s + mu[:, None], 1.0), 0.0)
    return -np.einsum("bkn,bk,bmk,bm->bn", Vh, gain, U, phi, optimize=True)
