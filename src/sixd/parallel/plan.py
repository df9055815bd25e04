"""What happens in which round: the rows of arrays that each round reads and writes, found once for a robot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from sixd.constraints import Loop
from sixd.model import Model
from sixd.operators.assembly import Assembly, Node
from sixd.operators.mechanism import closing_joints
from sixd.operators.pieces import Handle
from sixd.parallel.closing import Closing, JointForm

__all__ = ["JointRow", "PieceRow", "Plan", "Round", "Steps"]

Indices: TypeAlias = Any


@dataclass(frozen=True)
class PieceRow:
    """Where a piece is: among the pieces with as many open ends, in this row."""

    handles: tuple[Handle, ...]
    row: int


@dataclass(frozen=True)
class JointRow:
    """Where a joint is: among those with as many freedoms, in this row."""

    n: int
    row: int


@dataclass(frozen=True)
class Round:
    """Steps of one form that run at once."""

    closing: Closing
    #: For each part, the rows of the pieces; for each joint, its rows, and the columns of its qdd; None for loops.
    parts: tuple[Indices, ...]
    joints: tuple[Indices, ...]
    columns: tuple[Indices | None, ...]
    #: The rows of the pieces that are made; none for the last round.
    made: Indices


@dataclass(frozen=True)
class Steps:
    """Compositions of steps that run at once: rows of the first, of the second, and of the results."""

    first: Indices
    second: Indices
    made: Indices


class Plan:
    """All rounds of a robot, with the joints that close loops."""

    #: The two bodies of each joint: predecessor, successor. Joints of the tree have the number of their body.
    ends: dict[int, tuple[int, int]]
    #: Whether any joint has a rotor.
    rotors: bool
    #: Where the numbers of each joint are, and of each piece of the assembly.
    joints: dict[int, JointRow]
    pieces: list[PieceRow]
    #: How many pieces there are, by the number of their open ends; and those that are single bodies.
    counts: dict[int, int]
    bodies: dict[int, PieceRow]
    #: Rounds of joining, one list for each level, and those that join the last pieces to the base.
    rounds: list[list[Round]]
    last: list[Round]
    #: Compositions of steps up and down the assembly, how many steps there are, and the rows of the steps that lead to
    #: each body: from the base to its parent, and its own.
    up: list[Steps]
    down: list[Steps]
    steps: int
    above: tuple[Indices, Indices]

    def __init__(self, model: Model, loops: Sequence[Loop]) -> None:
        self.model, self.loops = model, closing_joints(model, loops)
        self.assembly = Assembly.of(model, self.loops)
        self.ends = {i: (model.parent[i], i) for i in range(1, model.n_bodies + 1)}
        self.ends |= {model.n_bodies + k: (x.predecessor, x.successor) for k, x in enumerate(self.loops, 1)}
        self.rotors = any(x != 0.0 for body in model.body_list[1:] for x in body.joint.rotor_inertia)  # type: ignore[union-attr]
        self.joints = self._joint_rows()
        self.counts, self.pieces = defaultdict(int), []
        for node in self.assembly.nodes:
            self.pieces.append(self._piece(node))
        self.bodies = {
            node.top: row for node, row in zip(self.assembly.nodes, self.pieces, strict=True) if not node.parts
        }
        self.rounds = self._rounds()
        self.last = self._last()
        self.up, self.down, self.steps, self.above = self._scan()
        self.leaves = self._leaves()
        self.tree_joints = self._tree_joints()

    def _joint_rows(self) -> dict[int, JointRow]:
        sizes = {i: body.joint.type.nv for i, body in enumerate(self.model.body_list) if body.joint}
        sizes |= {self.model.n_bodies + k: len(loop.subspace()) for k, loop in enumerate(self.loops, 1)}
        count: dict[int, int] = defaultdict(int)
        found = {}
        for joint, n in sizes.items():
            found[joint] = JointRow(n, count[n])
            count[n] += 1
        return found

    def _piece(self, node: Node) -> PieceRow:
        if node.parts is None:
            handles = tuple((joint, self.ends[joint][1] == node.top) for joint in node.open)
        else:
            ends = [h for part in node.parts for h in self.pieces[part].handles]
            handles = tuple(h for h in ends if h[0] not in node.joints)
        self.counts[len(handles)] += 1
        return PieceRow(handles, self.counts[len(handles)] - 1)

    def _leaves(self) -> dict[int, tuple[Indices, Indices]]:
        """By the number of open ends: the rows of the pieces that are single bodies, and the places of the bodies."""
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for body, place in sorted(self.bodies.items()):
            found[len(place.handles)].append((place.row, body - 1))
        return {h: (_rows(row for row, _ in rows), _rows(body for _, body in rows)) for h, rows in found.items()}

    def _tree_joints(self) -> dict[int, tuple[Indices, Indices]]:
        """By the number of freedoms: the bodies of the joints of the tree, in the order of their rows, and columns."""
        found: dict[int, list[int]] = defaultdict(list)
        for joint, row in self.joints.items():
            if joint <= self.model.n_bodies:
                found[row.n].append(joint)
        return {n: (np.array(joints), self.columns(joints)) for n, joints in found.items()}

    def _form(self, parts: Sequence[int], joints: Sequence[int]) -> Closing:
        """The form of a step, its joints numbered as they appear."""
        number: dict[int, int] = {}
        for part in parts:
            for joint, _ in self.pieces[part].handles:
                number.setdefault(joint, len(number))
        ends = tuple(tuple((number[j], side) for j, side in self.pieces[part].handles) for part in parts)
        last = self.model.n_bodies
        forms = (JointForm(number[j], self.joints[j].n, not self.ends[j][0], self.rotors and j <= last) for j in joints)
        return Closing(ends, tuple(forms))

    def _together(self, steps: Iterable[tuple[Sequence[int], Sequence[int], int]]) -> list[Round]:
        """Steps (parts, joints, row that is made), those of one form as one round."""
        forms: dict[Closing, list[tuple[Sequence[int], Sequence[int], int]]] = defaultdict(list)
        for parts, joints, made in steps:
            forms[self._form(parts, joints)].append((parts, joints, made))
        return [
            Round(
                closing,
                tuple(_rows(self.pieces[x[0][k]].row for x in group) for k in range(len(closing.parts))),
                tuple(_rows(self.joints[x[1][k]].row for x in group) for k in range(len(closing.joints))),
                tuple(self.columns([x[1][k] for x in group]) for k in range(len(closing.joints))),
                _rows(x[2] for x in group),
            )
            for closing, group in forms.items()
        ]

    def columns(self, joints: Sequence[int]) -> Indices | None:
        """The places in qdd of joints, (joints, freedoms); None for joints that close loops, which have none."""
        if joints[0] > self.model.n_bodies:
            return None
        places = np.arange(self.model.nv)
        return np.array([places[self.model.coordinates[joint].v] for joint in joints])

    def _rounds(self) -> list[list[Round]]:
        levels: dict[int, list[tuple[Sequence[int], Sequence[int], int]]] = defaultdict(list)
        for k, node in enumerate(self.assembly.nodes):
            if node.parts is not None:
                levels[node.level].append((node.parts, node.joints, self.pieces[k].row))
        return [self._together(levels[level]) for level in sorted(levels)]

    def _last(self) -> list[Round]:
        return self._together((group, joints, 0) for group, joints in self.assembly.groups)

    def _scan(self) -> tuple[list[Steps], list[Steps], int, tuple[Indices, Indices]]:
        """Compositions up and down the assembly; how many steps there are; rows above each body and of bodies.

        Row 0 is the step that does nothing, row i that of the joint of body i.
        """
        rows = self.model.n_bodies + 1
        to: list[dict[int, int]] = []
        up: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for node in self.assembly.nodes:
            if node.parts is None:
                to.append({joint: node.top for joint in node.open if joint != node.top})
                continue
            upper, lower = (to[part] for part in node.parts)
            found = {joint: row for joint, row in upper.items() if joint in node.open}
            for joint, row in lower.items():
                if joint in node.open:
                    up[node.level].append((upper[node.joints[0]], row, rows))
                    found[joint] = rows
                    rows += 1
            to.append(found)
        above = {k: 0 for group, _ in self.assembly.groups for k in group}
        down: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for k in range(len(self.assembly.nodes) - 1, -1, -1):
            node = self.assembly.nodes[k]
            if node.parts is not None:
                upper_part, lower_part = node.parts
                above[upper_part] = above[k]
                down[-node.level].append((above[k], to[upper_part][node.joints[0]], rows))
                above[lower_part] = rows
                rows += 1
        bodies = {node.top: above[k] for k, node in enumerate(self.assembly.nodes) if node.parts is None}
        leaves = _rows(bodies[i] for i in sorted(bodies)), _rows(sorted(bodies))
        return _steps(up), _steps(down), rows, leaves


def _rows(numbers: Iterable[int]) -> Indices:
    """Row numbers; a slice where they follow each other, so that no copy is needed."""
    found = np.fromiter(numbers, dtype=np.intp)
    if len(found) > 1:
        step = int(found[1] - found[0])
        if step > 0 and np.array_equal(found, found[0] + step * np.arange(len(found))):
            return slice(int(found[0]), int(found[-1]) + 1, step)
    return found


def _steps(levels: dict[int, list[tuple[int, int, int]]]) -> list[Steps]:
    return [Steps(*(_rows(column) for column in zip(*levels[level], strict=True))) for level in sorted(levels)]
