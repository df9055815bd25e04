"""The contract of integrators with a fixed step. One file each, registered in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from sixd.errors import ChoiceError
from sixd.model import Model
from sixd.ops import Scalar
from sixd.simulation.registry import registry
from sixd.simulation.system import Numbers, State, System

__all__ = ["INTEGRATORS", "Attempted", "Integrator", "Swept", "plus", "register"]


class Attempted(NamedTuple):
    """What an attempt of a step gives."""

    state: State
    #: The estimated error over the allowed one: the step is good below 1.
    error: Scalar
    #: How many times too long the step was for the error 1.
    excess: Scalar
    #: Whether the forces in it change as they do at a jump, 1 or 0.
    rough: Scalar = 0.0


class Swept(NamedTuple):
    """What a sweep gives."""

    #: The state after the step if the step is done, else before it.
    state: State
    #: What the next sweep is given.
    sought: Numbers
    #: Whether the step is done, 1 or 0.
    done: Scalar


@dataclass(frozen=True)
class Integrator(ABC):
    """One step of time: from a state to the next.

    A step is written for one sample and any kind of number, and compiled with the equations of motion. Positions move
    on their manifold, q (+) dv, so that quaternions stay unit. Integrators are frozen data; equal ones compute the
    same.
    """

    name: ClassVar[str]
    #: The error of a run is proportional to this power of the step.
    order: ClassVar[int]
    #: Whether its steps ask the system for impulses, as rigid contact needs.
    takes_impulses: ClassVar[bool] = False
    #: Whether its steps find dry friction with the velocity at their end, as light joints need.
    holds_friction: ClassVar[bool] = False
    #: The fastest rate, times the step, at which motions that die out do so, and do not grow; infinity for none.
    fastest: ClassVar[float] = 2.0
    #: The same for oscillations: they do not grow, nor die where energy should stay.
    fastest_swing: ClassVar[float] = 2.0
    #: A step may be composed of several calls of `step`, which take these shares of the time.
    shares: ClassVar[tuple[float, ...]] = (1.0,)
    #: Whether it estimates its error (`attempt`), so that a step is made in as many parts as keep that small.
    estimates: ClassVar[bool] = False
    #: Whether motions that are too fast for its steps die out, as they should: their energy is lost.
    damps: ClassVar[bool] = False
    #: The integrator that makes the same steps whole, without looking at their error.
    whole: ClassVar[str] = ""
    #: Whether the allowed error is given as ``rtol`` and ``atol``.
    takes_tolerances: ClassVar[bool] = False

    @abstractmethod
    def step(self, system: System, t: Scalar, state: State, h: Scalar) -> State:
        """The state at time t + h.

        With ``system.books``, ``work`` of that state is the work of each source so far, ``state.work`` and that of
        this step: the integral of ``Rates.power`` by the same weights as those of positions and velocities. A step that
        hands on ``state.work`` as it is loses the energy of all that acts, as `simulate` says then unless it is told
        not to look (``energy_check="off"``).
        """

    def attempt(self, system: System, t: Scalar, state: State, h: Scalar, tolerances: Sequence[Scalar]) -> Attempted:
        """The same with its error, of an integrator that ``estimates`` it; ``tolerances`` are rtol and atol."""
        raise ChoiceError(f"the integrator {self.name!r} does not estimate its error")

    def sought(self, model: Model) -> int:
        """How many numbers `sweep` hands on, of an integrator whose steps are the solution of equations; else 0."""
        return 0

    def sweep(self, system: System, t: Scalar, state: State, sought: Sequence[Scalar], h: Scalar) -> Swept:
        """A sweep towards the state at time t + h; the first one of a run is given zeros for what it hands on."""
        raise ChoiceError(f"the integrator {self.name!r} makes a step at once")


#: The integrators by name.
INTEGRATORS: dict[str, type[Integrator]]
INTEGRATORS, register = registry("integrator")


def plus(x: Sequence[Scalar], *terms: tuple[Scalar, Sequence[Scalar]]) -> Numbers:
    """x + a y + b z + ..., entry by entry; terms with the factor zero are left out."""
    found = list(x)
    for factor, y in terms:
        if not (isinstance(factor, float) and factor == 0.0):
            found = [a + factor * b for a, b in zip(found, y, strict=True)]
    return found
