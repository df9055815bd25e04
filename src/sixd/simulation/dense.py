"""The states inside steps of variable length, by the dense output of their method."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.robot import Robot
from sixd.simulation.adaptive_step import DENSE

__all__ = ["Inside", "Stretch"]

Array = NDArray[Any]


class Inside(NamedTuple):
    """States inside steps, (n, nq) and (n, nv), and the work of each source so far, (n, sources) if there are books."""

    q: Array
    qd: Array
    work: Array


class Stretch(NamedTuple):
    """Some steps of one sample in a row: where they begin and end, how long they are, and the curves in between."""

    robot: Robot
    t: Array
    q: Array
    qd: Array
    work: Array
    q_end: Array
    qd_end: Array
    length: Array
    dense: Array

    def at(self, step: Array, share: Array) -> Inside:
        """The states at shares, 0 to 1, of some steps: to fourth order inside, and as they are where steps end."""
        nv, n = self.robot.nv, len(step)
        curves = self.dense[step]
        moved = _curve(curves[:, : 2 * DENSE * nv].reshape(n, 2, DENSE, nv), share[:, None, None])
        work = _curve(curves[:, 2 * DENSE * nv :].reshape(n, DENSE, self.work.shape[1]), share[:, None])
        q = np.asarray(self.robot.integrate(self.q[step], moved[:, 0]))
        ends = (share == 1.0)[:, None]  # where a closed robot is led back to its constraints
        qd = np.where(ends, self.qd_end[step], self.qd[step] + moved[:, 1])
        return Inside(np.where(ends, self.q_end[step], q), qd, self.work[step] + work)

    def times(self, step: Array, share: Array) -> Array:
        """The times of these."""
        return self.t[step] + share * self.length[step]

    def find(self, times: Array) -> tuple[Array, Array]:
        """The steps in which times lie, and at which shares; a time between two steps is the end of the first."""
        step = np.clip(np.searchsorted(self.t, times, side="left") - 1, 0, len(self.t) - 1)
        return step, np.clip((times - self.t[step]) / self.length[step], 0.0, 1.0)


def _curve(vectors: Array, s: Array) -> Array:
    """y(s) = s (a + (1 - s) (b + s (c + (1 - s) d))), with a, b, c and d along the last axis but one."""
    a, b, c, d = (vectors[..., k, :] for k in range(DENSE))
    found: Array = s * (a + (1.0 - s) * (b + s * (c + (1.0 - s) * d)))
    return found
