"""Numbers that count what is done with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sixd import ops

__all__ = ["Tally", "Written"]


@dataclass
class Tally:
    """Operations so far."""

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    functions: int = 0


class Written:
    """A float that counts every operation on it, also those with zeros and ones, which no program would keep."""

    __slots__ = ("tally", "value")

    def __init__(self, tally: Tally, value: float) -> None:
        self.tally, self.value = tally, value

    def __float__(self) -> float:
        return self.value

    def __neg__(self) -> Written:
        return Written(self.tally, -self.value)

    def __add__(self, other: Any) -> Written:
        self.tally.additions += 1
        return Written(self.tally, self.value + float(other))

    def __sub__(self, other: Any) -> Written:
        self.tally.additions += 1
        return Written(self.tally, self.value - float(other))

    def __rsub__(self, other: Any) -> Written:
        self.tally.additions += 1
        return Written(self.tally, float(other) - self.value)

    def __mul__(self, other: Any) -> Written:
        self.tally.multiplications += 1
        return Written(self.tally, self.value * float(other))

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other: Any) -> bool:
        return self.value < float(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > float(other)


def _tally(*numbers: Any) -> Tally:
    return next(x.tally for x in numbers if isinstance(x, Written))


def _function(of: Callable[[float], float]) -> Callable[[Written], Written]:
    """A function of one number, counted."""

    def counted(x: Written) -> Written:
        x.tally.functions += 1
        return Written(x.tally, of(x.value))

    return counted


def _divide(a: Any, b: Any) -> Written:
    tally = _tally(a, b)
    tally.divisions += 1
    return Written(tally, ops.divide(float(a), float(b)))


def _arctan2(y: Any, x: Any) -> Written:
    tally = _tally(y, x)
    tally.functions += 1
    return Written(tally, ops.arctan2(float(y), float(x)))


def _where(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


ops.register(
    Written,
    ops.Rules(
        sin=_function(ops.sin),
        cos=_function(ops.cos),
        sqrt=_function(ops.sqrt),
        arctan2=_arctan2,
        absolute=lambda x: Written(x.tally, abs(x.value)),
        divide=_divide,
        where=_where,
    ),
)
