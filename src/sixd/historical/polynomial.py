"""Polynomials of the number of links, with exact coefficients: what papers state operation counts by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from sixd.errors import ArgumentError

__all__ = ["Polynomial"]


@dataclass(frozen=True)
class Polynomial:
    """c_0 + c_1 n + c_2 n^2 + ..., with rational coefficients."""

    #: c_0, c_1, ...; the last is not zero.
    coefficients: tuple[Fraction, ...]

    @classmethod
    def of(cls, *coefficients: Fraction | int | str) -> Polynomial:
        """From the highest power down, as it is written: ``of("1/6", 0, 3)`` is 1/6 n^2 + 3."""
        return cls._trimmed([Fraction(c) for c in reversed(coefficients)])

    @classmethod
    def through(cls, points: Mapping[int, int]) -> Polynomial:
        """The polynomial of least degree through these points n: count, by Newton's divided differences."""
        if not points:
            raise ArgumentError("a polynomial needs one point or more, {n: count}")
        sizes = sorted(points)
        column = [Fraction(points[n]) for n in sizes]
        found, basis = [Fraction(0)], [Fraction(1)]
        for k in range(len(sizes)):
            found = _sum(found, [column[0] * b for b in basis])
            basis = _sum([Fraction(0), *basis], [-sizes[k] * b for b in basis])
            column = [(b - a) / (sizes[j + k + 1] - sizes[j]) for j, (a, b) in enumerate(pairwise(column))]
        return cls._trimmed(found)

    @classmethod
    def _trimmed(cls, coefficients: list[Fraction]) -> Polynomial:
        while len(coefficients) > 1 and not coefficients[-1]:
            coefficients.pop()
        return cls(tuple(coefficients))

    @property
    def degree(self) -> int:
        """The highest power."""
        return len(self.coefficients) - 1

    def __call__(self, n: int) -> Fraction:
        total = Fraction(0)
        for c in reversed(self.coefficients):
            total = total * n + c
        return total

    def __add__(self, other: Polynomial) -> Polynomial:
        return self._trimmed(_sum(self.coefficients, other.coefficients))

    def __str__(self) -> str:
        text = ""
        for power in reversed(range(len(self.coefficients))):
            c = self.coefficients[power]
            if c or self.degree == 0:
                sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
                text += sign + _term(abs(c), power)
        return text


def _term(c: Fraction, power: int) -> str:
    """c n^power, c not negative: "5", "n", "3/2 n^2"."""
    letter = {0: "", 1: "n"}.get(power, f"n^{power}")
    if not letter:
        return str(c)
    return letter if c == 1 else f"{c} {letter}"


def _sum(a: Sequence[Fraction], b: Sequence[Fraction]) -> list[Fraction]:
    size = max(len(a), len(b))
    longer = [[*x, *([Fraction(0)] * (size - len(x)))] for x in (a, b)]
    return [x + y for x, y in zip(*longer, strict=True)]
