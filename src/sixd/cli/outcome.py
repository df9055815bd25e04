"""What came of a simulation, in a few lines or as JSON: energies, speeds, forces of contact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.cli.quantities import rate_units
from sixd.cli.robots import columns, shown
from sixd.robot import ClosedRobot
from sixd.simulation.adaptive import ADAPTIVE
from sixd.simulation.trajectory import Trajectory
from sixd.tables.fields import coordinate_names

__all__ = ["LARGEST", "described", "outcome", "until_finite"]

Array = NDArray[np.float64]
#: How many of the fastest coordinates are told in words.
FASTEST = 3
#: States beyond are taken for a run that has blown up: no picture has room for them.
LARGEST = 1e12


def until_finite(run: Trajectory) -> Trajectory:
    """The records of one sample before its numbers grow beyond all bounds; at least the first."""
    good = (np.abs(run.q) < LARGEST).all(axis=-1) & (np.abs(run.qd) < LARGEST).all(axis=-1)
    bad = np.flatnonzero(~good)
    return run[: max(int(bad[0]), 1)] if len(bad) else run


def outcome(run: Trajectory) -> dict[str, Any]:
    """All that is told of a run, by name. For a batch, energies and the end are arrays over the samples."""
    with np.errstate(over="ignore", invalid="ignore"):  # a run that blew up
        found: dict[str, Any] = {
            "robot": run.robot.name,
            "samples": int(np.prod(run.q.shape[:-2])),
            "records": len(run),
            "time": float(run.t[-1]),
            "dt": run.dt,
            "integrator": run.integrator,
            "most_parts": _most_parts(run),
            "finished": run.finished,
            "ended": run.ended.partition("; trajectory")[0],  # the rest tells what to do in Python
            "energy": {"start": _energies(run, 0), "end": _energies(run, -1)},
            "energy_error": None if run.energy_error is None else run.energy_error[..., -1],
            "fastest": _fastest(run),
            "contact": _contact(run),
            "constraint_error": _open(run),
            "end": {"q": run.q[..., -1, :], "qd": run.qd[..., -1, :]},
        }
    return found


def _most_parts(run: Trajectory) -> int | None:
    """The most parts of a step of any sample, if steps are made in parts."""
    most = run.most_parts
    finite = None if most is None else most[np.isfinite(most)]
    return None if finite is None or not finite.size else int(finite.max())


def _energies(run: Trajectory, k: int) -> dict[str, Any]:
    parts = {"kinetic": run.kinetic_energy, "potential": run.potential_energy, "total": run.energy}
    return {name: array[..., k] for name, array in parts.items()}


def _fastest(run: Trajectory) -> list[dict[str, Any]]:
    """The largest speed of each coordinate, over time and samples, and when it was; the fastest first."""
    speeds = _most(np.abs(run.qd))
    names, units = coordinate_names(run.robot, positions=False), rate_units(run.robot)
    rows = [
        {"coordinate": name, "speed": float(speed.max()), "unit": f"{unit}/s", "time": float(run.t[speed.argmax()])}
        for name, (unit, _), speed in zip(names, units, speeds.T, strict=True)
    ]
    return sorted(rows, key=lambda row: -row["speed"])


def _contact(run: Trajectory) -> list[dict[str, Any]]:
    """For each site the largest force, over time and samples, when it was, and the force at the end."""
    forces = np.linalg.norm(run.contact_forces, axis=-1)
    return [
        {"site": name, "largest": float(f.max()), "time": float(run.t[f.argmax()]), "end": forces[..., -1, k]}
        for k, (name, f) in enumerate(zip(run.contact_names, _most(forces).T, strict=True))
    ]


def _open(run: Trajectory) -> float | None:
    """How far the loops of a closed robot were open at most, rad or m; samples that blew up do not count."""
    if not isinstance(run.robot, ClosedRobot):
        return None
    q = run.q.reshape(-1, *run.q.shape[-2:])
    whole = q[np.isfinite(q).all(axis=(-1, -2))]
    return float(np.abs(run.robot.constraint_error(whole)).max(initial=0.0))


def _most(values: Array) -> Array:
    """The largest of (..., T, n) over the samples, (T, n); numbers that are not finite are passed over."""
    finite = np.where(np.isfinite(values), values, 0.0)
    return np.asarray(finite.max(axis=tuple(range(values.ndim - 2))))


def described(found: Mapping[str, Any]) -> str:
    """The outcome in a few lines."""
    states = "1 state" if found["records"] == 1 else f"{found['records']} states"
    batch = "" if found["samples"] == 1 else f" of {found['samples']} samples"
    own = found["integrator"] in ADAPTIVE  # it chooses its steps itself
    how = found["integrator"] if own else f"{found['integrator']} in steps of {found['dt']:g} s"
    if (found["most_parts"] or 1) > 1:
        how = f"{how}, in up to {found['most_parts']} parts"
    state = "finished" if found["finished"] else found["ended"]
    lines = [f"{found['robot']}: {states}{batch} to t = {found['time']:g} s by {how}: {state}"]
    header = ["  energy, J", *found["energy"]]
    parts = [[f"  {name}", *(_span(found["energy"][at][name]) for at in found["energy"])] for name in _PARTS]
    if found["energy_error"] is not None:
        parts.append(["  error", "", f"{np.nanmax(np.abs(found['energy_error']), initial=0.0):.0e}"])
    lines += ["", *columns([header, *parts])]
    rows = [[f"  {x['coordinate']}", shown(x["speed"]), f"{x['unit']} ", f"{x['time']:g}"] for x in found["fastest"]]
    if rows:
        lines += ["", *columns([["  largest speed", "", "", "at t, s"], *rows[:FASTEST]])]
    if found["contact"]:
        rows = [[f"  {x['site']}", shown(x["largest"]), f"{x['time']:g}", _span(x["end"])] for x in found["contact"]]
        lines += ["", *columns([["  contact, N", "largest", "at t, s", "end"], *rows])]
    if found["constraint_error"] is not None:
        lines += ["", f"  loops were open by at most {found['constraint_error']:.1e} (rad or m)"]
    return "\n".join(lines)


_PARTS = ("kinetic", "potential", "total")


def _span(values: Any) -> str:
    """A number, or the least and the largest of several that are finite."""
    every = np.ravel(values)
    finite = every[np.isfinite(every)]
    if not len(finite):
        return "not finite"
    low, high = float(finite.min()), float(finite.max())
    return shown(low) if shown(low) == shown(high) else f"{shown(low)} to {shown(high)}"
