"""How states stand in tables: the names of their columns, by joint, and where a table has them.

A joint "elbow" with one coordinate has a column "q_elbow", one with several has "q_wrist[0]", "q_wrist[1]", ...; so
have qd, qdd and tau. An archive may have an array "q" of shape (rows, nq) in their place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError, shorten
from sixd.model import Model

__all__ = ["TIMES", "Field", "coordinate_names", "places", "state_field"]

Array = NDArray[np.float64]

#: Columns with the time.
TIMES = ("t", "time")


@dataclass(frozen=True)
class Field:
    """Columns that belong together: an array ``name`` of this shape in each row, and a name for each of its entries."""

    name: str
    shape: tuple[int, ...]
    columns: tuple[str, ...]

    def gather(self, chunk: Mapping[str, Array], names: Sequence[str]) -> Array:
        """The field (rows, *shape) from a chunk that has it in these columns."""
        if len(names) == 1 and chunk[names[0]].shape[1:] == self.shape:
            return chunk[names[0]]
        return np.stack([chunk[name] for name in names], axis=1).reshape(-1, *self.shape)

    def spread(self, values: Array) -> dict[str, Array]:
        """The columns of values (rows, *shape)."""
        return dict(zip(self.columns, values.reshape(len(values), len(self.columns)).T, strict=True))


def coordinate_names(model: Model, positions: bool) -> list[str]:
    """A name for each entry of q, or of qd, qdd and tau: its joint, and its number there if the joint has several."""
    names: list[str] = []
    for joint in model.joints:
        if joint.mimic is None:
            n = joint.type.nq if positions else joint.type.nv
            names += [joint.name] if n == 1 else [f"{joint.name}[{k}]" for k in range(n)]
    return names


def state_field(model: Model, name: str) -> Field:
    """The field of q, or of qd, qdd, tau or another quantity that has an entry for each degree of freedom."""
    names = coordinate_names(model, name == "q")
    return Field(name, (len(names),), tuple(f"{name}_{each}" for each in names))


def places(fields: Sequence[Field], columns: Mapping[str, Any], file: str, remedy: str = "") -> list[tuple[str, ...]]:
    """For each field the columns of a table that have it: one array, or a column for each entry.

    Columns are found by their names. If none has its name, but exactly as many as are needed begin with the name of the
    field ("q0", "q_1", "q[2]"), they are taken by their numbers, or in their order if they have none. ``remedy`` is
    said if columns are missing.
    """
    found: list[tuple[str, ...]] = []
    missing: list[str] = []
    for field in fields:
        if columns.get(field.name) == field.shape:
            found.append((field.name,))
            continue
        alike = _alike(field.name, columns)
        absent = [name for name in field.columns if name not in columns]
        by_order = len(absent) == len(field.columns) == len(alike)
        found.append(alike if by_order else field.columns)
        missing += [] if by_order else absent
    if missing:
        wanted = {name for field in fields for name in (field.name, *field.columns)}
        faults = [f"columns are missing: {_some(missing)}"]
        faults += [f"its {name} has shape (rows, {', '.join(map(str, s))})" for name, s in columns.items() if s]
        faults += [f"its {field.name} is one number in a row" for field in fields if columns.get(field.name) == ()]
        wanted.update(name for each in found for name in each)
        others = [shorten(name, 40) for name, s in columns.items() if not s and name not in wanted]
        faults += [f"it has {_some(others)} beside what is needed"] if others else []
        raise ModelError(f"{'; '.join(faults)}{remedy}", file=file)
    return found


def _alike(name: str, columns: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns that begin with the name of a field: by their numbers if all have one, else as they stand."""
    alike = [column for column in columns if re.fullmatch(rf"{re.escape(name)}(_.*|\[?\d+\]?)", column)]
    numbers = [re.fullmatch(rf"{re.escape(name)}_?\[?(\d+)\]?", column) for column in alike]
    order = {column: int(found[1]) for column, found in zip(alike, numbers, strict=True) if found}
    return tuple(sorted(alike, key=lambda column: order[column]) if len(order) == len(alike) else alike)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
