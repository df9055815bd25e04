"""Steps that are too long are warned of, and refused if they are far too long."""

from __future__ import annotations

from sixd.errors import ModelError, SimulationWarning
from sixd.process.told import warn

__all__ = ["judge_step"]

#: A step that is this many times too long is refused.
FAR = 10.0


def judge_step(dt: float, longest: float, text: str, refuse: bool = True) -> None:
    """Warn with a text if dt is more than the ``longest`` step; raise if it is far more, if it is to ``refuse``."""
    if refuse and dt > FAR * longest:
        raise ModelError(text)
    if dt > longest:
        warn(text, SimulationWarning)
