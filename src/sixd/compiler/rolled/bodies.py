"""Symbolic bodies, which stand for many bodies while loops are recorded, and the types of their joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from sixd.errors import SixdError
from sixd.ir import noted
from sixd.joints import AxisJoint, Joint

__all__ = ["Case", "Pairs", "RollError", "SymbolicBody", "has_free_axis", "symbolic"]


#: Pairs of joint types: that of a body, and that of a body which carries it.
Pairs: TypeAlias = frozenset[tuple[type[Joint], type[Joint]]]


class RollError(SixdError, TypeError):
    """The loops of an algorithm cannot be recorded once for all bodies: it must be unrolled."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        noted(self)


@dataclass(frozen=True)
class Case:
    """A joint type for which loops are recorded.

    ``constants`` has an entry for each joint parameter: the value that all joints of this case share, or None if it is
    read from the table.
    """

    type: type[Joint]
    constants: tuple[float | None, ...]


def has_free_axis(kind: type[Joint]) -> bool:
    """Whether joints of a type may have any axis: the type has no other direction that must fit the axis."""
    return issubclass(kind, AxisJoint) and all(x is None for x in kind.standard[3:])


class SymbolicBody:
    """A body that stands for many: a row of the table. ``case`` is the type of its joint; None if it is not known."""

    __slots__ = ("case", "row")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, row: int, case: Case | None = None) -> None:
        self.row, self.case = row, case

    def _refuse(self, *_: Any) -> NoReturn:
        raise RollError(
            "a question about the number of a body, which stands for many bodies here: treat the base like any other "
            "body, slots have a value for it too"
        )

    __eq__ = __ne__ = __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __index__ = __int__ = _refuse


def symbolic(i: Any) -> SymbolicBody:
    """The body that an algorithm hands to the tree. A number is refused: it would stand for one body only."""
    if not isinstance(i, SymbolicBody):
        raise RollError(
            f"a loop or an index by the number {i!r}, while loops are recorded for any body: an argument that is a "
            "body is declared as one, `tip: BodyNumber`, or named body, left, right or to"
        )
    return i
