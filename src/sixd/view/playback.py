"""What is shown over time: positions at given times, contact forces, curves beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixd import given
from sixd.errors import ArgumentError, ModelError, ShapeError
from sixd.model import Model, configuration
from sixd.runtime.batches import as_batch
from sixd.view.curves import Curve, curves_of

__all__ = ["Playback", "interpolated", "playback"]

Array = NDArray[np.float64]
#: The largest number that is drawn.
LARGEST = 1e12


@dataclass(frozen=True, eq=False)
class Playback:
    """A motion, or one position: then there is one time, 0."""

    #: Times (T,), s, increasing; and the position at each, (T, nq).
    t: Array
    q: Array
    #: Points in the world where forces act, m, and the forces, N, each (T, n, 3).
    points: Array
    forces: Array
    #: Curves to plot beside the motion.
    curves: tuple[Curve, ...] = ()

    @property
    def is_still(self) -> bool:
        """Whether this is one position."""
        return len(self.t) == 1


def playback(
    model: Model,
    t: ArrayLike | None,
    q: ArrayLike | None,
    points: ArrayLike | None = None,
    forces: ArrayLike | None = None,
    curves: Mapping[str, Any] | None = None,
) -> Playback:
    """The motion from what users give: q (nq,) alone, or t (T,) and q (T, nq); neutral if there is no q."""
    if not isinstance(model, Model):
        raise ArgumentError(f"a robot is needed to draw, not {given.described(model)}")
    values = configuration.neutral(model) if q is None else q
    positions = as_batch("q", values, (model.nq,), "nq of this robot").astype(float)
    if t is None and positions.ndim == 1:
        times, positions = np.zeros(1), positions[None]
    elif t is None:
        raise ArgumentError(f"q has shape {positions.shape}: give the times t of a motion too, or one position (nq,)")
    else:
        times = _times(t, positions, model.nq)
    _need_finite("q", positions)
    configuration.need_positions(model, "q", positions)
    where, what = _forces(points, forces, len(times))
    return Playback(times, positions, where, what, curves_of(model, curves, positions))


def interpolated(model: Model, show: Playback, t: float) -> Array:
    """The position at a time, (nq,): between samples in proportion; of a quaternion, the nearer sign of the next."""
    k = int(np.clip(np.searchsorted(show.t, t, side="right") - 1, 0, len(show.t) - 1))
    if k == len(show.t) - 1:
        return show.q[k].copy()
    a, b = show.q[k], show.q[k + 1].copy()
    for joint in model.joints:
        for first, count in joint.type.nonzero:
            group = slice(joint.q.start + first, joint.q.start + first + count)
            if a[group] @ b[group] < 0.0:
                b[group] = -b[group]
    share = min(max((t - show.t[k]) / (show.t[k + 1] - show.t[k]), 0.0), 1.0)
    return a + share * (b - a)


def _times(t: ArrayLike, q: Array, nq: int) -> Array:
    times = as_batch("t", t, (), "times").astype(float)
    if times.ndim != 1 or not len(times):
        raise ShapeError(f"t has shape {times.shape}, but (T,) is needed, with one time at least")
    if q.shape != (len(times), nq):
        raise ShapeError(f"q has shape {q.shape}, but ({len(times)}, {nq}) is needed for {len(times)} times t")
    _need_finite("t", times)
    wrong = np.flatnonzero(np.diff(times) <= 0.0)
    if len(wrong):
        k = int(wrong[0])
        raise ModelError(f"t must increase, but t[{k + 1}] = {times[k + 1]:g} follows t[{k}] = {times[k]:g}")
    return times


def _need_finite(name: str, array: Array) -> None:
    bad = np.argwhere(~(np.abs(array) <= LARGEST))
    if len(bad):
        place = tuple(int(k) for k in bad[0])
        fault = "is too large to be drawn" if np.isfinite(array[place]) else "is not finite: leave such samples out"
        raise ModelError(f"{name}{list(place)} {fault}")


def _forces(points: ArrayLike | None, forces: ArrayLike | None, n: int) -> tuple[Array, Array]:
    if (points is None) != (forces is None):
        raise ArgumentError("points and forces belong together: give both or none")
    if points is None or forces is None:
        return np.zeros((n, 0, 3)), np.zeros((n, 0, 3))
    pair = []
    for name, values in (("points", points), ("forces", forces)):
        array = as_batch(name, values, (3,), "coordinates in the world").astype(float)
        array = array[None] if n == 1 and array.ndim == 2 else array
        if array.ndim != 3 or len(array) != n:
            raise ShapeError(f"{name} has shape {array.shape}, but ({n}, number of points, 3) is needed")
        _need_finite(name, array)
        pair.append(array)
    if pair[0].shape != pair[1].shape:
        raise ShapeError(f"points and forces must have the same shape, not {pair[0].shape} and {pair[1].shape}")
    return pair[0], pair[1]
