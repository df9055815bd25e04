"""Operators of a tree that are sparse: block diagonals, and the incidence matrix P with its inverse by recursion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixd.errors import ShapeError, SpatialTypeError
from sixd.given import whole
from sixd.operators.inverse_inertia import InverseInertia
from sixd.operators.operator import Operator
from sixd.operators.stacks import ForceStack, JointStack, MotionStack, Space, listed
from sixd.process.forks import cached_property
from sixd.spatial import ArticulatedInertia, Force, Forces, Inertia, Matrix, Motion, Motions, Transform, inverse

__all__ = ["ArticulatedLink", "BlockDiagonal", "Incidence", "Link", "RigidLink"]

#: The kind of a block -> the kinds of stacks that the block diagonal is from and to.
_SPACES: dict[type[Any], tuple[type[Any], type[Any]]] = {
    Motions: (JointStack, MotionStack),
    Forces: (JointStack, ForceStack),
    Matrix: (JointStack, JointStack),
    Inertia: (MotionStack, ForceStack),
    ArticulatedInertia: (MotionStack, ForceStack),
    InverseInertia: (ForceStack, MotionStack),
}


class BlockDiagonal(Operator):
    """diag(B_1, ..., B_N): each body's block acts on the part of that body.

    The blocks decide what it is: `Motions` make H, `Inertia` I, `Forces` a basis of joint forces, `Matrix` a map of
    joint vectors to joint vectors.
    """

    def __init__(self, blocks: Sequence[Any]) -> None:
        self.blocks = listed(blocks, "the blocks of a block diagonal")
        kinds = {type(block) for block in self.blocks}
        if len(kinds) != 1 or not kinds <= _SPACES.keys():
            known = ", ".join(kind.__name__ for kind in _SPACES)
            found = ", ".join(sorted(kind.__name__ for kind in kinds)) or "none"
            raise SpatialTypeError(f"a block diagonal has blocks of one kind, of {known}; found: {found}")
        (kind,) = kinds
        from_kind, to_kind = _SPACES[kind]
        sixes = (6,) * len(self.blocks)
        joints = (
            tuple(len(b.rows) if isinstance(b, Matrix) else len(b) for b in self.blocks) if _has_columns(kind) else ()
        )
        self.domain = Space(from_kind, joints if from_kind is JointStack else sixes)
        self.range = Space(to_kind, joints if to_kind is JointStack else sixes)

    def _apply(self, x: Any) -> Any:
        return self.range.kind(_product(block, part) for block, part in zip(self.blocks, x.values, strict=True))

    def _apply_transposed(self, y: Any) -> Any:
        kind = self.domain.dual.kind
        return kind(_transposed(block) @ part for block, part in zip(self.blocks, y.values, strict=True))

    @cached_property
    def _inverse(self) -> BlockDiagonal:
        return BlockDiagonal([_inverted(block) for block in self.blocks])

    def _solve(self, y: Any) -> Any:
        return self._inverse._apply(y)

    def _solve_transposed(self, x: Any) -> Any:
        return self._inverse._apply_transposed(x)


def _has_columns(kind: type[Any]) -> bool:
    return issubclass(kind, Motions | Forces | Matrix)


def _product(block: Any, part: Any) -> Any:
    """The block times a part; a block without columns gives zero."""
    return block @ part if not isinstance(block, Motions | Forces) or len(block) else block.kind.zero()


def _transposed(block: Any) -> Any:
    return block.T if isinstance(block, Motions | Forces | Matrix) else block  # inertias are symmetric


def _inverted(block: Any) -> Any:
    if isinstance(block, Matrix):
        return inverse(block)
    if isinstance(block, Inertia):
        return InverseInertia.of(block)
    raise SpatialTypeError(f"a block of {type(block).__name__} has no inverse here")


class Link(ABC):
    """How the motion of a body's parent reaches the body, and the body's force the parent."""

    @abstractmethod
    def outward(self, m: Motion) -> Motion:
        """L m, from parent to body coordinates."""

    @abstractmethod
    def inward(self, f: Force) -> Force:
        """L^T f, from body to parent coordinates."""


@dataclass(frozen=True)
class RigidLink(Link):
    """L = X: what is fixed to the parent, in coordinates of the body."""

    X: Transform

    def outward(self, m: Motion) -> Motion:
        return self.X @ m

    def inward(self, f: Force) -> Force:
        return self.X.inv @ f


@dataclass(frozen=True)
class ArticulatedLink(Link):
    """L = (1 - S G^T) X: the joint gives way, so that no force along its freedom is transmitted.

    G = I^A S D^-1 is the gain of the articulated-body algorithm.
    """

    X: Transform
    S: Motions
    G: Forces

    def outward(self, m: Motion) -> Motion:
        moved = self.X @ m
        return moved - self.S @ (self.G.T @ moved)

    def inward(self, f: Force) -> Force:
        return self.X.inv @ (f - self.G @ (self.S.T @ f))


class Incidence(Operator):
    """P of FO00 (29): (P x)_i = x_i - L_i x_parent(i), where L_i takes motions of the parent to the body.

    In the paper all vectors have common coordinates and L is 1; here each body has its own, and L_i = X_i. The inverse
    is a recursion from the base to the tips, phi^* of Rodriguez, Jain and Kreutz-Delgado. That of the transpose runs
    from the tips to the base.
    """

    def __init__(self, parents: Sequence[int], links: Sequence[Link]) -> None:
        """The parent of each body 1..N, which is before it (0 is the base), and its link."""
        self.parents = listed(parents, "the parents of an incidence matrix")
        self.links = listed(links, "the links of an incidence matrix")
        if any(whole(p) is None or not 0 <= p <= k for k, p in enumerate(self.parents)):
            raise ShapeError(f"the parent of a body must be the number of one before it; found {list(self.parents)}")
        if len(self.parents) != len(self.links) or not all(isinstance(link, Link) for link in self.links):
            raise ShapeError(f"an incidence matrix needs a link for each of its {len(self.parents)} bodies")
        self.domain = self.range = Space.motions(len(self.links))

    def _apply(self, x: Any) -> Any:
        rows = zip(x.values, self.parents, self.links, strict=True)
        return MotionStack(own - link.outward(x[p]) if p else own for own, p, link in rows)

    def _apply_transposed(self, y: Any) -> Any:
        found = list(y.values)
        for own, p, link in zip(y.values, self.parents, self.links, strict=True):
            if p:
                found[p - 1] = found[p - 1] - link.inward(own)
        return ForceStack(found)

    def _solve(self, y: Any) -> Any:
        found: list[Motion] = []
        for own, p, link in zip(y.values, self.parents, self.links, strict=True):
            found.append(own + link.outward(found[p - 1]) if p else own)
        return MotionStack(found)

    def _solve_transposed(self, x: Any) -> Any:
        found = list(x.values)
        for i in range(len(found), 0, -1):
            p = self.parents[i - 1]
            if p:
                found[p - 1] = found[p - 1] + self.links[i - 1].inward(found[i - 1])
        return ForceStack(found)
