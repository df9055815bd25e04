"""Variational integrators, for long runs without losses: momentum is conserved, energy stays near its value."""

from __future__ import annotations

from math import cbrt
from typing import ClassVar

from sixd import algorithms
from sixd.compiler.derivatives import Derivative
from sixd.model import Model
from sixd.ops import Scalar, divide
from sixd.simulation.integrators.integrator import Integrator, plus, register
from sixd.simulation.system import Numbers, State, System, array_of

__all__ = ["Variational", "Variational4"]


def lagrangian(model: Model, q: object, qd: object) -> Scalar:
    """L = T - V, of bodies and gravity."""
    return algorithms.kinetic_energy(model, q, qd) - algorithms.potential_energy(model, q)


#: dL/dq in the tangent space, for a fixed qd.
_SLOPE = Derivative("gradient", lagrangian, "q", tangent=True)


@register
class Variational(Integrator):
    """The midpoint rule of discrete mechanics, second order.

    J. E. Marsden, M. West, "Discrete mechanics and variational integrators", 2001; here on Lie groups. The action of a
    step is L_d = h L(q (+) h v / 2, v), for a constant velocity v that leads from q to q' = q (+) x, x = h v. With
    mu = M v and the slope l = dL/dq + f at the middle, R the right Jacobian of exp at x / 2, and y = R^T l,

        p  = J(-x)^T (mu + h y / 2) - h J(-x/2)^T y        J(x) the inverse of the right Jacobian of exp
        p' = J(x)^T (mu + h y / 2)

    are the momenta M qd at both ends. The first equation is solved for v by `SWEEPS` steps v += M^-1 (p - p(v)), the
    second gives qd'. Where positions are vectors, J = R = 1. Forces f are those at the middle.

    Constraints add L^T lambda, at q, to the first equation, with lambda such that q' keeps them, and L'^T mu, at q', to
    the second, such that qd' does: H. C. Andersen, "Rattle: a velocity version of the Shake algorithm", 1983.
    """

    #: In longer steps `SWEEPS` corrections do not lead to the solution: oscillations lose their energy.
    name, order, fastest_swing = "variational", 2, 0.5
    #: Corrections of v, which begins with an error of order h^2. Each multiplies the error by about h times the fastest
    #: rate of the motion; with a hundredth, seven lead to rounding.
    SWEEPS: ClassVar[int] = 7

    def step(self, system: System, t: Scalar, state: State, h: Scalar) -> State:
        model, q = system.model, state.q
        p = self._momentum(model, q, state.qd)
        half = 0.5 * h
        begin = system.moment(t, q, state.qd)
        v = plus(state.qd, (half, system.acceleration(begin, system.loads(begin))))
        change = None if system.closed is None else system.closed.at(q)
        for sweep in range(self.SWEEPS + 1):
            middle = system.move(q, [half * a for a in v])
            loads = system.loads(moment := system.moment(t + half, middle, v))
            slope = plus(self._slope(model, middle, v), (1.0, system.joint_forces(moment, loads)))
            y = self._turned(model, q, [half * a for a in v], slope)
            sum_ = plus(self._momentum(model, middle, v), (half, y))
            after = system.move(q, [h * a for a in v])
            if sweep == self.SWEEPS:
                break
            found = plus(self._pulled(model, after, q, sum_), (-h, self._pulled(model, middle, q, y)))
            v = plus(v, (1.0, self._solved(model, middle, plus(p, (-1.0, found)))))
            if change is not None and system.closed is not None:
                phi = system.closed.error(t + h, system.move(q, [h * a for a in v]))
                step, impulses = change.solve([divide(-x, h) for x in phi])
                v, p = plus(v, (1.0, step)), plus(p, (1.0, change.forces(impulses)))
        qd = self._solved(model, after, self._pulled(model, q, after, sum_))
        work = plus(state.work, (h, [part.power(moment) for part in loads])) if system.books else state.work
        return State(after, qd, work)

    @staticmethod
    def _momentum(model: Model, q: Numbers, qd: Numbers) -> Numbers:
        """M qd, by inverse dynamics without gravity: ID(q, 0, qd)."""
        free, still = model.with_gravity((0.0, 0.0, 0.0)), array_of([0.0] * len(qd))
        return list(algorithms.rnea(free, array_of(q), still, array_of(qd)))

    @staticmethod
    def _solved(model: Model, q: Numbers, p: Numbers) -> Numbers:
        """M^-1 p, by forward dynamics without gravity: FD(q, 0, p)."""
        free, still = model.with_gravity((0.0, 0.0, 0.0)), array_of([0.0] * len(p))
        return list(algorithms.aba(free, array_of(q), still, array_of(p)))

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

    name, order, fastest, fastest_swing = "variational4", 4, 1.0, 0.3
    shares = (_OUTER, 1.0 - 2.0 * _OUTER, _OUTER)
