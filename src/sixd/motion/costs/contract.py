"""What a cost of a motion is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from numpy.typing import NDArray

from sixd.motion.basis import Motion
from sixd.robot import Robot

__all__ = ["Cost"]

Array = NDArray[Any]


class Cost(ABC):
    """What is integrated over the time of a motion: a function of q, qd and qdd, with its gradient."""

    #: What `optimize` calls it.
    name: ClassVar[str]
    #: The unit of its integral over time, for joints that turn.
    unit: ClassVar[str]
    #: Whether motions start and end at rest, unless the user decides.
    rest: ClassVar[bool]

    def __init__(self, robot: Robot, start: Motion) -> None:
        """For a robot; ``start`` is the motion that the search starts from."""
        self.robot = robot

    @abstractmethod
    def values(self, motion: Motion) -> Array:
        """The value at each sample, (samples,)."""

    @abstractmethod
    def __call__(self, motion: Motion) -> tuple[Array, Motion]:
        """The same, and its gradient by q, qd and qdd, each (samples, nv)."""

    @abstractmethod
    def factors(self, motion: Motion) -> Motion:
        """F with F^T F roughly the second derivative of the value by (q, qd, qdd), three parts (samples, rows, nv).

        It scales the unknowns of the search, which is faster if it is near, and right in any case.
        """
