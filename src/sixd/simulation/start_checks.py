"""Whether steps are short enough for what acts where samples begin."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from sixd.simulation.contact.step_limit import check_step
from sixd.simulation.setup import Setup
from sixd.simulation.starts import starts_of
from sixd.simulation.stiffness import check_friction, check_stiffness

__all__ = ["check_steps_at_start"]

Array = NDArray[Any]


def check_steps_at_start(setup: Setup, q: Array, qd: Array) -> None:
    """Warn if whole steps from states (..., nq), (..., nv) are too long for forces, friction or compliant contact.

    Steps that are far too long are refused. Integrators that look at their error take any.
    """
    kind = setup.step.integrator
    if not (q.size and qd.size) or kind.estimates:
        return
    some = starts_of(setup, q, qd)
    check_stiffness(setup, some)
    check_friction(setup, some)
    if setup.contacts is not None:
        fastest = min(kind.fastest, kind.fastest_swing)
        check_step(setup.robot, some.q, setup.contacts, setup.dt, fastest, some.numbers)
