"""Sixty years of robot dynamics: how many operations do formulations take, and which is cheapest for how many links?

Every formulation is recorded on chains of 1 to 30 links, and the operations of the recorded programs are counted, as
machine code is made from them. Beside them, what their papers state.

    python examples/formulations.py [formulations.png]              needs matplotlib
"""

import sys
from collections.abc import Sequence
from typing import Any

from sixd import algorithms, historical
from sixd.historical import FORMULATIONS, PUBLISHED

#: By the panels of the picture. Those of the literature are solid, sixd's own in 6-D vectors dashed.
PANELS = {
    "inverse dynamics": ("uicker_kahn", "hollerbach", "kane", "luh_walker_paul", "rnea"),
    "forward dynamics": (
        "walker_orin_1",
        "walker_orin_2",
        "walker_orin_4",
        "walker_orin_3",
        "aba",
        "brandl_johanni_otter",
    ),
}
SIZES = range(1, 31)
TICKS = (2, 3, 4, 6, 8, 10, 15, 20, 30)
#: Beyond this many links, counting the O(N^4) formulation takes long.
MOST = {"uicker_kahn": 8}


def function(name: str) -> Any:
    return FORMULATIONS[name].function if name in FORMULATIONS else getattr(algorithms, name)


def totals(name: str, sizes: Sequence[int]) -> list[float]:
    """Multiplications, additions and divisions for these numbers of links: counted, or from the formula of counts."""
    if name in MOST:
        return [historical.operation_counts(function(name), n).total for n in sizes]
    formula = historical.formula_of(function(name))
    few = {n: historical.operation_counts(function(name), n).total for n in sizes if n < formula.start}
    return [float(few.get(n, formula.total(n))) for n in sizes]


def draw(path: str, counts: dict[str, tuple[Sequence[int], list[float]]], meet: int | None) -> None:
    """Operations over the number of links; published formulas as dots."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(11, 5), sharey=True, layout="constrained")
    for panel, (title, names) in zip(panels, PANELS.items(), strict=True):
        for name in names:
            sizes, numbers = counts[name]
            line = panel.loglog(sizes, numbers, "-" if name in FORMULATIONS else "--", label=name)[0]
            if name in PUBLISHED:
                stated = [float(PUBLISHED[name].total(n)) for n in SIZES]
                panel.loglog(SIZES, stated, ".", markersize=3, color=line.get_color(), alpha=0.7)
        panel.set(title=f"{title}: counted (lines), published (dots)", xlabel="number of links N", xlim=(2, 30))
        panel.set_xticks(TICKS, labels=map(str, TICKS))
        panel.minorticks_off()
        panel.grid(alpha=0.3)
        panel.legend(loc="upper left", fontsize="small")
    panels[0].set(ylabel="multiplications, additions and divisions", ylim=(100, 300_000))
    if meet is not None:
        panels[1].axvline(meet, color="grey", linewidth=0.8)
        words = f"from N = {meet} on, articulated bodies (aba)\ntake less than composite ones (walker_orin_3)"
        panels[1].text(meet * 0.97, 130, words, fontsize="small", ha="right")
    figure.savefig(path, dpi=100)


def main(path: str = "formulations.png") -> None:
    counts = {}
    for title, names in PANELS.items():
        print(f"{title}: operations for N =      3        6       12       30")
        for name in names:
            sizes = SIZES[: MOST.get(name, len(SIZES))]
            counts[name] = sizes, totals(name, sizes)
            shown = (f"{counts[name][1][n - 1]:9,.0f}" if n in sizes else "        -" for n in (3, 6, 12, 30))
            print(f"  {name:24}{''.join(shown)}")
    meet = historical.crossover(historical.walker_orin_3, algorithms.aba)
    print(f"composite rigid bodies against articulated bodies: the latter take less from N = {meet} on")
    draw(path, counts, meet)


if __name__ == "__main__":
    main(*sys.argv[1:2])
