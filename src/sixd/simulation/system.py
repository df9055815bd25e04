"""The equations of motion of a robot with a controller and forces on it: what integrators integrate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from sixd import algorithms
from sixd.errors import ArgumentError
from sixd.joints import Joint
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.braking import brake
from sixd.simulation.closed import TARGETS, Closed, array_of
from sixd.simulation.controllers.controller import Controller, joint_forces
from sixd.simulation.forces.element import ForceElement, Resistance
from sixd.simulation.moment import Loads, Moment
from sixd.spatial import Vector

__all__ = ["Impulses", "Numbers", "Rates", "Resolved", "State", "System", "array_of"]

Numbers = list[Scalar]


class State(NamedTuple):
    """The state that a step hands on: position, velocity, and the work that each source of forces has done so far.

    ``memory`` are numbers that contact hands on: the forces of the step before.
    """

    q: Numbers
    qd: Numbers
    work: Numbers
    memory: Sequence[Scalar] = ()


class Rates(NamedTuple):
    """How a state changes: the way in the tangent space at a reference position, acceleration, power of each source."""

    way: Numbers
    qdd: Numbers
    power: Numbers


class Resolved(NamedTuple):
    """The end of a step after impulses: the velocity, the way in the tangent space, memory, the work of impulses.

    ``rubbed`` is the work of the dry friction of each source, if there is any.
    """

    qd: Numbers
    way: Numbers
    memory: Sequence[Scalar]
    work: Scalar
    rubbed: Sequence[Scalar] = ()


class Impulses(Protocol):
    """What changes velocities at once: rigid contact."""

    def resolve(
        self,
        moment: Moment,
        free: Sequence[Scalar],
        h: Scalar,
        memory: Sequence[Scalar],
        friction: Sequence[Mapping[int, Resistance]] = (),
    ) -> Resolved:
        """The end of a step of length h that begins at a moment and ends with the velocity ``free`` without it.

        ``friction`` is the dry friction of each source of forces, which ``free`` is without.
        """


class System:
    """A robot with loads on it, for one sample: q' and qd' as functions of state and time.

    ``tau`` are joint forces that are given from outside; a controller and force elements add theirs. With ``books``,
    the power of each source is computed: of what is given and of the controller, then of each element. ``impulses``
    change velocities at once; they are the last source. ``t`` is the time at which a step begins.
    """

    def __init__(
        self,
        model: Model,
        tau: Sequence[Scalar],
        controller: Controller | None = None,
        elements: Sequence[ForceElement] = (),
        inputs: Mapping[str, Any] | None = None,
        books: bool = False,
        impulses: Impulses | None = None,
        t: Scalar = 0.0,
    ) -> None:
        self.model, self.tau, self.controller, self.elements = model, list(tau), controller, tuple(elements)
        self.inputs, self.books, self.impulses = inputs or {}, books, impulses
        #: The constraints of a closed robot.
        self.closed = Closed(model, self.inputs.get(TARGETS), t) if model.closures else None

    def moment(self, t: Scalar, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Moment:
        """The robot at one instant."""
        bases = [base for element in self.elements if (base := element.base(t)) is not None]
        if len(bases) > 1:
            raise ArgumentError(f"{len(bases)} elements move the base: give one motion of the base")
        return Moment(self.model, t, q, qd, self.inputs, bases[0] if bases else None)

    def loads(self, moment: Moment) -> list[Loads]:
        """The loads of each source: of what is given and the controller, then of each element."""
        motors = Loads(self.model)
        motors.on_joints(self.tau)
        if self.controller is not None:
            motors.on_joints(joint_forces(self.controller, moment))
        found = [motors]
        for element in self.elements:
            found.append(Loads(self.model))
            element.apply(moment, found[-1])
        return found

    def friction(self, moment: Moment) -> list[Mapping[int, Resistance]]:
        """The dry friction among the loads of each source, by degree of freedom."""
        motors = {} if self.controller is None else self.controller.dry_friction(moment)
        return [motors, *(element.dry_friction(moment) for element in self.elements)]

    def release(self, moment: Moment, loads: Sequence[Loads], friction: Sequence[Mapping[int, Resistance]]) -> None:
        """Take the dry friction out of loads."""
        for part, found in zip(loads, friction, strict=True):
            part.add_at({k: resistance.at(moment.qd[k]) for k, resistance in found.items()})

    def total(self, loads: Sequence[Loads]) -> Loads:
        """The sum of loads."""
        found = Loads(self.model)
        for part in loads:
            found.add(part)
        return found

    def forces(self, loads: Sequence[Loads]) -> Any:
        """The sum of the forces on bodies 1..N, in body coordinates, as an array (N, 6)."""
        return array_of([x for f in self.total(loads).bodies[1:] for x in f.components()]).reshape(-1, 6)

    def acceleration(self, moment: Moment, loads: Sequence[Loads]) -> Numbers:
        """qdd under the sum of all loads: by articulated bodies, F10b Fig. 9; with constraints by FO00 (21)."""
        q, qd, tau = (array_of(x) for x in (moment.q, moment.qd, self.total(loads).tau))
        forces = self.forces(loads) if self.elements else None
        if self.closed is not None:
            return self.closed.acceleration(moment.t, q, qd, tau, forces)
        return list(algorithms.aba(self.model, q, qd, tau, forces))

    def velocity(self, q: Sequence[Scalar], p: Sequence[Scalar]) -> Numbers:
        """M^-1 p, the velocity that has the momentum p: by forward dynamics without gravity, FD(q, 0, p)."""
        free, still = self.model.with_gravity((0.0, 0.0, 0.0)), array_of([0.0] * len(p))
        return list(algorithms.aba(free, array_of(q), still, array_of(p)))

    def joint_forces(self, moment: Moment, loads: Sequence[Loads]) -> Numbers:
        """The sum of loads as joint forces: tau + sum J_i^T f_i, by inverse dynamics of forces alone."""
        tau = self.total(loads).tau
        if not self.elements:
            return tau
        still, free = array_of([0.0] * self.model.nv), self.model.with_gravity((0.0, 0.0, 0.0))
        carried = algorithms.rnea(free, array_of(moment.q), still, still, self.forces(loads))
        return [t - f for t, f in zip(tau, carried, strict=True)]

    def resolve(
        self,
        moment: Moment,
        free: Numbers,
        h: Scalar,
        memory: Sequence[Scalar],
        friction: Sequence[Mapping[int, Resistance]],
    ) -> Resolved:
        """The end of a step of length h that ends with the velocity ``free`` without impulses and dry friction.

        Where there are both, they are one problem: what friction holds depends on how the ground pushes.
        """
        if self.impulses is not None:
            return self.impulses.resolve(moment, free, h, memory, friction)
        if not any(friction):
            return Resolved(free, [h * v for v in free], memory, 0.0)
        end = brake(moment, friction, free, h)
        mean = [0.5 * (a + b) for a, b in zip(moment.qd, end.qd, strict=True)]
        return Resolved(end.qd, [h * v for v in end.qd], memory, 0.0, end.works(mean, h))

    def kept(self, t: Scalar, state: State) -> State:
        """The state nearest to one that keeps the constraints at a time; the state itself if there are none."""
        if self.closed is None:
            return state
        q = self.closed.position(t, state.q)
        return state._replace(q=q, qd=self.closed.velocity(t, q, state.qd))

    def rates(
        self,
        t: Scalar,
        start: Sequence[Scalar],
        way: Sequence[Scalar] | None,
        qd: Sequence[Scalar],
        friction: bool = True,
    ) -> Rates:
        """The rates at q = start (+) way; None stands for way = 0. Dry friction may be left out.

        The way x in the tangent space at ``start`` grows with J qd, where J is the derivative of the difference of two
        positions by the velocity of the second; it is 1 for joints whose positions are vectors.
        """
        q = start if way is None else self.move(start, way)
        moment = self.moment(t, q, qd)
        loads = self.loads(moment)
        if not friction:
            self.release(moment, loads, self.friction(moment))
        grown = list(qd) if way is None else self._tangent(start, q, qd)
        power = [part.power(moment) for part in loads] if self.books else []
        return Rates(grown, self.acceleration(moment, loads), power)

    def in_fixed_axes(self, qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> Numbers:
        """How the vectors of a velocity change as seen from axes that do not turn (`Joint.rate_in_fixed_axes`)."""
        found = list(qdd)
        for joint, v in self._joints():
            found[v] = joint.rate_in_fixed_axes(Vector(qd[v]), Vector(qdd[v])).entries
        return found

    def in_axes_after(self, qd: Sequence[Scalar], dv: Sequence[Scalar]) -> Numbers:
        """A velocity in the axes of a position q, in those of q (+) dv (`Joint.in_axes_after`)."""
        found = list(qd)
        for joint, v in self._joints():
            found[v] = joint.in_axes_after(Vector(qd[v]), Vector(dv[v])).entries
        return found

    def _joints(self) -> Iterator[tuple[Joint, slice]]:
        """The joints with coordinates of their own, and where their velocities are."""
        for i, body in enumerate(self.model.body_list):
            if body.joint is not None and body.joint.mimic is None:
                yield body.joint.type, self.model.coordinates[i].v

    def move(self, q: Sequence[Scalar], dv: Sequence[Scalar]) -> Numbers:
        """q (+) dv: the position reached by the velocity dv in unit time."""
        return list(algorithms.integrate(self.model, array_of(q), array_of(dv)))

    def _tangent(self, start: Sequence[Scalar], q: Sequence[Scalar], qd: Sequence[Scalar]) -> Numbers:
        """d difference(start, q) / dt for a position that moves with qd."""
        return list(algorithms.difference_rate(self.model, array_of(start), array_of(q), array_of(qd)))
