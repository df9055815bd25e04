"""What some attempts of steps of variable length have found, for all samples of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.process.forks import cached_property
from sixd.robot import Robot
from sixd.simulation.adaptive_step import REACHES
from sixd.simulation.dense import Stretch

__all__ = ["CRAWL", "Attempts", "Effort", "Loss"]

Array = NDArray[Any]
#: A step shorter than this, relative to the time, cannot be told from none.
SHORTEST = 1e-14
#: A sample crawls if it has got less far in so many attempts than it may, and this share of them was in vain: of
#: motions that are smooth, however stiff, it is a tenth at most, and where forces jump again and again a third to three
#: quarters. It also does if it has got no further than the last share of what it may: its attempts would take days.
CRAWL, IN_VAIN, NO_WAY = 10_000, 0.2, 1e-4


@dataclass
class Effort:
    """The attempts of a sample since they were last looked at."""

    #: When the first of them began, s.
    begin: float
    tries: int = 0
    #: How many of them were in vain.
    vain: int = 0


class Loss(NamedTuple):
    """The first attempt of a sample from which it cannot go on: its number, when it begins, how long it is."""

    attempt: int
    time: float
    length: float
    #: Whether the attempt is too short to be told from none, or attempts crawl; otherwise numbers were not finite.
    short: bool = False
    crawls: bool = False


class Attempts:
    """Attempts that follow one another; the first axis of all arrays is the sample, the second the attempt.

    ``before`` is the state before the first of them, ``kept`` what each has found, ``end`` when steps have to end. What
    is said here of an attempt does not depend on how many are looked at together.
    """

    def __init__(self, robot: Robot, before: Mapping[str, Array], kept: Mapping[str, Array], end: float) -> None:
        self.robot, self.before, self.kept, self.end = robot, before, kept, end

    def _begins(self, name: str, sample: int) -> Array:
        """Part of the state of a sample at the beginning of each attempt."""
        return np.concatenate([self.before[name][sample][None], self.kept[f"{name}_next"][sample][:-1]])

    @cached_property
    def times(self) -> Array:
        """When each attempt begins, (samples, attempts)."""
        return np.concatenate([self.before["t"][:, None], self.kept["t_next"][:, :-1]], axis=1)

    @cached_property
    def _shortened(self) -> Array:
        """Whether an attempt was made as long as it was to reach the end, (samples, attempts)."""
        return np.asarray(self.end - self.times < REACHES * self.kept["length"])

    @property
    def cut(self) -> Array:
        """The samples with an attempt that would have been another one had there been more time, (samples,)."""
        return np.asarray(self._shortened.any(axis=1))

    @cached_property
    def _lost(self) -> tuple[Array, Array]:
        """Whether attempts are too short, and whether something is not finite in them, (samples, attempts)."""
        length = self.kept["length"]
        short = (length < SHORTEST * np.maximum(np.abs(self.times), 1e-3)) & (length > 0.0) & ~self._shortened
        return short, ~(np.isfinite(length) & np.isfinite(self.kept["q_next"]).all(axis=2))

    def loss(self, sample: int) -> Loss | None:
        """Where a sample was lost, if it was."""
        short, bad = (x[sample] for x in self._lost)
        which = np.flatnonzero(short | bad)
        if not len(which):
            return None
        k = int(which[0])
        return Loss(k, float(self.times[sample, k]), float(self.kept["length"][sample, k]), bool(short[k]))

    def crawl(self, sample: int, effort: Effort, least: float) -> Loss | None:
        """Where a sample begins to crawl, if it does: `CRAWL` attempts lead it less than ``least`` seconds ahead.

        The attempts are added to its effort, which begins anew when there are so many.
        """
        length, after = self.kept["length"][sample], self.kept["t_next"][sample]
        real = (length > 0.0) & ~self._shortened[sample]
        vain = real & (self.kept["made"][sample] != 1.0)
        full = np.flatnonzero(real & (effort.tries + np.cumsum(real) == CRAWL))
        if not len(full):
            effort.tries, effort.vain = effort.tries + int(real.sum()), effort.vain + int(vain.sum())
            return None
        k, later = int(full[0]), slice(int(full[0]) + 1, None)
        is_vain = effort.vain + int(vain[: k + 1].sum()) > IN_VAIN * CRAWL
        crawls = float(after[k]) - effort.begin < least * (1.0 if is_vain else NO_WAY)
        effort.begin, effort.tries, effort.vain = float(after[k]), int(real[later].sum()), int(vain[later].sum())
        return Loss(k, float(self.times[sample, k]), float(length[k]), crawls=True) if crawls else None

    def stretch(self, sample: int, until: int | None = None) -> Stretch:
        """The steps of a sample that were made in the first ``until`` attempts."""
        some = slice(until)
        made = (self.kept["made"][sample, some] == 1.0) & (self.kept["length"][sample, some] > 0.0)
        begin = (self._begins(name, sample)[some][made] for name in ("t", "q", "qd", "work"))
        rest = (self.kept[name][sample, some][made] for name in ("q_next", "qd_next", "length", "dense"))
        return Stretch(self.robot, *begin, *rest)
