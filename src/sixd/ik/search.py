"""The search: a first start, restarts where it failed, the posture, and the reasons for what stays unreached."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.ik.damped import EXHAUSTED, REACHED, Ends, descend
from sixd.ik.diagnosis import diagnose
from sixd.ik.posture import approach_posture
from sixd.ik.problem import Problem
from sixd.ik.reach import proofs
from sixd.ik.result import IKResult, Status
from sixd.ik.seeds import Seeds

__all__ = ["Search"]

Array = NDArray[Any]

#: Starts worked on together.
BLOCK = 4096
#: From how many ends of failed starts the search without limits begins.
RETRIES = 8


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
        self.message = ["not finite: the target, the start or the posture has NaN or infinite entries"] * T
        self.finite = np.flatnonzero(finite)

    @cached_property
    def seeds(self) -> Seeds:
        return Seeds(self.problem, self.rng, self.restarts + 1)

    def run(self, from_base: bool) -> None:
        """Find configurations: first from ``base`` or from the nearest seed, then from the other seeds."""
        for block in _blocks(self.finite, BLOCK // 8):
            starts = self.base[block] if from_base else self.seeds.nearest(block, 1, self.base[block])[:, 0]
            self._keep(block, descend(self.problem, starts, block, self.max_iterations), 1)
        self._settle(self.finite[self.how[self.finite] == REACHED], Status.REACHED, "target reached")
        failed = self.finite[self.how[self.finite] != REACHED]
        proved = proofs(self.problem, failed)
        for k, reason in proved.items():
            self._settle([k], Status.OUT_OF_REACH, f"out of reach: {reason}")
        failed = np.array([k for k in failed.tolist() if k not in proved], dtype=int)
        for block in _blocks(failed, max(1, BLOCK // max(1, self.restarts))):
            self._restart(block, skip=0 if from_base else 1)

    def _restart(self, block: Array, skip: int) -> None:
        ends = self.q[block][:, None]
        if self.restarts:
            starts = self.seeds.nearest(block, self.restarts + skip, self.base[block])[:, skip:]
            count = starts.shape[1]
            found = descend(
                self.problem, starts.reshape(len(block) * count, -1), np.repeat(block, count), self.max_iterations
            )
            self._keep(block, found, count)
            self.used[block] = count
            order = np.argsort(found.cost.reshape(-1, count), axis=1, kind="stable")[:, :RETRIES]
            closest = np.take_along_axis(found.q.reshape(starts.shape), order[:, :, None], axis=1)
            ends = np.concatenate([ends, closest], axis=1)
        reached = self.how[block] == REACHED
        self._settle(block[reached], Status.REACHED, "target reached")
        block, ends = block[~reached], ends[~reached]
        if len(block):
            status, messages = diagnose(self.problem, self.q[block], block, self.how[block], ends, self.max_iterations)
            for k, s, message in zip(block.tolist(), status.tolist(), messages, strict=True):
                self._settle([k], s, message)

    def _keep(self, block: Array, ends: Ends, count: int) -> None:
        """Take the best of ``count`` ends for each target, if it is better than what is there: reached, then cost."""
        cost = np.where(ends.how == REACHED, -1.0, ends.cost).reshape(len(block), count)
        best = np.argmin(cost, axis=1) + count * np.arange(len(block))
        better = (ends.how[best] == REACHED) | (ends.cost[best] < self.cost[block])
        k, best = block[better], best[better]
        self.q[k], self.e[k], self.cost[k], self.how[k] = ends.q[best], ends.e[best], ends.cost[best], ends.how[best]
        self.nit[block] += np.max(ends.nit.reshape(len(block), count), axis=1)

    def _settle(self, targets: Any, status: int, message: str) -> None:
        for k in np.asarray(targets, dtype=int).tolist():
            self.status[k], self.message[k] = status, message

    def approach(self, posture: Array) -> None:
        """Bring every target that was reached as close to a posture (T, nq) as its goals allow."""
        for block in _blocks(self.finite[self.how[self.finite] == REACHED], BLOCK // 8):
            self.q[block] = approach_posture(self.problem, self.q[block], block, posture[block], self.max_iterations)
            self.e[block] = self.problem.error(self.q[block], block)[0]

    def result(self, lead: tuple[int, ...]) -> IKResult:
        """What was found, with these batch axes; plain values for a single target."""
        error = self.problem.measured(self.e)
        fields = {
            "success": self.how == REACHED,
            "status": self.status,
            "message": np.array(self.message, dtype=str),
            "nit": self.nit,
            "residual": np.linalg.norm(error, axis=1),
            "restarts": self.used,
        }
        values = {name: a.reshape(lead) if lead else a[0].item() for name, a in fields.items()}
        if not lead:
            values["status"] = Status(values["status"])
        return IKResult(q=self.q.reshape(*lead, -1), error=error.reshape(*lead, -1), **values)


def _blocks(indices: Array, size: int) -> Iterator[Array]:
    return (indices[k : k + size] for k in range(0, len(indices), size))
