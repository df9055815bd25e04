"""Coupling: gears and other linear relations between joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import isfinite
from operator import add
from typing import Any, Self

from sixd import given
from sixd.constraints.contract import Constraint
from sixd.errors import ModelError
from sixd.spatial import Matrix, Transform, Vector

__all__ = ["Coupling"]


@dataclass(frozen=True, eq=False)
class Coupling(Constraint):
    """sum_j ratio_j q_j = constant, one row: gears, belts, differentials, between joints with one coordinate each.

    ``ratios`` maps names of joints to their ratios: ``Coupling({"motor": 1, "arm": -50})`` is a gear that turns the
    motor 50 times while the arm turns once. Other than a `Mimic`, a coupling keeps both coordinates, and tells the
    force between them.
    """

    kind = "coupling"
    constant_forces = True

    ratios: Any
    constant: float = 0.0

    def __post_init__(self) -> None:
        pairs = self.ratios.items() if isinstance(self.ratios, Mapping) else self.ratios
        if not isinstance(pairs, Sequence) and not isinstance(self.ratios, Mapping):
            raise ModelError(f"ratios of a coupling map names of joints to numbers, not {given.described(self.ratios)}")
        found = []
        for pair in pairs:
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ModelError(f"ratios of a coupling map names of joints to numbers, not {given.described(pair)}")
            joint = given.name(pair[0], "a joint of a coupling")
            ratio = given.number(pair[1], f"the ratio of joint {joint!r} in a coupling")
            if not isfinite(ratio) or ratio == 0.0:
                raise ModelError(f"the ratio of joint {joint!r} in a coupling must be finite and not zero, not {ratio}")
            found.append((joint, ratio))
        if len({joint for joint, _ in found}) < max(2, len(found)):
            raise ModelError("a coupling ties two or more joints, each named once")
        (constant,) = given.finite((self.constant,), "the constant of a coupling", 1)
        self._put(ratios=tuple(found), constant=constant)
        super().__post_init__()

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(joint for joint, _ in self.ratios)

    def renamed(self, prefix: str) -> Self:
        return replace(self, name=prefix + self.name, ratios={prefix + joint: x for joint, x in self.ratios})

    @property
    def rows(self) -> int:
        return 1

    def error(self, X: Transform, q: Sequence[Vector]) -> Vector:
        terms = [ratio * x[0] for (_, ratio), x in zip(self.ratios, q, strict=True)]
        return Vector((reduce(add, terms) - self.constant,))

    def coefficients(self) -> tuple[Matrix, ...]:
        return tuple(Matrix([[ratio]]) for _, ratio in self.ratios)
