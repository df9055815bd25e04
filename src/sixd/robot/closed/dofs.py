"""Degrees of freedom that users choose, and results that exist only where these determine the motion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sixd import given
from sixd.errors import ArgumentError, ModelWarning, SingularError
from sixd.model import Model
from sixd.process.told import warn
from sixd.runtime.arguments import is_lazy

__all__ = ["dofs_of", "warn_of_undetermined"]


def dofs_of(model: Model, which: Any, what: str) -> tuple[int, ...]:
    """Degrees of freedom in order, each once: those of joints with these names, or these numbers."""
    several = tuple(which) if isinstance(which, Iterable) and not isinstance(which, str) else (which,)
    found: set[int] = set()
    for one in several:
        if isinstance(one, str):
            found |= {*range(model.nv)[model.joint(one).v]}
        elif (k := given.whole(one)) is not None and 0 <= k < model.nv:
            found.add(k)
        else:
            raise ArgumentError(
                f"{what} must be names of joints, or numbers of degrees of freedom from 0 to {model.nv - 1}, not "
                f"{given.described(which)}"
            )
    return tuple(sorted(found))


def warn_of_undetermined(model: Model, result: Any, rank: int, state: Sequence[Any], dofs: Sequence[int]) -> None:
    """Raise if degrees of freedom nowhere determine the motion, warn if they do not in some states.

    The result of such a state, of this rank, is NaN; states that are not finite do not count.
    """
    if is_lazy(result) or not result.size or not (unknown := np.isnan(result).any(axis=tuple(range(-rank, 0)))).any():
        return
    known = [np.isfinite(np.asarray(x, dtype=float)).all(axis=-1) for x in state]
    finite = np.broadcast_to(np.logical_and.reduce(np.broadcast_arrays(*known)), unknown.shape)
    unknown = unknown & finite
    if not unknown.any():
        return
    names = ", ".join(repr(joint.name) for joint in model.joints if {*range(model.nv)[joint.v]} & {*dofs})
    text = f"joints {names} do not determine the motion of {model.name or 'this robot'}"
    if unknown.sum() == finite.sum():
        raise SingularError(f"{text}: choose others; independent(q) finds some, mobility(q).freedoms tells the motion")
    warn(ModelWarning(f"{text} in {unknown.sum()} of {unknown.size} states: NaN there"))
