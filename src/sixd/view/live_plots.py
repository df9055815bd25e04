"""Curves of a motion on a live page: a line at the present time moves along them."""

from __future__ import annotations

import html
import time
from functools import partial
from math import ceil, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.view.curves import AT_FIRST, COLORS, Curve, evenly
from sixd.view.scene import Scene

__all__ = ["LivePlots"]

Array = NDArray[np.float64]
#: The most samples of a curve: it is sent again with every move of the line.
SAMPLES = 300
#: The least time between moves of the line while a motion plays, s.
PERIOD = 0.1
#: The line at the present time, of a colour that is seen on light and on dark.
NOW = "#7d8796"
LOOK = {"width": 1.3, "points": {"show": False}}
LEGEND = '<div style="font-size: 0.75em; padding: 0 0.8em; font-variant-numeric: tabular-nums"><b>{}</b> {}</div>'
ENTRY = '<span style="color: {}; display: inline-block; margin-left: 0.8em">{} {}</span>'


class LivePlots:
    """The plots of a scene, each below its legend, which has the values at the present time."""

    def __init__(self, scene: Scene, gui: Any) -> None:
        self._marked = 0.0
        self.plots: list[_Plot] = []
        show = scene.playback
        if show.is_still or not show.curves:
            return
        shown = [k < AT_FIRST for k in range(len(show.curves))]
        with gui.add_folder("curves"):
            self.plots = [_Plot(show.t, curve, gui, on) for curve, on in zip(show.curves, shown, strict=True)]
            for plot, on in zip(self.plots, shown, strict=True) if not all(shown) else ():
                gui.add_checkbox(plot.name, on).on_update(partial(_switched, plot))

    def mark(self, t: float, playing: bool = False) -> None:
        """Move the line to a time; of a motion that plays, not each time."""
        now = time.monotonic()
        if playing and now - self._marked < PERIOD:
            return
        self._marked = now
        for plot in self.plots:
            plot.mark(t)


class _Plot:
    """One plot. Its data are the curves and a line: a curve without numbers, but for two at the present time."""

    def __init__(self, t: Array, curve: Curve, gui: Any, shown: bool) -> None:
        rows = evenly(len(t), SAMPLES)
        self.name, self.labels = curve.name, curve.labels
        self.exact = t, curve.values
        self.t, (self.lines, self.values) = t[rows], _without_gaps(curve.values[rows])
        self.low, self.high = _range(curve.values)
        self.legend = gui.add_html("", visible=shown)
        lines = [*((self.labels[k], _color(k)) for k in self.lines), ("now", NOW)]
        self.plot = gui.add_uplot(
            self._data(float(t[0])),
            ({"label": "time, s"}, *({"label": name, "stroke": color, **LOOK} for name, color in lines)),
            scales={"x": {"time": False, "range": (float(t[0]), float(t[-1]))}, "y": {"range": (self.low, self.high)}},
            axes=({"size": 30}, {"size": 46}),
            legend={"show": False},
            height=150,
            padding=(8, 12, 0, 0),
            visible=shown,
        )
        self.mark(float(t[0]))

    def show(self, on: bool) -> None:
        """Show or hide the plot."""
        self.legend.visible = self.plot.visible = on

    def mark(self, t: float) -> None:
        """Move the line to a time, and say the values there."""
        self.plot.data = self._data(t)
        found = zip(self.labels, self._at(t, *self.exact), strict=True)
        entries = "".join(
            ENTRY.format(_color(k), html.escape(label), self._short(y)) for k, (label, y) in enumerate(found)
        )
        self.legend.content = LEGEND.format(html.escape(self.name), entries)

    def _short(self, y: float) -> str:
        """A value with the digits that tell thousandths of the plot's height."""
        digits = ceil(3.0 - log10(self.high - self.low))
        if not np.isfinite(y):
            return "–"
        return f"{y:.2e}" if abs(y) >= 1e5 or digits > 7 else f"{y:.{max(digits, 0)}f}"

    def _data(self, t: float) -> tuple[Array, ...]:
        """Times, curves and the line; the present time is there twice, for both ends of the line."""
        k = int(np.searchsorted(self.t, t, side="right"))
        times = np.insert(self.t, k, (t, t))
        curves = np.insert(self.values, k, self._at(t, self.t, self.values), axis=0)
        curves = np.insert(curves, k, curves[k], axis=0)
        line = np.full(len(times), np.nan)
        line[k : k + 2] = self.low, self.high
        return (times, *np.ascontiguousarray(curves.T), line)

    @staticmethod
    def _at(t: float, times: Array, values: Array) -> Array:
        """The values at a time, in proportion between samples, (k,)."""
        k = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2))
        share = (t - times[k]) / (times[k + 1] - times[k])
        between: Array = values[k] + share * (values[k + 1] - values[k]) if share > 0.0 else values[k]
        return between


def _switched(plot: _Plot, event: Any) -> None:
    plot.show(bool(event.target.value))


def _without_gaps(values: Array) -> tuple[list[int], Array]:
    """Values (T, k) with a column for each stretch of a line that has numbers, (T, n), and the lines of the columns.

    uPlot would draw a line over what is not a number.
    """
    lines, columns = [], []
    for k, column in enumerate(values.T):
        finite = np.isfinite(column)
        stretch = np.cumsum(np.diff(finite, prepend=False) & finite)  # the number of the stretch, from 1 on
        for number in range(1, int(stretch[-1]) + 1):
            lines.append(k)
            columns.append(np.where(finite & (stretch == number), column, np.nan))
    return lines, np.stack(columns, axis=-1) if columns else np.zeros((len(values), 0))


def _range(values: Array) -> tuple[float, float]:
    """What the axis of a plot spans: the finite values, and some room."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room


def _color(k: int) -> str:
    return COLORS[k % len(COLORS)]
