"""Trajectories as tables of other libraries, and as files."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sixd.errors import ArgumentError
from sixd.files import replacing
from sixd.given import file_path
from sixd.process.forks import importing
from sixd.simulation.columns import fields_of, one_sample
from sixd.tables import create_table
from sixd.tables.fields import coordinate_names

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["save", "to_pandas", "to_xarray"]


def _library(name: str, caller: str) -> Any:
    with importing:
        try:
            return import_module(name)
        except ImportError:
            raise ArgumentError(f"{caller} needs {name}: pip install {name}") from None


def to_pandas(trajectory: Trajectory) -> Any:
    """A table of pandas with the columns of `Trajectory.columns`."""
    pandas = _library("pandas", "to_pandas")
    return pandas.DataFrame(one_sample(trajectory, "to_pandas").columns)


def to_xarray(trajectory: Trajectory) -> Any:
    """A data set of xarray. Batch axes are called "sample", or "sample0", "sample1", ... if there are several."""
    xarray = _library("xarray", "to_xarray")
    axes = trajectory.q.ndim - 2
    lead = ["sample"] if axes == 1 else [f"sample{k}" for k in range(axes)]
    data, coordinates = {}, {"t": trajectory.t}
    for quantity in ("q", "qd", "tau"):
        axis = "q_joint" if quantity == "q" else "v_joint"
        data[quantity] = ([*lead, "t", axis], getattr(trajectory, quantity))
        coordinates[axis] = np.array(coordinate_names(trajectory.robot, quantity == "q"))
    if trajectory.work is not None:
        data["work"], coordinates["source"] = ([*lead, "t", "source"], trajectory.work), np.array(trajectory.sources)
    return xarray.Dataset(data, coords=coordinates, attrs={"robot": trajectory.robot.name})


def save(trajectory: Trajectory, path: str | Path) -> None:
    """Write a trajectory to a table of `sixd.tables`: .csv and .parquet have `Trajectory.columns`, .npz has arrays.

    A batch is written to .npz, with its batch axes first.
    """
    file = file_path(path, "path")
    fields = fields_of(trajectory)
    arrays = {field.name: getattr(trajectory, field.name) for field in fields}
    if trajectory.q.ndim == 2:
        with create_table(file, fields, "path") as table:
            table.write(arrays)
    elif file.suffix.lower() == ".npz":
        with replacing(file) as part, part.open("wb") as out:
            np.savez_compressed(out, **arrays)
    else:
        one_sample(trajectory, "a table (.npz takes batches)")
