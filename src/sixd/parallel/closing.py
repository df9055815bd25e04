"""Joints of many pieces closed at once: the step of `sixd.operators.pieces` on rows of numbers, one row a place.

What is closed at different places of a mechanism in one round is mostly of the same form. `Closing` is that form. The
functions here take the numbers of a place in one row, so they run on arrays of places: compiled, or in NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from typing import Any

from sixd.operators.mechanism import Connection
from sixd.operators.pieces import Closed, Handle, Piece, merged
from sixd.ops import Scalar, stack, unstack
from sixd.spatial import Force, Forces, Matrix, Motion, Motions, Transform, Vector

__all__ = ["Closing", "JointForm", "close_pieces", "joint_size", "open_pieces", "piece_size", "solve_pieces"]


@dataclass(frozen=True)
class JointForm:
    """A joint by the place of its number, its freedoms, whether it is on the base, and whether it may have a rotor."""

    number: int
    n: int
    on_base: bool
    rotor: bool


@dataclass(frozen=True)
class Closing:
    """The form of a step: the open ends of the pieces that are joined, and the joints that are closed.

    Joints are numbered in the order in which they appear, so that the same step elsewhere is equal.
    """

    parts: tuple[tuple[Handle, ...], ...]
    joints: tuple[JointForm, ...]

    @property
    def rest(self) -> tuple[Handle, ...]:
        """The ends that stay open."""
        closed = {joint.number for joint in self.joints}
        return tuple(h for part in self.parts for h in part if h[0] not in closed)

    def remaining(self) -> list[tuple[Handle, ...]]:
        """For each joint, the ends that are open once it is closed."""
        ends, found = [h for part in self.parts for h in part], []
        for joint in self.joints:
            ends = [h for h in ends if h[0] != joint.number]
            found.append(tuple(ends))
        return found

    @property
    def sizes(self) -> dict[str, tuple[int, ...]]:
        """How many numbers the functions below take, by their arguments."""
        closed = sum(
            6 + j.n + len(rest) * (36 + 6 * j.n) for j, rest in zip(self.joints, self.remaining(), strict=True)
        )
        return {
            "parts": (sum(piece_size(len(part)) for part in self.parts),),
            "joints": (sum(joint_size(joint.n) for joint in self.joints),),
            "closed": (closed,),
            "forces": (6 * len(self.rest),),
        }


def piece_size(handles: int) -> int:
    """How many numbers a piece with so many open ends has: Phi, symmetric, and b."""
    return 21 * handles + 36 * handles * (handles - 1) // 2 + 6 * handles


def joint_size(n: int) -> int:
    """How many numbers a joint with n freedoms has: X, T, V, R (a diagonal), tau, c."""
    return 12 + 6 * (6 - n) + 6 * n + n + n + 6


def close_pieces(model: Any, parts: Any, joints: Any, base: Any, form: Closing) -> tuple[Any, Any]:
    """The numbers of the piece that is left, and those of the joints that were closed."""
    piece, steps = _closed(parts, joints, base, form)
    return stack(_piece_numbers(piece)), stack(_closed_numbers(steps, form))


def open_pieces(model: Any, closed: Any, joints: Any, forces: Any, form: Closing) -> tuple[Any, ...]:
    """The forces at the ends of the parts, part after part, and qdd of the joints: from the forces at the rest."""
    found = dict(zip(form.rest, map(Force.from_components, _split(forces, [6] * len(form.rest))), strict=True))
    return _opened(unstack(closed), joints, found, form)


def solve_pieces(model: Any, parts: Any, joints: Any, base: Any, form: Closing) -> tuple[Any, ...]:
    """The same in one step, where nothing stays open."""
    _, steps = _closed(parts, joints, base, form)
    return _opened(_closed_numbers(steps, form), joints, {}, form)


def _closed(parts: Any, joints: Any, base: Any, closing: Closing) -> tuple[Piece, list[Closed]]:
    given = zip(closing.parts, _split(parts, [piece_size(len(part)) for part in closing.parts]), strict=True)
    piece, steps, still = merged(_piece(part, x) for part, x in given), [], Motion.from_components(unstack(base))
    for form, joint in zip(closing.joints, _connections(joints, closing), strict=True):
        piece, step = piece.close(joint, form.number, still)
        steps.append(step)
    return piece, steps


def _opened(closed: Sequence[Scalar], joints: Any, forces: Mapping[Handle, Force], closing: Closing) -> tuple[Any, ...]:
    """Joints are opened in the opposite order; each has its force as an affine function of those at the rest."""
    found, rates = dict(forces), {}
    left = list(closed)
    steps = zip(closing.joints, _connections(joints, closing), closing.remaining(), strict=True)
    for form, joint, rest in reversed(list(steps)):
        size = 6 + form.n + len(rest) * (36 + 6 * form.n)
        own, left = left[len(left) - size :], left[: len(left) - size]
        total, rows = own[: 6 + form.n], own[6 + form.n :]
        for h, block in zip(rest, _split(rows, [36 + 6 * form.n] * len(rest)), strict=True):
            f = found[h].components()
            total = [x + _dot(block[6 * k : 6 * k + 6], f) for k, x in enumerate(total)]
        force, rates[form.number] = Force.from_components(total[:6]), total[6:]
        found[form.number, True] = force
        if not form.on_base:
            found[form.number, False] = -(joint.X.inv @ force)
    ends = [[x for h in part for x in found[h].components()] for part in closing.parts]
    qdd = [x for form in closing.joints for x in rates[form.number]]
    return *(stack(numbers) for numbers in ends), stack(qdd or [0.0])


def _closed_numbers(steps: Sequence[Closed], closing: Closing) -> list[Scalar]:
    return [x for step, rest in zip(steps, closing.remaining(), strict=True) for x in _affine(step, rest)]


def _affine(step: Closed, rest: Sequence[Handle]) -> list[Scalar]:
    """f and qdd of a joint: without forces at open ends, then by each component of the force at each of them."""
    n, law = len(step.law.K), step.law
    basis = Forces([*law.T, *law.K])
    out = [*law.force(step.gap).components(), *(law.acceleration(step.gap) if n else ())]
    for h in rest:
        if h not in step.E:  # an end of a piece that this joint is no part of
            out += [0.0] * (36 + 6 * n)
            continue
        E = step.E[h]
        f = [basis @ column for column in (-(law.N @ E)).columns()]
        rates = (law.Q @ Matrix(E.rows[6 - n :])).rows if n else ()
        out += [x for row in zip(*(column.components() for column in f), strict=True) for x in row]
        out += [x for row in rates for x in row]
    return out


def _connections(joints: Any, closing: Closing) -> list[Connection]:
    rows = _split(joints, [joint_size(joint.n) for joint in closing.joints])
    return [_connection(form, row) for form, row in zip(closing.joints, rows, strict=True)]


def _connection(form: JointForm, x: Sequence[Scalar]) -> Connection:
    n = form.n
    X, T, V, R, tau, c = _split(x, [12, 6 * (6 - n), 6 * n, n, n, 6])
    rotor = Matrix.diagonal(R if form.rotor else [0.0] * n)
    predecessor = 0 if form.on_base else 1
    place, bases = Transform.from_components(X), (Forces.from_components(T), Forces.from_components(V))
    return Connection(predecessor, 1, place, *bases, rotor, Vector(tau), Motion.from_components(c))


def _piece(handles: Sequence[Handle], x: Sequence[Scalar]) -> Piece:
    n, Phi = len(handles), {}
    own, mixed, b = _split(x, [21 * n, 18 * n * (n - 1), 6 * n])
    for k, h in enumerate(handles):
        Phi[h, h] = _symmetric(own[21 * k : 21 * k + 21])
    for k, (g, h) in enumerate(combinations(handles, 2)):
        block = Matrix.from_components(mixed[36 * k : 36 * k + 36], 6)
        Phi[g, h], Phi[h, g] = _motions(block.T), _motions(block)
    return Piece(Phi, {h: Motion.from_components(b[6 * k : 6 * k + 6]) for k, h in enumerate(handles)})


def _piece_numbers(piece: Piece) -> list[Scalar]:
    handles, out = list(piece.b), list[Scalar]()
    for h in handles:
        columns = [m.components() for m in piece.Phi[h, h]]
        out += [columns[c][r] for r in range(6) for c in range(r, 6)]
    for g, h in combinations(handles, 2):
        out += [x for row in zip(*(m.components() for m in piece.Phi[g, h]), strict=True) for x in row]
    return out + [x for h in handles for x in piece.b[h].components()]


def _symmetric(x: Sequence[Scalar]) -> Motions:
    places = {pair: k for k, pair in enumerate((r, c) for r in range(6) for c in range(r, 6))}
    return Motions(Motion.from_components([x[places[min(r, c), max(r, c)]] for r in range(6)]) for c in range(6))


def _motions(rows: Matrix) -> Motions:
    """Six motions, each a row of a matrix."""
    return Motions(Motion.from_components(row) for row in rows.rows)


def _dot(row: Sequence[Scalar], f: Sequence[Scalar]) -> Scalar:
    total = row[0] * f[0]
    for a, b in zip(row[1:], f[1:], strict=True):
        total = total + a * b
    return total


def _split(x: Any, sizes: Sequence[int]) -> list[Sequence[Scalar]]:
    """A row of numbers in parts of these sizes."""
    values = x if isinstance(x, list | tuple) else unstack(x)
    ends = [0, *accumulate(sizes)]
    return [values[a:b] for a, b in pairwise(ends)]
