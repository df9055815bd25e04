"""Trajectories in the browser and as moving pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixd import view
from sixd.errors import ArgumentError
from sixd.joints import Free
from sixd.robot import Robot
from sixd.simulation.columns import one_sample
from sixd.simulation.contact.grounds import Ground, Plane
from sixd.spatial import Vector
from sixd.view.curves import joint_curves
from sixd.view.scene import upright
from sixd.view.sliders import travels
from sixd.view.surface import GroundLike

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

Array = NDArray[np.float64]

__all__ = ["heights_of", "save_gif", "save_html", "show"]

#: Steps to the height of a ground, and what is left of its distance then, m. Without curvature, one is exact.
STEPS, NEAR = 20, 1e-9
#: A normal that is more level than this belongs to a wall, which has no height.
UPWARD = 1e-6


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


def _ground(trajectory: Trajectory) -> GroundLike | None:
    """What the robot can touch, as pictures take it: the height of a level floor or a function; None if nothing."""
    contacts = trajectory.setup.contacts
    if contacts is None or not trajectory.contact_names:
        return None
    if isinstance(contacts.ground, Plane):
        up = upright(trajectory.robot)[2]  # against gravity: (0, 0, 1), unless a robot has a gravity of its own
        if np.abs(np.array(contacts.ground.normal) - up).max() <= 1e-12:
            return contacts.ground.offset
    return heights_of(contacts.ground)


def heights_of(ground: Ground) -> Callable[[Array, Array], Array]:
    """The heights of a ground above places of the world, (n,), m; NaN above none.

    They are found by Newton's steps up and down. The distance ``gap`` from a surface grows along its normal n by one,
    so along z by n_z: z <- z - gap / n_z. Grounds are written for any kind of number, arrays too.
    """

    def height(x: Array, y: Array) -> Array:
        z = np.zeros_like(x)
        with np.errstate(all="ignore"):
            for _ in range(STEPS):
                gap, axes = ground.nearest(Vector((x, y, z)))
                up = np.broadcast_to(np.asarray(axes[2][2], dtype=float), x.shape)
                z = z - gap / np.where(up > UPWARD, up, np.nan)
            gap, _ = ground.nearest(Vector((x, y, z)))
            return np.where(np.abs(gap) <= NEAR * (1.0 + np.abs(z)), z, np.nan)

    return height


def _beside(trajectory: Trajectory, options: dict[str, Any]) -> dict[str, Any]:
    """What a page shows beside the motion, unless options say otherwise."""
    one_sample(trajectory, "a picture")
    curves = {} if "curves" in options else {"curves": _curves(trajectory)}
    ground = {} if "ground" in options else {"ground": _ground(trajectory)}
    return {**_forces(trajectory), **curves, **ground, **options}


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
