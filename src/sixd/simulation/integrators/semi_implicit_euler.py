"""Semi-implicit Euler: what most simulators use; first order, one evaluation of the dynamics a step."""

from __future__ import annotations

from sixd.ops import Scalar
from sixd.simulation.integrators.integrator import Integrator, plus, register
from sixd.simulation.system import State, System

__all__ = ["SemiImplicitEuler"]


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
        moment = system.moment(t, state.q, state.qd)
        loads, friction = system.loads(moment), system.friction(moment)
        system.release(moment, loads, friction)
        rate = system.in_fixed_axes(state.qd, system.acceleration(moment, loads))
        free = plus(state.qd, (h, rate))
        after = system.resolve(moment, free, h, state.memory, friction)
        for part, tau in zip(loads, after.friction, strict=False):
            part.add_at(tau)
        work = state.work
        if system.books:
            mean = system.moment(t, state.q, [0.5 * (a + b) for a, b in zip(state.qd, after.qd, strict=True)])
            done = [h * part.power(mean) for part in loads] + ([after.work] if system.impulses is not None else [])
            work = [a + b for a, b in zip(work, done, strict=True)]
        turn = [h * v for v in after.qd]
        way = system.in_axes_after(after.way, [0.5 * x for x in turn])
        return State(system.move(state.q, way), system.in_axes_after(after.qd, turn), work, after.memory)
