"""Tables in NumPy's archives: arrays whose first axis is the row, such as q (rows, nq). Read and written in chunks."""

from __future__ import annotations

import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import prod
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from sixd.errors import ModelError, ShapeError
from sixd.tables.contract import TableFormat, TableReader, TableWriter, register
from sixd.tables.fields import Field

__all__ = ["NPZ", "NPZReader", "NPZWriter"]

Array = NDArray[np.float64]


#: What reading a damaged or unusual archive may raise: zipfile says of features that it does not know RuntimeError.
_FAULTS = (ValueError, EOFError, RuntimeError, OverflowError, zipfile.BadZipFile, zlib.error, struct.error)


class _Header(NamedTuple):
    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]


class NPZReader(TableReader):
    """Arrays are read row by row from the archive; one in Fortran's order is read as a whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.archive = zipfile.ZipFile(path)
        except _FAULTS as error:
            raise self._fault(error) from None
        self.headers: dict[str, _Header] = {}
        try:
            for member in self.archive.namelist():
                with self.archive.open(member) as stream:
                    self.headers[member.removesuffix(".npy")] = _header(stream)
        except _FAULTS as error:
            self.archive.close()
            raise self._fault(error) from None
        self.headers = {name: header for name, header in self.headers.items() if header.shape}
        self.columns = {name: header.shape[1:] for name, header in self.headers.items()}
        counts = {header.shape[0] for header in self.headers.values()}
        self.rows = counts.pop() if len(counts) == 1 else None

    def chunks(self, names: Sequence[str], size: int) -> Iterator[dict[str, Array]]:
        counts = {name: self.headers[name].shape[0] for name in names}
        if len(set(counts.values())) > 1:
            raise ShapeError(f"{self.path}: the arrays must have as many rows, not {counts}")
        each = [self._parts(name, size) for name in names]
        for parts in zip(*each, strict=True):
            yield dict(zip(names, parts, strict=True))

    def _parts(self, name: str, size: int) -> Iterator[Array]:
        shape, fortran, dtype = self.headers[name]
        if dtype.kind not in "biuf":
            raise ModelError(f"{name} is an array of {dtype}, not of real numbers", file=str(self.path))
        member = f"{name}.npy" if f"{name}.npy" in self.archive.namelist() else name
        try:
            with self.archive.open(member) as stream:
                if fortran:
                    whole = np.asarray(npy.read_array(stream, allow_pickle=False), dtype=float)
                    yield from (whole[k : k + size] for k in range(0, shape[0], size))
                    return
                _header(stream)
                length = prod(shape[1:]) * dtype.itemsize
                for k in range(0, shape[0], size):
                    count = min(size, shape[0] - k)
                    data = np.frombuffer(stream.read(count * length), dtype=dtype)
                    yield data.reshape(count, *shape[1:]).astype(float, copy=False)
        except _FAULTS as error:
            raise self._fault(error) from None

    def _fault(self, error: Exception) -> ModelError:
        return ModelError(f"it is no archive of plain arrays: {error}", file=str(self.path))

    def close(self) -> None:
        self.archive.close()


def _header(stream: IO[bytes]) -> _Header:
    version = npy.read_magic(stream)
    read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(f"version {version} of an array is not known")
    return _Header(*read(stream))


def _nameless(folder: Path) -> IO[bytes]:
    """A file that is gone when it is closed."""
    return TemporaryFile(dir=folder)


class NPZWriter(TableWriter):
    """Rows are kept in a file without a name until their number is known, then they are put into the archive."""

    def __init__(self, path: Path, fields: Sequence[Field]) -> None:
        self.path, self.fields, self.rows = path, fields, 0
        self.archive = zipfile.ZipFile(path, "w", allowZip64=True)
        self.kept = {field.name: _nameless(path.parent) for field in fields}

    def write(self, chunk: Mapping[str, Array]) -> None:
        for field in self.fields:
            self.kept[field.name].write(np.ascontiguousarray(chunk[field.name], dtype="<f8").data)
        self.rows += len(next(iter(chunk.values())))

    def close(self) -> None:
        for field in self.fields:
            kept, shape = self.kept[field.name], (self.rows, *field.shape)
            with self.archive.open(f"{field.name}.npy", "w", force_zip64=True) as stream:
                npy.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
                kept.seek(0)
                shutil.copyfileobj(kept, stream, 1 << 20)
            kept.close()
        self.archive.close()

    def abandon(self) -> None:
        for close in (*(kept.close for kept in self.kept.values()), self.archive.close):
            with suppress(OSError):  # each may have numbers that a full disk does not take
                close()


NPZ = register(TableFormat(".npz", NPZReader, NPZWriter))
