"""Trajectories in the browser and as moving pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixd import view
from sixd.errors import ArgumentError
from sixd.joints import Free
from sixd.robot import Robot
from sixd.simulation.columns import one_sample
from sixd.view.curves import joint_curves
from sixd.view.sliders import travels

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

Array = NDArray[np.float64]

__all__ = ["save_gif", "save_html", "show"]


def show(trajectory: Trajectory, **options: Any) -> Any:
    """A live page that plays the motion beside its curves."""
    robot, q = _drawn(trajectory)
    return view.show(robot, trajectory.t, q, **_beside(trajectory, options))


def save_html(trajectory: Trajectory, path: str | Path, **options: Any) -> None:
    """One HTML file that plays the motion beside its curves."""
    robot, q = _drawn(trajectory)
    view.save_html(path, robot, trajectory.t, q, **_beside(trajectory, options))


def save_gif(trajectory: Trajectory, path: str | Path, **options: Any) -> None:
    """Moving pictures of the motion."""
    robot, q = _drawn(trajectory)
    view.save_gif(path, robot, trajectory.t, q, **{**_forces(trajectory), **options})


def _drawn(trajectory: Trajectory) -> tuple[Robot, Array]:
    """The robot to be drawn and its positions (T, nq). One on a base that moves is drawn on a free joint."""
    robot = _robot(trajectory)
    carried = next((part for part in trajectory.setup.step.elements if part.base(0.0) is not None), None)
    if carried is None:
        return robot, trajectory.q
    free = robot.subtree(robot.body_list[0].name, base="free").with_name(robot.name)
    states = (carried.base(float(t)) for t in trajectory.t)
    base = [Free().nearest(state.X).array() for state in states if state is not None]
    return free, np.concatenate([np.array(base, dtype=float), trajectory.q], axis=-1)


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
        **(joint_curves(robot, "tau", trajectory.tau) if trajectory.tau.any() else {}),
    }
