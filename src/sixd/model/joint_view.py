"""A joint of a model as users see it, and where its coordinates are."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf
from typing import NamedTuple

from sixd.errors import ModelError
from sixd.joints import Joint
from sixd.model.parts import JointData, Mimic
from sixd.stored import Stored

__all__ = ["Coordinates", "JointView"]


class Coordinates(NamedTuple):
    """Where a joint's coordinates are in q and v. ``ratio`` and ``offset`` are 1 and 0 unless it mimics another."""

    q: slice
    v: slice
    ratio: float
    offset: float


@dataclass(frozen=True, repr=False)
class JointView(Stored):
    """A joint as users see it: its data, its place in the coordinate vectors, the bodies it connects."""

    data: JointData
    #: The number of the joint, which is the number of its successor body.
    index: int
    #: Its coordinates in q and in qd, qdd, tau. A mimic joint shows those of the joint it follows.
    q: slice
    v: slice
    predecessor: str
    successor: str

    def __post_init__(self) -> None:
        kinds = (JointData, int, slice, slice, str, str)
        for f, kind in zip(fields(self), kinds, strict=True):
            if not isinstance(getattr(self, f.name), kind):
                raise ModelError(f"the {f.name} of a JointView is no {kind.__name__}")

    def __hash__(self) -> int:
        return hash((self.data, self.index))  # slices have no hash before Python 3.12

    @property
    def name(self) -> str:
        """The name of the joint."""
        return self.data.name

    @property
    def type(self) -> Joint:
        """How it moves: its type, with its axis and other parameters."""
        return self.data.type

    @property
    def mimic(self) -> Mimic | None:
        """The joint that it follows, and how; None if it moves by itself."""
        return self.data.mimic

    @property
    def lower(self) -> tuple[float, ...]:
        """The lower position limits."""
        return self.data.lower

    @property
    def upper(self) -> tuple[float, ...]:
        """The upper position limits."""
        return self.data.upper

    @property
    def velocity(self) -> tuple[float, ...]:
        """The largest speeds."""
        return self.data.velocity

    @property
    def effort(self) -> tuple[float, ...]:
        """The largest forces."""
        return self.data.effort

    def __repr__(self) -> str:
        span = ", ".join(f"{name}[{s.start}:{s.stop}]" for name, s in (("q", self.q), ("v", self.v)))
        limits = ", ".join(f"{a:.4g}..{b:.4g}" for a, b in zip(self.lower, self.upper, strict=True) if b - a < inf)
        return f"{self.name}: {self.type!r}, {span}{', ' + limits if limits else ''}"
