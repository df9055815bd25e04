"""The error that integrators with error control allow."""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

from sixd import given
from sixd.errors import ModelError

__all__ = ["FINE", "USUAL", "Tolerances"]


class Tolerances(NamedTuple):
    """The error allowed in each step, or part of one: rtol |x| + atol."""

    rtol: float
    atol: float

    @classmethod
    def of(cls, rtol: Any, atol: Any, usual: Tolerances) -> Tolerances:
        """Checked ones; None stands for the ``usual`` ones."""
        rtol, atol = usual.rtol if rtol is None else rtol, usual.atol if atol is None else atol
        numbers = given.number(rtol, "rtol"), given.number(atol, "atol")
        for name, x in zip(("rtol", "atol"), numbers, strict=True):
            if not (isfinite(x) and x > 0.0):
                raise ModelError(f"{name} must be a positive number, not {x:g}")
        return cls(*numbers)


#: What is usual in steps of variable length, and in steps that are made in parts.
FINE, USUAL = Tolerances(1e-9, 1e-11), Tolerances(1e-6, 1e-9)
