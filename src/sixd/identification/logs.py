"""Logs of motions with joint forces: arrays, or files in CSV, NPZ or Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from math import pi
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.errors import ArgumentError, ChoiceError, FileError, ModelError, NameNotFoundError, ShapeError
from sixd.process.forks import importing
from sixd.robot import Robot
from sixd.runtime.batches import as_batch

__all__ = ["Log", "read_log"]

Array = NDArray[np.float64]
_QUANTITIES = {"q": "nq", "qd": "nv", "qdd": "nv", "tau": "nv"}
#: Columns of a table that are ignored: the time.
_IGNORED = ("t", "time")


class Log(NamedTuple):
    """Positions, velocities, accelerations and joint forces of a motion, each (samples, coordinates)."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array


def read_log(robot: Robot, log: Any) -> Log:
    """A log in any form: a mapping with q, qd, qdd and tau, or the path of a .csv, .npz or .parquet file.

    A mapping, or an NPZ file, has arrays (samples, nq) and (samples, nv). A table has a column for each coordinate:
    "q_elbow", "qd_elbow", "qdd_elbow" and "tau_elbow" for a joint "elbow" with one coordinate, "q_wrist[0]",
    "q_wrist[1]" for one with several. Columns "t" and "time" are ignored.
    """
    if isinstance(log, Mapping):
        return _checked(robot, log, "log")
    path = given.file_path(log, "log")
    readers = {".csv": _from_csv, ".npz": _from_npz, ".parquet": _from_parquet}
    if path.suffix.lower() not in readers:
        raise ChoiceError(f"log: {path} must be a .csv, .npz or .parquet file, or give a mapping of arrays")
    try:
        found = readers[path.suffix.lower()](path)
    except OSError as error:
        raise FileError.of(error, str(path)) from None
    if path.suffix.lower() != ".npz":
        found = _by_quantity(robot, found, str(path))
    return _checked(robot, found, str(path))


def _from_npz(path: Path) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, BadZipFile, AttributeError) as error:
        raise ModelError(f"it is no archive of plain arrays: {error}", file=str(path)) from None


def _from_csv(path: Path) -> dict[str, Array]:
    """The columns of a table, whose first line has their names."""
    with path.open(newline="", encoding="utf-8") as file:
        try:
            header, *rows = [row for row in csv.reader(file) if row]
        except (ValueError, csv.Error) as error:
            raise ModelError(f"it is no table with a line of names: {error}", file=str(path)) from None
    names = [name.strip() for name in header]
    for number, row in enumerate(rows, start=2):
        if len(row) != len(names):
            raise ModelError(f"{len(row)} entries for {len(names)} columns", file=str(path), line=number)
    try:
        table = np.array(rows, dtype=float).reshape(-1, len(names))
    except ValueError as error:
        raise ModelError(f"an entry is no number: {error}", file=str(path)) from None
    return dict(zip(names, table.T, strict=True))


def _from_parquet(path: Path) -> dict[str, Array]:
    with importing:
        try:
            from pyarrow import ArrowInvalid, parquet
        except ImportError:
            raise ModelError("Parquet files need pyarrow: pip install pyarrow", file=str(path)) from None
    try:
        table = parquet.read_table(path)
        return {name: np.asarray(table[name], dtype=float) for name in table.column_names}
    except (ArrowInvalid, ValueError) as error:
        raise ModelError(f"it is no table of numbers: {error}", file=str(path)) from None


def _column_names(robot: Robot) -> Iterator[tuple[str, str, int]]:
    """The name of each column, its quantity, and its place there."""
    for joint in robot.joints:
        if joint.mimic is None:
            for quantity, size in _QUANTITIES.items():
                own = joint.q if size == "nq" else joint.v
                n = own.stop - own.start
                for k in range(n):
                    yield f"{quantity}_{joint.name}" + ("" if n == 1 else f"[{k}]"), quantity, own.start + k


def _by_quantity(robot: Robot, columns: Mapping[str, Array], file: str) -> dict[str, Array]:
    """The columns of a table, put together to q, qd, qdd and tau."""
    wanted = {name: (quantity, place) for name, quantity, place in _column_names(robot)}
    for name in columns:
        if name not in wanted and name not in _IGNORED:
            raise NameNotFoundError(f"joint for column {name!r} of {file}: no column", name, wanted)
    missing = [name for name in wanted if name not in columns]
    if missing:
        shown = ", ".join(missing[:6]) + (" ..." if len(missing) > 6 else "")
        raise ModelError(f"columns are missing: {shown}{_ADVICE}", file=file)
    samples = len(next(iter(columns.values())))
    found = {quantity: np.empty((samples, getattr(robot, size))) for quantity, size in _QUANTITIES.items()}
    for name, (quantity, place) in wanted.items():
        found[quantity][:, place] = columns[name]
    return found


_ADVICE = "; derivatives that were not measured can be had from q by scipy.signal.savgol_filter"


def _checked(robot: Robot, log: Mapping[str, Any], what: str) -> Log:
    unknown = [name for name in log if name not in _QUANTITIES and name not in _IGNORED]
    missing = [name for name in _QUANTITIES if name not in log]
    if unknown or missing:
        fault = f"unknown entry {given.described(unknown[0])}" if unknown else f"{', '.join(missing)} missing{_ADVICE}"
        raise ArgumentError(f"{what} must have q, qd, qdd and tau: {fault}")
    arrays = {}
    for name, size in _QUANTITIES.items():
        n = getattr(robot, size)
        arrays[name] = as_batch(f"{name} of {what}", log[name], (n,), f"{size} of this robot").astype(float)
        if arrays[name].ndim != 2:
            raise ShapeError(f"{name} of {what} has shape {arrays[name].shape}, but (samples, {n}) is needed")
        if not np.isfinite(arrays[name]).all():
            row = int(np.flatnonzero(~np.isfinite(arrays[name]).all(axis=1))[0])
            raise ModelError(f"{what}: {name} of sample {row} is not finite; leave such samples out")
    counts = {name: len(array) for name, array in arrays.items()}
    if len(set(counts.values())) > 1:
        raise ShapeError(f"{what}: q, qd, qdd and tau must have as many samples, not {counts}")
    if not arrays["tau"].any():
        raise ModelError(f"{what}: tau is zero in all samples")
    _refuse_degrees(robot, arrays["q"], what)
    return Log(**arrays)


def _refuse_degrees(robot: Robot, q: Array, what: str) -> None:
    """Refuse angles that are far outside the limits of their joint, but within them if taken for degrees."""
    for joint in robot.joints:
        if joint.mimic is not None or joint.type.nq != 1 or joint.type.name != "revolute" or not len(q):
            continue
        reach, limit = np.abs(q[:, joint.q]).max(), max(abs(joint.lower[0]), abs(joint.upper[0]))
        if 2.0 * limit < reach <= 180.0 / pi * limit and reach > 2.0 * pi:
            found = f"q of joint {joint.name!r} reaches {reach:.4g} rad"
            raise ModelError(f"{what}: {found}, its limit is {limit:.4g}: are these degrees?")
