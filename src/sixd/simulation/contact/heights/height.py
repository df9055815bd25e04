"""The contract of heights: functions h(x, y) that a `HeightField` adds up. One file each, registered in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from sixd.ops import Scalar, where
from sixd.simulation.registry import registry

__all__ = ["HEIGHTS", "Height", "clip", "register"]

#: The heights by name.
HEIGHTS, register = registry("height")


class Height(ABC):
    """A height over every place, as frozen data: h(x, y) for numbers of any kind, without a branch on them; m."""

    name: ClassVar[str]

    @abstractmethod
    def __call__(self, x: Scalar, y: Scalar) -> Scalar:
        """The height at a place, m."""


def clip(x: Scalar, least: float, most: float) -> Scalar:
    """x, or the limit that it is beyond."""
    return where(x < least, least, where(x > most, most, x))
