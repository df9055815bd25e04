"""A step in as many parts as keep its error small, each sample for itself.

Where a force jumps, no part is short enough to be smooth: its error falls as its length does, and no faster. One jump
costs some attempts. A force that jumps again and again, as that of a controller that holds a state at the place of the
jump, would cost thousands in each step. Where a step takes many attempts and they are rough (`Attempted.rough`), an
error of up to a thousandth is therefore allowed, as much as it takes, and less and less in the steps after it
(`Pace.slack`). Attempts that are short because small errors are asked for are smooth, and keep them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import NamedTuple

from sixd.ops import Scalar, divide, where
from sixd.simulation.integrators.integrator import Attempted
from sixd.simulation.system import State

__all__ = ["MANY", "MOST", "PACE", "Pace", "attempt_part", "first_pace"]

#: The next part is at most this much longer or shorter; a little shorter than would be just right.
LARGEST, SMALLEST, SAFETY = 5.0, 0.2, 0.9
#: A part goes to the end of the step if that is nearer than this many times its length.
REACHES = 1.000001
#: A part shorter than this share of dt is taken as it is: no shorter one is any better.
SHORTEST = 1e-13
#: After so many attempts in one step the slack grows by this factor with each rough one; and shrinks by that after it.
MANY, LOOSER, TIGHTER = 500.0, 2.0**0.05, 0.5
#: The least and the largest slack.
LEAST, LOOSEST = 1e-15, 1e-3
#: After so many attempts in one step its sample is given up.
MOST = 20_000.0


class Pace(NamedTuple):
    """How a sample goes through its steps: numbers that are handed on from attempt to attempt."""

    #: The time since the beginning of the step, s.
    elapsed: Scalar
    #: How long the next part is to be, s.
    planned: Scalar
    #: The attempts in this step so far.
    tries: Scalar
    #: All attempts of the run, and the most in one step.
    total: Scalar
    most: Scalar
    #: rtol and atol are no less than this.
    slack: Scalar


#: How many numbers a pace is.
PACE = len(Pace._fields)


def first_pace(dt: float) -> Pace:
    """The pace at the start of a run: whole steps."""
    return Pace(0.0, dt, 0.0, 0.0, 0.0, LEAST)


def attempt_part(
    attempt: Callable[[Scalar, Scalar, Scalar], Attempted],
    state: State,
    pace: Pace,
    dt: Scalar,
    done: Scalar,
) -> tuple[State, Pace, Scalar]:
    """Try the next part of a step of length dt: the state and the pace after it, and whether the step is done, 1 or 0.

    ``attempt`` is a function of the time since the step began, the length of the part, and the slack. Where the error
    is too large the state stays, and the next attempt is shorter; its length is nearly that which would have had the
    error allowed. Nothing changes if the step was ``done`` before: then other samples are not.
    """
    left = dt - pace.elapsed
    reaches = left < pace.planned * REACHES
    length = where(reaches, left, pace.planned)
    tried = attempt(pace.elapsed, length, pace.slack)
    tries = pace.tries + 1.0
    given_up = tries > MOST
    fine = where(tried.error < 1.0, 1.0, where(length < SHORTEST * dt, 1.0, where(given_up, 1.0, 0.0)))
    waits = done > 0.5
    goes = where(waits, 0.0, fine) > 0.5

    def chosen(new: Sequence[Scalar], old: Sequence[Scalar]) -> list[Scalar]:
        return [where(goes, a, b) for a, b in zip(new, old, strict=True)]

    after = State(
        [where(given_up, nan, x) for x in chosen(tried.state.q, state.q)],
        [where(given_up, nan, x) for x in chosen(tried.state.qd, state.qd)],
        chosen(tried.state.work, state.work),
        chosen(tried.state.memory, state.memory),
    )
    excess = tried.excess
    factor = divide(SAFETY, where(excess < SAFETY / LARGEST, SAFETY / LARGEST, excess))
    factor = where(factor > SMALLEST, factor, SMALLEST)  # also where the error is not finite
    next_ = where(length * factor < dt, length * factor, dt)
    # A last part that was cut short says nothing about the next one, unless that can be longer.
    cut = where(fine > 0.5, where(length < pace.planned, where(next_ < pace.planned, 1.0, 0.0), 0.0), 0.0) > 0.5
    planned = where(cut, pace.planned, next_)
    ends = where(goes, where(reaches, 1.0, where(given_up, 1.0, 0.0)), 0.0) > 0.5

    grows = where(tries > MANY, where(tried.rough > 0.5, LOOSER, 1.0), 1.0)
    slack = pace.slack * where(ends, TIGHTER, grows)
    slack = where(slack < LEAST, LEAST, where(slack > LOOSEST, LOOSEST, slack))

    def held(new: Scalar, old: Scalar) -> Scalar:
        return where(waits, old, new)

    return (
        after,
        Pace(
            held(where(ends, 0.0, where(goes, pace.elapsed + length, pace.elapsed)), pace.elapsed),
            held(planned, pace.planned),
            held(where(ends, 0.0, tries), pace.tries),
            held(pace.total + 1.0, pace.total),
            held(where(tries < pace.most, pace.most, tries), pace.most),
            held(slack, pace.slack),
        ),
        where(waits, 1.0, where(ends, 1.0, 0.0)),
    )
