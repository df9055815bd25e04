"""Inverse kinematics of a closed robot: the search from several starts, and what is said of targets not reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixd.ik.damped import EXHAUSTED, REACHED, Ends
from sixd.ik.problem import Problem
from sixd.ik.result import IKResult, Status
from sixd.ik.targets import Goal
from sixd.robot.closed.descent import Descent
from sixd.robot.closed.newton import Newton

if TYPE_CHECKING:
    from sixd.robot.closed.assembly import AssemblyMethods

__all__ = ["Reaching"]

Array = NDArray[Any]
#: How far, rad or m, constraints may be off.
CLOSED = 1e-11
#: How many starts are tried together for a target.
ROUND = 8


class Reaching:
    """The best position so far of a closed robot for each of T targets."""

    def __init__(
        self,
        robot: AssemblyMethods,
        goals: tuple[Goal, ...],
        limits: bool,
        tolerance: tuple[float, float],
        iterations: int,
    ) -> None:
        none = np.full(robot.nq, np.inf)
        lower, upper = (np.array(robot.lower), np.array(robot.upper)) if limits else (-none, none)
        self.robot, self.iterations = robot, iterations
        self.problem = Problem(robot, goals, lower, upper, tolerance)
        self.newton = Newton(robot, None, frozenset(), limits, CLOSED)

    def starts(self, base: Array, count: int, rng: np.random.Generator) -> Array:
        """Positions (K, nq) that keep the constraints, from near ``base`` (nq,) to far: at most ``count``."""
        spreads = np.linspace(0.1, 1.0, max(count // 2, 1)).tolist() + [1.0] * (count - max(count // 2, 1))
        some = [self.robot._elsewhere(base[None, :], rng, spread, self.newton) for spread in spreads[:count]]
        if not some:
            return np.empty((0, len(base)))
        found, off = self.newton.search(np.concatenate(some), np.arange(len(some)))
        return found[off <= CLOSED]

    def run(self, first: Array, others: Array, lead: tuple[int, ...]) -> IKResult:
        """From ``first`` (T, nq), then from ``others`` (K, nq), those near to a target before the rest.

        The result has the batch axes ``lead``.
        """
        T, m = len(first), len(self.problem.root_weights)
        self.q, self.e = np.full(first.shape, np.nan), np.full((T, m), np.nan)
        self.cost, self.how = np.full(T, np.inf), np.full(T, EXHAUSTED)
        self.nit, self.used = np.zeros(T, dtype=int), np.zeros(T, dtype=int)
        finite = np.all([goal.finite() for goal in self.problem.goals], axis=0) & np.isfinite(first).all(axis=-1)
        known = np.flatnonzero(finite)
        descent = Descent(self.problem, self.newton)
        self._keep(known, descent.run(first[known], known, self.iterations), 1)
        for some in range(0, len(others), ROUND):
            left = known[self.how[known] != REACHED]
            if not left.size:
                break
            starts = self._nearest(left, others)[:, some : some + ROUND]
            count = starts.shape[1]
            ends = descent.run(starts.reshape(-1, first.shape[1]), np.repeat(left, count), self.iterations)
            self._keep(left, ends, count)
            self.used[left] += count
        return self._result(finite, lead)

    def _nearest(self, targets: Array, others: Array) -> Array:
        """For each target the other starts, (targets, K, nq), by what their errors cost."""
        pairs = np.tile(np.arange(len(others)), len(targets))
        cost = self.problem.cost(self.problem.error(others[pairs], np.repeat(targets, len(others)), often=True)[0])
        order = np.argsort(cost.reshape(len(targets), -1), axis=1, kind="stable")
        return others[order]

    def _keep(self, targets: Array, ends: Ends, count: int) -> None:
        """Take the best of ``count`` ends for each target, if it is better than what is there: reached, then cost."""
        cost = np.where(ends.how == REACHED, -1.0, ends.cost).reshape(len(targets), count)
        best = np.argmin(cost, axis=1) + count * np.arange(len(targets))
        better = (ends.how[best] == REACHED) | (ends.cost[best] < self.cost[targets])
        k, best = targets[better], best[better]
        self.q[k], self.e[k], self.cost[k], self.how[k] = ends.q[best], ends.e[best], ends.cost[best], ends.how[best]
        self.nit[targets] += ends.nit.reshape(len(targets), count).max(axis=1)

    def _result(self, finite: Array, lead: tuple[int, ...]) -> IKResult:
        status, message = np.full(len(finite), int(Status.NOT_FINITE)), np.empty(len(finite), dtype=object)
        message[:] = "not finite: the target or the start has NaN entries, or no consistent position is near the start"
        status[finite], message[finite] = Status.REACHED, "target reached, and the constraints hold"
        failed = np.flatnonzero(finite & (self.how != REACHED))
        beyond = self._reached_beyond_limits(failed)
        for k in failed.tolist():
            status[k], message[k] = self._why(k, k in beyond)
        error = self.problem.measured(self.e)
        return IKResult._of(lead, self.q, error, self.how == REACHED, status, message, self.nit, self.used)

    def _reached_beyond_limits(self, failed: Array) -> set[int]:
        """Which targets are reached from where the search ended if joint limits do not matter."""
        if not failed.size or not (np.isfinite(self.newton.lower).any() or np.isfinite(self.newton.upper).any()):
            return set()
        newton = Newton(self.robot, None, frozenset(), False, CLOSED)
        ends = Descent(self.problem.without_limits(), newton).run(self.q[failed], failed, self.iterations)
        return set(failed[ends.how == REACHED].tolist())

    def _why(self, k: int, beyond_limits: bool) -> tuple[Status, str]:
        e, angular = self.problem.measured(self.e)[k], self.problem.plan.angular
        parts = ((e[~angular], "m"), (e[angular], "rad"))
        left = " and ".join(f"{np.linalg.norm(part):.3g} {unit}" for part, unit in parts if part.size)
        if beyond_limits:
            return Status.LIMIT_ACTIVE, f"limit active: reached without joint limits, within them {left} remain"
        if self.how[k] == EXHAUSTED:
            return Status.ITERATIONS, f"not converged in {self.iterations} iterations: {left} remain"
        return Status.OUT_OF_REACH, f"out of reach: {left} remain at the closest position found that keeps constraints"
