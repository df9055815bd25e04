"""Tables in CSV: a line of names, then a line of numbers for each row. An empty entry is NaN.

Spaces around names do not count, but within quotes: so stand names that begin or end with one.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import nan
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ModelError
from sixd.tables.contract import TableFormat, TableReader, TableWriter, register
from sixd.tables.fields import Field

__all__ = ["CSV", "CSVReader", "CSVWriter"]

Array = NDArray[np.float64]


class CSVReader(TableReader):
    """Lines are parsed by NumPy; where it gives up (quotes, empty entries, mistakes), by Python, which is slower."""

    rows = None

    def __init__(self, path: Path) -> None:
        self.path, self.line = path, 1
        self.file = path.open(newline="", encoding="utf-8-sig")
        try:
            header = self._header()
        except (ValueError, csv.Error, StopIteration) as error:
            self.file.close()
            raise ModelError(f"it is no table with a line of names: {error}", file=str(path)) from None
        self.names = header
        named = [name for name in self.names if name]  # lines may end in commas, and programs name no index of rows
        self.columns = dict.fromkeys(named, ())
        if len(self.columns) < len(named) or not named:
            self.file.close()
            twice = next((name for name in named if named.count(name) > 1), None)
            fault = f"two columns are named {twice!r}" if named else "it is no table with a line of names"
            raise ModelError(fault, file=str(path), line=1)
        if fault := _no_names(self.names):
            self.file.close()
            raise ModelError(fault, file=str(path), line=1)

    def _header(self) -> list[str]:
        """The names of the columns; in quotes they may have a line break, too."""
        lines: list[str] = []

        def read() -> Iterator[str]:
            while line := self.file.readline():
                lines.append(line)
                yield line

        names = next(csv.reader(read()))
        self.line, text = len(lines), "".join(lines)
        return [name if _quoted(name) in text else name.strip() for name in names]

    def chunks(self, names: Sequence[str], size: int) -> Iterator[dict[str, Array]]:
        use = [self.names.index(name) for name in names]
        while lines := self._lines(size):
            first, self.line = self.line + 1, self.line + len(lines)
            table = self._parsed(lines, use, first)
            if len(table):
                yield dict(zip(names, table.T, strict=True))

    def _lines(self, size: int) -> list[str]:
        try:
            return list(islice(self.file, size))
        except ValueError as error:  # what is no UTF-8
            raise ModelError(f"this is no text file: {error}", file=str(self.path)) from None

    def _parsed(self, lines: list[str], use: list[int], first: int) -> Array:
        commas = len(self.names) - 1
        if use and all(line.count(",") == commas and line.strip() for line in lines):
            try:
                return np.loadtxt(lines, delimiter=",", comments=None, usecols=use, ndmin=2)
            except ValueError:
                pass
        rows = []
        for number, line in enumerate(lines, first):
            row = next(csv.reader([line]), [])
            if not row:
                continue
            if len(row) != len(self.names):
                fault = f"{len(row)} entries for {len(self.names)} columns"
                raise ModelError(fault, file=str(self.path), line=number)
            rows.append([self._number(row[k], self.names[k], number) for k in use])
        return np.array(rows, dtype=float).reshape(len(rows), len(use))

    def _number(self, text: str, column: str, line: int) -> float:
        try:
            return _float(text) if text.strip() else nan
        except ValueError:
            fault = f"an entry is no number: {text!r} in column {column!r}"
            raise ModelError(fault, file=str(self.path), line=line) from None

    def close(self) -> None:
        self.file.close()


def _float(text: str) -> float:
    """The number that a text is. Python would take "1_0" for 10."""
    if "_" in text:
        raise ValueError(text)
    return float(text)


def _no_names(names: Sequence[str]) -> str:
    """Why the entries of a first line are no names of columns, if they are none."""
    for mark, what in ((";", "semicolons"), ("\t", "tabs")):
        if len(names) == 1 and mark in names[0]:
            return f"{what} are between its columns: have commas there, and a point in each number that is not whole"
    try:
        _ = [_float(name) for name in names]
    except ValueError:
        return ""
    return f"it begins with numbers ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''}): name the columns first"


def _quoted(name: str) -> str:
    """A name within quotes, which are doubled inside."""
    return '"' + name.replace('"', '""') + '"'


class CSVWriter(TableWriter):
    """Numbers with all the digits that it takes to read them back unchanged. It writes to a path or an open file."""

    def __init__(self, file: Path | TextIO, fields: Sequence[Field]) -> None:
        self.fields = fields
        self.file = file.open("w", newline="", encoding="utf-8") if isinstance(file, Path) else file
        names = [name for field in fields for name in field.columns]
        plain = re.compile(r"[^\s,\"]([^\r\n,\"]*[^\s,\"])?")
        self.file.write(",".join(name if plain.fullmatch(name) else _quoted(name) for name in names) + "\n")

    def write(self, chunk: Mapping[str, Array]) -> None:
        columns = [column for field in self.fields for column in field.spread(chunk[field.name]).values()]
        table = np.stack(columns, axis=1)
        self.file.writelines(",".join(map(repr, row)) + "\n" for row in table.tolist())

    def close(self) -> None:
        self.file.close()


CSV = register(TableFormat(".csv", CSVReader, CSVWriter))
