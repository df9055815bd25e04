"""The numbers of a robot that no state changes, in the rows of a plan."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.joints import Joint
from sixd.model import Model
from sixd.operators.inverse_inertia import InverseInertia
from sixd.operators.subspaces import active_forces, constraint_forces
from sixd.parallel.closing import joint_size, piece_size
from sixd.parallel.plan import Plan
from sixd.spatial import Force, Forces, Motions, Vector

__all__ = ["Constants", "bases"]

Array = NDArray[np.float64]


class Constants:
    """Inertias and their inverses by body, and rows of joints and pieces in which what depends on the state is zero."""

    def __init__(self, plan: Plan) -> None:
        bodies = plan.model.body_list[1:]
        inverses = [InverseInertia.of(body.inertia) for body in bodies]
        self.inertias = np.array([[body.inertia.components()] for body in bodies])
        self.inverses = np.array([[inverse.components()] for inverse in inverses])
        self.joints = self._joints(plan)
        self.pieces = {h: np.zeros((count, 1, piece_size(h))) for h, count in plan.counts.items()}
        for body, inverse in enumerate(inverses, 1):
            place = plan.bodies[body]
            self.pieces[len(place.handles)][place.row, 0] = _piece(inverse, len(place.handles))
        #: The joints whose bases T, V vary with the position.
        self.varying = [view for view in plan.model.joints if not view.type.constant_subspace]

    def _joints(self, plan: Plan) -> dict[int, Array]:
        """Rows with T, V and R; X, tau and c depend on the state."""
        sizes = {row.n: 0 for row in plan.joints.values()}
        for row in plan.joints.values():
            sizes[row.n] += 1
        found = {n: np.zeros((count, 1, joint_size(n))) for n, count in sizes.items()}
        for number, S, rotor in _subspaces(plan):
            row = plan.joints[number]
            numbers = found[row.n][row.row, 0]
            numbers[12:48] = bases(S)
            numbers[48 : 48 + row.n] = rotor
        return found


def _subspaces(plan: Plan) -> Any:
    """Each joint with its motions, in any position, and its rotor."""
    model: Model = plan.model
    for view in model.joints:
        yield view.index, view.type.subspace(view.type.neutral()), view.data.rotor_inertia
    for k, loop in enumerate(plan.loops, 1):
        S = loop.subspace()
        yield model.n_bodies + k, S, (0.0,) * len(S)


def bases(S: Motions) -> Any:
    """T and V of a joint, (..., 36)."""
    T, V = constraint_forces(S), active_forces(S) if len(S) else Forces(())
    return Vector([*T.components(), *V.components()]).array()


def bases_at(joint: Joint, q: Array) -> Any:
    """T and V of a joint whose motions vary, (samples, 36), for its coordinates (samples, nq)."""
    return bases(joint.subspace(Vector(q.T)))


def _piece(inverse: InverseInertia, handles: int) -> list[float]:
    """The numbers of a piece that is one body, with b zero: every block of Phi is I^-1."""
    units = Forces(Force.from_components([1.0 if r == c else 0.0 for r in range(6)]) for c in range(6))
    Phi = (inverse @ units).array()
    own = [Phi[r, c] for r in range(6) for c in range(r, 6)]
    return own * handles + list(Phi.ravel()) * (handles * (handles - 1) // 2) + [0.0] * (6 * handles)
