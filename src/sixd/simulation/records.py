"""Room for what a simulation writes down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError

__all__ = ["room"]


def room(samples: int, records: int, width: int) -> NDArray[Any]:
    """An array for the records of all samples, not filled in; refused if there is not so much memory."""
    try:
        return np.empty((samples, records, width))
    except (MemoryError, ValueError):
        size = samples * records * width * 8 / 1e9
        raise ModelError(
            f"{records} records of {samples} samples would take {size:.3g} GB, more than there is: keep fewer with a "
            "larger record, or the last state alone with record=None"
        ) from None
