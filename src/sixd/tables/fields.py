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

from sixd.errors import ModelError
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
        return dict(zip(self.columns, values.reshape(len(values), -1).T, strict=True))


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


def places(field: Field, columns: Mapping[str, Any], file: str, remedy: str = "") -> tuple[str, ...]:
    """The columns of a table that have a field: one array, or a column for each entry.

    Columns are found by their names. If none has its name, but exactly as many as are needed begin with the name of the
    field ("q0", "q_1", "q[2]"), they are taken in their order.
    """
    if columns.get(field.name) == field.shape:
        return (field.name,)
    missing = [name for name in field.columns if name not in columns]
    if not missing:
        return field.columns
    pattern = re.compile(rf"{re.escape(field.name)}(_.*|\[?\d+\]?)")
    alike = tuple(name for name in columns if pattern.fullmatch(name))
    if len(missing) == len(field.columns) == len(alike):
        return alike
    shown = ", ".join(missing[:6]) + (f" and {len(missing) - 6} more" if len(missing) > 6 else "")
    if columns.get(field.name):
        found = f"its array {field.name} has shape (rows, {', '.join(map(str, columns[field.name]))})"
    else:
        found = f"it has {len(alike)} columns {field.name}..., and {len(field.columns)} are needed"
    raise ModelError(f"columns are missing: {shown}; {found}{remedy}", file=file)
