"""Impacts: the jump of velocities when a robot hits the ground, and the energy that it takes."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from inspect import Signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import algorithms
from sixd.errors import ChoiceError, ModelError
from sixd.given import instance, number
from sixd.model import Model
from sixd.robot import Robot
from sixd.simulation.contact.contacts import Contacts
from sixd.simulation.contact.laws import Rigid
from sixd.simulation.kept import kept_kernel
from sixd.simulation.moment import Moment
from sixd.simulation.signatures import signature_of

__all__ = ["Impact", "impact"]

Array = NDArray[Any]


class Impact(NamedTuple):
    """What an impact does, for one state or a batch."""

    #: The velocity after it, (..., nv).
    qd: Array
    #: The impulse of the ground on each site, along the world's axes, N s, (..., sites, 3).
    impulses: Array
    #: The kinetic energy that is lost, J, (...).
    lost: Array


@dataclass(frozen=True)
class _Jump:
    """The function of one state that is compiled."""

    contacts: Contacts
    near: float
    __name__ = "impact"

    @property
    def __signature__(self) -> Signature:
        return signature_of("q", "qd")

    def __call__(self, model: Model, q: Any, qd: Any) -> Any:
        moment = Moment(model, 0.0, list(q), list(qd), {})
        law = self.contacts.law
        assert isinstance(law, Rigid)
        velocity, impulses = law.impulses(moment, self.contacts.touches(moment), self.near)
        qd, after = np.asarray(qd), np.array(velocity, dtype=object)
        # T - T' = (qd + qd')^T H (qd - qd') / 2: no difference of two large energies.
        momentum = algorithms.crba(model, np.asarray(q)) @ (qd - after)
        lost = 0.5 * sum((a * b for a, b in zip(qd + after, momentum, strict=True)), 0.0)
        found = {"qd": after, "impulses": np.array(impulses, dtype=object).reshape(-1, 3), "lost": lost}
        return namedtuple("Jumped", found)(**found)


def impact(robot: Robot, q: ArrayLike, qd: ArrayLike, contacts: Contacts, *, near: float = 1e-6) -> Impact:
    """The velocity after the impact of a robot with the ground, the impulses, and the energy lost.

    H (qd' - qd) = J^T p with the impulses p of rigid contact: sites that are at most ``near`` above the ground, m, and
    move into it bounce with the restitution of the law, or stop, under Coulomb friction. All other forces are finite
    and have no time to act. (..., nq) and (..., nv), one state or a batch. Constraints of a closed robot hold: its
    velocity before must keep them, and that after does; H (qd' - qd) = J^T p + L^T lambda.

    The law of ``contacts`` must be rigid; its number of sweeps decides how exact the answer is, and many cost little
    here. Where friction and restitution meet, energy may be gained in odd positions (T. Kane's paradox): ``lost`` is
    negative there.
    """
    instance(robot, "robot", Robot, "sixd.load(...)")
    instance(contacts, "contacts", Contacts, "Contacts([Point('foot')], law='rigid')")
    if not isinstance(contacts.law, Rigid):
        raise ChoiceError(f"impacts are for rigid contact: give contacts with law='rigid', not {contacts.law.name!r}")
    if not contacts.shapes:
        raise ModelError("impacts need at least one shape that can touch the ground")
    reach = number(near, "near")
    if not 0.0 <= reach < np.inf:
        raise ModelError(f"near must be a finite distance of at least 0 m, not {reach!r}")
    return Impact(*kept_kernel(_Jump(contacts, reach), robot)(q, qd))
