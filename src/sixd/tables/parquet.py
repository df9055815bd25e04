"""Tables in Parquet, by pyarrow. A null is NaN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError
from sixd.process.forks import importing
from sixd.tables.contract import TableFormat, TableReader, TableWriter, register
from sixd.tables.fields import Field

__all__ = ["PARQUET", "ParquetReader", "ParquetWriter"]

Array = NDArray[np.float64]

#: Bytes of each column that are read at a time, in place of all that a group of rows has.
BUFFER = 1 << 18


def _pyarrow(path: Path) -> tuple[Any, Any]:
    with importing:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise ModelError("Parquet files need pyarrow: pip install sixd[tables]", file=str(path)) from None
    return pyarrow, parquet


class ParquetReader(TableReader):
    """Columns are decoded page by page, so that memory does not grow with the groups of rows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.arrow, parquet = _pyarrow(path)
        try:
            self.file = parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False)
        except (self.arrow.ArrowException, ValueError) as error:
            raise self._fault(error) from None
        names = self.file.schema_arrow.names
        self.columns, self.rows = dict.fromkeys(names, ()), self.file.metadata.num_rows
        if len(self.columns) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            self.file.close()
            raise ModelError(f"two columns are named {twice!r}", file=str(path))

    def chunks(self, names: Sequence[str], size: int) -> Iterator[dict[str, Array]]:
        batches = self.file.iter_batches(batch_size=size, columns=list(names), use_threads=True)
        while True:
            try:
                batch = next(batches, None)
            except (self.arrow.ArrowException, ValueError, OSError) as error:
                raise self._fault(error) from None
            if batch is None:
                return
            yield {name: self._numbers(batch, name) for name in names}

    def _numbers(self, batch: Any, name: str) -> Array:
        kind = batch.schema.field(name).type
        if self.arrow.types.is_temporal(kind):
            raise ModelError(
                f"column {name!r} has {kind}: give times in seconds, as numbers, and others in SI units",
                file=str(self.path),
            )
        try:
            return np.asarray(batch.column(name).to_numpy(zero_copy_only=False), dtype=float)
        except (ValueError, TypeError, self.arrow.ArrowException):
            raise ModelError(f"it is no table of numbers: column {name!r} has {kind}", file=str(self.path)) from None

    def _fault(self, error: Exception) -> ModelError:
        return ModelError(f"it is no table of numbers: {error}", file=str(self.path))

    def close(self) -> None:
        self.file.close()


class ParquetWriter(TableWriter):
    """Each chunk is a group of rows."""

    def __init__(self, path: Path, fields: Sequence[Field]) -> None:
        self.fields = fields
        self.arrow, parquet = _pyarrow(path)
        self.schema = self.arrow.schema([(name, self.arrow.float64()) for field in fields for name in field.columns])
        # Numbers that were computed hardly repeat: a dictionary of them only takes time.
        self.file = parquet.ParquetWriter(path, self.schema, use_dictionary=False)

    def write(self, chunk: Mapping[str, Array]) -> None:
        columns = [x for field in self.fields for x in field.spread(chunk[field.name]).values()]
        arrays = [self.arrow.array(np.ascontiguousarray(x)) for x in columns]
        self.file.write_batch(self.arrow.record_batch(arrays, schema=self.schema))

    def close(self) -> None:
        self.file.close()


PARQUET = register(TableFormat(".parquet", ParquetReader, ParquetWriter))
