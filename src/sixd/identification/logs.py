"""Logs of motions with joint forces: arrays, or files in CSV, NPZ or Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.errors import ArgumentError, ChoiceError, ModelError, ShapeError
from sixd.identification.rates import compare_rates
from sixd.robot import Robot
from sixd.runtime.batches import as_batch
from sixd.tables import FORMATS, TableReader, open_table, places, state_field, time_places
from sixd.tables.fields import TIMES

__all__ = ["Log", "read_log", "refuse_degrees"]

Array = NDArray[np.float64]
_QUANTITIES = {"q": "nq", "qd": "nv", "qdd": "nv", "tau": "nv"}
_TIMES = tuple(field.name for field in TIMES)


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
    "q_wrist[1]" for one with several; their names may end in a unit, "q_elbow [deg]". Other columns are passed over.
    If there are times, "t" or "time", s, velocities and accelerations are compared with the differences over them.
    """
    if isinstance(log, Mapping):
        return _checked(robot, log, "log")
    path = given.file_path(log, "log")
    if path.suffix.lower() not in FORMATS:
        raise ChoiceError(f"log: {path} must be a .csv, .npz or .parquet file, or give a mapping of arrays")
    with open_table(path, "log") as table:
        found = _by_quantity(robot, table, str(path))
    return _checked(robot, found, str(path))


def _by_quantity(robot: Robot, table: TableReader, file: str) -> dict[str, Array]:
    """q, qd, qdd and tau of a table, and its times; other columns are passed over."""
    fields = [state_field(robot, quantity) for quantity in _QUANTITIES]
    found = [*places(fields, table.columns, file, _ADVICE), *time_places(table.columns)]
    columns = table.read([name for place in found for name in place.columns])
    return {place.field.name: place.gather(columns) for place in found}


_ADVICE = "; derivatives that were not measured can be had from q by scipy.signal.savgol_filter"


def _checked(robot: Robot, log: Mapping[str, Any], what: str) -> Log:
    unknown = [name for name in log if name not in _QUANTITIES and name not in _TIMES]
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
    refuse_degrees(robot, arrays["q"], what)
    for name in (name for name in _TIMES if name in log):
        t = as_batch(f"{name} of {what}", log[name], (), "times").astype(float)
        if t.shape != arrays["q"].shape[:1]:
            raise ShapeError(f"{name} of {what} has shape {t.shape}, but there are {len(arrays['q'])} samples")
        compare_rates(robot, arrays, t, what)
    return Log(**arrays)


def refuse_degrees(robot: Robot, q: Array, what: str) -> None:
    """Refuse angles that are far outside the limits of their joint, but within them if taken for degrees."""
    for joint in robot.joints:
        if joint.mimic is not None or joint.type.nq != 1 or joint.type.name != "revolute" or not len(q):
            continue
        reach, limit = np.abs(q[:, joint.q]).max(), max(abs(joint.lower[0]), abs(joint.upper[0]))
        if 2.0 * limit < reach <= 180.0 / pi * limit and reach > 2.0 * pi:
            found = f"q of joint {joint.name!r} reaches {reach:.4g} rad"
            raise ModelError(f"{what}: {found}, its limit is {limit:.4g}: are these degrees?")
