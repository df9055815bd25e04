"""The contract of force elements: springs, dampers, drag, contact. One file each, registered in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, TypeVar

from sixd.errors import ChoiceError
from sixd.ops import Scalar
from sixd.simulation.moment import Loads, Moment

__all__ = ["ELEMENTS", "ForceElement", "register"]


class ForceElement(ABC):
    """Something that puts forces on a robot, as a function of its state and of time.

    A force element is frozen data (a frozen dataclass of plain numbers, names and tuples) and one method, `apply`,
    written for one state and any kind of number, like an algorithm: no branch on a value, `sixd.ops` for functions. It
    is recorded and compiled with the equations of motion. Two equal elements compute the same.
    """

    #: What it is called, in the registry and in the books of a simulation.
    name: ClassVar[str]

    @abstractmethod
    def apply(self, moment: Moment, loads: Loads) -> None:
        """Add the forces of this element at this moment to the loads."""

    def energy(self, moment: Moment) -> Scalar:
        """The energy that is stored in the element, J; zero if it stores none."""
        return 0.0


E = TypeVar("E", bound=type[ForceElement])
#: The force elements by name.
ELEMENTS: dict[str, type[ForceElement]] = {}


def register(kind: E) -> E:
    """Make a force element known by its name. It is a decorator of its class."""
    if kind.name in ELEMENTS:
        raise ChoiceError(f"a force element called {kind.name!r} is registered already")
    ELEMENTS[kind.name] = kind
    return kind
