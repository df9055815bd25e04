"""The power of rigid contact at recorded states."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.model import Model
from sixd.simulation.contact.contacts import Contacts
from sixd.simulation.kept import kept_kernel
from sixd.simulation.moment import Moment
from sixd.simulation.numbers import numbers_of_records
from sixd.simulation.setup import Setup
from sixd.simulation.signatures import signature_of

__all__ = ["contact_power"]

Array = NDArray[Any]


@dataclass(frozen=True)
class _Power:
    """The function of one state that is compiled: ``f(model, q, qd, contact)``."""

    contacts: Contacts
    __name__ = "contact_power"

    @property
    def __signature__(self) -> Signature:
        return signature_of("q", "qd", "contact")

    def __call__(self, model: Model, q: Any, qd: Any, contact: Any) -> Any:
        moment = Moment(model, 0.0, list(q), list(qd), {})
        return self.contacts.power(moment, list(contact))


def contact_power(setup: Setup, q: Array, qd: Array, memory: Array) -> Array:
    """The work per time of what rigid contact hands on, (...), W: forces times velocities of sites and joints."""
    contacts, numbers = setup.step.impulses, numbers_of_records(setup)
    assert contacts is not None
    code = kept_kernel(
        _Power(contacts), setup.robot, shapes={"contact": (memory.shape[-1],)}, parameters=tuple(numbers)
    )
    return np.asarray(code(q, qd, memory, *numbers.values()))
