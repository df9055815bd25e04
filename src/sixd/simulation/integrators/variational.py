"""Variational integrators, for long runs without losses: momentum is conserved, energy stays near its value."""

from __future__ import annotations

from collections.abc import Sequence
from math import cbrt, inf, nan
from typing import ClassVar, NamedTuple

from sixd import algorithms
from sixd.algorithms.guarded import dot
from sixd.compiler.derivatives import Derivative
from sixd.model import Model
from sixd.ops import Scalar, absolute, divide, where
from sixd.simulation.closed import Closed
from sixd.simulation.integrators.integrator import Integrator, Swept, plus, register
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.system import Numbers, State, System, array_of

__all__ = ["Variational", "Variational4"]


def lagrangian(model: Model, q: object, qd: object) -> Scalar:
    """L = T - V, of bodies and gravity."""
    return algorithms.kinetic_energy(model, q, qd) - algorithms.potential_energy(model, q)


#: dL/dq in the tangent space, for a fixed qd.
_SLOPE = Derivative("gradient", lagrangian, "q", tangent=True)


class _Sought(NamedTuple):
    """What sweeps hand on. At the first sweep of a step only their number, 0, has a meaning."""

    sweeps: Scalar
    #: The square of the last correction.
    size: Scalar
    v: Sequence[Scalar]
    #: The momentum at the beginning of the step, with the impulses of constraints so far.
    p: Sequence[Scalar]
    #: For each row of constraints 1 if it counts in this step, else 0.
    counts: Sequence[Scalar]


class _Trial(NamedTuple):
    """A step with some velocity v, whether that is the right one or not."""

    #: The middle of the step, and the loads of each source there.
    moment: Moment
    loads: list[Loads]
    #: Its end, and mu + h y / 2.
    after: Numbers
    sum: Numbers
    #: mu = M v, and p(v): the momentum with which a step begins that has this velocity.
    momentum: Numbers
    found: Numbers


@register
class Variational(Integrator):
    """The midpoint rule of discrete mechanics, second order.

    J. E. Marsden, M. West, "Discrete mechanics and variational integrators", 2001; here on Lie groups. The action of a
    step is L_d = h L(q (+) h v / 2, v), for a constant velocity v that leads from q to q' = q (+) x, x = h v. With
    mu = M v and the slope l = dL/dq + f at the middle, R the right Jacobian of exp at x / 2, and y = R^T l,

        p  = J(-x)^T (mu + h y / 2) - h J(-x/2)^T y        J(x) the inverse of the right Jacobian of exp
        p' = J(x)^T (mu + h y / 2)

    are the momenta M qd at both ends. The first equation is solved for v by sweeps v += M^-1 (p - p(v)), each sample as
    many as it needs (`sweep`), the second gives qd'. Where positions are vectors, J = R = 1. Forces f are those at the
    middle.

    Constraints add L^T lambda, at q, to the first equation, with lambda such that q' keeps them, and L'^T mu, at q', to
    the second, such that qd' does: H. C. Andersen, "Rattle: a velocity version of the Shake algorithm", 1983. Near a
    singular position a row of L may turn around within the step: an impulse along it at q does not lead to q' then, and
    the row has none in this step. That q' keeps it is seen to afterwards, as with all integrators (`Closed.position`).
    """

    #: A sweep halves the error of dampers at the rate ``fastest``. In steps twice as long sweeps find no solution of
    #: theirs, and in steps four times as long none of oscillations.
    name, order, fastest, fastest_swing = "variational", 2, 1.0, 0.5
    #: Sweeps of steps that are differentiated. The first v has an error of order h^2. Each sweep multiplies it by about
    #: h times the fastest rate of the motion; with a hundredth, seven lead to rounding.
    SWEEPS: ClassVar[int] = 7
    #: v is right after a correction this small, relative to v. What gets no smaller is rounding, if it is below the
    #: second number or moves the robot by less than the third, m. The size of dv is the root of dv^T M dv.
    EXACT, ROUNDING, NEAR = 1e-14, 1e-11, 1e-13
    #: After so many sweeps there is no solution. Each of them leaves 0.97 of the error of springs and dampers that are
    #: just not too stiff for the step.
    MOST: ClassVar[float] = 1000.0

    def sought(self, model: Model) -> int:
        return len(_Sought._fields[:2]) + 2 * model.nv + sum(c.constraint.rows for c in model.closures)

    def step(self, system: System, t: Scalar, state: State, h: Scalar) -> State:
        v, p, counts = self._first(system, t, state, h)
        for _ in range(self.SWEEPS):
            trial = self._trial(system, t, state.q, v, h)
            v, p, _ = self._corrected(system, t, state.q, trial, v, p, counts, h)
        return self._end(system, state, self._trial(system, t, state.q, v, h), p, h)

    def sweep(self, system: System, t: Scalar, state: State, sought: Sequence[Scalar], h: Scalar) -> Swept:
        n, rows = len(state.qd), 2 + 2 * len(state.qd)
        old = _Sought(sought[0], sought[1], sought[2 : 2 + n], sought[2 + n : rows], sought[rows:])
        begins = old.sweeps < 0.5
        first = self._first(system, t, state, h)
        pairs = zip(first, old[2:], strict=True)
        v, p, counts = ([where(begins, a, b) for a, b in zip(*pair, strict=True)] for pair in pairs)
        trial = self._trial(system, t, state.q, v, h)
        new_v, new_p, size = self._corrected(system, t, state.q, trial, v, p, counts, h)
        scale = dot(v, trial.momentum)
        mass: Scalar = sum((body.inertia.m for body in system.model.body_list[1:]), 0.0)
        near = self.ROUNDING**2 * scale + mass * divide(self.NEAR * self.NEAR, h * h)
        shrinks = where(begins, 1.0, where(4.0 * size < old.size, 1.0, 0.0)) > 0.5
        is_rounding = where(shrinks, 0.0, where(size < near, 1.0, 0.0))
        right = where(size > self.EXACT**2 * scale, is_rounding, where(size < inf, 1.0, 0.0)) > 0.5
        sweeps = old.sweeps + 1.0
        lost = where(right, 0.0, where(size < inf, where(sweeps < self.MOST, 0.0, 1.0), 1.0)) > 0.5
        end = self._end(system, state, trial, p, h)

        def chosen(new: Sequence[Scalar], now: Sequence[Scalar]) -> Numbers:
            return [where(right, a, b) for a, b in zip(new, now, strict=True)]

        q, qd = ([where(lost, nan, x) for x in chosen(*each)] for each in zip(end[:2], state[:2], strict=True))
        done = where(right, 1.0, where(lost, 1.0, 0.0))
        after = State(q, qd, chosen(end.work, state.work))
        return Swept(after, [where(done > 0.5, 0.0, sweeps), size, *new_v, *new_p, *counts], done)

    def _first(self, system: System, t: Scalar, state: State, h: Scalar) -> tuple[Numbers, Numbers, Numbers]:
        """The first guess of v, the momentum p, and for each row of constraints 1 if it counts in this step, else 0."""
        begin = system.moment(t, state.q, state.qd)
        v = plus(state.qd, (0.5 * h, system.acceleration(begin, system.loads(begin))))
        p = self._momentum(system.model, state.q, state.qd)
        return v, p, [] if system.closed is None else self._counts(system.closed, system, state.q, v, h)

    @staticmethod
    def _counts(closed: Closed, system: System, q: Numbers, v: Numbers, h: Scalar) -> Numbers:
        """Which rows an impulse along them at q moves at q' = q (+) h v as it does at q, up to a half: those count."""
        here, there = closed.at(q), closed.at(system.move(q, [h * x for x in v]))
        found: Numbers = []
        for k, row in enumerate(there.L):
            answer = here.solve([float(k == i) for i in range(len(there.L))]).x
            found.append(where(absolute(dot(row, answer) - 1.0) < 0.5, 1.0, 0.0))
        return found

    def _trial(self, system: System, t: Scalar, q: Numbers, v: Numbers, h: Scalar) -> _Trial:
        """A step with the velocity v."""
        model, half = system.model, 0.5 * h
        middle, after = (system.move(q, [share * x for x in v]) for share in (half, h))
        loads = system.loads(moment := system.moment(t + half, middle, v))
        slope = plus(self._slope(model, middle, v), (1.0, system.joint_forces(moment, loads)))
        y = self._turned(model, q, [half * x for x in v], slope)
        momentum = self._momentum(model, middle, v)
        sum_ = plus(momentum, (half, y))
        found = plus(self._pulled(model, after, q, sum_), (-h, self._pulled(model, middle, q, y)))
        return _Trial(moment, loads, after, sum_, momentum, found)

    def _corrected(
        self, system: System, t: Scalar, q: Numbers, trial: _Trial, v: Numbers, p: Numbers, counts: Numbers, h: Scalar
    ) -> tuple[Numbers, Numbers, Scalar]:
        """v and p after a sweep, p with the impulses of constraints; and the square of the correction, dv^T M dv."""
        left = plus(p, (-1.0, trial.found))
        change = system.velocity(trial.moment.q, left)
        v, size = plus(v, (1.0, change)), dot(change, left)
        if system.closed is None:
            return v, p, size
        factors = system.closed.at(q, counts)
        phi = system.closed.error(t + h, system.move(q, [h * x for x in v]))
        change, impulses = factors.solve([divide(-x, h) for x in phi])
        forces = factors.forces(impulses)
        return plus(v, (1.0, change)), plus(p, (1.0, forces)), size + dot(change, forces)

    def _end(self, system: System, state: State, trial: _Trial, p: Numbers, h: Scalar) -> State:
        """The state after a step. What is left of p - p(v) is handed on in p', so that momentum is not lost with it."""
        end = plus(self._pulled(system.model, state.q, trial.after, trial.sum), (1.0, p), (-1.0, trial.found))
        work = plus(state.work, (h, [part.power(trial.moment) for part in trial.loads])) if system.books else state.work
        return State(trial.after, system.velocity(trial.after, end), work)

    @staticmethod
    def _momentum(model: Model, q: Numbers, qd: Numbers) -> Numbers:
        """M qd, by inverse dynamics without gravity: ID(q, 0, qd)."""
        free, still = model.with_gravity((0.0, 0.0, 0.0)), array_of([0.0] * len(qd))
        return list(algorithms.rnea(free, array_of(q), still, array_of(qd)))

    @staticmethod
    def _slope(model: Model, q: Numbers, qd: Numbers) -> Numbers:
        return list(_SLOPE(model, array_of(q), array_of(qd)))

    @staticmethod
    def _turned(model: Model, q: Numbers, dv: Numbers, f: Numbers) -> Numbers:
        """R^T f with R the derivative of the velocity of q (+) dv by dv."""
        return list(algorithms.integrate_force(model, array_of(q), array_of(dv), array_of(f)))

    @staticmethod
    def _pulled(model: Model, q0: Numbers, q1: Numbers, f: Numbers) -> Numbers:
        """J^T f with J the derivative of difference(q0, q1) by the velocity of q1."""
        return list(algorithms.difference_force(model, array_of(q0), array_of(q1), array_of(f)))


_OUTER = 1.0 / (2.0 - cbrt(2.0))


@register
class Variational4(Variational):
    """Three steps of `Variational`, of lengths a h, (1 - 2 a) h, a h with a = 1 / (2 - 2^(1/3)): fourth order.

    H. Yoshida, "Construction of higher order symplectic integrators", 1990. Momentum is conserved as before.
    """

    name, order, fastest, fastest_swing = "variational4", 4, 0.6, 0.3
    shares = (_OUTER, 1.0 - 2.0 * _OUTER, _OUTER)
