"""What ``sixd eval`` can compute: a row of a table for each quantity, with the names and units of its entries."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ArgumentError, ChoiceError, closest
from sixd.model import Model
from sixd.model.units import coordinate_units
from sixd.robot import ClosedRobot, Robot
from sixd.robot.closed.actuation import ClosedInverseDynamics
from sixd.spatial import Transform
from sixd.tables.fields import Field, coordinate_names

__all__ = ["QUANTITIES", "Quantity", "quantity_of", "rate_units"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Quantity:
    """A method of `Robot` as a word of the command line.

    ``axes`` says what the axes of one state's result stand for, by a key of `_AXES`.
    """

    name: str
    method: str
    needs: tuple[str, ...]
    symbol: str
    axes: tuple[str, ...]
    about: str
    #: Whether it is that of a frame, and whether it can be expressed in other axes than the frame's.
    of_frame: bool = False
    expressed: bool = False
    #: What is done with the result of the method.
    after: Callable[[Any], Array] = np.asarray
    #: Whether only a robot with loops has it.
    of_loops: bool = False

    def compute(self, robot: Robot, state: Mapping[str, Array], options: Mapping[str, Any]) -> Array:
        """The result for states (..., nq), (..., nv); ``options`` are those of the method."""
        return self.after(getattr(robot, self.method)(*(state[name] for name in self.needs), **options))

    def options(self, args: argparse.Namespace, robot: Robot) -> dict[str, Any]:
        """The options of the method: the frame, the coordinates of its motion, the joints that have motors."""
        found = {name: getattr(args, name) for name in ("frame", "expressed_in", "actuated")}
        if args.frame is not None:
            robot.frame(args.frame)
        if args.actuated is not None and not (self.name == "id" and robot.constraint_list):
            raise ArgumentError("--actuated is for sixd eval id of a robot with loops: leave it out")
        return {name: value for name, value in found.items() if value is not None}

    def check_robot(self, robot: Robot) -> None:
        """Refuse what a robot with loops, or one without, does not have."""
        closed = isinstance(robot, ClosedRobot)
        if self.of_loops and not closed:
            raise ArgumentError(f"{self.name} is that of a robot with loops, such as mechanisms.four_bar")
        if closed and self.method in ClosedRobot.refused:
            knows = ", ".join(name for name, row in QUANTITIES.items() if row.method not in ClosedRobot.refused)
            raise ArgumentError(
                f"{self.name} is that of the open tree, without the loops of {robot.name}; what knows them: {knows}"
            )

    def check(self, frame: str | None, expressed_in: str | None) -> None:
        """Refuse a frame where none has a meaning, and miss it where one is needed."""
        if self.of_frame and frame is None:
            raise ArgumentError(f"{self.name} is that of a frame: add --frame NAME (sixd info lists the frames)")
        if not self.of_frame and frame is not None:
            raise ArgumentError(f"{self.name} is of the whole robot: leave out --frame")
        if not self.expressed and expressed_in is not None:
            raise ArgumentError(f"{self.name} has no choice of coordinates: leave out --expressed-in")

    def labels(self, robot: Model) -> list[list[str]]:
        """For each axis of the result a name for each entry."""
        return [_AXES[axis](robot) for axis in self.axes]

    def field(self, robot: Model) -> Field:
        """The result as columns of a table: "tau_elbow", "H_shoulder:elbow"."""
        labels = self.labels(robot)
        names = tuple("_".join([self.symbol, ":".join(each)]) if each else self.symbol for each in product(*labels))
        return Field(self.symbol, tuple(map(len, labels)), names)


def _position_and_quaternion(pose: Array) -> Array:
    """Poses (..., 4, 4) as x, y, z and the unit quaternion x, y, z, w: (..., 7)."""
    quaternion = Transform.from_pose(pose).quaternion()
    parts = np.broadcast_arrays(*(pose[..., k, 3] for k in range(3)), *quaternion)
    return np.stack(parts, axis=-1)


def _joint_forces(found: Any) -> Array:
    """The joint forces of inverse dynamics; a robot with loops tells more beside them."""
    return np.asarray(found.tau if isinstance(found, ClosedInverseDynamics) else found)


def _constraint_forces(found: Any) -> Array:
    """The force of each constraint on its second frame, (..., constraints, 6)."""
    return np.stack(list(found.forces.values()), axis=-2)


def _row_names(robot: Model) -> list[str]:
    """A name for each row of the constraints: "pin[0]", or "rod" if it has one only."""
    return [c.name if c.rows == 1 else f"{c.name}[{k}]" for c in robot.constraint_list for k in range(c.rows)]


_AXES: dict[str, Callable[[Model], list[str]]] = {
    "row": _row_names,
    "constraint": lambda robot: [c.name for c in robot.constraint_list],
    "dof": lambda robot: coordinate_names(robot, positions=False),
    "joint": lambda robot: list(robot.joints.names),
    "motion": lambda _: ["wx", "wy", "wz", "vx", "vy", "vz"],
    "force": lambda _: ["nx", "ny", "nz", "fx", "fy", "fz"],
    "place": lambda _: ["x", "y", "z"],
    "pose": lambda _: ["x", "y", "z", "qx", "qy", "qz", "qw"],
}

#: The quantities by name.
QUANTITIES: dict[str, Quantity] = {
    row.name: row
    for row in (
        Quantity(
            "id",
            "inverse_dynamics",
            ("q", "qd", "qdd"),
            "tau",
            ("dof",),
            "joint forces for accelerations",
            after=_joint_forces,
        ),
        Quantity("fd", "forward_dynamics", ("q", "qd", "tau"), "qdd", ("dof",), "accelerations for joint forces"),
        Quantity("mass", "mass_matrix", ("q",), "H", ("dof", "dof"), "the mass matrix"),
        Quantity("inverse-mass", "inverse_mass_matrix", ("q",), "Hinv", ("dof", "dof"), "its inverse"),
        Quantity("bias", "bias_forces", ("q", "qd"), "C", ("dof",), "joint forces at zero acceleration"),
        Quantity("gravity", "gravity_forces", ("q",), "g", ("dof",), "joint forces that hold the robot still"),
        Quantity("passive", "passive_forces", ("q", "qd"), "passive", ("dof",), "springs, dampers and friction"),
        Quantity("coriolis", "coriolis_matrix", ("q", "qd"), "C", ("dof", "dof"), "the Coriolis matrix"),
        Quantity("joint-forces", "joint_forces", ("q", "qd", "qdd"), "f", ("joint", "force"), "what bearings carry"),
        Quantity(
            "pose", "pose", ("q",), "pose", ("pose",), "position and quaternion", True, after=_position_and_quaternion
        ),
        Quantity("velocity", "velocity", ("q", "qd"), "v", ("motion",), "the velocity of a frame", True, True),
        Quantity("acceleration", "acceleration", ("q", "qd", "qdd"), "a", ("motion",), "its acceleration", True, True),
        Quantity("jacobian", "jacobian", ("q",), "J", ("motion", "dof"), "the Jacobian of a frame", True, True),
        Quantity("jacobian-rate", "jacobian_rate", ("q", "qd"), "Jd", ("motion", "dof"), "dJ/dt", True, True),
        Quantity("kinetic", "kinetic_energy", ("q", "qd"), "kinetic_energy", (), "kinetic energy, J"),
        Quantity("potential", "potential_energy", ("q",), "potential_energy", (), "energy in the field of gravity, J"),
        Quantity("com", "center_of_mass", ("q",), "com", ("place",), "the centre of mass, m"),
        Quantity("momentum", "momentum", ("q", "qd"), "h", ("force",), "momentum about the world's origin"),
        Quantity(
            "constraint-error",
            "constraint_error",
            ("q",),
            "phi",
            ("row",),
            "how far loops are open, rad and m",
            of_loops=True,
        ),
        Quantity(
            "constraint-jacobian",
            "constraint_jacobian",
            ("q",),
            "L",
            ("row", "dof"),
            "the Jacobian of the constraints",
            of_loops=True,
        ),
        Quantity(
            "constraint-forces",
            "constraint_forces",
            ("q", "qd", "tau"),
            "fc",
            ("constraint", "force"),
            "what constraints exert on their second frames",
            after=_constraint_forces,
            of_loops=True,
        ),
    )
}


def quantity_of(word: str) -> Quantity:
    """The quantity of a name, or of the name of its method: "id", "inverse_dynamics"."""
    by_method = {row.method: row for row in QUANTITIES.values()}
    found = QUANTITIES.get(word) or by_method.get(word)
    if found is None:
        near = closest(word, [*QUANTITIES, *by_method], n=2)
        hint = f"; did you mean {' or '.join(near)}" if near else ""
        raise ChoiceError(f"{word!r} is nothing to evaluate{hint}; there are: {', '.join(QUANTITIES)}")
    return found


def rate_units(robot: Model) -> list[tuple[str, str]]:
    """For each degree of freedom the unit of its coordinate and that of its force: rad and N m, or m and N."""
    forces = {"rad": "N m", "m": "N"}
    units = coordinate_units(robot)
    return [(unit, forces[unit]) for joint in robot.joints if joint.mimic is None for unit in units[joint.name]]
