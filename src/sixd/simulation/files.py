"""Trajectories as tables of other libraries, and as files."""

from __future__ import annotations

import csv
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sixd.errors import ArgumentError, ChoiceError, FileError, ShapeError
from sixd.given import file_path
from sixd.process.forks import importing
from sixd.simulation.columns import names_of

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["save", "to_pandas", "to_xarray"]


def _library(name: str, caller: str, package: str = "") -> Any:
    with importing:
        try:
            return import_module(name)
        except ImportError:
            raise ArgumentError(f"{caller} needs {package or name}: pip install {package or name}") from None


def _one(trajectory: Trajectory, caller: str) -> Trajectory:
    if trajectory.q.ndim != 2:
        raise ShapeError(
            f"{caller} is for one sample, and this trajectory has {trajectory.q.shape[:-2]} of them: "
            "choose one, trajectory.sample(0), or write .npz"
        )
    return trajectory


def to_pandas(trajectory: Trajectory) -> Any:
    """A table of pandas with the columns of `Trajectory.columns`."""
    pandas = _library("pandas", "to_pandas")
    return pandas.DataFrame(_one(trajectory, "to_pandas").columns)


def to_xarray(trajectory: Trajectory) -> Any:
    """A data set of xarray. Batch axes are called "sample", or "sample0", "sample1", ... if there are several."""
    xarray = _library("xarray", "to_xarray")
    axes = trajectory.q.ndim - 2
    lead = ["sample"] if axes == 1 else [f"sample{k}" for k in range(axes)]
    data, coordinates = {}, {"t": trajectory.t}
    for quantity in ("q", "qd", "tau"):
        short, axis = f"{quantity}_", f"{'q' if quantity == 'q' else 'v'}_joint"
        names = [name.removeprefix(short) for name in names_of(trajectory.robot, quantity)]
        data[quantity] = ([*lead, "t", axis], getattr(trajectory, quantity))
        coordinates[axis] = np.array(names)
    return xarray.Dataset(data, coords=coordinates, attrs={"robot": trajectory.robot.name})


def save(trajectory: Trajectory, path: str | Path) -> None:
    """Write a trajectory: .npz has t, q, qd, tau and work; .csv and .parquet the columns of `Trajectory.columns`."""
    file = file_path(path, "path")
    writers = {".npz": _npz, ".csv": _csv, ".parquet": _parquet}
    if file.suffix.lower() not in writers:
        raise ChoiceError(f"path: a trajectory is written to .npz, .csv or .parquet, not to {file.name!r}")
    try:
        writers[file.suffix.lower()](trajectory, file)
    except OSError as error:
        raise FileError.of(error, str(file), "written") from None


def _npz(trajectory: Trajectory, file: Path) -> None:
    arrays = {name: getattr(trajectory, name) for name in ("t", "q", "qd", "tau")}
    if trajectory.work is not None:
        arrays["work"] = trajectory.work
    with file.open("wb") as out:
        np.savez_compressed(out, **arrays)


def _csv(trajectory: Trajectory, file: Path) -> None:
    columns = _one(trajectory, "a table").columns
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        for row in zip(*(column.tolist() for column in columns.values()), strict=True):
            writer.writerow([repr(x) for x in row])


def _parquet(trajectory: Trajectory, file: Path) -> None:
    columns = _one(trajectory, "a table").columns
    arrow = _library("pyarrow", "Parquet")
    parquet = _library("pyarrow.parquet", "Parquet", "pyarrow")
    parquet.write_table(arrow.table(columns), file)
