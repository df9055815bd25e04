"""Curves beside a motion: numbers over time that are plotted together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import given
from sixd.errors import ArgumentError, ShapeError
from sixd.model import Model
from sixd.runtime.batches import as_batch
from sixd.view.sliders import controls

__all__ = ["AT_FIRST", "COLORS", "Curve", "curves_of", "evenly", "joint_curves"]

Array = NDArray[np.float64]
#: The colours of lines in order. A plot of joints has no more lines than there are colours.
COLORS = (
    *("#1f6fb4", "#e0702f", "#2a9d5c", "#b8324f", "#7b52ab", "#8a6d3b"),
    *("#d6559a", "#5b6573", "#a3a21a", "#1b9fb0", "#3d4aa8", "#c99a06"),
)
#: How many plots of a page are shown at first; the others have switches.
AT_FIRST = 3
#: What plots of joints are called, by what they show and by the unit of the coordinate.
NAMES = {
    "q": {"rad": "joint angles, rad", "m": "joint distances, m"},
    "qd": {"rad": "joint speeds, rad/s", "m": "sliding speeds, m/s"},
    "tau": {"rad": "joint torques, N m", "m": "joint forces, N"},
}


@dataclass(frozen=True, eq=False)
class Curve:
    """Numbers over time to be plotted together: values (T, k), and a label for each of the k lines."""

    name: str
    #: What the lines are called; the only line of a plot may have no name.
    labels: tuple[str, ...]
    values: Array


def curves_of(model: Model, curves: Any, q: Array) -> tuple[Curve, ...]:
    """The curves from what users give; by default the positions of joints in a motion q (T, nq)."""
    if curves is None:
        curves = joint_curves(model, "q", q) if len(q) > 1 else {}
    if not isinstance(curves, Mapping):
        raise ArgumentError(f"curves is {{name: array}} or {{name: {{label: array}}}}, not {given.described(curves)}")
    found = []
    for name, values in curves.items():
        what = f"the curve {given.name(name, 'the name of a curve')!r}"
        if isinstance(values, Mapping):
            labels = tuple(given.name(label, f"a label of {what}") for label in values)
            lines = [_lines(f"{what}, {label!r}", values[label], len(q), (1,)) for label in labels]
            array = np.stack(lines, axis=-1) if lines else np.zeros((len(q), 0))
        else:
            array = _lines(what, values, len(q), (1, 2)).reshape(len(q), -1)
            labels = ("",) if array.shape[1] == 1 else tuple(str(k) for k in range(array.shape[1]))
        if not labels:
            raise ArgumentError(f"{what} has no lines")
        found.append(Curve(name, labels, array))
    return tuple(found)


def joint_curves(model: Model, quantity: str, values: Array) -> dict[str, dict[str, Array]]:
    """Plots of the joints' "q" (T, nq), "qd" or "tau" (T, nv): what turns and what slides apart, in units of their own.

    Lines are called as the sliders are. Joints whose q is no vector, such as free ones, have none. Where there are more
    than can be told apart by colours, the first are plotted and the plot's name says so.
    """
    found = {}
    for unit, name in NAMES[quantity].items():
        lines = [control for control in controls(model) if control["kind"] == "q" and control["unit"] == unit]
        some = f", first {len(COLORS)} of {len(lines)}" if len(lines) > len(COLORS) else ""
        if lines:
            found[name + some] = {c["label"]: values[:, _column(model, c, quantity)] for c in lines[: len(COLORS)]}
    return found


def evenly(count: int, most: int) -> NDArray[np.int64]:
    """Of so many samples the numbers of at most ``most``, evenly chosen, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))


def _column(model: Model, control: dict[str, Any], quantity: str) -> int:
    joint, place = model.joints[control["joint"]], int(control["k"])
    return place if quantity == "q" else place - joint.q.start + joint.v.start


def _lines(what: str, values: Any, n: int, axes: tuple[int, ...]) -> Array:
    array = as_batch(what, values, (), "numbers").astype(float)
    if array.ndim not in axes or len(array) != n:
        needed = f"({n},)" if axes == (1,) else f"({n},) or ({n}, k)"
        raise ShapeError(f"{what} has shape {array.shape}, but {needed} is needed")
    return array
