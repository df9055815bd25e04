"""What constraints between two frames have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from sixd import given
from sixd.constraints.contract import Constraint
from sixd.errors import ModelError

__all__ = ["Between"]


@dataclass(frozen=True, eq=False)
class Between(Constraint):
    """A constraint between two frames, given by their names."""

    frame_a: str
    frame_b: str

    def __post_init__(self) -> None:
        for item in ("frame_a", "frame_b"):
            given.name(getattr(self, item), f"{item} of a {self.kind}")
        if self.frame_a == self.frame_b:
            raise ModelError(f"a {self.kind} needs two frames, but both are {self.frame_a!r}")
        super().__post_init__()

    @property
    def title(self) -> str:
        """What errors call it."""
        return f"the {self.kind} from {self.frame_a!r} to {self.frame_b!r}"

    @property
    def frames(self) -> tuple[str, ...]:
        return self.frame_a, self.frame_b

    def renamed(self, prefix: str) -> Self:
        name, a, b = (prefix + x for x in (self.name, self.frame_a, self.frame_b))
        return replace(self, name=name, frame_a=a, frame_b=b)
