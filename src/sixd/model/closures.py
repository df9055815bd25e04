"""Constraints as algorithms see them: the frames and joints that they name, found in a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sixd.constraints import Constraint
from sixd.errors import ModelError, NameNotFoundError
from sixd.ops import Scalar
from sixd.spatial import Transform

if TYPE_CHECKING:
    from sixd.model.model import Model

__all__ = ["Closure", "TargetNumbers", "closures"]


class TargetNumbers(list[Scalar]):
    """The targets of all prescribed rows, three numbers each, one after the other, as algorithms see them."""


class Closure(NamedTuple):
    """A constraint in its place: what it ties, and where its rows are among those of all constraints."""

    constraint: Constraint
    #: Its number among the constraints.
    number: int
    #: Its rows, and its rows among those whose motion is prescribed.
    rows: slice
    targets: slice
    #: The bodies that carry frames a and b, and the transforms from body to frame coordinates.
    a: int
    b: int
    X_a: Transform
    X_b: Transform
    #: The bodies from a, and from b, down to the body that carries both, which is left out: only their joints move one
    #: frame relative to the other.
    path_a: tuple[int, ...]
    path_b: tuple[int, ...]
    #: The joints that it ties, by number.
    joints: tuple[int, ...]

    def targets_of(self, targets: Sequence[Scalar] | None) -> list[tuple[Scalar, Scalar, Scalar]]:
        """Position, velocity and acceleration that each row is to have; all zero if its motion is not prescribed.

        ``targets`` are the numbers of all prescribed rows, one after the other; None holds them where they are held.
        """
        if targets is None or not self.constraint.driven:
            return [(held, 0.0, 0.0) for held in self.constraint.held]
        k = range(3 * self.targets.start, 3 * self.targets.stop, 3)
        return [(targets[i], targets[i + 1], targets[i + 2]) for i in k]


def closures(model: Model) -> tuple[Closure, ...]:
    """The constraints of a model in their places; errors name the constraint."""
    found: list[Closure] = []
    row = target = 0
    known: dict[object, str] = {}
    for number, constraint in enumerate(model.constraint_list):
        twin = known.setdefault(constraint.meaning, constraint.name)
        if twin != constraint.name:
            raise ModelError(f"constraints {twin!r} and {constraint.name!r} are the same: leave one out")
        rows = slice(row, row + constraint.rows)
        targets = slice(target, target + (constraint.rows if constraint.driven else 0))
        found.append(_placed(model, constraint, number, rows, targets))
        row, target = rows.stop, targets.stop
    return tuple(found)


def _placed(model: Model, constraint: Constraint, number: int, rows: slice, targets: slice) -> Closure:
    what = f"constraint {constraint.name!r}"
    try:
        frames = [model.frame(name) for name in constraint.frames]
        joints = tuple(model.joint(name).index for name in constraint.joints)
    except NameNotFoundError as error:
        raise ModelError(f"{what}: {error}") from None
    for joint, G in zip(joints, constraint.coefficients(), strict=True):
        view = model.joints[joint - 1]
        if G.shape[1] != view.type.nv or view.type.nq != view.type.nv:
            raise ModelError(
                f"{what}: joint {view.name!r} is {view.type.name}; it must have {G.shape[1]} coordinates, whose "
                "rates are its velocity"
            )
    nothing = Transform.identity()
    if not frames:
        return Closure(constraint, number, rows, targets, 0, 0, nothing, nothing, (), (), joints)
    a, b = frames
    if a.body == b.body:
        raise ModelError(
            f"{what}: frames {a.name!r} and {b.name!r} are both on body {model.body_list[a.body].name!r}, which is "
            "rigid: nothing can move between them"
        )
    down = model.path(a.body), model.path(b.body)
    both = set(down[0]) & set(down[1])
    path_a, path_b = (tuple(i for i in path if i not in both) for path in down)
    X_a = constraint.offset @ a.offset
    return Closure(constraint, number, rows, targets, a.body, b.body, X_a, b.offset, path_a, path_b, joints)
