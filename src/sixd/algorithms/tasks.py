"""Tasks: which frames a controller is about, and which of their motions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from sixd.algorithms.declared import Position
from sixd.algorithms.jacobian import jacobian
from sixd.errors import ArgumentError, ShapeError
from sixd.given import choice, described, name
from sixd.model.tree import Tree
from sixd.ops import Scalar
from sixd.spatial import Force, Forces, Transform

__all__ = ["TASKS", "Kinds", "Task", "kinds_of", "task_jacobian", "task_rows", "tasks_of", "unit_forces"]

#: The rows of a Jacobian that a task is about.
TASKS = {"pose": slice(0, 6), "rotation": slice(0, 3), "position": slice(3, 6)}
#: The kind of all tasks, or of each.
Kinds: TypeAlias = str | Sequence[str]


class Task(NamedTuple):
    """A frame on a body, and the rows of its Jacobian that matter."""

    body: int
    offset: Transform
    rows: slice

    @property
    def size(self) -> int:
        """How many directions the task has."""
        return len(range(*self.rows.indices(6)))


def task_rows(kind: str) -> slice:
    """The rows of a Jacobian that a task of this kind is about."""
    return TASKS[choice(kind, "kind", TASKS)]


def kinds_of(kind: Kinds, count: int) -> tuple[str, ...]:
    """The kind of each of several tasks; one kind stands for all of them."""
    each: Any = (kind,) * count if isinstance(kind, str) else kind
    if not isinstance(each, list | tuple) or len(each) != count:
        raise ShapeError(f"kind must be one for all frames, or one for each of {count}, not {described(kind)}")
    return tuple(choice(one, "kind", TASKS) for one in each)


def tasks_of(tree: Tree, frames: Sequence[str], kinds: Kinds) -> list[Task]:
    """The tasks of frames of a model by their names; ``kinds`` is one for all of them, or one for each."""
    if not isinstance(frames, list | tuple) or not frames:
        raise ArgumentError(f"frames must be several names of frames, not {described(frames)}")
    found = [tree.model.frames[name(frame, "each frame")] for frame in frames]
    each = zip(found, kinds_of(kinds, len(frames)), strict=True)
    return [Task(frame.body, frame.offset, TASKS[kind]) for frame, kind in each]


def task_jacobian(tree: Tree, q: Position, task: Task, expressed_in: str) -> list[list[Scalar]]:
    """The rows of a frame's Jacobian that a task is about."""
    columns = [c.components()[task.rows] for c in jacobian(tree, q, task.body, task.offset, expressed_in).columns]
    return [list(row) for row in zip(*columns, strict=True)]


def unit_forces(frame: Transform, X: Transform, rows: slice) -> Forces:
    """The unit forces of a task, in body coordinates: the transpose of the map from the body's velocity to the task's.

    ``frame`` leads from body to frame coordinates, ``X`` from these to those in which the task is expressed.
    """
    units = [Force.from_components([1.0 if r == k else 0.0 for r in range(6)]) for k in range(6)[rows]]
    return frame.inv @ (X.inv @ Forces(units))
