"""What an inverse kinematics problem is before it has numbers: frames of a model, and what is asked of each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixd.model import Model
from sixd.model.configuration import neutral, plain_coordinates
from sixd.process.forks import cached_property
from sixd.runtime.least_recently_used import Recent
from sixd.spatial import Transform

__all__ = ["ANGULAR", "GoalFrame", "Plan", "StartRow", "plan_of"]

Array = NDArray[Any]

#: For each kind of goal, which rows of its error are angles.
ANGULAR = {"pose": (True,) * 3 + (False,) * 3, "orientation": (True,) * 3, "position": (False,) * 3}


class GoalFrame(NamedTuple):
    """A frame, at ``offset`` on ``body``, and the kind of goal it has."""

    body: int
    offset: Transform
    kind: str

    @property
    def rows(self) -> int:
        """The rows of its error."""
        return len(ANGULAR[self.kind])


class StartRow:
    """What a row of numbers says of a start on its way: ``width`` columns.

    ``x`` are the coordinates that move a frame, ``e`` the error, ``cost`` is 1/2 sum w e^2. ``multiple`` times |s|^2
    damps the next step, and is multiplied by ``growth`` if that step makes things worse. ``reached`` is 1 where the
    target is reached, ``stationary`` where the last step found none that leads on; else they are 0.
    """

    def __init__(self, p: int, m: int) -> None:
        self.x, self.e = slice(0, p), slice(p, p + m)
        self.cost, self.multiple, self.growth, self.reached, self.stationary = range(p + m, p + m + 5)
        self.width = p + m + 5


class Plan:
    """Which coordinates of a model move some frames, and how."""

    def __init__(self, model: Model, places: tuple[GoalFrame, ...]) -> None:
        self.model, self.places = model, places

    @cached_property
    def columns(self) -> Array:
        """The velocity coordinates that move some goal's frame, (n,)."""
        return self._moving("v", self.places)

    @cached_property
    def own_columns(self) -> tuple[Array, ...]:
        """For each goal, which of `columns` move its frame."""
        return tuple(np.searchsorted(self.columns, self._moving("v", (place,))) for place in self.places)

    @cached_property
    def entries(self) -> Array:
        """Where in the slope A (m, n), row by row, those entries are that are not always zero, goal by goal."""
        rows = np.split(np.arange(len(self.angular)), np.cumsum([place.rows for place in self.places])[:-1])
        pairs = zip(rows, self.own_columns, strict=True)
        return np.concatenate([np.add.outer(r * len(self.columns), own).ravel() for r, own in pairs])

    @cached_property
    def positions(self) -> Array:
        """The position coordinates that move some goal's frame, (p,)."""
        return self._moving("q", self.places)

    @cached_property
    def bounded(self) -> tuple[Array, Array]:
        """Which of `columns` have limits on a position coordinate of their own, and which coordinate that is."""
        iq, iv = plain_coordinates(self.model)
        place = dict(zip(iv.tolist(), iq.tolist(), strict=True))
        pairs = [(c, place[k]) for c, k in enumerate(self.columns.tolist()) if k in place]
        return np.array([c for c, _ in pairs], dtype=int), np.array([k for _, k in pairs], dtype=int)

    @cached_property
    def turns(self) -> Array:
        """How fast each of `columns` turns a body, rad per unit of the coordinate, (n,)."""
        speed = np.zeros(self.model.nv)
        for joint in self.model.joints:
            ratio = abs(self.model.coordinates[joint.index].ratio)
            own = [ratio * np.linalg.norm(S.ang.array()) for S in joint.type.subspace(joint.type.neutral())]
            speed[joint.v] = np.maximum(speed[joint.v], own)
        return speed[self.columns]

    @cached_property
    def angular(self) -> Array:
        """Which rows of the error are angles, (m,)."""
        return np.concatenate([ANGULAR[place.kind] for place in self.places])

    @cached_property
    def layout(self) -> StartRow:
        return StartRow(len(self.positions), len(self.angular))

    @cached_property
    def neutral(self) -> Array:
        """The neutral configuration, (nq,)."""
        return neutral(self.model)

    def configuration(self, x: Any) -> Any:
        """The configurations (..., nq) with these numbers (..., p) in `positions`, neutral elsewhere."""
        q = np.empty((*x.shape[:-1], self.model.nq), dtype=x.dtype)
        q[...] = self.neutral
        q[..., self.positions] = x
        return q

    def _moving(self, kind: str, places: tuple[GoalFrame, ...]) -> Array:
        bodies = {i for place in places for i in self.model.path(place.body)}
        spans = [getattr(self.model.coordinates[i], kind) for i in bodies]
        return np.array(sorted({k for span in spans for k in range(span.start, span.stop)}), dtype=int)


#: Those used of late.
_PLANS: Recent[Plan] = Recent(1_000)


def plan_of(model: Model, places: tuple[GoalFrame, ...]) -> Plan:
    """The plan for these frames of a model; models with the same content share it."""
    which = (model.fingerprint, model.types, places)
    return _PLANS.get(which) or _PLANS.put(which, Plan(model, places))
