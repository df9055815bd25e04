"""Trajectories in the browser and as moving pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixd import view
from sixd.errors import ShapeError
from sixd.tables.fields import coordinate_names

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["save_gif", "save_html", "show"]

#: A page shows curves of positions if there are at most this many.
MOST_CURVES = 12


def show(trajectory: Trajectory, **options: Any) -> Any:
    """A live page that plays the motion."""
    return view.show(trajectory.robot, _one(trajectory).t, trajectory.q, **options)


def save_html(trajectory: Trajectory, path: str | Path, **options: Any) -> None:
    """One HTML file that plays the motion."""
    options.setdefault("curves", _curves(_one(trajectory)))
    view.save_html(path, trajectory.robot, trajectory.t, trajectory.q, **options)


def save_gif(trajectory: Trajectory, path: str | Path, **options: Any) -> None:
    """Moving pictures of the motion."""
    view.save_gif(path, trajectory.robot, _one(trajectory).t, trajectory.q, **options)


def _one(trajectory: Trajectory) -> Trajectory:
    if trajectory.q.ndim != 2:
        batch = trajectory.q.shape[:-2]
        raise ShapeError(f"a picture is of one sample of {batch}: choose one, trajectory.sample(0)")
    return trajectory


def _curves(trajectory: Trajectory) -> dict[str, Any]:
    """Positions of joints, if there are few, and energies."""
    robot, found = trajectory.robot, {}
    names = coordinate_names(robot, positions=True)
    if len(names) <= MOST_CURVES:
        found["position [rad, m]"] = {name: trajectory.q[:, k] for k, name in enumerate(names)}
    found["energy [J]"] = {
        "kinetic": trajectory.kinetic_energy,
        "potential": trajectory.potential_energy,
        "total": trajectory.energy,
    }
    return found
