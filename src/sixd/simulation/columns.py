"""Names of the columns of a trajectory as a table: those that identification reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from sixd.robot import Robot

if TYPE_CHECKING:
    from sixd.simulation.trajectory import Trajectory

__all__ = ["columns_of", "names_of"]


def names_of(robot: Robot, quantity: str) -> list[str]:
    """The names of the columns of a quantity: "q_elbow", or "q_wrist[0]", "q_wrist[1]" for joints with several."""
    found = []
    for joint in robot.joints:
        if joint.mimic is not None:
            continue
        where = joint.q if quantity == "q" else joint.v
        number = where.stop - where.start
        found += [f"{quantity}_{joint.name}" + (f"[{k}]" if number > 1 else "") for k in range(number)]
    return found


def columns_of(trajectory: Trajectory) -> dict[str, NDArray[Any]]:
    """The columns of a trajectory by name, each (..., T); the time is "t", (T,)."""
    found: dict[str, NDArray[Any]] = {"t": trajectory.t}
    for quantity in ("q", "qd", "tau"):
        array = getattr(trajectory, quantity)
        for k, name in enumerate(names_of(trajectory.robot, quantity)):
            found[name] = array[..., k]
    return found
