"""The primitives: the operations that programs consist of.

A primitive has a name, and a function of floats or arrays of samples that defines what it computes. A backend is a
table from these names to code. "pick" looks a number up in a table (`sixd.ops.Tabulated`), which comes before its
operand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sixd.ops import Tabulated

__all__ = ["PRIMITIVES", "Primitive"]


@dataclass(frozen=True)
class Primitive:
    """An operation: its number of operands, the function that defines it, and how reports count it."""

    name: str
    arity: int
    evaluate: Callable[..., Any]
    #: "arithmetic" (one machine operation), "division", "elementary" (tens of operations), "free" (signs, selections).
    kind: str = "arithmetic"
    commutes: bool = False


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function without NumPy's warnings: as IEEE 754 says, invalid operations return an infinity or NaN."""

    def run(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    return run


#: Every primitive by name.
PRIMITIVES: dict[str, Primitive] = {
    p.name: p
    for p in (
        Primitive("add", 2, _quiet(np.add), commutes=True),
        Primitive("sub", 2, _quiet(np.subtract)),
        Primitive("mul", 2, _quiet(np.multiply), commutes=True),
        Primitive("fma", 3, _quiet(lambda x, y, z: x * y + z)),
        Primitive("div", 2, _quiet(np.divide), kind="division"),
        Primitive("neg", 1, np.negative, kind="free"),
        Primitive("abs", 1, np.abs, kind="free"),
        Primitive("floor", 1, np.floor, kind="free"),
        Primitive("sqrt", 1, _quiet(np.sqrt), kind="division"),
        Primitive("sin", 1, _quiet(np.sin), kind="elementary"),
        Primitive("cos", 1, _quiet(np.cos), kind="elementary"),
        Primitive("arctan2", 2, _quiet(np.arctan2), kind="elementary"),
        Primitive("less", 2, np.less, kind="free"),
        Primitive("select", 3, np.where, kind="free"),
        Primitive("pick", 1, Tabulated.at, kind="free"),
    )
}
