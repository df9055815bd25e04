"""Files of states, for ``sixd eval``: read, computed and written in chunks, so that they may be larger than memory."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from sixd.cli.builtin import Subject
from sixd.cli.outputs import are_same
from sixd.cli.quantities import Quantity
from sixd.cli.starts import state_of
from sixd.cli.states import Part
from sixd.compiler.progress import Progress
from sixd.errors import ArgumentError, ModelError, SixdError
from sixd.tables import Field, TableReader, TableWriter, create_table, open_table, places, state_field
from sixd.tables.csv import CSVWriter
from sixd.tables.fields import TIMES

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
        times = tuple(name for name in TIMES if table.columns.get(name) == ())
        fields = [*(Field(name, (), (name,)) for name in times), result]
        absent = " ".join(f"--{field.name} ..." for field in inputs)
        where = places(inputs, table.columns, args.states, f"; or give, the same for all rows, some of {absent}")
        numbers = sum(len(field.columns) for field in (*inputs, *fields))
        size = args.chunk or max(LEAST_ROWS, min(MOST_ROWS, CHUNK // (8 * numbers)))
        row, bad, first, start = 0, 0, 0, perf_counter()
        with _output(args.out, fields) as writer, Progress() as progress:
            for state, time in _states(table, inputs, where, times, size):
                count = len(next(iter(state.values())))
                try:
                    whole = state_of(subject, {**same, **state}, given, quantity.needs)
                    values = quantity.compute(robot, whole, options)
                except SixdError as error:
                    which = f"rows {row} to {row + count - 1}, counted from 0"
                    raise ModelError(f"{which}: {error}", file=args.states) from None
                writer.write({**time, result.name: values})
                wrong = np.flatnonzero(~np.isfinite(values.reshape(count, -1)).all(axis=-1))
                first = row + int(wrong[0]) if len(wrong) and not bad else first
                bad += len(wrong)
                row += count
                if args.out is not None:  # else the terminal may show the results
                    progress(_bar(row, table.rows, perf_counter() - start))
    if bad:
        which = f"the results of {bad:,} of {row:,} rows are not finite; the first is row {first}, counted from 0"
        print(f"sixd: warning: {args.states}: {which}", file=sys.stderr)


def _states(
    table: TableReader, inputs: Sequence[Field], where: Sequence[Sequence[str]], times: Sequence[str], size: int
) -> Iterator[tuple[dict[str, Array], dict[str, Array]]]:
    """The states of a table, and their times, some rows at a time."""
    names = list(dict.fromkeys([*(name for each in where for name in each), *times]))
    for chunk in table.chunks(names, size):
        state = {field.name: field.gather(chunk, own) for field, own in zip(inputs, where, strict=True)}
        yield state, {name: chunk[name] for name in times}


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
