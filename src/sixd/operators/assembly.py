"""In which order a mechanism is put together from its bodies, so that few steps follow each other.

Pieces of the mechanism are joined two at a time, and the bodies of a chain in log2 N rounds. A piece is a set of bodies
that the joints of the tree connect. It is cut in two at the joint that leaves the larger part as small as possible; so
the depth is O(log N) if each body carries few others. A piece that is joined to many others is cut so that both parts
have some of these, for the work of a piece grows with the square of their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sixd.constraints import Loop
from sixd.model import Model
from sixd.operators.mechanism import ClosingJoint, closing_joints

__all__ = ["Assembly", "Node"]

#: A piece with more open joints is cut so as to share them.
OPEN = 3


@dataclass(frozen=True)
class Node:
    """A piece: one body, or two pieces joined. Pieces are numbered so that parts come before what they are parts of."""

    #: The body of the piece nearest to the base.
    top: int
    #: The two pieces that it is joined from, that with the top first; None for a single body.
    parts: tuple[int, int] | None
    #: The joints closed by joining: that of the tree first, then loops. Joints count from 1, as connections do.
    joints: tuple[int, ...]
    #: Those that are still open, by their numbers.
    open: tuple[int, ...]
    #: 0 for a single body, one more than the higher of its parts otherwise.
    level: int


@dataclass(frozen=True)
class Assembly:
    """The pieces of a mechanism, and what joins the last of them to the base.

    Each of ``groups`` has pieces that loops connect, with the joints that remain: those to the base first.
    """

    nodes: tuple[Node, ...]
    groups: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]

    @classmethod
    def of(cls, model: Model, loops: Sequence[Loop | ClosingJoint] = ()) -> Assembly:
        """The assembly of a robot, of any shape, with joints that close loops."""
        closing = closing_joints(model, loops)
        ends = {i: (model.parent[i], i) for i in range(1, model.n_bodies + 1)}
        ends |= {model.n_bodies + k: (loop.predecessor, loop.successor) for k, loop in enumerate(closing, 1)}
        builder = _Builder(model.parent, ends)
        roots = [builder.build(model.subtree_of(i)) for i in model.children[0]]
        return cls(tuple(builder.nodes), tuple(builder.groups(roots)))

    @property
    def depth(self) -> int:
        """The number of rounds of joining, those to the base included."""
        return max(max(self.nodes[k].level for k in pieces) + len(joints) for pieces, joints in self.groups)

    @property
    def order(self) -> list[int]:
        """The joints in the order in which they are closed, round by round."""
        by_level = sorted((node.level, joint) for node in self.nodes for joint in node.joints)
        return [joint for _, joint in by_level] + [joint for _, joints in self.groups for joint in joints]


class _Builder:
    """Cuts a tree into pieces."""

    def __init__(self, parents: Sequence[int], ends: dict[int, tuple[int, int]]) -> None:
        self.parents, self.ends, self.nodes = parents, ends, list[Node]()
        self.at: dict[int, list[int]] = {}
        for joint, bodies in ends.items():
            for body in bodies:
                self.at.setdefault(body, []).append(joint)

    def build(self, bodies: Iterable[int]) -> int:
        """The number of the piece with these bodies. Parts are cut before pieces are made of them: no recursion."""
        todo: list[tuple[list[int], bool]] = [(sorted(bodies), False)]
        done: list[int] = []
        while todo:
            piece, is_cut = todo.pop()
            if len(piece) == 1:
                done.append(self._add(piece[0], None, (), self._open(piece), 0))
            elif is_cut:
                right, left = done.pop(), done.pop()
                done.append(self._join(left, right))
            else:
                left_bodies, right_bodies = self._cut(piece)
                todo += [(piece, True), (right_bodies, False), (left_bodies, False)]
        return done[0]

    def _add(
        self, top: int, parts: tuple[int, int] | None, joints: tuple[int, ...], open: tuple[int, ...], level: int
    ) -> int:
        self.nodes.append(Node(top, parts, joints, open, level))
        return len(self.nodes) - 1

    def _join(self, left: int, right: int) -> int:
        a, b = self.nodes[left], self.nodes[right]
        joints = tuple(sorted(set(a.open) & set(b.open)))
        still = tuple(sorted(set(a.open) ^ set(b.open)))
        return self._add(a.top, (left, right), joints, still, 1 + max(a.level, b.level))

    def _open(self, piece: Sequence[int]) -> tuple[int, ...]:
        """The joints with one end in the piece."""
        inside = set(piece)
        joints = {joint for body in piece for joint in self.at[body]}
        return tuple(sorted(j for j in joints if sum(body in inside for body in self.ends[j]) == 1))

    def _cut(self, piece: list[int]) -> tuple[list[int], list[int]]:
        """The part with the top, and the part that the joint of another body carries."""
        inside, still = set(piece), set(self._open(piece))
        ends = {body: sum(joint in still for joint in self.at[body]) for body in piece}
        share = len(still) > OPEN
        size = {body: (ends[body] if share else 0, 1) for body in piece}
        for body in reversed(piece[1:]):
            p = self.parents[body]
            size[p] = (size[p][0] + size[body][0], size[p][1] + size[body][1])
        total = size[piece[0]]

        def larger(body: int) -> tuple[int, int]:
            own = size[body]
            return max(own[0], total[0] - own[0]), max(own[1], total[1] - own[1])

        joint = min(piece[1:], key=larger)
        carried = {joint}
        for body in piece:
            if self.parents[body] in carried and body in inside:
                carried.add(body)
        return [body for body in piece if body not in carried], [body for body in piece if body in carried]

    def groups(self, roots: Sequence[int]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Roots that loops connect, each group with the joints that are open: of the tree first, then loops."""
        groups = [({root}, set(self.nodes[root].open)) for root in roots]
        merged: list[tuple[set[int], set[int]]] = []
        for pieces, joints in groups:
            for other in [each for each in merged if each[1] & joints]:
                merged.remove(other)
                pieces, joints = pieces | other[0], joints | other[1]
            merged.append((pieces, joints))
        return [(tuple(sorted(pieces)), tuple(sorted(joints))) for pieces, joints in merged]
