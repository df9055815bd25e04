"""Semi-implicit Euler: what most simulators use; first order, one evaluation of the dynamics a step."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from sixd import algorithms
from sixd.ops import Scalar, absolute, divide, sqrt, where
from sixd.simulation.integrators.integrator import Attempted, Integrator, plus, register
from sixd.simulation.moment import Loads, Moment
from sixd.simulation.system import State, System, array_of

__all__ = ["SemiImplicitEuler", "SemiImplicitParts"]


@register
class SemiImplicitEuler(Integrator):
    """qd' = qd + h qdd(q, qd); q' = q (+) h qd'.

    The new velocity moves the position, which makes the method symplectic for separable systems: energy of oscillations
    stays bounded. Dry friction is that at the new velocity (`sixd.simulation.braking`), so that it brings joints to
    rest; with rigid contact it is found together with the impulses of the ground (`sixd.simulation.contact.solver`).
    The work of a force is that along the mean of both velocities.

    The sum qd + h qdd is taken in axes that do not turn, and given in those of the new position afterwards; the way is
    that in the axes halfway. Otherwise the speed v of a free body that turns with omega would grow by (h omega)^2 v / 2
    in each step, since its velocity is in its own axes. A free body that tumbles still gains energy, by up to h omega^2
    of it in a second, since the forces that turn its momentum are those at the beginning of the step.
    """

    name, order, takes_impulses, holds_friction = "semi_implicit_euler", 1, True, True

    def step(self, system: System, t: Scalar, state: State, h: Scalar) -> State:
        return self._step(system, t, state, h)[0]

    def _step(self, system: System, t: Scalar, state: State, h: Scalar) -> tuple[State, Moment, list[Loads]]:
        """The state after a step; the moment at its beginning and the loads of each source there, less friction."""
        moment = system.moment(t, state.q, state.qd)
        loads, friction = system.loads(moment), system.friction(moment)
        system.release(moment, loads, friction)
        rate = system.in_fixed_axes(state.qd, system.acceleration(moment, loads))
        free = plus(state.qd, (h, rate))
        after = system.resolve(moment, free, h, state.memory, friction)
        mean = system.moment(t, state.q, [0.5 * (a + b) for a, b in zip(state.qd, after.qd, strict=True)])
        work = state.work
        if system.books:
            done = [h * part.power(mean) for part in loads] + ([after.work] if system.impulses is not None else [])
            rubbed = [*after.rubbed, *[0.0] * (len(done) - len(after.rubbed))]
            work = [a + b + c for a, b, c in zip(work, done, rubbed, strict=True)]
        turn = [h * v for v in after.qd]
        way = system.in_axes_after(after.way, [0.5 * x for x in turn])
        end = State(system.move(state.q, way), system.in_axes_after(after.qd, turn), work, after.memory)
        return end, moment, loads


@register
class SemiImplicitParts(SemiImplicitEuler):
    """The same method, with steps made in as many parts as force elements need: what `simulate` takes by default where
    velocities jump or joints stick.

    The joint forces of controller and force elements at the beginning of a step are compared with those at its end.
    What their change does, h |tau_k' - tau_k| max(|v_k|, |v_k'|) / 2, may be half a percent of the kinetic energy
    H_kk (v_k^2 + v_k'^2) / 2, for each degree of freedom k, so that light parts of a heavy robot count. Else the step
    is made again in parts: of stops and ground that are hit fast, of springs, dampers and gains that are too fast for
    dt. Dry friction and rigid contact need none.
    """

    name, whole, estimates = "semi_implicit_parts", "semi_implicit_euler", True
    fastest, fastest_swing = inf, inf
    #: The share of kinetic energy by which works may differ; and the square of a velocity that is none.
    SHARE, NOTHING = 0.005, 1e-6

    def attempt(self, system: System, t: Scalar, state: State, h: Scalar, tolerances: Sequence[Scalar]) -> Attempted:
        after, moment, loads = self._step(system, t, state, h)
        later = system.moment(t + h, after.q, after.qd)
        loads_later = system.loads(later)
        system.release(later, loads_later, system.friction(later))
        pairs = ((moment, loads), (later, loads_later))
        tau, tau_later = (system.joint_forces(m, found) for m, found in pairs)
        H = algorithms.crba(system.model, array_of(state.q))
        error: Scalar = 0.0
        for k, (v, u) in enumerate(zip(state.qd, after.qd, strict=True)):
            a, b = absolute(v), absolute(u)
            work = 0.5 * h * absolute(tau_later[k] - tau[k]) * where(a < b, b, a)
            share = divide(work, H[k][k] * (0.5 * self.SHARE * (v * v + u * u) + self.NOTHING))
            error = where(error < share, share, error)
        return Attempted(after, error, sqrt(error))
