"""Joint forces from a function of Python: asked while a simulation runs, and its answer checked."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.compiler.rollout import by_sample
from sixd.errors import SimulationError
from sixd.runtime.arguments import real_numbers

__all__ = ["ask"]

Array = NDArray[Any]


def ask(
    control: Callable[[float, Array, Array], Any],
    time: float,
    q: Array,
    qd: Array,
    lead: tuple[int, ...],
    lost: Collection[int],
    failure: Callable[[str], SimulationError],
) -> Array:
    """The joint forces (samples, nv) that a function answers at a time for the states (samples, nq), (samples, nv).

    The function sees the batch axes ``lead``. What it answers for samples that are ``lost`` does not matter.
    ``failure`` makes the error to raise from what went wrong.
    """
    samples, nv = qd.shape
    try:
        answer = control(time, *(x.reshape(*lead, x.shape[1]).copy() for x in (q, qd)))
    except Exception as error:
        raise failure(f"the controller raised {type(error).__name__}: {error}") from error
    try:
        tau = real_numbers("the controller's result", answer)
    except (TypeError, ValueError) as error:
        raise failure(f"the controller returned no array of numbers: {error}") from None
    wanted = (*lead, nv)
    try:
        fits = tau.shape[-1:] == wanted[-1:] and np.broadcast_shapes(tau.shape, wanted) == wanted
    except ValueError:
        fits = False
    if not fits:
        raise failure(f"the controller returned an array of shape {tau.shape}, but {wanted} is needed")
    tau = by_sample(np.broadcast_to(tau, wanted), (nv,), lead)
    alive = [k for k in range(samples) if k not in lost]
    if not np.isfinite(tau[alive]).all():
        raise failure("the controller returned NaN or an infinity")
    return np.ascontiguousarray(tau)
