"""Trajectories in the browser and as moving pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixd import view
from sixd.errors import ArgumentError
from sixd.robot import Robot
from sixd.simulation.columns import one_sample
from sixd.view.curves import joint_curves
from sixd.view.sliders import travels

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["save_gif", "save_html", "show"]


def show(trajectory: Trajectory, **options: Any) -> Any:
    """A live page that plays the motion beside its curves."""
    return view.show(_robot(trajectory), trajectory.t, trajectory.q, **_beside(trajectory, options))


def save_html(trajectory: Trajectory, path: str | Path, **options: Any) -> None:
    """One HTML file that plays the motion beside its curves."""
    view.save_html(path, _robot(trajectory), trajectory.t, trajectory.q, **_beside(trajectory, options))


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


def _beside(trajectory: Trajectory, options: dict[str, Any]) -> dict[str, Any]:
    """What a page shows beside the motion, unless options say otherwise."""
    one_sample(trajectory, "a picture")
    curves = {} if "curves" in options else {"curves": _curves(trajectory)}
    return {**_forces(trajectory), **curves, **options}


def _curves(trajectory: Trajectory) -> dict[str, Any]:
    """Positions of joints, energies, the centre of mass if it can travel; speeds and forces of joints."""
    robot = trajectory.robot
    energies = {name: getattr(trajectory, f"{name}_energy") for name in ("kinetic", "potential")}
    return {
        **joint_curves(robot, "q", trajectory.q),
        "energy, J": {**energies, "total": trajectory.energy},
        **({"centre of mass, m": dict(zip("xyz", trajectory.center_of_mass.T, strict=True))} if travels(robot) else {}),
        **joint_curves(robot, "qd", trajectory.qd),
        **joint_curves(robot, "tau", trajectory.tau),
    }
