"""Bodies that stand for many, and the types of their joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from sixd.errors import SixdError
from sixd.joints import AxisJoint, Joint

__all__ = ["Case", "RollError", "SymbolicBody", "has_free_axis", "symbolic"]


class RollError(SixdError, TypeError):
    """An algorithm whose loops cannot be recorded once for all bodies: it must be unrolled."""


@dataclass(frozen=True)
class Case:
    """A type of joint; ``constants`` are parameters that all joints of this case share, None for those of the table."""

    type: type[Joint]
    constants: tuple[float | None, ...]


def has_free_axis(kind: type[Joint]) -> bool:
    """Whether joints of a type have an axis that can be any: no other direction goes with it."""
    return issubclass(kind, AxisJoint) and all(x is None for x in kind.standard[3:])


class SymbolicBody:
    """A body that stands for many: a row of the table. ``case`` is the type of its joint, where that is known."""

    __slots__ = ("case", "row")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, row: int, case: Case | None = None) -> None:
        self.row, self.case = row, case

    def _refuse(self, *_: Any) -> NoReturn:
        raise RollError("a question about the number of a body: the base is a slot like any other")

    __eq__ = __ne__ = __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __index__ = __int__ = _refuse


def symbolic(i: Any) -> SymbolicBody:
    """A body as an algorithm gives it back to the tree; refused if it is a number, which stands for one body alone."""
    if not isinstance(i, SymbolicBody):
        raise RollError(
            f"a loop or an index by the number {i!r}, while loops are recorded for any body: an argument that is a "
            "body is declared as one, `tip: BodyNumber`, or named body, left, right or to"
        )
    return i
