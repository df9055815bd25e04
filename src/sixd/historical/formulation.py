"""What a formulation is: each is a file in this folder that registers a `Formulation`, in one statement."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from sixd.algorithms.algorithm import Algorithm
from sixd.errors import ChoiceError

__all__ = ["FORMULATIONS", "Computes", "Formulation", "Takes", "register"]


class Computes(Enum):
    """The question that a formulation answers."""

    INVERSE_DYNAMICS = "inverse dynamics"
    FORWARD_DYNAMICS = "forward dynamics"
    MASS_MATRIX = "mass matrix"
    CONSTRAINED_DYNAMICS = "forward dynamics with constraints at the tip"
    INVERSE_INERTIA = "inverse of the operational-space inertia"


class Takes(Enum):
    """The robots that a formulation can be asked about. No joint may mimic another."""

    SCREWS = "trees of revolute, prismatic and helical joints"
    CHAINS = "chains of revolute, prismatic and helical joints"
    SPHERICAL = "trees of spherical joints without rotor inertia"
    ALL = "trees of all joint types"


@dataclass(frozen=True)
class Formulation:
    """A formulation of robot dynamics as its paper gave it, and where it comes from."""

    #: An algorithm like those of `sixd.algorithms`: call it with a robot and arrays, or give it to `sixd.compile`.
    function: Algorithm[..., Any]
    computes: Computes
    takes: Takes
    #: How the number of operations grows with the number of links N.
    cost: str
    year: int
    reference: str

    @property
    def name(self) -> str:
        """The name of the function, which is its name in `FORMULATIONS`."""
        return self.function.__name__


#: The formulations by name, in the order of their registration.
FORMULATIONS: dict[str, Formulation] = {}


def register(
    function: Algorithm[..., Any], computes: Computes, takes: Takes, cost: str, year: int, reference: str
) -> Formulation:
    """Make a formulation known: tests compare it, and tables count it. No two may share a name."""
    new = Formulation(function, computes, takes, cost, year, reference)
    if new.name in FORMULATIONS:
        raise ChoiceError(f"a formulation called {new.name!r} is registered already")
    FORMULATIONS[new.name] = new
    return new
