"""Files of states, for ``sixd eval``: read, computed and written in chunks, so that they may be larger than memory."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.cli.builtin import Subject
from sixd.cli.outputs import are_same
from sixd.cli.quantities import Quantity
from sixd.cli.starts import is_broken, state_of
from sixd.cli.states import Part
from sixd.compiler.progress import Progress
from sixd.errors import ArgumentError, ModelError, SixdError
from sixd.tables import (
    Field,
    Place,
    TableReader,
    TableWriter,
    create_table,
    open_table,
    places,
    state_field,
    time_places,
)
from sixd.tables.csv import CSVWriter

__all__ = ["evaluate_file"]

Array = NDArray[np.float64]

#: The most bytes of numbers in a chunk, states and results together, and the least and the most rows.
CHUNK, LEAST_ROWS, MOST_ROWS = 32 << 20, 256, 1 << 16


def evaluate_file(
    args: argparse.Namespace, quantity: Quantity, subject: Subject, same: Mapping[str, Array], given: Mapping[str, Part]
) -> None:
    """Evaluate a quantity for all rows of a table.

    Parts of the state in ``same`` are so in all rows; those ``given`` in words are, too, but that in a robot with loops
    the coordinates that they do not name follow the others in each row.
    """
    robot = subject.robot
    if args.out is not None and are_same(args.states, args.out):
        raise ArgumentError(f"{args.out} is the file of states itself: give --out another name")
    inputs = [state_field(robot, name) for name in quantity.needs if not (name in same or name in given)]
    if not inputs:
        raise ArgumentError("all of the state is given on the command line: leave some of it out, or --states")
    result, options = quantity.field(robot), quantity.options(args, robot)
    with open_table(args.states, "--states") as table:
        times = time_places(table.columns)
        fields = [*(place.field for place in times), result]
        absent = " ".join(f"--{field.name} ..." for field in inputs)
        where = places(inputs, table.columns, args.states, f"; or give, the same for all rows, some of {absent}")
        numbers = sum(len(field.columns) for field in (*inputs, *fields))
        size = args.chunk or max(LEAST_ROWS, min(MOST_ROWS, CHUNK // (8 * numbers)))
        row, start = 0, perf_counter()
        closed = subject.closed is not None and quantity.name != "constraint-error"
        bad, broken = _Rows(), _Rows()
        with _output(args.out, fields) as writer, Progress() as progress:
            for state, time in _states(table, where, times, size):
                count = len(next(iter(state.values())))
                try:
                    whole = state_of(subject, {**same, **state}, given, quantity.needs)
                    values = quantity.compute(robot, whole, options)
                except SixdError as error:
                    which = f"rows {row} to {row + count - 1}, counted from 0"
                    raise ModelError(f"{which}: {error}", file=args.states) from None
                writer.write({**time, result.name: values})
                bad.add(row, np.asarray(~np.isfinite(values.reshape(count, -1)).all(axis=-1)))
                if closed:
                    broken.add(row, is_broken(subject, whole))
                row += count
                if args.out is not None:  # else the terminal may show the results
                    progress(_bar(row, table.rows, perf_counter() - start))
    bad.tell(f"the results of {{}} of {row:,} rows are not finite", args.states)
    broken.tell(f"the states of {{}} of {row:,} rows do not keep the constraints", args.states)


class _Rows:
    """How many rows of a file have something in common, and which is the first."""

    def __init__(self) -> None:
        self.number, self.first = 0, 0

    def add(self, start: int, which: NDArray[Any]) -> None:
        """Those of a chunk that begins with row ``start``; ``which`` tells for each of its rows."""
        found = np.flatnonzero(which)
        if len(found) and not self.number:
            self.first = start + int(found[0])
        self.number += len(found)

    def tell(self, text: str, file: str) -> None:
        """A warning, if there are any; the text has a place for their number."""
        if self.number:
            which = f"{text.format(f'{self.number:,}')}; the first is row {self.first}, counted from 0"
            print(f"sixd: warning: {file}: {which}", file=sys.stderr)


def _states(
    table: TableReader, where: Sequence[Place], times: Sequence[Place], size: int
) -> Iterator[tuple[dict[str, Array], dict[str, Array]]]:
    """The states of a table, and their times, some rows at a time."""
    names = list(dict.fromkeys(name for place in (*where, *times) for name in place.columns))
    for chunk in table.chunks(names, size):
        state, time = ({place.field.name: place.gather(chunk) for place in part} for part in (where, times))
        yield state, time


def _bar(done: int, rows: int | None, seconds: float) -> str:
    """A bar of the rows that are done, how fast it goes and how long it will take."""
    text = f"{done:,} rows, {done / max(seconds, 1e-9):,.0f} a second"
    if not rows:
        return text
    filled, left = 30 * done // rows, seconds * (rows - done) / done
    return f"[{'#' * filled}{'.' * (30 - filled)}] {100 * done // rows:3d} %, {text}, {left:.0f} s left"


@contextmanager
def _output(path: str | None, fields: Sequence[Field]) -> Iterator[TableWriter]:
    """The table that results go to: a file, or CSV on standard output."""
    if path is None:
        yield CSVWriter(sys.stdout, fields)
        return
    with create_table(path, fields, "--out") as writer:
        yield writer
