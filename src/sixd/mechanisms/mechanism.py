"""What a mechanism is: a closed robot, a state that keeps its constraints, and the forces that belong to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd.robot import ClosedRobot
from sixd.simulation.forces.element import ForceElement
from sixd.simulation.simulate import simulate
from sixd.simulation.trajectory import Trajectory

__all__ = ["Mechanism"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A closed robot with a state from which it can be simulated, and what is known about it."""

    #: The closed robot.
    robot: ClosedRobot
    #: A position that keeps its constraints, (nq,).
    q: Array
    #: The number of its freedoms, as theory knows it.
    freedoms: int
    #: Joints whose coordinates, as many as there are freedoms, determine all others near this position.
    independent: tuple[str, ...]
    #: A velocity that keeps its constraints, (nv,).
    qd: Array
    #: The joint forces that drive it, constant, (nv,); zero if it moves by itself.
    tau: Array
    #: Springs and others that belong to it, for ``sixd.simulate(..., forces=...)``.
    forces: tuple[ForceElement, ...]
    #: A step of time, s, with which "rk4" keeps the energy of a minute within 1e-6 of it.
    dt: float

    @classmethod
    def of(
        cls,
        robot: ClosedRobot,
        q: ArrayLike,
        *,
        freedoms: int,
        independent: Sequence[str],
        qd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        forces: Sequence[ForceElement] = (),
        dt: float = 1e-3,
    ) -> Mechanism:
        """A mechanism at rest, without drive and forces unless they are given."""
        velocity, drive = (np.zeros(robot.nv) if x is None else np.array(x, dtype=float) for x in (qd, tau))
        at = np.array(q, dtype=float)
        return cls(robot, at, freedoms, tuple(independent), velocity, drive, tuple(forces), dt)

    def simulate(self, duration: float, **options: Any) -> Trajectory:
        """Its motion over a time, s: `sixd.simulate` from its state, with its drive and forces.

        ``options`` are those of `sixd.simulate`; by default the step is ``dt``.
        """
        given = {"dt": self.dt, "control": self.tau, "forces": self.forces, **options}
        return simulate(self.robot, self.q, self.qd, duration, **given)
