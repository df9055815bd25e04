"""One attempt of a step of variable length, by the method of Dormand and Prince, as a function of arrays."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import Signature
from typing import Any

from sixd.model import Model
from sixd.ops import Scalar, divide, sqrt, where
from sixd.simulation.controllers.controller import Controller
from sixd.simulation.forces.element import ForceElement
from sixd.simulation.integrators.error_size import error_size
from sixd.simulation.integrators.integrator import plus
from sixd.simulation.signatures import signature_of
from sixd.simulation.system import Numbers, Rates, State, System

__all__ = ["DENSE", "REACHES", "Attempt"]

#: J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", 1980: orders 5 and 4. The last row is also
#: the result, so that its stage is the first one of the next step.
TABLE: tuple[tuple[float, ...], ...] = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
#: The result of order 5 less that of order 4.
ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
#: The last term of the dense output: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I".
LAST = (
    -12715105075 / 11282082432,
    0.0,
    87487479700 / 32700410799,
    -10690763975 / 1880347072,
    701980252875 / 199316789632,
    -1453857185 / 822651844,
    69997945 / 29380423,
)
#: The vectors of the dense output of way, velocity and work: y(s) = s (a + (1 - s) (b + s (c + (1 - s) d))).
DENSE = 4
#: The length of the next step is at most this much larger or smaller; a little shorter than would be just right.
LARGEST, SMALLEST, SAFETY = 5.0, 0.2, 0.9
#: A step goes to ``t_end`` if that is nearer than this many times its length.
REACHES = 1.000001

#: The arguments of an attempt that are one number each and do not change in it.
_NUMBERS = ("t_end", "t_held", "longest", "rtol", "atol")


@dataclass(frozen=True)
class Attempt:
    """``attempt(model, q, qd, qdd, t, h, t_end, t_held, longest, tau, rtol, atol, **inputs)``.

    A step of length h, or to ``t_end`` if that is nearer, is made if its estimated error is within the tolerances, in
    the root mean square over position and velocity of error / (atol + rtol |x|). Otherwise the state stays, and the
    next attempt is shorter: also if forces on the way were not finite, because the step reached beyond where they are
    defined. At ``t_end`` an attempt changes nothing. No step is planned to be longer than ``longest``. ``t_held`` is
    the time from which inputs are held constant.

    It returns the values of `carried` after it; "made", 1 if the step was made, else 0; its "length"; and "dense", the
    coefficients of way, velocity and work inside it. With ``books``, "work" of the sources of forces and their "power"
    are part of the state: the work is integrated by the same method, but has no say in the length of steps.
    """

    controller: Controller | None = None
    elements: tuple[ForceElement, ...] = ()
    inputs: tuple[tuple[str, tuple[int, ...]], ...] = ()
    #: Whether states are led back to the constraints of a closed robot after each step.
    projected: bool = False
    #: Whether the work of each source of forces is added up.
    books: bool = False

    @property
    def __name__(self) -> str:
        return "attempt_dopri5"

    @property
    def carried(self) -> dict[str, str]:
        """The arguments that are the state, and the results that are their next values."""
        names = ("q", "qd", "qdd", "t", "h", *(("work", "power") if self.books else ()))
        return {name: f"{name}_next" for name in names}

    @property
    def sources(self) -> int:
        """The number of sources of forces whose work is added up."""
        return 1 + len(self.elements) if self.books else 0

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the arguments that the model does not tell."""
        own = {**dict.fromkeys(("t", "h", *_NUMBERS), ()), **dict(self.inputs)}
        return own | ({"work": (self.sources,), "power": (self.sources,)} if self.books else {})

    @property
    def __signature__(self) -> Signature:
        return signature_of(*self.carried, *_NUMBERS, "tau", *dict(self.inputs))

    def __call__(
        self, model: Model, q: Any, qd: Any, qdd: Any, tau: Any, work: Any = (), power: Any = (), **more: Any
    ) -> Any:
        t, h, t_end, held, longest, rtol, atol = (more.pop(name) for name in ("t", "h", *_NUMBERS))
        system = System(model, tau, self.controller, self.elements, more, self.books, t=held)
        q, qd, qdd, work = list(q), list(qd), list(qdd), list(work)
        left = t_end - t
        reaches = left < h * REACHES
        step = where(reaches, left, h)
        stages = [Rates(qd, qdd, list(power))]
        for row in TABLE[1:]:
            way, speed = self._sum(row, stages, step, qd)
            stages.append(system.rates(t + sum(row) * step, q, way, speed))
        way, speed = self._sum(TABLE[-1], stages, step, qd)
        done = plus([0.0] * len(work), *((a * step, k.power) for a, k in zip(TABLE[-1], stages, strict=False)))
        nothing = [0.0] * model.nv
        wrong_way = plus(nothing, *((e * step, k.way) for e, k in zip(ERROR, stages, strict=True)))
        wrong_speed = plus(nothing, *((e * step, k.qdd) for e, k in zip(ERROR, stages, strict=True)))
        error = error_size(model, q, (qd, speed), (wrong_way, wrong_speed), rtol, atol)
        goes_on = left > 0.0
        made = where(goes_on, error, 1.0) < 1.0  # at the end nothing changes, however often that is tried
        fifth = _power(error)
        factor = divide(SAFETY, where(fifth < SAFETY / LARGEST, SAFETY / LARGEST, fifth))
        factor = where(factor > SMALLEST, factor, SMALLEST)  # also where the error is not finite
        planned = where(step * factor < longest, step * factor, longest)
        moved = system.move(q, way)
        if self.projected:
            moved, speed = system.kept(t + step, State(moved, speed, []))[:2]

        def chosen(new: Sequence[Scalar], old: Sequence[Scalar]) -> Numbers:
            return [where(made, a, b) for a, b in zip(new, old, strict=True)]

        found = {
            "q": chosen(moved, q),
            "qd": chosen(speed, qd),
            "qdd": chosen(stages[-1].qdd, qdd),
            "t": where(made, where(reaches, t_end, t + step), t),
            # A last step that was cut short says nothing about the next.
            "h": where(made, where(reaches, h, planned), where(goes_on, planned, h)),
            "work": chosen(plus(work, (1.0, done)), work),
            "power": chosen(stages[-1].power, stages[0].power),
        }
        results = {name: found[old] for old, name in self.carried.items()}
        results |= {"made": where(made, 1.0, 0.0), "length": step}
        results["dense"] = [
            *self._dense([s.way for s in stages], way, step),
            *self._dense([s.qdd for s in stages], [a - b for a, b in zip(speed, qd, strict=True)], step),
            *self._dense([s.power for s in stages], done, step),
        ]
        return namedtuple("Attempted", results)(**results)

    @staticmethod
    def _sum(row: Sequence[float], stages: Sequence[Rates], step: Scalar, qd: Numbers) -> tuple[Numbers, Numbers]:
        """Way and velocity after a step with these weights."""
        terms = [(a * step, k) for a, k in zip(row, stages, strict=False) if a != 0.0]
        nothing = [0.0] * len(qd)
        return plus(nothing, *((w, k.way) for w, k in terms)), plus(qd, *((w, k.qdd) for w, k in terms))

    @staticmethod
    def _dense(rates: Sequence[Numbers], way: Numbers, h: Scalar) -> Numbers:
        """The coefficients of the dense output of one quantity, `DENSE` vectors one after the other."""
        first, last = [h * x for x in rates[0]], [h * x for x in rates[-1]]
        b = plus(first, (-1.0, way))
        c = plus(way, (-1.0, last), (-1.0, b))
        d = plus([0.0] * len(way), *((w * h, k) for w, k in zip(LAST, rates, strict=True)))
        return [*way, *b, *c, *d]


def _power(x: Scalar) -> Scalar:
    """x^(3/16), near the fifth root that the order asks for: by square roots alone."""
    eighth = sqrt(sqrt(sqrt(x)))
    return eighth * sqrt(eighth)
