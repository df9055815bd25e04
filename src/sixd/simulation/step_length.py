"""Steps that are too long are warned of, and refused if they are far too long."""

from __future__ import annotations

import warnings

from sixd.errors import ModelError, SimulationWarning

__all__ = ["judge_step"]

#: A step that is this many times too long is refused.
FAR = 10.0


def judge_step(dt: float, longest: float, text: str, refuse: bool = True) -> None:
    """Warn with a text if dt is more than the ``longest`` step; raise if it is far more, unless told not to ``refuse``.

    The warning points to where `simulate` was called, if that calls the function that calls this one.
    """
    if refuse and dt > FAR * longest:
        raise ModelError(text)
    if dt > longest:
        warnings.warn(text, SimulationWarning, stacklevel=4)
