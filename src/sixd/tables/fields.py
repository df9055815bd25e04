"""How states stand in tables: the names of their columns, by joint, and where a table has them.

A joint "elbow" with one coordinate has a column "q_elbow", one with several has "q_wrist[0]", "q_wrist[1]", ...; so
have qd, qdd and tau. An archive may have an array "q" of shape (rows, nq) in their place. A name may end in a unit,
"q_elbow [deg]" (`sixd.tables.units`): such columns are converted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError, closest, shorten
from sixd.model import Model
from sixd.model.units import coordinate_units, position_units
from sixd.tables.units import WORDS_TOO, factor, known_units, readings

__all__ = ["Field", "Place", "coordinate_names", "places", "state_field", "time_places", "unread_times"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Field:
    """Columns that belong together: an array ``name`` of this shape in each row, and a name for each of its entries.

    ``units`` are the SI units of the entries; without them, columns are found by their plain names only.
    """

    name: str
    shape: tuple[int, ...]
    columns: tuple[str, ...]
    units: tuple[str, ...] = ()

    @property
    def si(self) -> tuple[str, ...]:
        """The SI unit of each entry, "" where none is known."""
        return self.units or ("",) * len(self.columns)

    def spread(self, values: Array) -> dict[str, Array]:
        """The columns of values (rows, *shape)."""
        return dict(zip(self.columns, values.reshape(len(values), len(self.columns)).T, strict=True))


#: Columns with the time.
TIMES = (Field("t", (), ("t",), ("s",)), Field("time", (), ("time",), ("s",)))


@dataclass(frozen=True)
class Place:
    """Where a table has a field: in one array, or in a column for each entry.

    ``factors`` are the sizes of their units, by which numbers are multiplied.
    """

    field: Field
    columns: tuple[str, ...]
    factors: tuple[float, ...]

    def gather(self, chunk: Mapping[str, Array]) -> Array:
        """The field (rows, *shape) from a chunk of the table, in SI units."""
        if len(self.columns) == 1 and chunk[self.columns[0]].shape[1:] == self.field.shape:
            values = chunk[self.columns[0]]
        else:
            values = np.stack([chunk[name] for name in self.columns], axis=1).reshape(-1, *self.field.shape)
        if all(size == 1.0 for size in self.factors):
            return values
        return values * np.reshape(self.factors, self.field.shape)


def coordinate_names(model: Model, positions: bool) -> list[str]:
    """A name for each entry of q, or of qd, qdd and tau: its joint, and its number there if the joint has several."""
    names: list[str] = []
    for joint in model.joints:
        if joint.mimic is None:
            n = joint.type.nq if positions else joint.type.nv
            names += [joint.name] if n == 1 else [f"{joint.name}[{k}]" for k in range(n)]
    return names


#: What the unit of a coordinate becomes in each quantity.
_OF_QUANTITY = {
    "qd": {"rad": "rad/s", "m": "m/s"},
    "qdd": {"rad": "rad/s^2", "m": "m/s^2"},
    "tau": {"rad": "N m", "m": "N"},
}


def state_field(model: Model, name: str) -> Field:
    """The field of q, or of qd, qdd, tau or another quantity that has an entry for each degree of freedom."""
    names = coordinate_names(model, name == "q")
    units: list[str] = []
    if name == "q":
        units = position_units(model)
    elif name in _OF_QUANTITY:
        by_joint = coordinate_units(model)
        units = [_OF_QUANTITY[name][x] for joint in model.joints if joint.mimic is None for x in by_joint[joint.name]]
    return Field(name, (len(names),), tuple(f"{name}_{each}" for each in names), tuple(units))


def places(fields: Sequence[Field], columns: Mapping[str, Any], file: str, remedy: str = "") -> list[Place]:
    """For each field, where a table has it: in one array, or in a column for each entry.

    ``columns`` are the names of the table's columns with the shapes of their entries. A field is found by its name, or
    each of its entries by the name of its own, in any order; names may end in a unit. If none has its name, columns
    without names are taken by their numbers: "q0", "q1", ... or "q[1]", "q[2]", ..., as many as there are entries; of
    one entry, "q". ``remedy`` is said if columns are missing.
    """
    table = _Table(columns, {name for field in fields for name in (field.name, *field.columns)}, file)
    found: list[Place] = []
    pairs: dict[str, str | None] = {}
    for field in fields:
        place = table.place(field)
        if place is None:
            pairs |= {name: table.column(name, si) for name, si in zip(field.columns, field.si, strict=True)}
        else:
            found.append(place)
    missing = [name for name, column in pairs.items() if column is None]
    if missing:
        used = {name for place in found for name in place.columns} | {name for name in pairs.values() if name}
        others = [name for name, shape in columns.items() if not shape and name not in used | table.wanted]
        faults = [f"columns are missing: {_some(missing)}"]
        faults += [f"its {name} has shape (rows, {', '.join(map(str, s))})" for name, s in columns.items() if s]
        faults += [f"its {field.name} is one number in a row" for field in fields if columns.get(field.name) == ()]
        faults += [f"it has {_some([shorten(name, 40) for name in others])} beside what is needed"] if others else []
        faults += [fault for field in fields if (fault := table.other_order(field))]
        shown = max(2, min(12, _MOST_GUESSES // max(1, len(others))))
        first = sorted(pairs.items(), key=lambda pair: pair[1] is not None)[:shown]
        guesses = _guesses([name for name, column in first if column is None], others)
        text = ", ".join(f"{name} from {column or guesses[name]}" for name, column in first)
        faults += [f"the pairing by name would be {text}{', ...' if len(pairs) > shown else ''}"]
        words = [(name, word) for name in missing for word in sorted(WORDS_TOO) if f"{name}_{word}" in columns]
        faults += [f"if {name}_{word} is in a unit, name it '{name} [{word}]'" for name, word in words[:1]]
        raise ModelError(f"{'; '.join(faults)}{remedy}", file=file)
    return found


#: Names that are compared with others for one error: each pair takes a tenth of a millisecond.
_MOST_GUESSES = 1000


def _guesses(names: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """What stands in a pairing where no column has a name: the most similar one, each once, with a question mark."""
    left = {column.casefold(): column for column in columns}
    found = {name: f"{left.pop(name.casefold())}?" for name in names if name.casefold() in left}
    for name in names:
        if name not in found:
            near = closest(name.casefold(), left)
            found[name] = f"{left.pop(near[0])}?" if near else "none"
    return found


def time_places(columns: Mapping[str, Any]) -> list[Place]:
    """Where a table has the time: in none, one or more of its columns.

    A time has no unit in its name, or one of time. Of several in units (``time_s`` and ``time_ns``, say, which are to
    be added) none is it.
    """
    table = _Table(columns, {field.name for field in TIMES})
    found = {field: table.candidates(field.name, (), field.si) for field in TIMES}
    return [table.placed(field, of) for field, of in found.items() if len(of) == 1]


def unread_times(columns: Iterable[str]) -> list[str]:
    """The columns whose names look like times; for tables in which `time_places` finds none, and that need it."""
    return [name for name in columns if _LIKE_TIMES.fullmatch(name)]


_LIKE_TIMES = re.compile(
    r"\W*(s|ms|us|ns|(t|times?|timestamps?|stamps?|clock|elapsed|[mun]?secs?|seconds)([\W_\d].*)?)",
    re.IGNORECASE | re.DOTALL,
)


class _Table:
    """The columns of a table, by their names without units."""

    def __init__(self, columns: Mapping[str, Any], wanted: set[str], file: str = "") -> None:
        self.columns, self.wanted, self.file = columns, wanted, file
        #: By a name without a unit: the columns that are it, each with its unit.
        self.by_name: dict[str, list[tuple[str, str]]] = {}
        for column in columns:
            for name, unit in readings(column) if column not in wanted else ():
                self.by_name.setdefault(name, []).append((column, unit))

    def place(self, field: Field) -> Place | None:
        """Where the field is, None if columns are missing."""
        whole = self._one(field.name, field.shape, field.si)
        if whole is not None:
            return self.placed(field, [whole])
        named = list(zip(field.columns, field.si, strict=True))
        if not any(self.column(*pair) for pair in named):
            named = list(zip(self._numbered(field), field.si, strict=False))
        found = [pair for name, si in named if (pair := self._one(name, (), (si,))) is not None]
        return self.placed(field, found) if len(found) == len(field.columns) else None

    def placed(self, field: Field, found: Sequence[tuple[str, str]]) -> Place:
        """The place of a field in these columns, each with its unit; one column may have the whole field."""
        each = list(found) * len(field.si) if len(found) == 1 else found
        sizes = tuple(self._size(*pair, si) for pair, si in zip(each, field.si, strict=True))
        return Place(field, tuple(column for column, _ in found), sizes)

    def column(self, name: str, si: str) -> str | None:
        """The column of this name, with a unit or without."""
        found = self._one(name, (), (si,))
        return None if found is None else found[0]

    def candidates(self, name: str, shape: tuple[int, ...], si: Sequence[str]) -> list[tuple[str, str]]:
        """The columns of this name in units for these quantities; only the plain one, of unit "", if there is one."""
        if self.columns.get(name) == shape:
            return [(name, "")]
        of_shape = [pair for pair in self.by_name.get(name, ()) if self.columns[pair[0]] == shape]
        return [pair for pair in of_shape if all(factor(pair[1], x) is not None for x in si)]

    def _one(self, name: str, shape: tuple[int, ...], si: Sequence[str]) -> tuple[str, str] | None:
        """The column that has a name, and its unit. If none is in a fitting unit, one in another, to be refused."""
        found = self.candidates(name, shape, si)
        found = found or [pair for pair in self.by_name.get(name, ()) if self.columns[pair[0]] == shape]
        if len(found) > 1:
            both = " and ".join(repr(column) for column, _ in found)
            raise ModelError(f"{name} is there more than once: {both}; leave out all but one", file=self.file)
        return found[0] if found else None

    def _size(self, column: str, unit: str, si: str) -> float:
        """The size of the unit of a column, in the SI unit."""
        if not unit:
            return 1.0
        size = factor(unit, si)
        if size is None:
            fault = f"column {column!r} would be in {unit!r}, which is none of the units that are known for it"
            raise ModelError(f"{fault}: {known_units(si)}", file=self.file)
        return size

    def _numbered(self, field: Field) -> tuple[str, ...]:
        """The names of columns that only count, all in the same way, if they are as many as the field has entries."""
        found = self._counted(field)
        return () if len(found) > 1 and _out_of_order(field.columns) else found

    def other_order(self, field: Field) -> str:
        """What is to be said if columns are not taken by their numbers because the joints have others of their own."""
        found = self._counted(field)
        if len(found) < 2 or not _out_of_order(field.columns):
            return ""
        return f"{_some(found)} are not taken by their numbers, as the joints' own numbers are in another order"

    def _counted(self, field: Field) -> tuple[str, ...]:
        n = len(field.columns)
        known = {column for column, shape in self.columns.items() if shape == ()} | set(self.by_name)
        if n == 1 and field.name in known:
            return (field.name,)
        numbers: dict[int, str] = {}
        kinds = set()
        for name in known:
            if counted := re.fullmatch(rf"{re.escape(field.name)}(_?\[?)(\d+)(\]?)", name):
                numbers[int(counted[2])] = name
                kinds.add((counted[1], counted[3]))
        fits = len(kinds) == 1 and sorted(numbers) in ([*range(n)], [*range(1, n + 1)])
        return tuple(numbers[k] for k in sorted(numbers)) if fits else ()


def _out_of_order(columns: Sequence[str]) -> bool:
    """Whether joints have numbers at the ends of their names, "q_joint2", "q_joint1", and these are not in order.

    Numbers that come more than once ("left1", "left2", "right1") are in order if those behind the same words are.
    """
    ends = (re.fullmatch(r"(.*?)(\d+)(\[\d+\])?", column, re.DOTALL) for column in columns)
    pairs = list(dict.fromkeys((end[1], int(end[2])) for end in ends if end))
    numbers = [number for _, number in pairs]
    if len(set(numbers)) == len(numbers):
        return numbers != sorted(numbers)
    by_words: dict[str, list[int]] = {}
    for words, number in pairs:
        by_words.setdefault(words, []).append(number)
    return any(each != sorted(each) for each in by_words.values())


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
