"""The search: a first start, restarts where it failed, the posture, and the reasons for what stays unreached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.ik.damped import EXHAUSTED, REACHED, STALLED, Ends, descend
from sixd.ik.diagnosis import diagnose
from sixd.ik.posture import approach_posture
from sixd.ik.problem import Problem
from sixd.ik.reach import proofs
from sixd.ik.result import IKResult, Status
from sixd.ik.seeds import NEAREST, Seeds
from sixd.process.forks import cached_property

__all__ = ["Search"]

Array = NDArray[Any]

#: What is said of input that is not finite.
NOT_FINITE = "not finite: the target, the start or the posture has NaN or infinite entries"
#: Starts worked on together.
BLOCK = 4096
#: From how many ends of each round of failed starts the search without limits begins.
RETRIES = 4
#: The gain in cost, in a few iterations, that is still worth it for the closest end of a target out of reach.
POLISHED = 1e-5


class Search:
    """The best configuration so far for each of T targets. ``base`` (T, nq) holds the coordinates that move no goal."""

    def __init__(
        self,
        problem: Problem,
        base: Array,
        max_iterations: int,
        restarts: int,
        rng: np.random.Generator | int,
        finite: Array,
    ) -> None:
        self.problem, self.base = problem, problem.clip(base)
        self.max_iterations, self.restarts, self.rng = max_iterations, restarts, rng
        T = len(base)
        self.q = np.full(base.shape, np.nan)
        self.e = np.full((T, len(problem.root_weights)), np.nan)
        self.cost = np.full(T, np.inf)
        self.how = np.full(T, EXHAUSTED)
        self.nit = np.zeros(T, dtype=int)
        self.used = np.zeros(T, dtype=int)
        self.status = np.full(T, int(Status.NOT_FINITE))
        self.message = np.full(T, NOT_FINITE, dtype=object)
        self.finite = np.flatnonzero(finite)

    @cached_property
    def seeds(self) -> Seeds:
        return Seeds(self.problem, self.rng, self.restarts + 1)

    def run(self, from_base: bool) -> None:
        """Find configurations: first from ``base`` or from the nearest seed, then from the other seeds."""
        for block in _blocks(self.finite, BLOCK):
            starts = self.base[block]
            if not from_base:
                starts = self.seeds.choose(block, np.array([0]), starts)[:, 0]
            self._keep(block, descend(self.problem, self._near(starts, block), block, self.max_iterations), 1)
            self._accept_rounding(block)
        proved = proofs(self.problem, self._unreached(self.finite))
        for k, reason in proved.items():
            self.status[k], self.message[k] = Status.OUT_OF_REACH, f"out of reach: {reason}"
        for block in _blocks(np.array(list(proved), dtype=int), BLOCK // NEAREST):
            self._come_closest(block, skip=0 if from_base else 1)
        open_ends = np.setdiff1d(self._unreached(self.finite), list(proved))
        for block in _blocks(open_ends, BLOCK // NEAREST):
            self._restart(block, skip=0 if from_base else 1)
        reached = self.finite[self.how[self.finite] == REACHED]
        self.status[reached], self.message[reached] = Status.REACHED, "target reached"

    def _unreached(self, targets: Array) -> Array:
        return targets[self.how[targets] != REACHED]

    def _near(self, starts: Array, target: Array) -> Array:
        """Starts (B, nq) whose targets (B,) are far away, moved towards them: positions first, attitudes later.

        The slope of a pose's error grows with the distance, and its damping with the slope: it would hardly move.
        """
        far = np.flatnonzero(self.problem.is_far[target])
        if len(far) and (positions := self.problem.positions_only()) is not None:
            starts = starts.copy()
            starts[far] = descend(positions, starts[far], target[far], self.max_iterations).q
        return starts

    def _accept_rounding(self, block: Array) -> None:
        """Count as reached what only the rounding of positions far from the origin keeps from its target."""
        block = self._unreached(block)
        if not len(block):
            return
        allowed = self.problem.rounding(block)
        near = self.problem.reached(np.where(np.abs(self.e[block]) <= allowed, 0.0, self.e[block]))
        self.how[block[near]] = REACHED

    def _restart(self, block: Array, skip: int) -> None:
        """Try the seeds, a few at first; where none helps, find out why."""
        ranks = self.seeds.ranks(self.restarts + skip)[skip:] if self.restarts else np.array([], dtype=int)
        still, ends = block, self.q[block][:, None]
        for some in (ranks[:NEAREST], ranks[NEAREST:]):
            if len(some) and len(still):
                closest = self._try(still, self.seeds.choose(still, some, self.base[still]))
                left = self.how[still] != REACHED
                still, ends = still[left], np.concatenate([ends, closest], axis=1)[left]
        self._polish(block[self.how[block] == STALLED])
        self._accept_rounding(block)
        failed = self.how[still] != REACHED
        if failed.any():
            still, ends = still[failed], ends[failed]
            self.status[still], self.message[still] = diagnose(
                self.problem, self.q[still], still, self.how[still], ends, self.max_iterations
            )

    def _come_closest(self, block: Array, skip: int) -> None:
        """From all seeds as close as possible to targets that are proved out of reach; the best few ends go on."""
        ranks = self.seeds.ranks(self.restarts + skip)[skip:] if self.restarts else np.array([], dtype=int)
        ends = self.q[block][:, None]
        if len(ranks):
            closest = self._try(block, self.seeds.choose(block, ranks, self.base[block]))
            ends = np.concatenate([ends, closest], axis=1)
        count = ends.shape[1]
        starts, targets = ends.reshape(len(block) * count, -1), np.repeat(block, count)
        self._keep(block, descend(self.problem, starts, targets, self.max_iterations, 0.0), count)
        self.how[block] = STALLED

    def _try(self, block: Array, starts: Array) -> Array:
        """Start from (T, K, nq) for targets (T,); the closest few ends of each are returned."""
        count = starts.shape[1]
        targets = np.repeat(block, count)
        flat = self._near(starts.reshape(len(block) * count, -1), targets)
        found = descend(self.problem, flat, targets, self.max_iterations)
        self._keep(block, found, count)
        self.used[block] += count
        order = np.argsort(found.cost.reshape(-1, count), axis=1, kind="stable")[:, :RETRIES]
        return np.take_along_axis(found.q.reshape(starts.shape), order[:, :, None], axis=1)

    def _polish(self, block: Array) -> None:
        """Go on from the closest ends of targets where every start stalled, until no step gains anything."""
        if not len(block):
            return
        self._keep(block, descend(self.problem, self.q[block], block, self.max_iterations, POLISHED), 1)
        self.how[block] = np.where(self.how[block] == REACHED, REACHED, STALLED)

    def _keep(self, block: Array, ends: Ends, count: int) -> None:
        """Take the best of ``count`` ends for each target, if it is better than what is there: reached, then cost."""
        cost = np.where(ends.how == REACHED, -1.0, ends.cost).reshape(len(block), count)
        best = np.argmin(cost, axis=1) + count * np.arange(len(block))
        better = (ends.how[best] == REACHED) | (ends.cost[best] < self.cost[block])
        k, best = block[better], best[better]
        self.q[k], self.e[k], self.cost[k], self.how[k] = ends.q[best], ends.e[best], ends.cost[best], ends.how[best]
        self.nit[block] += np.max(ends.nit.reshape(len(block), count), axis=1)

    def approach(self, posture: Array) -> None:
        """Bring every target that was reached as close to a posture (T, nq) as its goals allow."""
        for block in _blocks(self.finite[self.how[self.finite] == REACHED], BLOCK // 8):
            self.q[block] = approach_posture(self.problem, self.q[block], block, posture[block], self.max_iterations)
            self.e[block] = self.problem.error(self.q[block], block)[0]

    def result(self, lead: tuple[int, ...]) -> IKResult:
        """What was found, with these batch axes; plain values for a single target."""
        error = self.problem.measured(self.e)
        return IKResult._of(lead, self.q, error, self.how == REACHED, self.status, self.message, self.nit, self.used)


def _blocks(indices: Array, size: int) -> Iterator[Array]:
    return (indices[k : k + size] for k in range(0, len(indices), size))
