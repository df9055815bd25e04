"""Inverse kinematics as a method of a closed robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.model.configuration import random_generator
from sixd.process.forks import importing
from sixd.robot.closed.assembly import AssemblyMethods
from sixd.runtime.arguments import common_lead

if TYPE_CHECKING:
    from sixd.ik import IKResult

__all__ = ["ClosedInverseKinematicsMethods"]

Array = NDArray[Any]


class ClosedInverseKinematicsMethods(AssemblyMethods):
    """Methods of a closed robot that bring its frames to a place."""

    def inverse_kinematics(  # type: ignore[override]
        self,
        frame: str | Sequence[str] | Mapping[str, ArrayLike],
        target: Any = None,
        q0: ArrayLike | None = None,
        *,
        kind: Any = None,
        weights: Any = None,
        limits: bool = True,
        tolerance: float | tuple[float, float] = 1e-8,
        max_iterations: int = 100,
        restarts: int = 16,
        seed: int | np.random.Generator = 0,
    ) -> IKResult:
        """A position q that keeps the constraints and brings a frame (or several) to a target, within joint limits.

        Targets, ``kind``, ``weights``, ``tolerance`` and the result are those of `sixd.ik.inverse_kinematics`. The
        constraints hold to 1e-11 at every position on the way and in every result, so that where a target is out of
        reach ``q`` is the closest position found of the closed robot, and ``success`` is False. The search starts from
        the consistent position nearest to ``q0`` (..., nq), else from one of the mechanism's; a target that it does not
        reach is tried from ``restarts`` others, which `assemble` might find, too. Prescribed motions are held.

        `AssemblyError` if no consistent position is found near q0. Steps are damped least squares along the
        constraints, by kernels and LAPACK: a millisecond or so for each. There is no ``posture``.
        """
        with importing:  # imported on first use, because not all programs need it
            from sixd.ik.arguments import seed_of, tolerance_of, whole
            from sixd.ik.solver import MOST_ITERATIONS, MOST_RESTARTS
            from sixd.ik.targets import parse_goals
            from sixd.robot.closed.reaching import Reaching
        count = whole("restarts", restarts, 0, MOST_RESTARTS)
        iterations = whole("max_iterations", max_iterations, 1, MOST_ITERATIONS)
        rng = random_generator(seed_of(seed))
        goals = parse_goals(self, frame, target, kind, weights)
        start = self.neutral() if q0 is None else np.asarray(self._array("q", q0), dtype=float)
        lead = common_lead({f"target of {goal.frame.name!r}": goal.lead for goal in goals} | {"q0": start.shape[:-1]})
        flat, within = tuple(goal.flat(lead) for goal in goals), given.flag(limits, "limits")
        search = Reaching(self, flat, within, tolerance_of(tolerance), iterations)
        first = np.broadcast_to(self.assemble(start, limits=within), (*lead, self.nq)).reshape(-1, self.nq)
        base = first[np.isfinite(first).all(axis=-1)][:1]
        others = search.starts(base[0], count, rng) if len(base) else base
        return search.run(first, others, lead)
