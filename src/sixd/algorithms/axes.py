"""The axes of all joints that carry a body, in its coordinates: what sums over pairs and triples of joints need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sixd.algorithms.declared import Position
from sixd.model.tree import Tree
from sixd.spatial import Inertia, Motions, Transform, Vector

__all__ = ["Axes", "Carried", "carried", "units"]


class Axes(NamedTuple):
    """The axes of one joint in the coordinates of a body that it carries; those of a mimic joint times its ratio."""

    #: The degrees of freedom.
    numbers: range
    #: S, one axis for each of them.
    S: Motions
    #: dS/dq_i for each degree of freedom i, with one column for each axis; zero where S is constant.
    slopes: tuple[Motions, ...]

    def seen_by(self, X: Transform) -> Axes:
        """The same in other coordinates."""
        return Axes(self.numbers, X @ self.S, tuple(X @ slope for slope in self.slopes))


class Carried(NamedTuple):
    """A body with all that it carries, frozen: their inertia in its coordinates, and the axes of all joints before it.

    The axes of its own joint come first, those of the joint next to the base last.
    """

    I: Inertia
    joints: list[Axes]


def carried(tree: Tree, q: Position) -> Iterator[Carried]:
    """Every body with what it carries and with the joints that carry it, from the tips to the base."""
    X, I = tree.slots(Transform), tree.slots(Inertia, base=Inertia.zero())
    axes: dict[int, list[Axes]] = {0: []}
    for i, p in tree.outward():
        joint, place = tree.joint(i), tree.model.coordinates[i]
        X[i], I[i] = joint.transform(q[i]) @ tree.placement(i), tree.inertia(i)
        S, slopes = joint.subspace(q[i]), tuple(joint.subspace_rate(q[i], e) for e in units(joint.nv))
        if place.ratio != 1.0:
            S, slopes = S * place.ratio, tuple(slope * place.ratio**2 for slope in slopes)
        own = Axes(range(place.v.start, place.v.stop), S, slopes)
        axes[i] = [own, *(before.seen_by(X[i]) for before in axes[p])]
    for i, p in tree.inward():
        yield Carried(I[i], axes[i])
        I[p] = I[p] + X[i].inv @ I[i]


def units(n: int) -> Iterator[Vector]:
    """The unit vectors of n dimensions."""
    return (Vector([1.0 if j == k else 0.0 for j in range(n)]) for k in range(n))
