"""What model-based controllers share: joint forces for accelerations, on a base that moves and with constraints."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from sixd import algorithms
from sixd.algorithms.constrained_actuator_forces import forces_of_actuators
from sixd.ops import Scalar, absolute, where
from sixd.simulation.closed import array_of
from sixd.simulation.controllers.targets import driven
from sixd.simulation.forces.moving_base import inertial_forces
from sixd.simulation.moment import BaseState, Moment
from sixd.simulation.parts import Names, joints_of
from sixd.spatial import Motion, Vector

__all__ = ["at_rest", "base_acceleration", "feasible", "inverse_dynamics", "realised"]


def at_rest(moment: Moment) -> Moment:
    """The same position without velocities, of the joints and of the base, whose attitude tells where gravity pulls."""
    base = None if moment.base is None else BaseState(moment.base.X, Motion.zero(), Motion.zero())
    return Moment(moment.model, moment.t, moment.q, [0.0] * moment.model.nv, moment.inputs, base)


def inverse_dynamics(moment: Moment, qdd: Sequence[Scalar]) -> list[Scalar]:
    """tau = ID(q, qd, qdd) of the tree, relative to a base that moves as it does."""
    q, qd, a = (array_of(x) for x in (moment.q, moment.qd, qdd))
    return list(algorithms.rnea(moment.model, q, qd, a, _carried(moment)))


def base_acceleration(moment: Moment) -> list[Scalar] | None:
    """The joint accelerations that the motion of the base makes, H^-1 J^T f; None if it stands still.

    With constraints, as far as these allow.
    """
    forces = _carried(moment)
    if forces is None:
        return None
    model, still = moment.model.with_gravity((0.0, 0.0, 0.0)), [0.0] * moment.model.nv
    q, zero = array_of(moment.q), array_of(still)
    if not model.closures:
        return list(algorithms.aba(model, q, zero, zero, forces))
    return list(algorithms.constrained_forward_dynamics(model, q, zero, zero, forces))


def feasible(moment: Moment, joints: Names, qdd: Sequence[Scalar]) -> list[Scalar]:
    """Accelerations that constraints allow and in which the driven joints have theirs of qdd.

    That is for as many driven degrees of freedom as a closed robot has; else qdd itself.
    """
    chosen = _dofs(moment, joints)
    if not moment.model.closures or len(chosen) == moment.model.nv:
        return list(qdd)
    found = algorithms.constrained_reduced_dynamics(moment.tree, moment.q, moment.qd, independent=tuple(chosen))
    led = found.G @ Vector(qdd[k] for k in chosen) + found.drift
    known = absolute(led[0]) < inf  # NaN, as all are, where the driven joints do not determine the others
    return [where(known, a, b) for a, b in zip(led, qdd, strict=True)]


def realised(moment: Moment, joints: Names, tau: Sequence[Scalar]) -> Sequence[Scalar]:
    """Forces of the driven joints alone that do what tau would do.

    The others get none. In a closed robot the constraints pass on what is needed there: of all forces of the driven
    joints these come nearest to the accelerations of tau, and have the least squares.
    """
    chosen = _dofs(moment, joints)
    if not moment.model.closures or len(chosen) == moment.model.nv:
        return driven(moment, joints, tau)
    return forces_of_actuators(moment.tree, moment.tree.positions(moment.q), tau, chosen).tau


def _dofs(moment: Moment, joints: Names) -> list[int]:
    return sorted(k for joint in joints_of(moment.model, joints) for k in range(joint.v.start, joint.v.stop))


def _carried(moment: Moment) -> Any:
    """The inertial forces of the base's motion on bodies 1..N, as an array (N, 6); None if it stands still."""
    if moment.base is None:
        return None
    found = [x for f in inertial_forces(moment, moment.base)[1:] for x in f.components()]
    return array_of(found).reshape(-1, 6)
