"""Compute joint forces, matrices, poses, ... for one state or a file of states.

One state is given by numbers in the order of the joints, by name=value (others are neutral or zero), or by one of the
words neutral, zero, random; what is not given is neutral (q) or zero. SI units, radians.

A file of states (.csv, .npz, .parquet) has a column for each coordinate, such as q_elbow, qd_elbow, qdd_elbow,
tau_elbow, or q_wrist[0], q_wrist[1] for a joint with several; an archive may have arrays q (rows, nq). Columns without
joint names (q0, q1, ...) are taken in order if there are exactly as many as needed. What is given by --q, --qd, ... is
the same for all rows. A row with NaN gives a row of NaN. Columns t and time are copied. Files may be larger than
memory; without --out, results are printed as CSV.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from sixd.cli.command import Command, register
from sixd.cli.quantities import QUANTITIES, Quantity, quantity_of, rate_units
from sixd.cli.robots import add_json, add_robot, columns, load_robot, print_json, shown, whole
from sixd.compiler.progress import Progress
from sixd.errors import ArgumentError, ChoiceError, NameNotFoundError, ShapeError
from sixd.robot import Robot
from sixd.tables import Field, TableReader, TableWriter, create_table, open_table, places, state_field
from sixd.tables.csv import CSVWriter
from sixd.tables.fields import TIMES, coordinate_names

__all__ = ["EVAL", "arguments", "run"]

Array = NDArray[np.float64]

#: The most bytes of numbers in a chunk, states and results together, and the most rows.
CHUNK, MOST_ROWS = 32 << 20, 1 << 16
_STATE = {"q": "positions", "qd": "velocities", "qdd": "accelerations", "tau": "joint forces"}

EXAMPLES = """\
examples:
  sixd eval id arm.urdf --q 0.1 -0.5 --qd 1 0 --qdd 0 0
  sixd eval gravity arm.urdf --q elbow=1.2
  sixd eval jacobian arm.urdf --frame tool --expressed-in aligned --json
  sixd eval id arm.urdf --states log.parquet --out torques.parquet
  sixd eval mass arm.urdf --states log.csv > mass.csv
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    listed = "\n".join(columns([[f"  {row.name}", f"{row.about} ({', '.join(row.needs)})"] for row in _rows()], 2))
    parser.epilog = f"what to compute, and of what:\n{listed}\n\n{EXAMPLES}"
    parser.add_argument("what", help="what to compute: id, fd, mass, pose, jacobian, ...; see below")
    add_robot(parser)
    for name, text in _STATE.items():
        parser.add_argument(f"--{name}", nargs="+", metavar="X", help=f"{text}: numbers, name=value, or a word")
    parser.add_argument("--frame", help="the frame of a pose, velocity, acceleration or Jacobian")
    parser.add_argument("--expressed-in", choices=("body", "world", "aligned"), help="coordinates of motions")
    parser.add_argument("--states", metavar="FILE", help="a file of states: .csv, .npz or .parquet")
    parser.add_argument("--out", metavar="FILE", help="the file for the results: .csv, .npz or .parquet")
    parser.add_argument("--chunk", metavar="ROWS", type=whole(1), help="rows at a time; by default some 32 MB")
    parser.add_argument("--seed", type=whole(0), default=0, help="for the word random")
    add_json(parser)


def _rows() -> list[Quantity]:
    return list(QUANTITIES.values())


def run(args: argparse.Namespace) -> None:
    quantity = quantity_of(args.what)
    quantity.check(args.frame, args.expressed_in)
    robot = load_robot(args)
    if args.frame is not None:
        robot.frame(args.frame)
    given = {name: _values(robot, name, words, args.seed) for name in _STATE if (words := getattr(args, name))}
    if unused := [name for name in given if name not in quantity.needs]:
        raise ArgumentError(f"{quantity.name} depends on {', '.join(quantity.needs)}: leave out --{unused[0]}")
    if args.states is not None:
        if args.json:
            raise ArgumentError("--json is for one state: results for a file of states go to --out, or to CSV")
        _evaluate_file(args, quantity, robot, given)
    elif args.out is not None:
        raise ArgumentError("--out is for the results of a file of states: add --states FILE, or leave it out")
    else:
        _evaluate_state(args, quantity, robot, given)


EVAL = register(Command("eval", __doc__, arguments, run, {"what": QUANTITIES}))


# ---- one state


def _values(robot: Robot, name: str, words: Sequence[str], seed: int) -> Array:
    """A part of the state from words of the command line."""
    names = coordinate_names(robot, name == "q")
    default = robot.neutral() if name == "q" else np.zeros(robot.nv)
    entries = [entry for word in words for entry in word.replace(",", " ").split()]
    known = ("neutral", "random") if name == "q" else ("zero", "random")
    if len(entries) == 1 and entries[0].isalpha() and entries[0].lower() not in ("nan", "inf"):
        if entries[0] not in known:
            raise ChoiceError(f"--{name} takes numbers, name=value, {' or '.join(known)}, not {entries[0]!r}")
        if entries[0] == "random":
            return robot.random(seed) if name == "q" else np.random.default_rng(seed).normal(size=robot.nv)
        return default
    if entries and all("=" in entry for entry in entries):
        found = default.copy()
        for entry in entries:
            joint, _, text = entry.rpartition("=")
            if joint not in names:
                raise NameNotFoundError(f"coordinate (--{name})", joint, names)
            found[names.index(joint)] = _number(text, f"--{name} {joint}")
        return found
    numbers = [_number(entry, f"--{name}") for entry in entries]
    if len(numbers) != len(names):
        some = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise ShapeError(f"--{name} needs {len(names)} numbers ({some}), not {len(numbers)}; or give name=value")
    return np.array(numbers)


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(f"{what}: {text!r} is no number") from None


def _evaluate_state(args: argparse.Namespace, quantity: Quantity, robot: Robot, given: Mapping[str, Array]) -> None:
    rest = {name: robot.neutral() if name == "q" else np.zeros(robot.nv) for name in quantity.needs}
    state = {**rest, **given}
    result = np.asarray(quantity.compute(robot, state, args.frame, args.expressed_in))
    labels = quantity.labels(robot)
    if args.json:
        about = {"robot": robot.name, "method": quantity.method, "frame": args.frame, "state": state}
        print_json({**about, "symbol": quantity.symbol, "labels": labels, "result": result})
        return
    at = ", ".join(f"{name} = {_brief(name, x, robot)}" for name, x in state.items())
    print(f"{quantity.symbol}: {quantity.about}{f' ({args.frame})' if args.frame else ''}, at {at}")
    print("\n".join(_table(result, labels, quantity, robot)))


def _brief(name: str, x: Array, robot: Robot) -> str:
    if np.array_equal(x, robot.neutral() if name == "q" else np.zeros(robot.nv)):
        return "neutral" if name == "q" else "0"
    return f"({', '.join(shown(v) for v in x[:8])}{', ...' if len(x) > 8 else ''})"


def _table(result: Array, labels: list[list[str]], quantity: Quantity, robot: Robot) -> list[str]:
    if not labels:
        return [f"  {shown(float(result))}"]
    if len(labels) == 2:
        header = ["", *labels[1]]
        rows = [[f"  {name}", *map(shown, row)] for name, row in zip(labels[0], result, strict=True)]
        return columns([header, *rows])
    units = [""] * len(result)
    if quantity.axes == ("dof",):
        units = [f"{length}/s^2" if quantity.symbol == "qdd" else force for length, force in rate_units(robot)]
    rows = [[f"  {n}", shown(x), f" {u}"] for n, x, u in zip(labels[0], result, units, strict=True)]
    return columns(rows)


# ---- a file of states


def _evaluate_file(args: argparse.Namespace, quantity: Quantity, robot: Robot, given: Mapping[str, Array]) -> None:
    if args.out is not None and _are_same(args.states, args.out):
        raise ArgumentError(f"{args.out} is the file of states itself: give --out another name")
    inputs = [state_field(robot, name) for name in quantity.needs if name not in given]
    if not inputs:
        raise ArgumentError("all of the state is given on the command line: leave some of it out, or --states")
    result = quantity.field(robot)
    with open_table(args.states, "--states") as table:
        times = tuple(name for name in TIMES if table.columns.get(name) == ())
        fields = [*(Field(name, (), (name,)) for name in times), result]
        absent = " ".join(f"--{field.name} ..." for field in inputs)
        where = places(inputs, table.columns, args.states, f"; or give, the same for all rows, some of {absent}")
        numbers = sum(len(field.columns) for field in (*inputs, *fields))
        size = args.chunk or max(256, min(MOST_ROWS, CHUNK // (8 * numbers)))
        with _output(args.out, fields) as writer:
            for state, time in _states(table, inputs, where, times, size):
                values = quantity.compute(robot, {**given, **state}, args.frame, args.expressed_in)
                writer.write({**time, result.name: values})


def _are_same(one: str, other: str) -> bool:
    return Path(one).exists() and Path(other).exists() and Path(one).samefile(other)


def _states(
    table: TableReader, inputs: Sequence[Field], where: Sequence[Sequence[str]], times: Sequence[str], size: int
) -> Iterator[tuple[dict[str, Array], dict[str, Array]]]:
    """The states of a table, and their times, some rows at a time; with a bar on the terminal."""
    names = list(dict.fromkeys([*(name for each in where for name in each), *times]))
    done, start = 0, perf_counter()
    with Progress() as progress:
        for chunk in table.chunks(names, size):
            state = {field.name: field.gather(chunk, own) for field, own in zip(inputs, where, strict=True)}
            yield state, {name: chunk[name] for name in times}
            done += len(next(iter(state.values())))
            progress(_bar(done, table.rows, perf_counter() - start))


def _bar(done: int, rows: int | None, seconds: float) -> str:
    speed = f"{done:,} rows, {done / max(seconds, 1e-9):,.0f} a second"
    if not rows:
        return speed
    filled = 30 * done // rows
    left = seconds * (rows - done) / max(done, 1)
    return f"[{'#' * filled}{'.' * (30 - filled)}] {100 * done // rows:3d} %, {speed}, {left:.0f} s left"


@contextmanager
def _output(path: str | None, fields: Sequence[Field]) -> Iterator[TableWriter]:
    """The table that results go to: a file, or CSV on standard output."""
    if path is None:
        yield CSVWriter(sys.stdout, fields)
        return
    with create_table(path, fields, "--out") as writer:
        yield writer
