"""Tables that commands read as a whole: motions and joint forces over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixd.tables import Field, open_table, places, time_places

__all__ = ["read_table"]

Array = NDArray[np.float64]


def read_table(file: str, option: str, wanted: Field) -> tuple[Array | None, Array]:
    """The times of a table, s, None if it has none, and a field (rows, *shape) of it, in SI units."""
    with open_table(file, option) as table:
        found, *times = [*places([wanted], table.columns, file), *time_places(table.columns, file)]
        names = list(dict.fromkeys(name for place in (found, *times[:1]) for name in place.columns))
        parts = list(table.chunks(names, 1 << 16))
        empty = {name: np.empty((0, *table.columns[name])) for name in names}
    whole = {name: np.concatenate([part[name] for part in parts]) for name in names} if parts else empty
    return times[0].gather(whole) if times else None, found.gather(whole)
