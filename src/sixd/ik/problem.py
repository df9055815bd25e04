"""The least-squares problem behind inverse kinematics: errors of frames, what they cost, and limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.algorithms.configuration import integrate
from sixd.compiler.choice import get_kernels
from sixd.ik import plain
from sixd.ik.advance import EPS
from sixd.ik.compiled import error_kernel, step_kernel
from sixd.ik.error import errors_and_slopes
from sixd.ik.plan import ANGULAR, Plan, plan_of
from sixd.ik.targets import Goal
from sixd.model import Model
from sixd.process.forks import cached_property

__all__ = ["Problem"]

Array = NDArray[Any]

#: From how many configurations on it is worth it to compile their errors.
MANY = 64
#: A distance, m, from which on the position of a pose is approached before its attitude.
FAR = 1e3


@dataclass(frozen=True)
class Problem:
    """Minimise 1/2 sum w e^2 over q within [lower, upper]. ``tolerance`` is (rad, m)."""

    model: Model
    goals: tuple[Goal, ...]
    lower: Array
    upper: Array
    tolerance: tuple[float, float]

    @cached_property
    def plan(self) -> Plan:
        return plan_of(self.model, tuple(goal.place for goal in self.goals))

    @property
    def columns(self) -> Array:
        """The velocity coordinates that move some goal's frame, (n,)."""
        return self.plan.columns

    @property
    def positions(self) -> Array:
        """The position coordinates that move some goal's frame."""
        return self.plan.positions

    @property
    def turns(self) -> Array:
        """How fast each of `columns` turns a body, rad per unit of the coordinate, (n,)."""
        return self.plan.turns

    @cached_property
    def root_weights(self) -> Array:
        return np.sqrt(np.concatenate([goal.weights for goal in self.goals]))

    @cached_property
    def targets(self) -> Array:
        """For each target the attitudes, row by row, and positions of all goals, (T, 12 goals)."""
        parts = [part for goal in self.goals for part in (goal.rotation.reshape(-1, 9), goal.position)]
        return np.concatenate(parts, axis=1)

    def without_limits(self) -> Problem:
        return replace(self, lower=np.full_like(self.lower, -np.inf), upper=np.full_like(self.upper, np.inf))

    @cached_property
    def is_far(self) -> Array:
        """Which targets ask for a pose far from the world's origin, (T,)."""
        sizes = [np.abs(goal.position).max(axis=1) > FAR for goal in self.goals if goal.kind == "pose"]
        return np.any(sizes, axis=0) if sizes else np.zeros(len(self.targets), dtype=bool)

    def positions_only(self) -> Problem | None:
        """The same problem with positions instead of poses, as far as they count; None if nothing is left."""
        goals = []
        for goal in self.goals:
            weights = goal.weights[-3:]
            if goal.kind != "orientation" and weights.any():
                goals.append(replace(goal, kind="position", weights=weights))
        return replace(self, goals=tuple(goals)) if goals else None

    def error(self, q: Array, rows: Array, often: bool = False) -> tuple[Array, Array]:
        """e (B, m) and A = -de/dv (B, m, n) by `columns`, for configurations (B, nq) and the targets ``rows`` (B,).

        It is compiled if there are many configurations, or if it is asked for ``often``.
        """
        m, n = len(self.root_weights), len(self.columns)
        wanted = self.targets[rows]
        compiled = (often or len(q) >= MANY) and get_kernels() != "python"
        found = error_kernel(self.plan) if compiled else None
        if found is None:
            one = 0 if len(q) == 1 else slice(None)  # a single state is faster on plain floats
            with np.errstate(all="ignore"):
                values = errors_and_slopes(self.model, q[one], wanted[one], self.plan.places)
        else:
            values = found(q, wanted)
        A = np.zeros((len(q), m * n))
        A[:, self.plan.entries] = values[..., m:]
        return np.broadcast_to(values[..., :m], (len(q), m)), A.reshape(len(q), m, n)

    @cached_property
    def _step(self) -> Any:
        """The compiled step with its settings, or None where the problem is too large."""
        found = step_kernel(self.plan) if get_kernels() != "python" else None
        if found is None:
            return None
        near = np.nextafter(self.tolerance, np.inf)  # norms below it are at most the tolerance
        limits = self.lower[self.positions], self.upper[self.positions]
        settings = np.concatenate([self.root_weights, *limits, near])
        return lambda state, wanted: found(state, wanted, settings)

    @property
    def width(self) -> int:
        """How many numbers tell the state of a start; a slope that is not recomputed is kept behind the others."""
        slope = len(self.root_weights) * len(self.columns) if self._step is None else 0
        return self.plan.layout.width + slope

    def wanted(self, target: Array) -> Array:
        """What `advance` needs to know of the targets (B,)."""
        return target if self._step is None else self.targets[target]

    def advance(self, state: Array, wanted: Array) -> Array:
        """One step of every start, (B, width)."""
        if self._step is not None:
            return self._step(state, wanted)
        with np.errstate(all="ignore"):
            return plain.advance(self, state, wanted)

    def cost(self, e: Array) -> Array:
        """1/2 sum w e^2, (B,)."""
        return 0.5 * np.sum((self.root_weights * e) ** 2, axis=1)

    def measured(self, e: Array) -> Array:
        """The rows of the error that count, the others zero."""
        return np.where(self.root_weights > 0.0, e, 0.0)

    def rounding(self, target: Array) -> Array:
        """How much of each row of the error of targets (B,) is rounding of positions, (B, m)."""
        parts = []
        for goal in self.goals:
            size = 32.0 * EPS * np.linalg.norm(goal.position[target], axis=1)
            parts.append(np.where(ANGULAR[goal.kind], 0.0, size[:, None]))
        return np.concatenate(parts, axis=1)

    def reached(self, e: Array) -> Array:
        """Whether every frame is within tolerance, (B,)."""
        e = self.measured(e)
        ok = np.ones(len(e), dtype=bool)
        for start in range(0, e.shape[1], 3):
            tolerance = self.tolerance[0 if self.plan.angular[start] else 1]
            ok &= np.linalg.norm(e[:, start : start + 3], axis=1) <= tolerance
        return ok

    def room(self, q: Array) -> tuple[Array, Array]:
        """How far each of `columns` may go down (<= 0) and up (>= 0) until its limit, (B, n) each."""
        columns, iq = self.plan.bounded
        below, above = (np.full((len(q), len(self.columns)), side) for side in (-np.inf, np.inf))
        below[:, columns], above[:, columns] = self.lower[iq] - q[:, iq], self.upper[iq] - q[:, iq]
        return below, above

    def clip(self, q: Array) -> Array:
        return np.clip(q, self.lower, self.upper)

    def moved(self, q: Array, dv: Array) -> Array:
        """The configuration reached by a step (B, n) of the coordinates `columns`, within limits."""
        full = np.zeros((len(q), self.model.nv))
        full[:, self.columns] = dv
        # Where there are no joints, no number of the result tells how many samples there are.
        return self.clip(np.broadcast_to(integrate(self.model, q, full), q.shape))
