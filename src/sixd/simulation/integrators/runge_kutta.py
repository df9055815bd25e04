"""Explicit Runge-Kutta methods with a fixed step, by their tables."""

from __future__ import annotations

from typing import ClassVar

from sixd.ops import Scalar
from sixd.simulation.integrators.integrator import Integrator, plus, register
from sixd.simulation.system import Rates, State, System

__all__ = ["RK4", "Heun", "RungeKutta"]


class RungeKutta(Integrator):
    """An explicit Runge-Kutta method: k_i = f(t + c_i h, x + h sum_j a_ij k_j), x' = x + h sum_i b_i k_i.

    Positions are integrated in the tangent space at the beginning of the step (H. Munthe-Kaas, "High order Runge-Kutta
    methods on manifolds", 1999), so the order holds for quaternions too.
    """

    a: ClassVar[tuple[tuple[float, ...], ...]]
    b: ClassVar[tuple[float, ...]]

    def step(self, system: System, t: Scalar, state: State, h: Scalar) -> State:
        stages: list[Rates] = []
        for row in self.a:
            c = sum(row)
            terms = [(a * h, k) for a, k in zip(row, stages, strict=True) if a != 0.0]
            way = plus([0.0] * len(state.qd), *((w, k.way) for w, k in terms)) if terms else None
            qd = plus(state.qd, *((w, k.qdd) for w, k in terms))
            stages.append(system.rates(t + c * h if c else t, state.q, way, qd))
        weights = [(b * h, k) for b, k in zip(self.b, stages, strict=True)]
        way = plus([0.0] * len(state.qd), *((w, k.way) for w, k in weights))
        return State(
            system.move(state.q, way),
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
