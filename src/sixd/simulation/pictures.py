"""Trajectories in the browser and as moving pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixd import view
from sixd.errors import ArgumentError
from sixd.robot import Robot
from sixd.simulation.columns import one_sample
from sixd.tables.fields import coordinate_names

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["save_gif", "save_html", "show"]

#: A page shows curves of positions if there are at most this many.
MOST_CURVES = 12


def show(trajectory: Trajectory, **options: Any) -> Any:
    """A live page that plays the motion."""
    return view.show(_robot(trajectory), trajectory.t, trajectory.q, **{**_forces(trajectory), **options})


def save_html(trajectory: Trajectory, path: str | Path, **options: Any) -> None:
    """One HTML file that plays the motion."""
    robot = _robot(trajectory)
    options.setdefault("curves", _curves(trajectory))
    view.save_html(path, robot, trajectory.t, trajectory.q, **{**_forces(trajectory), **options})


def save_gif(trajectory: Trajectory, path: str | Path, **options: Any) -> None:
    """Moving pictures of the motion."""
    view.save_gif(path, _robot(trajectory), trajectory.t, trajectory.q, **{**_forces(trajectory), **options})


def _robot(trajectory: Trajectory) -> Robot:
    """The robot to be drawn, with the masses of this sample."""
    numbers = one_sample(trajectory, "a picture").setup.parameters
    for name in ("placement", "axis", "pitch"):
        if name in numbers:
            raise ArgumentError(
                f"the parameters {name!r} of this sample are not those of {trajectory.robot.name!r}, which pictures "
                "draw: simulate a robot that is built with them"
            )
    if "inertia" not in numbers:
        return trajectory.robot
    return trajectory.robot.with_inertial_parameters(numbers["inertia"].ravel())


def _forces(trajectory: Trajectory) -> dict[str, Any]:
    """Where the robot touches the ground, and the forces there."""
    if not trajectory.contact_names:
        return {}
    return {"points": trajectory.contact_points, "forces": trajectory.contact_forces}


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
