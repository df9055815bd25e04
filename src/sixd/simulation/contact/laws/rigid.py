"""Rigid contact: velocities jump so that nothing moves into the ground, with exact Coulomb friction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from sixd.errors import ModelError
from sixd.given import count, flag
from sixd.model import Model
from sixd.ops import Scalar, divide, where
from sixd.simulation.contact.delassus import Delassus
from sixd.simulation.contact.factors import factors_of
from sixd.simulation.contact.laws.law import ImpulseLaw, register
from sixd.simulation.contact.sites import Touch
from sixd.simulation.contact.solver import solve, solve_normal
from sixd.simulation.forces.element import EnergyLaw, Resistance
from sixd.simulation.forces.passive import friction_of
from sixd.simulation.moment import Moment
from sixd.simulation.system import Numbers, Resolved

__all__ = ["Rigid"]

#: The sweeps that lift sites out of the ground: few, since every step goes on with it.
LIFTING = 3
#: More sweeps than this take minutes to compile.
MOST = 1000


@register
@dataclass(frozen=True)
class Rigid(ImpulseLaw):
    """qd' = qd_free + H^-1 J^T p with the impulses p of contact and of dry friction in joints, in every step.

    qd_free is the velocity at the end of the step without these. A site at the distance g from the ground may come as
    near as it: v_n' >= -g / h, so contact begins in the step in which the ground is reached, and a body at rest stays
    where it is. A site that arrives with the speed v leaves with at least e v, for a restitution e > 0. The cone of
    friction is the round one: `sixd.simulation.contact.solver` has the equations and the method. The number of sweeps
    is fixed; they begin with the impulses of the step before, so that resting contact gets ever more exact. A heavy
    robot on several light feet, 100 times lighter and more, needs more of them, or it rocks.

    The dry friction of force elements and motors (`JointFriction`, `Passive`, `Motor`) is found by the same sweeps: a
    joint holds, and slips, under what the ground does to it.

    A closed robot keeps its constraints: impulses of contact act together with those of the constraints, J^T p + L^T
    lambda, such that L qd' = L qd_free; H^-1 above is then W of `sixd.simulation.contact.factors`. Where the step ends,
    positions and velocities are led back to the constraints, as without contact.

    A site touches in a point: nothing hinders turning about the normal, or rolling. Where friction and restitution
    meet, or several sites hit at once, an impact may gain energy, as in `sixd.simulation.contact.impact`.

    Sites that are in the ground, because the start was there or the ground is curved, are lifted out by a share of
    their depth in each step. That moves positions alone, and gives no speed.
    """

    name = "rigid"
    limits = {
        "friction": (0.0, inf, False),
        "restitution": (0.0, 1.0, False),
        "recovery": (0.0, 1.0, False),
    }
    #: mu, the coefficient of friction.
    friction: float = 0.8
    #: e, the share of the speed of approach that a site has after an impact, 0 to 1.
    restitution: float = 0.0
    #: The share of its depth by which a site in the ground is lifted in a step, 0 to 1.
    recovery: float = 0.2
    #: The number of sweeps of the solver in a step.
    sweeps: int = 10
    #: Whether the dry friction of the robot's joints (``friction`` of a joint, N m or N) holds and slips exactly.
    joint_friction: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sweeps", count(self.sweeps, "the sweeps of rigid contact"))
        if self.sweeps > MOST:
            raise ModelError(
                f"the sweeps of rigid contact are written out in a step: at most {MOST:,}, not {self.sweeps}"
            )
        object.__setattr__(self, "joint_friction", flag(self.joint_friction, "joint_friction"))

    @property
    def energy_law(self) -> EnergyLaw:
        return "passive"

    def memory(self, model: Model) -> int:
        return len(self._joints(model))

    def resolve(
        self,
        moment: Moment,
        touches: Sequence[Touch],
        free: Sequence[Scalar],
        h: Scalar,
        memory: Sequence[Scalar],
        friction: Sequence[Mapping[int, Resistance]] = (),
    ) -> Resolved:
        rows = [row for touch in touches for row in touch.rows(moment)]
        own = self._joints(moment.model)
        joints = [item for found in (own, *friction) for item in found.items()]
        problem = Delassus(factors_of(moment), rows + [{k: 1.0} for k, _ in joints])
        before = [problem.velocity(r, moment.qd) for r in range(3 * len(touches))]
        b = [problem.velocity(r, free) for r in range(len(problem.rows))]
        for k, touch in enumerate(touches):
            b[3 * k + 2] = b[3 * k + 2] - self._least_speed(touch, before[3 * k + 2], h)
        start = [h * x for k, touch in enumerate(touches) for x in _local(touch, memory[3 * k : 3 * k + 3])]
        start += [h * x for x in memory[3 * len(touches) :]]
        dry = [Resistance(h * level, threshold) for _, (level, threshold) in joints]
        least = _least(moment.model)
        p = solve(problem.A, b, self.friction, dry, start, self.sweeps, least)
        qd = [v + dv for v, dv in zip(free, problem.response(p), strict=True)]
        way = [h * v for v in qd]
        if self.recovery > 0.0:
            way = [a + c for a, c in zip(way, self._recovery(problem, touches, least), strict=True)]
        rate = divide(1.0, h)
        forces = [rate * x for k, t in enumerate(touches) for x in t.force(p[3 * k : 3 * k + 3])]
        held = [rate * x for x in p[3 * len(touches) :]]
        mean = [0.5 * (a + c) for a, c in zip(moment.qd, qd, strict=True)]
        work = sum((p[r] * problem.velocity(r, mean) for r in range(len(rows) + len(own))), 0.0)
        impulses = iter(p[len(rows) + len(own) :])
        rubbed = [sum((next(impulses) * mean[k] for k in found), 0.0) for found in friction]
        return Resolved(qd, way, forces + held, work, rubbed)

    def power(self, moment: Moment, memory: Sequence[Scalar]) -> Scalar:
        return sum((x * moment.qd[k] for k, x in zip(self._joints(moment.model), memory, strict=False)), 0.0)

    def impulses(self, moment: Moment, touches: Sequence[Touch], near: float) -> tuple[Numbers, Numbers]:
        """The velocity after an impact and the impulses along the world's axes; sites within ``near`` take part."""
        problem = Delassus(factors_of(moment), [row for touch in touches for row in touch.rows(moment)])
        b = [problem.velocity(r, moment.qd) for r in range(len(problem.rows))]
        for k, touch in enumerate(touches):
            v = b[3 * k + 2]
            rebound = v - where(v < 0.0, -self.restitution * v, 0.0)
            b[3 * k + 2] = where(touch.gap > near, 1e9, rebound)  # out of reach: it leaves at any speed
        start = [0.0] * len(b)
        p = solve(problem.A, b, self.friction, (), start, self.sweeps, _least(moment.model))
        qd = [v + dv for v, dv in zip(moment.qd, problem.response(p), strict=True)]
        return qd, [x for k, touch in enumerate(touches) for x in touch.force(p[3 * k : 3 * k + 3])]

    def _least_speed(self, touch: Touch, before: Scalar, h: Scalar) -> Scalar:
        """The least speed at which a site may leave the ground after a step.

        At the ground exactly its derivative is that of a site above it, as in `_recovery`.
        """
        gap = where(touch.gap < 0.0, 0.0, touch.gap)
        reach = -divide(gap, h)
        if self.restitution == 0.0:
            return reach
        return where(before < reach, -self.restitution * before, reach)

    def _recovery(self, problem: Delassus, touches: Sequence[Touch], least: Scalar) -> Numbers:
        """The way that lifts sites out of the ground: no site is moved into it."""
        normals = range(2, 3 * len(touches), 3)
        A = [[problem.A[r][c] for c in normals] for r in normals]
        b = [where(t.gap < 0.0, self.recovery * t.gap, t.gap) for t in touches]
        lifts = solve_normal(A, b, LIFTING, least)
        p: Numbers = [0.0] * len(problem.rows)
        for r, x in zip(normals, lifts, strict=True):
            p[r] = x
        return problem.response(p)

    def _joints(self, model: Model) -> dict[int, Resistance]:
        """The friction in the data of the robot, if this law is to find it."""
        return friction_of(model) if self.joint_friction else {}


def _local(touch: Touch, force: Sequence[Scalar]) -> Numbers:
    """A force along the world's axes, along the tangents and the normal of a touch."""
    return [sum((a * x for a, x in zip(axis, force, strict=True)), 0.0) for axis in touch.axes]


def _least(model: Model) -> Scalar:
    """The ease of motion below which a site is taken for immovable: that of a thousand million robots, 1/kg."""
    mass: Scalar = sum((body.inertia.m for body in model.body_list[1:]), 0.0)
    return divide(1e-9, where(mass > 1e-9, mass, 1e-9))
