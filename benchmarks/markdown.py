"""Tables and figures in Markdown; times are minimum (median)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.measure import Figure
from benchmarks.record import ratio

__all__ = ["digits", "factor", "table", "time"]


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def time(figure: Figure | None, unit: str = "ns") -> str:
    """Minimum (median) with three digits, or nothing."""
    if figure is None:
        return ""
    scale = {"ns": 1e9, "us": 1e6}[unit]
    return f"{digits(scale * figure.minimum)} ({digits(scale * figure.median)})"


def digits(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def factor(theirs: Figure | None, ours: Figure | None) -> str:
    """How many times faster sixd is, by the minima and (in brackets) by the medians."""
    found = ratio(theirs, ours)
    if found is None or theirs is None or ours is None:
        return ""
    return f"{found:.3g} ({theirs.median / ours.median:.3g})"
