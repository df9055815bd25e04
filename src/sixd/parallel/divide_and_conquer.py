"""Forward dynamics by divide and conquer, round by round: all pieces of a round at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sixd.parallel.closing import close_pieces, open_pieces, solve_pieces
from sixd.parallel.plan import Round
from sixd.parallel.solver import Array, RoundByRound, State

__all__ = ["DivideAndConquer"]


class DivideAndConquer(RoundByRound):
    """qdd of a robot by `sixd.operators.divide_and_conquer`, evaluated round by round.

        forward = sixd.parallel.DivideAndConquer(robot)
        qdd = forward(q, qd, tau)

    Each round is one call for all its pieces and all samples. For a chain there are some 4 log2 N of them: up and down
    the tree of pieces for the velocities, up to put the pieces together, down to take them apart.

    ``code`` says how rounds run: "kernels" compiles a function for each form of step, once for all robots; "numpy" runs
    the same functions on arrays. ``loops`` are joints that close loops (`sixd.Loop`), beside those of a closed robot.
    """

    @property
    def rounds(self) -> int:
        """How many rounds follow each other."""
        return len(self.plan.up) + len(self.plan.down) + 2 * len(self.plan.rounds) + 3

    def _solved(self, state: State) -> Array:
        """Put the pieces together, then take them apart."""
        samples, joints = state.b.shape[1], state.joints
        pieces = {h: np.repeat(rows, samples, axis=1) for h, rows in self._constants.pieces.items()}
        for h, (rows, bodies) in self.plan.leaves.items():
            pieces[h][rows, :, -6 * h :] = np.tile(state.b[bodies], h)
        closed: list[tuple[Round, Array, Array]] = []
        for level in self.plan.rounds:
            for each in level:
                given = _gathered(each, pieces, joints)
                made, own = self._call(close_pieces, each.closing, **given, base=self._base)
                pieces[len(each.closing.rest)][each.made] = made
                closed.append((each, own, given["joints"]))
        forces = {h: np.empty((len(rows), samples, 6 * h)) for h, rows in pieces.items()}
        qdd = np.empty((samples, self.robot.nv))
        for each in self.plan.last:
            found = self._call(solve_pieces, each.closing, **_gathered(each, pieces, joints), base=self._base)
            self._scatter(each, found, forces, qdd)
        for each, own, rows in reversed(closed):
            rest = forces[len(each.closing.rest)][each.made]
            found = self._call(open_pieces, each.closing, closed=own, joints=rows, forces=rest)
            self._scatter(each, found, forces, qdd)
        return qdd

    def _scatter(self, each: Round, found: Sequence[Array], forces: dict[int, Array], qdd: Array) -> None:
        """Write forces to the parts of a round, and accelerations of its joints to qdd."""
        *ends, rates = found
        for part, rows, f in zip(each.closing.parts, each.parts, ends, strict=True):
            forces[len(part)][rows] = f
        start = 0
        for form, columns in zip(each.closing.joints, each.columns, strict=True):
            if columns is not None:
                qdd[:, columns] = np.moveaxis(rates[..., start : start + form.n], 0, 1)
            start += form.n


def _gathered(each: Round, pieces: dict[int, Array], joints: dict[int, Array]) -> dict[str, Array]:
    """The numbers that a round takes, a row for each of its places."""
    parts = [pieces[len(part)][rows] for part, rows in zip(each.closing.parts, each.parts, strict=True)]
    own = [joints[form.n][rows] for form, rows in zip(each.closing.joints, each.joints, strict=True)]
    return {
        "parts": np.concatenate(parts, axis=-1),
        "joints": own[0] if len(own) == 1 else np.concatenate(own, axis=-1),
    }
