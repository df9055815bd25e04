"""Tables that commands read as a whole: motions and joint forces over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError
from sixd.tables import Field, open_table, places, time_places, unread_times

__all__ = ["read_table"]

Array = NDArray[np.float64]


def read_table(file: str, option: str, wanted: Field) -> tuple[Array | None, Array]:
    """The times of a table, s, None if it has none, and a field (rows, *shape) of it, in SI units.

    Times that are there, but in a way that is not clear, are refused.
    """
    with open_table(file, option) as table:
        found, *times = [*places([wanted], table.columns, file), *time_places(table.columns)]
        if not times and (unread := [name for name in unread_times(table.columns) if name not in found.columns]):
            some = ", ".join(map(repr, unread))
            raise ModelError(
                f"column{'s' * (len(unread) > 1)} {some} may be its times: name one t or time, in s, or with its unit, "
                "'t [ms]', with one number in a row; give others names that are none of times",
                file=file,
            )
        whole = table.read([name for place in (found, *times[:1]) for name in place.columns])
    return times[0].gather(whole) if times else None, found.gather(whole)
