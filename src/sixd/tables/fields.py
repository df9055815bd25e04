"""How states stand in tables: the names of their columns, by joint, and where a table has them.

A joint "elbow" with one coordinate has a column "q_elbow", one with several has "q_wrist[0]", "q_wrist[1]", ...; so
have qd, qdd and tau. An archive may have an array "q" of shape (rows, nq) in their place. A name may end in a unit,
"q_elbow [deg]" (`sixd.tables.units`): such columns are converted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError, closest, shorten
from sixd.model import Model
from sixd.model.units import coordinate_units, position_units
from sixd.tables.units import factor, known_units, readings

__all__ = ["Field", "Place", "coordinate_names", "places", "state_field", "time_places"]

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
            pairs |= {name: table.column(name) for name in field.columns}
        else:
            found.append(place)
    missing = [name for name, column in pairs.items() if column is None]
    if missing:
        faults = [f"columns are missing: {_some(missing)}"]
        faults += [f"its {name} has shape (rows, {', '.join(map(str, s))})" for name, s in columns.items() if s]
        faults += [f"its {field.name} is one number in a row" for field in fields if columns.get(field.name) == ()]
        faults += [f"it has {_some(others)} beside what is needed"] if (others := table.others(found)) else []
        first = sorted(pairs.items(), key=lambda pair: pair[1] is not None)[:12]
        shown = ", ".join(f"{name} from {column or table.guess(name)}" for name, column in first)
        faults += [f"the pairing by name would be {shown}{', ...' if len(pairs) > 12 else ''}"]
        raise ModelError(f"{'; '.join(faults)}{remedy}", file=file)
    return found


def time_places(columns: Mapping[str, Any], file: str) -> list[Place]:
    """Where a table has the time: in none, one or more of its columns."""
    table = _Table(columns, {field.name for field in TIMES}, file)
    return [place for field in TIMES if (place := table.place(field)) is not None]


class _Table:
    """The columns of a table, by their names without units."""

    def __init__(self, columns: Mapping[str, Any], wanted: set[str], file: str) -> None:
        self.columns, self.wanted, self.file = columns, wanted, file
        #: By a name without a unit: the columns that are it, each with its unit.
        self.by_name: dict[str, list[tuple[str, str]]] = {}
        for column in columns:
            for name, unit in readings(column) if column not in wanted else ():
                self.by_name.setdefault(name, []).append((column, unit))

    def place(self, field: Field) -> Place | None:
        """Where the field is, None if columns are missing."""
        whole = self._with_unit(field.name, field.shape)
        if whole is not None:
            return Place(field, (whole[0],), tuple(self._size(*whole, si) for si in field.si))
        names = field.columns if any(map(self.column, field.columns)) else self._numbered(field)
        found = [pair for name in names if (pair := self._with_unit(name, ())) is not None]
        if len(found) < len(field.columns):
            return None
        sizes = tuple(self._size(*pair, si) for pair, si in zip(found, field.si, strict=True))
        return Place(field, tuple(column for column, _ in found), sizes)

    def column(self, name: str) -> str | None:
        """The column of this name, with a unit or without."""
        found = self._with_unit(name, ())
        return None if found is None else found[0]

    def guess(self, name: str) -> str:
        """What stands in a pairing where no column has a name: the most similar one, with a question mark."""
        near = closest(name, (column for column in self.columns if column not in self.wanted))
        return f"{near[0]}?" if near else "none"

    def others(self, found: Sequence[Place]) -> list[str]:
        """The columns of single numbers that are not used."""
        used = {name for place in found for name in place.columns} | {self.column(name) for name in self.wanted}
        return [shorten(name, 40) for name, shape in self.columns.items() if not shape and name not in used]

    def _with_unit(self, name: str, shape: tuple[int, ...]) -> tuple[str, str] | None:
        """The column that has a name, and its unit: "" for the plain name, which goes before all others."""
        if self.columns.get(name) == shape:
            return name, ""
        found = [pair for pair in self.by_name.get(name, ()) if self.columns[pair[0]] == shape]
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


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
