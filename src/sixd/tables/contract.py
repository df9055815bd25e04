"""What a format of tables is: a reader that gives rows in chunks, and a writer that takes them in chunks.

Chunks bound the memory: a file may be larger than all of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.errors import ChoiceError, FileError
from sixd.files import replacing
from sixd.tables.fields import Field

__all__ = ["FORMATS", "TableFormat", "TableReader", "TableWriter", "create_table", "open_table", "register"]

Array = NDArray[np.float64]


class TableReader(ABC):
    """A table that is open for reading, for a ``with`` statement."""

    #: The columns: name, and the shape of a row's entry. That is () but for arrays of several axes in an archive.
    columns: Mapping[str, tuple[int, ...]]
    #: The number of rows; None if it is known only after all are read.
    rows: int | None

    @abstractmethod
    def chunks(self, names: Sequence[str], size: int) -> Iterator[dict[str, Array]]:
        """These columns, up to ``size`` rows at a time: arrays (rows, *shape) of floats. What is missing is NaN."""

    @abstractmethod
    def close(self) -> None: ...

    def read(self, names: Sequence[str] | None = None) -> dict[str, Array]:
        """These columns, or all, with all rows."""
        wanted = list(self.columns if names is None else dict.fromkeys(names))
        parts = list(self.chunks(wanted, 1 << 16))
        empty = {name: np.empty((0, *self.columns[name])) for name in wanted}
        return {name: np.concatenate([part[name] for part in parts]) for name in empty} if parts else empty

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class TableWriter(ABC):
    """A table that is being written."""

    @abstractmethod
    def write(self, chunk: Mapping[str, Array]) -> None:
        """Append rows: for each field its values (rows, *shape)."""

    @abstractmethod
    def close(self) -> None:
        """Complete the file."""

    def abandon(self) -> None:
        """Let go of the file without completing it."""
        with suppress(OSError):
            self.close()


@dataclass(frozen=True)
class TableFormat:
    """A format of tables: the suffix of its files, with its dot, how one is opened and how one is begun."""

    suffix: str
    reader: Callable[[Path], TableReader]
    writer: Callable[[Path, Sequence[Field]], TableWriter]


#: The formats by suffix.
FORMATS: dict[str, TableFormat] = {}


def register(new: TableFormat) -> TableFormat:
    """Make a format of tables known. No two may share a suffix."""
    if new.suffix in FORMATS:
        raise ChoiceError(f"a format of tables with the suffix {new.suffix!r} is registered already")
    FORMATS[new.suffix] = new
    return new


def open_table(path: Any, what: str = "the table") -> TableReader:
    """Open a table for reading; ``what`` is what errors call it."""
    path = given.file_path(path, what)
    kind = _format_of(path, what)
    try:
        if path.is_dir():
            raise FileError("it cannot be read: it is a folder", file=str(path))
        return kind.reader(path)
    except OSError as error:
        raise error if isinstance(error, FileError) else FileError.of(error, str(path)) from None


@contextmanager
def create_table(path: Any, fields: Sequence[Field], what: str = "the table") -> Iterator[TableWriter]:
    """A table to write to. The file appears when it is complete; after an error nothing is left of it."""
    path = given.file_path(path, what)
    kind = _format_of(path, what)
    with replacing(path) as part:
        writer = kind.writer(part, fields)
        try:
            yield writer
            writer.close()
        except BaseException:
            writer.abandon()
            raise


def _format_of(path: Path, what: str) -> TableFormat:
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        *others, last = FORMATS
        raise ChoiceError(f"{what}: {path} must be a {', '.join(others)} or {last} file")
    return found
