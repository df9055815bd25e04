"""Numbers in a table, which code looks up by their place."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.errors import ArgumentError
from sixd.given import described

__all__ = ["Tabulated"]

#: The most numbers of a table: places are 32-bit integers in machine code, and exact in single precision.
MOST = 1 << 24


class Tabulated:
    """A constant array of numbers. It never changes, and two tables with the same shape and bits are equal.

    `sixd.ops.pick` looks numbers up. They are numbered from 0 on, in C order, whatever the shape is.
    """

    __slots__ = ("array", "digest")
    array: NDArray[np.float64]
    #: A hash of shape and bits: what makes two tables equal.
    digest: str

    def __init__(self, numbers: ArrayLike) -> None:
        try:
            given = np.asarray(numbers)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"a table must be an array of numbers: {error}") from None
        if given.dtype.kind not in "biuf":
            raise ArgumentError(f"a table must have real numbers, not {given.dtype} as in {described(numbers)}")
        if isinstance(numbers, np.ma.MaskedArray) and np.ma.is_masked(numbers):
            raise ArgumentError("a table must have a number at each place, but some of this masked array are masked")
        array = np.array(given, dtype=np.float64, order="C")
        if not 0 < array.size <= MOST:
            raise ArgumentError(f"a table must have from 1 to {MOST:,} numbers, not {array.size:,}")
        array.setflags(write=False)
        content = repr(array.shape).encode() + array.tobytes()
        object.__setattr__(self, "array", array)
        object.__setattr__(self, "digest", hashlib.sha256(content).hexdigest())

    def at(self, place: Any) -> Any:
        """The number at a place, or at places: a place is rounded down, and one beyond an end is the end.

        NaN has no place; the number there is NaN. A float gives a float, an array an array.
        """
        with np.errstate(invalid="ignore"):
            whole = np.fmin(np.fmax(place, 0.0), self.array.size - 1.0).astype(np.int64)
        found = np.where(np.isnan(place), np.nan, self.array.ravel()[whole])
        return float(found) if np.ndim(place) == 0 else found

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a table is constant: make a new one to change {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a table is constant: {name!r} stays")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tabulated) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        return Tabulated, (self.array,)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.array, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        # All of the digest: fingerprints of programs, by which code is kept, are made of this text.
        return f"Tabulated({list(self.array.shape)}, {self.digest})"
