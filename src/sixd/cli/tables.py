"""Tables that commands read as a whole: motions and joint forces over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixd.tables import Field, open_table, places
from sixd.tables.fields import TIMES

__all__ = ["read_table"]

Array = NDArray[np.float64]


def read_table(file: str, option: str, wanted: Field) -> tuple[Array | None, Array]:
    """The times of a table, None if it has none, and a field (rows, *shape) of it."""
    with open_table(file, option) as table:
        columns = next(iter(places([wanted], table.columns, file)))
        time = next((name for name in TIMES if table.columns.get(name) == ()), None)
        names = list(dict.fromkeys([*columns, *([] if time is None else [time])]))
        parts = list(table.chunks(names, 1 << 16))
    empty = {name: np.empty((0, *(wanted.shape if len(columns) == 1 else ()))) for name in names}
    whole = {name: np.concatenate([part[name] for part in parts]) for name in names} if parts else empty
    return None if time is None else whole[time], wanted.gather(whole, columns)
