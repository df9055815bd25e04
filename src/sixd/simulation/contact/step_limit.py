"""How small steps must be for compliant contact, estimated from what a robot weighs at its feet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Signature
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.compiler.parameters import named_parameters
from sixd.errors import ChoiceError, ShapeError
from sixd.given import instance
from sixd.model import Model
from sixd.runtime.arguments import real_numbers
from sixd.simulation.contact.contacts import Contacts
from sixd.simulation.contact.delassus import Delassus
from sixd.simulation.contact.factors import factors_of
from sixd.simulation.contact.laws import Compliant
from sixd.simulation.kept import kept_kernel
from sixd.simulation.moment import Moment
from sixd.simulation.signatures import signature_of
from sixd.simulation.step_length import judge_step

__all__ = ["StepLimit", "check_step", "step_limit"]

Array = NDArray[Any]


class StepLimit(NamedTuple):
    """The longest steps, s, at which explicit integration of compliant contact is stable at rest; and why."""

    #: By the stiffness: 2 / omega, with omega the frequency of the robot on the ground.
    stiffness: float
    #: By the damping along the normal.
    damping: float
    #: By the friction: 2 m / b.
    friction: float
    #: The depth to which the robot sinks in, m.
    depth: float
    #: omega, the highest frequency of a site on the ground, rad/s.
    frequency: float

    @property
    def dt(self) -> float:
        """The smallest of the three limits, s."""
        return min(self.stiffness, self.damping, self.friction)


@dataclass(frozen=True)
class _Ease:
    """The function of one position that is compiled: A = J H^-1 J^T of all sites, 1/kg."""

    contacts: Contacts
    __name__ = "ease_of_sites"

    @property
    def __signature__(self) -> Signature:
        return signature_of("q")

    def __call__(self, model: Model, q: Any) -> Any:
        moment = Moment(model, 0.0, list(q), [0.0] * model.nv, {})
        rows = [row for touch in self.contacts.touches(moment) for row in touch.rows(moment)]
        return np.array(Delassus(factors_of(moment), rows).A, dtype=object)


def step_limit(
    robot: Model, q: ArrayLike, contacts: Contacts, parameters: Mapping[str, Array] | None = None
) -> StepLimit:
    """The longest step of a simulation with compliant contact, by the masses that are felt at the sites at q (nq,).

    ``parameters`` are numbers of the robot in place of its own, by name, as of one sample of `simulate`.

    Each site carries the same share W = m g / n of the weight. It sinks in by d0 = (W / k)^(2/3), and there the ground
    has the stiffness k1 = 3/2 k sqrt(d0). The mass felt at a site is that of A = J H^-1 J^T: 1 / A_nn along the normal,
    one over the larger eigenvalue along the tangents. An impact presses harder than the weight, so stay below the
    limit, by a factor of 2 or more.
    """
    instance(robot, "robot", Model, "sixd.load(...)")
    law = instance(contacts, "contacts", Contacts, "Contacts([Point('foot')])").law
    if not isinstance(law, Compliant):
        raise ChoiceError(f"only compliant contact limits the step, not {law.name!r} contact")
    at = real_numbers("q", q).astype(float)
    if at.shape != (robot.nq,):
        raise ShapeError(f"q has shape {at.shape}, but one position ({robot.nq},) is needed")
    return _limits(robot, at, contacts, law, parameters or {})[0]


def _limits(
    robot: Model, q: Array, contacts: Contacts, law: Compliant, parameters: Mapping[str, Array]
) -> list[StepLimit]:
    """The limits at one position (nq,) or at several (S, nq), with parameters for each."""
    names = named_parameters(tuple(parameters))
    code = kept_kernel(_Ease(contacts), robot, parameters=names)
    found = np.asarray(code(q, *(parameters[name] for name in names)))
    eases = found.reshape(-1, *found.shape[-2:])
    one = q.ndim == 1
    return [
        _limit(robot, A, law, {name: x if one else x[k] for name, x in parameters.items()}) for k, A in enumerate(eases)
    ]


def _limit(robot: Model, A: Array, law: Compliant, given: Mapping[str, Array]) -> StepLimit:
    """The limit with A = J H^-1 J^T of the sites, and numbers in place of the robot's own."""
    mass = float(np.sum(given["inertia"][:, 0])) if "inertia" in given else robot.mass
    load = mass * float(np.linalg.norm(given.get("gravity", robot.gravity))) / (len(A) // 3)
    depth = (load / law.stiffness) ** (2.0 / 3.0)
    slip = sqrt(law.slip_speed**2 + (law.friction * load / law.viscosity) ** 2)
    drag = law.friction * load / slip if slip > 0.0 else law.viscosity
    blocks = [A[k : k + 3, k : k + 3] for k in range(0, len(A), 3)]
    ease = max(float(block[2, 2]) for block in blocks)
    side = max(float(np.linalg.eigvalsh(block[:2, :2])[-1]) for block in blocks)
    frequency = sqrt(1.5 * law.stiffness * sqrt(depth) * ease)
    rates = frequency, law.damping * load * ease, drag * side
    stiffness, damping, friction = (2.0 / rate if rate > 0.0 else inf for rate in rates)
    return StepLimit(stiffness, damping, friction, depth, frequency)


def check_step(
    robot: Model,
    q: Array,
    contacts: Contacts,
    dt: float,
    fastest: float,
    parameters: Mapping[str, Array],
) -> None:
    """Raise if a step is far above the limit of compliant contact, and warn if it is above.

    q are positions (S, nq), and ``parameters`` numbers of the robot at each, (S, *shape) by name. ``fastest`` is the
    largest product of rate and step at which the integrator is stable (`Integrator.fastest`).
    """
    law = contacts.law
    if not isinstance(law, Compliant) or not len(q):
        return
    limit = min(_limits(robot, q, contacts, law, parameters), key=lambda x: x.dt)
    longest = 0.5 * fastest * limit.dt
    parts = {"stiffness": limit.stiffness, "damping": limit.damping, "viscosity of friction": limit.friction}
    cause = min(parts, key=lambda name: parts[name])
    text = (
        f"dt = {dt:g} s is above {longest:.1g} s, the limit that the {cause} of compliant contact sets for "
        f"{robot.name!r}: take a smaller dt, softer ground, or law='rigid'"
    )
    judge_step(dt, longest, text)
