"""Explicit Runge-Kutta methods with a fixed step, by their tables."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import ClassVar

from sixd.ops import Scalar, sqrt
from sixd.simulation.integrators.error_size import error_size
from sixd.simulation.integrators.integrator import Attempted, Integrator, plus, register
from sixd.simulation.system import Numbers, Rates, State, System

__all__ = ["RK4", "RK43", "Heun", "RungeKutta"]


class RungeKutta(Integrator):
    """An explicit Runge-Kutta method: k_i = f(t + c_i h, x + h sum_j a_ij k_j), x' = x + h sum_i b_i k_i.

    Positions are integrated in the tangent space at the beginning of the step (H. Munthe-Kaas, "High order Runge-Kutta
    methods on manifolds", 1999), so the order holds for quaternions too.
    """

    a: ClassVar[tuple[tuple[float, ...], ...]]
    b: ClassVar[tuple[float, ...]]

    def step(self, system: System, t: Scalar, state: State, h: Scalar) -> State:
        return self._end(system, state, self._stages(system, t, state, h), h)

    def _stages(self, system: System, t: Scalar, state: State, h: Scalar) -> list[Rates]:
        """The rates k_i."""
        stages: list[Rates] = []
        for row in self.a:
            c = sum(row)
            terms = [(a * h, k) for a, k in zip(row, stages, strict=True) if a != 0.0]
            way = plus([0.0] * len(state.qd), *((w, k.way) for w, k in terms)) if terms else None
            qd = plus(state.qd, *((w, k.qdd) for w, k in terms))
            stages.append(system.rates(t + c * h if c else t, state.q, way, qd))
        return stages

    def _way(self, stages: Sequence[Rates], h: Scalar) -> Numbers:
        """The way of a step with these rates, in the tangent space at its beginning."""
        return plus([0.0] * len(stages[0].way), *((b * h, k.way) for b, k in zip(self.b, stages, strict=True)))

    def _end(self, system: System, state: State, stages: Sequence[Rates], h: Scalar) -> State:
        """The state after a step with these rates."""
        weights = [(b * h, k) for b, k in zip(self.b, stages, strict=True)]
        return State(
            system.move(state.q, self._way(stages, h)),
            plus(state.qd, *((w, k.qdd) for w, k in weights)),
            plus(state.work, *((w, k.power) for w, k in weights)),
        )


@register
class Heun(RungeKutta):
    """The explicit trapezoidal rule: second order, two evaluations of the dynamics a step.

    Undamped oscillations of rate w grow in every step, by (h w)^4 / 8: at ``fastest_swing``, by a tenth in each period.
    """

    name, order, fastest_swing = "heun", 2, 0.5
    a = ((), (1.0,))
    b = (1 / 2, 1 / 2)


@register
class RK4(RungeKutta):
    """The classical method of Runge and Kutta: fourth order, four evaluations of the dynamics a step."""

    name, order, fastest, fastest_swing = "rk4", 4, 2.78, 2.78
    a = ((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0))
    b = (1 / 6, 1 / 3, 1 / 3, 1 / 6)


@register
class RK43(RK4):
    """The same method, with steps made in as many parts as keep its error small: what `simulate` takes by default.

    With a fifth stage k_5 = f(t + h, x'), of the state that was reached, the weights (1/6, 1/3, 1/3, 0, 1/6) are those
    of a method of third order, so that h (k_4 - k_5) / 6 is an estimate of the error. A step with a small one is that
    of "rk4". One with a large one is made again in parts, each as long as its error allows: of impacts on stiff ground
    or stops, and of springs and dampers that are too fast for dt, each sample for itself (`sixd.simulation.parted`).
    """

    name, whole, estimates, takes_tolerances, fastest, fastest_swing = "rk43", "rk4", True, True, inf, inf

    def attempt(self, system: System, t: Scalar, state: State, h: Scalar, tolerances: Sequence[Scalar]) -> Attempted:
        stages = self._stages(system, t, state, h)
        after = self._end(system, state, stages, h)
        fourth, fifth = stages[-1], system.rates(t + h, state.q, self._way(stages, h), after.qd)
        share = self.b[-1] * h
        way, speed = (
            [share * (a - b) for a, b in zip(*ends, strict=True)]
            for ends in ((fourth.way, fifth.way), (fourth.qdd, fifth.qdd))
        )
        error = error_size(system.model, state.q, (state.qd, after.qd), (way, speed), *tolerances)
        return Attempted(after, error, sqrt(sqrt(error)))
