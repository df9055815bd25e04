"""Forward dynamics of chains by the constraint-force algorithm, round by round: odd-even reduction of FO00 (28)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from sixd.constraints import Loop
from sixd.errors import ModelError
from sixd.model import Model
from sixd.parallel.chain_plan import Elimination, Reduction
from sixd.parallel.constraint_rows import (
    Unknown,
    at_rest,
    diagonal,
    eliminate,
    joint_force,
    joint_rate,
    off_diagonal,
    substitute,
)
from sixd.parallel.solver import Array, RoundByRound, State

__all__ = ["ConstraintForces"]

K = TypeVar("K", bound=Hashable)
Indices: TypeAlias = Any
#: Arrays by the size of unknowns.
Blocks: TypeAlias = dict[int, Array]

#: Stands for an array that is not read.
NOTHING = np.zeros(1)


class ConstraintForces(RoundByRound):
    """qdd of a chain by `sixd.operators.constraint_force_algorithm`, evaluated round by round.

    In each round every other joint of those that are left is eliminated, and all in one call. There are log2 N of them,
    as many to find the forces, and twice as many for the velocities. The robot must be a chain, as it must be in the
    paper; a joint from its last body to the base may close it to a loop.

    ``code`` is as in `DivideAndConquer`.
    """

    def __init__(self, robot: Model, loops: Sequence[Loop] = (), code: str = "kernels") -> None:
        super().__init__(robot, loops, code)
        n, closing = robot.n_bodies, self.plan.loops
        if any(p != i for i, p in enumerate(robot.parent[1:])):
            raise ModelError(
                f"robot {robot.name!r} is no chain; sixd.parallel.DivideAndConquer takes robots of any shape"
            )
        if len(closing) > 1 or any((loop.predecessor, loop.successor) != (0, n) for loop in closing):
            raise ModelError(
                f"a chain is closed here by one joint, from its last body, {n}, to the base; "
                "sixd.parallel.DivideAndConquer takes other loops"
            )
        rotors = [any(view.data.rotor_inertia) for view in robot.joints] + [False] * len(closing)
        freedoms = [self.plan.joints[k].n for k in range(1, len(rotors) + 1)]
        #: The unknowns of each joint. A free joint has no constraint forces, so it has unknowns as one with a rotor.
        self._unknowns = [Unknown(m, rotor or m == 6) for m, rotor in zip(freedoms, rotors, strict=True)]
        self._reduction = Reduction([unknown.size for unknown in self._unknowns])
        self._by_form = _places(self._unknowns)
        self._by_pair = _places(list(zip(self._unknowns, self._unknowns[1:], strict=False)))
        still = np.zeros((1, 1, 10))
        bodies = [still, self._constants.inverses, *[still] * len(closing)]
        self._inverses = np.concatenate(bodies)

    @property
    def rounds(self) -> int:
        """How many rounds follow each other."""
        return len(self.plan.up) + len(self.plan.down) + 2 * len(self._reduction.rounds) + 7

    def _solved(self, state: State) -> Array:
        joints = self._rows(state)
        steps, b = self._chain(state)
        known = self._known(joints, b.shape[1])
        a = self._accelerations(b, known, steps)
        x = self._reduced(joints, steps, a)
        forces = known.copy()
        for form, places in self._by_form.items():
            own = x[form.size][self._row(places)]
            forces[places + 1] += self._call(joint_force, form, joint=joints[form], x=own)
        a = self._accelerations(b, forces, steps)
        qdd = np.empty((b.shape[1], self.robot.nv))
        for form, places in self._by_form.items():
            tree = places[places < self.robot.n_bodies]
            if form.n and len(tree):
                rows = {"step": steps[tree], "joint": joints[form][: len(tree)], "a": a[tree + 1], "a_left": a[tree]}
                rates = self._call(joint_rate, form, **rows)
                qdd[:, self.plan.columns(tree + 1)] = np.moveaxis(rates, 0, 1)
        return qdd

    def _rows(self, state: State) -> dict[Unknown, Array]:
        """T, V, R, tau and c of the joints, by the form of their unknowns."""
        rows = {form: [self.plan.joints[k + 1].row for k in places] for form, places in self._by_form.items()}
        return {form: state.joints[form.n][which][..., 12:] for form, which in rows.items()}

    def _chain(self, state: State) -> tuple[Array, Array]:
        """X and s of each joint and of none after the last; b of the base, the bodies, and of what a loop ends at."""
        n, samples, count = self.robot.n_bodies, state.b.shape[1], len(self._unknowns)
        steps, b = np.zeros((count + 1, samples, 13)), np.zeros((count + 1, samples, 6))
        steps[..., [0, 4, 8]] = 1.0
        for form, (bodies, _) in self.plan.tree_joints.items():
            steps[bodies - 1, :, :12] = state.joints[form][: len(bodies), :, :12]
        steps[:n, :, 12], b[0], b[1 : n + 1] = 1.0, self._base, state.b
        for loop in range(n, count):
            row = self.plan.joints[loop + 1]
            X = state.joints[row.n][row.row, :, :12]
            steps[loop, :, 12], b[loop + 1] = -1.0, -_moved(X, self._base)
        return steps, b

    def _known(self, joints: dict[Unknown, Array], samples: int) -> Array:
        """V tau by joint, from 1; zero where the force is unknown, and before the first and after the last joint."""
        found = np.zeros((len(self._unknowns) + 2, samples, 6))
        for form, places in self._by_form.items():
            n = form.n
            if n and not form.extended:
                V = joints[form][..., 36 - 6 * n : 36].reshape(*joints[form].shape[:2], n, 6)
                found[places + 1] = np.einsum("...nc,...n->...c", V, joints[form][..., 36 + n : 36 + 2 * n])
        return found

    def _accelerations(self, b: Array, forces: Array, steps: Array) -> Array:
        """The accelerations of the base and the bodies under joint forces."""
        rows = {"b": b, "inverse": self._inverses, "own": forces[:-1], "step": steps, "following": forces[1:]}
        return self._call(at_rest, None, **rows)

    def _reduced(self, joints: dict[Unknown, Array], steps: Array, a: Array) -> Blocks:
        """The unknowns, by their size, from the blocks of (28)."""
        samples, plan = a.shape[1], self._reduction
        D = {m: np.empty((count, samples, m * m)) for m, count in plan.counts.items()}
        rhs = {m: np.empty((count, samples, m)) for m, count in plan.counts.items()}
        C = {(m, k): np.empty((count, samples, m * k)) for (m, k), count in plan.blocks.items()}
        for form, places in self._by_form.items():
            ends = {"right": self._inverses[places + 1], "left": self._inverses[places]}
            given = {"step": steps[places], "joint": joints[form], "a": a[places + 1], "a_left": a[places]}
            rows = self._row(places)
            D[form.size][rows], rhs[form.size][rows] = self._call(diagonal, form, **given, **ends)
        for (form, following), places in self._by_pair.items():
            given = {"inverse": self._inverses[places + 1], "joint": joints[form][self._within(form, places)]}
            given |= {"step": steps[places + 1], "following": joints[following][self._within(following, places + 1)]}
            block = self._call(off_diagonal, (form, following), **given)
            C[form.size, following.size][np.array(plan.first)[places]] = block
        return self._eliminated(D, rhs, C)

    def _eliminated(self, D: Blocks, rhs: Blocks, C: dict[tuple[int, int], Array]) -> Blocks:
        """Odd-even reduction: rounds of elimination, then the unknowns in the opposite order."""
        done = [(each, self._eliminate(each, D, rhs, C)) for level in self._reduction.rounds for each in level]
        x = rhs  # each is written when it is known
        for each, (y, left, right) in reversed(done):
            form = each.form
            beside = {"left": left, "x_left": x[form.left][each.left] if form.left else NOTHING}
            beside |= {"right": right, "x_right": x[form.right][each.right] if form.right else NOTHING}
            x[form.own][each.own] = self._call(substitute, form, y=y, **beside)
        return x

    def _eliminate(
        self, each: Elimination, D: Blocks, rhs: Blocks, C: dict[tuple[int, int], Array]
    ) -> tuple[Array, Array, Array]:
        """One form of a round; D^-1 times the right-hand side and the blocks with the neighbours."""
        form = each.form
        left = C[form.left, form.own][each.left_block] if form.left else NOTHING
        right = C[form.own, form.right][each.right_block] if form.right else NOTHING
        own = {"block": D[form.own][each.own], "rhs": rhs[form.own][each.own]}
        found = self._call(eliminate, form, **own, left=left, right=right)
        results = iter(found if isinstance(found, tuple) else (found,))
        y = next(results)
        scaled = [next(results) if m else NOTHING for m in (form.left, form.right)]
        for m, rows in ((form.left, each.left), (form.right, each.right)):
            if m:
                D[m][rows] -= next(results)
                rhs[m][rows] -= next(results)
        if form.left and form.right:
            C[form.left, form.right][each.between] = next(results)
        return y, scaled[0], scaled[1]

    def _row(self, places: Indices) -> Indices:
        """The rows of joints among unknowns of equal size."""
        return np.array(self._reduction.row)[places]

    def _within(self, form: Unknown, places: Indices) -> Indices:
        """The rows of joints among those of equal form."""
        return np.searchsorted(self._by_form[form], places)


def _places(keys: Sequence[K]) -> dict[K, Indices]:
    """Where each key is, in order."""
    found: dict[K, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        found[key].append(place)
    return {key: np.array(places) for key, places in found.items()}


def _moved(X: Array, m: Array) -> Array:
    """X m for a motion, with X by its twelve numbers (samples, 12)."""
    E, r = X[:, :9].reshape(-1, 3, 3), X[:, 9:]
    ang, lin = np.broadcast_to(m[:3], r.shape), m[3:] - np.cross(r, m[:3])
    return np.concatenate([np.einsum("sij,sj->si", E, ang), np.einsum("sij,sj->si", E, lin)], axis=-1)
