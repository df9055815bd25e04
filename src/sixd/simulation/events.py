"""Events: the moments at which a function of the state passes through zero, found inside the steps of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.errors import ArgumentError, ModelError

__all__ = ["Crossings", "Event", "Happening", "checked_events", "crossings", "happened_in"]

Array = NDArray[Any]
#: A step is looked at in at least so many parts.
PARTS = 8
#: Where a step is looked at beside its ends, as a share of it, to see in which way the function sets out and arrives.
CLOSE = 1e-3
#: Halvings of the interval in which an event is.
HALVINGS = 60
#: Golden sections of the interval in which a function turns round: to a hundred millionth of it.
SECTIONS = 38
GOLDEN = 0.5 * (5.0**0.5 - 1.0)


@dataclass(frozen=True)
class Event:
    """Something to be noticed: the moments at which a function of the state, g(t, q, qd), passes through zero.

    The function takes times (...) and arrays (..., nq) and (..., nv), and returns (...). ``direction`` 1: only where it
    grows, -1: only where it falls. ``terminal``: the run ends there (for one sample only).

    Every step is looked at from inside, by the dense output of the integrator: in eight parts, more if they would be
    longer than dt, and close to both ends. Where signs differ there is an event. Where the function turns round before
    it reaches zero, its turning point is looked for, so that it is noticed too if it passes zero for however short a
    time. What remains unseen is a function that turns round more than once between two of these places; a smaller dt
    brings them closer. A function that touches zero without passing it may be noticed or not, and one that is zero at
    the start has not passed it then.
    """

    function: Callable[[Array, Array, Array], Any]
    name: str = "event"
    direction: int = 0
    terminal: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"an event needs a function g(t, q, qd), not {given.described(self.function)}")
        given.name(self.name, "the name of an event")
        given.flag(self.terminal, "terminal of an event")
        if given.whole(self.direction) not in (-1, 0, 1):
            raise ModelError(f"direction of an event must be -1, 0 or 1, not {given.described(self.direction)}")


class Happening(NamedTuple):
    """An event that took place: when, in which sample of the flattened batch, and the state."""

    name: str
    time: float
    sample: int
    q: Array
    qd: Array


def happened_in(happened: Iterable[Happening], times: Array) -> tuple[Happening, ...]:
    """The events from the first to the last of some times."""
    if not len(times):
        return ()
    first, last = times.min(), times.max()
    return tuple(x for x in happened if first <= x.time <= last)


def checked_events(events: Any) -> tuple[Event, ...]:
    """The events of a run."""
    if not isinstance(events, Iterable) and not isinstance(events, Event):
        raise ArgumentError(f"events must be a list of sixd.simulation.Event(g), not {given.described(events)}")
    found = (events,) if isinstance(events, Event) else tuple(events)
    for event in found:
        given.instance(event, "each of events", Event, "sixd.simulation.Event(g)")
    return found


class Crossings(NamedTuple):
    """Where a function passes through zero: in which steps, at which share of them; and its value at the very end."""

    step: Array
    share: Array
    last: float


class _Seen(NamedTuple):
    """A function at some places in steps, in the order of time."""

    step: Array
    share: Array
    value: Array


def crossings(g: Callable[[Array, Array], Array], parts: Array, direction: int, before: float | None) -> Crossings:
    """Where g(step, share) passes through zero in steps that follow one another; shares are 0 to 1.

    ``parts`` says into how many parts each step is cut at least. ``before`` is the value at the end of the step before
    the first one: it is that at its beginning but for rounding, which may lie on the other side of zero.
    """
    step, share = _places(np.maximum(parts, PARTS))
    seen = _with_turns(g, _Seen(step, share, g(step, share)))
    if before is not None:
        seen = _Seen(*(np.concatenate([[x], y]) for x, y in zip((0, 0.0, before), seen, strict=True)))
    low, high = seen.value[:-1], seen.value[1:]
    rises, falls = (low < 0.0) & (high >= 0.0), (low > 0.0) & (high <= 0.0)
    k = np.flatnonzero({0: rises | falls, 1: rises, -1: falls}[direction])
    step, side, b = seen.step[k + 1], np.sign(seen.value[k]), seen.share[k + 1]
    # From the end of a step to the beginning of the next there is no time.
    a = np.where(seen.step[k] == step, seen.share[k], b)
    for _ in range(HALVINGS if len(k) else 0):
        middle = 0.5 * (a + b)
        same = np.sign(g(step, middle)) == side
        a, b = np.where(same, middle, a), np.where(same, b, middle)
    return Crossings(step, b, float(seen.value[-1]))


def _places(parts: Array) -> tuple[Array, Array]:
    """Steps and shares: each step in so many equal parts, both ends included, and close to both ends."""
    shares = {n: np.sort([*np.linspace(0.0, 1.0, n + 1), CLOSE / n, 1.0 - CLOSE / n]) for n in set(parts.tolist())}
    each = [shares[n] for n in parts.tolist()]
    return np.repeat(np.arange(len(parts)), parts + 3), np.concatenate(each)


def _with_turns(g: Callable[[Array, Array], Array], seen: _Seen) -> _Seen:
    """With the points at which g comes nearest to zero between places, where it has the same sign at them.

    Where g is nearer to zero than at both neighbours, there is a minimum of |g| between these.
    """
    size, sign = np.abs(seen.value), np.sign(seen.value)
    left, here, right = size[:-2], size[1:-1], size[2:]
    inside = (seen.step[:-2] == seen.step[2:]) & (sign[:-2] == sign[1:-1]) & (sign[1:-1] == sign[2:]) & (here > 0.0)
    k = 1 + np.flatnonzero(inside & (here <= left) & (here <= right) & ((here < left) | (here < right)))
    if not len(k):
        return seen
    share, value = _nearest(g, seen.step[k], seen.share[k - 1], seen.share[k + 1], sign[k])
    step, share = np.concatenate([seen.step, seen.step[k]]), np.concatenate([seen.share, share])
    order = np.lexsort((share, step))
    return _Seen(step[order], share[order], np.concatenate([seen.value, value])[order])


def _nearest(g: Callable[[Array, Array], Array], step: Array, a: Array, b: Array, sign: Array) -> tuple[Array, Array]:
    """Shares between a and b at which ``sign`` g is least, or below zero, and g there: by golden sections."""
    c, d = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    at_c, at_d = sign * g(step, c), sign * g(step, d)
    for _ in range(SECTIONS):
        # Where g is below zero it stays: what is found there does not depend on what else is looked for.
        goes_on = np.minimum(at_c, at_d) >= 0.0
        if not goes_on.any():
            break
        first = at_c < at_d
        a, b = np.where(goes_on & ~first, c, a), np.where(goes_on & first, d, b)
        new = np.where(first, b - GOLDEN * (b - a), a + GOLDEN * (b - a))
        value = sign * g(step, new)
        left, right = goes_on & first, goes_on & ~first
        c, d, at_c, at_d = (
            np.where(left, new, np.where(right, d, c)),
            np.where(left, c, np.where(right, new, d)),
            np.where(left, value, np.where(right, at_d, at_c)),
            np.where(left, at_c, np.where(right, value, at_d)),
        )
    first = at_c < at_d
    return np.where(first, c, d), sign * np.where(first, at_c, at_d)
