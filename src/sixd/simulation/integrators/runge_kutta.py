"""Explicit Runge-Kutta methods with a fixed step, by their tables."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import ClassVar

from sixd.ops import Scalar, absolute, divide, sqrt, where
from sixd.simulation.braking import brake
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
            stages.append(system.rates(t + c * h if c else t, state.q, way, qd, not self.holds_friction))
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
    of a method of third order, so that h (k_4 - k_5) / 6 is an estimate of the error. It does not see a force that sets
    in between the middle of a step and its end; h (k_2 + k_3 - k_1 - k_4) / 3 does, the distance from the trapezoidal
    rule, which may be `COARSE` times larger, so that smooth motions need no shorter steps for it. A step with small
    errors is that of "rk4". One with a large one is made again in parts, each as long as its error allows: of impacts
    on stiff ground or stops, and of springs and dampers that are too fast for dt, each sample for itself
    (`sixd.simulation.parted`).

    A step is rough where k_4 and k_5, both at its end, differ by more than a tenth of what k_4 and k_1 do, in the root
    mean square by which errors are measured. In motions of rate w that are smooth that is some (h w)^2.

    Dry friction is left out of the stages, which lead to a velocity u along the way x. It is found with the velocity v
    at the end (`sixd.simulation.braking`), so that joints stick however light they are, and the way is
    x + h (v - u) / 2: friction that does not change in a step is exact. A joint that stops within a step has its
    friction for a share s of it only, so that this way is wrong by h (1 - s) |v - v_0| / 2, with v_0 at the beginning.
    """

    name, whole, estimates, takes_tolerances, holds_friction = "rk43", "rk4", True, True, True
    fastest, fastest_swing = inf, inf
    COARSE: ClassVar[float] = 100.0
    ROUGH: ClassVar[float] = 0.1

    def attempt(self, system: System, t: Scalar, state: State, h: Scalar, tolerances: Sequence[Scalar]) -> Attempted:
        stages = self._stages(system, t, state, h)
        after = self._end(system, state, stages, h)
        way = self._way(stages, h)
        fifth = system.rates(t + h, state.q, way, after.qd, friction=False)
        errors = []
        for rates in zip(*((k.way, k.qdd) for k in (*stages, fifth)), strict=True):
            each = zip(*rates, strict=True)
            errors.append([self._error(h, *ks) for ks in each])
        first, fourth = stages[0].qdd, stages[3].qdd
        speeds, still = (state.qd, after.qd), [0.0] * len(way)
        ends, goes = (
            error_size(system.model, state.q, speeds, (still, plus(x, (-1.0, fourth))), *tolerances)
            for x in (fifth.qdd, first)
        )
        after, late = self._braked(system, t, state, after, way, h)
        errors[0] = plus(errors[0], (1.0, late))
        error = error_size(system.model, state.q, (state.qd, after.qd), errors, *tolerances)
        return Attempted(after, error, sqrt(sqrt(error)), where(ends > self.ROUGH * goes, 1.0, 0.0))

    def _error(self, h: Scalar, k1: Scalar, k2: Scalar, k3: Scalar, k4: Scalar, k5: Scalar) -> Scalar:
        """The larger of both estimates, for one number."""
        fine = absolute(h / 6.0 * (k4 - k5))
        coarse = absolute(h / (3.0 * self.COARSE) * ((k2 - k1) + (k3 - k4)))
        return where(fine < coarse, coarse, fine)

    @staticmethod
    def _braked(system: System, t: Scalar, state: State, free: State, way: Numbers, h: Scalar) -> tuple[State, Numbers]:
        """The state after a step that ends as ``free``, along a way, without dry friction; and the error of the way."""
        mean = [0.5 * (a + b) for a, b in zip(state.qd, free.qd, strict=True)]
        middle = system.moment(t + 0.5 * h, system.move(state.q, [0.5 * x for x in way]), mean)
        friction = system.friction(middle)
        late: Numbers = [0.0] * len(way)
        if not any(friction):
            return free, late
        end = brake(middle, friction, free.qd, h)
        back = [0.5 * (v - u) for v, u in zip(end.qd, free.qd, strict=True)]
        q, work = system.move(state.q, plus(way, (h, back))), free.work
        if system.books:
            # The other forces did their work along the way without friction: less, along what it holds back.
            loads, slower = system.loads(middle), system.moment(middle.t, middle.q, back)
            system.release(middle, loads, friction)
            rubbed = end.works([0.5 * (v + u) for v, u in zip(end.qd, state.qd, strict=True)], h)
            work = [w + h * f.power(slower) + r for w, f, r in zip(work, loads, rubbed, strict=True)]
        for levels, forces in zip(friction, end.tau, strict=True):
            for k, tau in forces.items():
                idle = 1.0 - divide(absolute(tau), where(levels[k].level > 0.0, levels[k].level, 1.0))
                late[k] = late[k] + absolute(0.5 * h * idle * (end.qd[k] - state.qd[k]))
        return free._replace(q=q, qd=end.qd, work=work), late
