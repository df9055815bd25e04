"""How many operations every formulation takes, as polynomials of the number of links, beside what papers state.

    python -m benchmarks.operations             prints the tables of docs/formulations.md
    python -m benchmarks.operations --write     puts them there

Counting the O(N^4) formulation takes minutes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.markdown import table
from sixd import algorithms
from sixd.historical import (
    FORMULATIONS,
    GEOMETRIES,
    PUBLISHED,
    Computes,
    Formulation,
    crossover,
    formula_of,
    operation_counts,
)

PAGE = Path(__file__).parents[1] / "docs" / "formulations.md"
#: sixd's own algorithms that answer the same questions.
OWN: dict[Computes, tuple[str, ...]] = {
    Computes.INVERSE_DYNAMICS: ("rnea", "geometric_newton_euler"),
    Computes.MASS_MATRIX: ("crba",),
    Computes.FORWARD_DYNAMICS: ("forward_dynamics_crba", "aba"),
}
#: The numbers of links of the table of totals.
SIZES = (1, 2, 3, 6, 9, 12, 20, 30)
#: Two algorithms each: from how many links on is the second cheaper, and what FO00, section 2, says of it.
CROSSOVERS: tuple[tuple[str, str, str], ...] = (
    ("forward_dynamics_crba", "aba", "N > 9"),
    ("walker_orin_3", "aba", "N > 9"),
    ("walker_orin_3", "brandl_johanni_otter", "about N = 6"),
    ("forward_dynamics_crba", "brandl_johanni_otter", "about N = 6"),
)


def function(name: str) -> Any:
    """The algorithm of this name, from the literature or sixd's own."""
    return FORMULATIONS[name].function if name in FORMULATIONS else algorithms.ALGORITHMS[name]


def groups() -> Iterator[tuple[Computes, list[str]]]:
    """The questions, each with the algorithms that answer it: those of the literature by year, then sixd's own."""
    for question in Computes:
        found = sorted((f.year, f.name) for f in FORMULATIONS.values() if f.computes is question)
        yield question, [*(name for _, name in found), *OWN.get(question, ())]


def formulation_table() -> str:
    """What there is."""
    rows = [(f.year, f"`{f.name}`", f.computes.value, f.takes.value, f.cost) for f in by_year()]
    return table(("year", "function", "computes", "takes", "cost"), rows)


def reference_table() -> str:
    """The papers, each with its formulations."""
    papers: dict[str, list[str]] = {}
    for f in by_year():
        papers.setdefault(f"{f.reference}, {f.year}", []).append(f"`{f.name}`")
    return table(("paper", "function"), ((paper, ", ".join(names)) for paper, names in papers.items()))


def by_year() -> list[Formulation]:
    """All formulations, the oldest first."""
    return sorted(FORMULATIONS.values(), key=lambda f: (f.year, f.name))


def formula_row(name: str) -> tuple[object, ...]:
    """Operations as polynomials on Denavit and Hartenberg's numbers, those that are published, and both for N = 6."""
    found, paper = formula_of(function(name)), PUBLISHED.get(name)
    at_six = found.multiplications(6) + found.additions(6)
    stated = (
        ("", "", "") if paper is None else (paper.multiplications, paper.additions, f"{float(paper.total(6)):,.0f}")
    )
    return f"`{name}`", found.multiplications, found.additions, *stated[:2], f"{float(at_six):,.0f}", stated[2]


def formula_table(question: Computes, names: Sequence[str]) -> str:
    """The formulas of all algorithms that answer one question; columns that would be empty are left out."""
    header = ("multiplications", "additions", "multiplications, published", "additions, published")
    rows = [(question.value, *header, "N = 6", "N = 6, published"), *map(formula_row, names)]
    columns = zip(*rows, strict=True)
    first, *others = zip(*(column for column in columns if any(column[1:])), strict=True)
    return table(first, others)


def geometry_row(name: str) -> tuple[object, ...]:
    """All operations as polynomials, on each geometry."""
    return f"`{name}`", *(formula_of(function(name), geometry).total for geometry in GEOMETRIES)


def geometry_table() -> str:
    return table(("algorithm", *GEOMETRIES), (geometry_row(name) for _, names in groups() for name in names))


def total_row(name: str, sizes: Sequence[int] = SIZES) -> tuple[object, ...]:
    """All operations on Denavit and Hartenberg's numbers, for some sizes: counted up to N = 6, then by formula."""
    counted = (
        operation_counts(function(name), n).total if n <= 6 else formula_of(function(name)).total(n) for n in sizes
    )
    return f"`{name}`", *(f"{float(x):,.0f}" for x in counted)


def total_table() -> str:
    return table(("N", *SIZES), (total_row(name) for _, names in groups() for name in names))


def written_row(name: str) -> tuple[object, ...]:
    """Operations as the source has them, beside those that are published."""
    found, paper = formula_of(function(name), written=True), PUBLISHED[name]
    return f"`{name}`", found.multiplications, paper.multiplications, found.additions, paper.additions


def written_table() -> str:
    header = ("algorithm", "multiplications", "published", "additions", "published")
    return table(header, map(written_row, ("uicker_kahn", "hollerbach", "hollerbach_3x3", "luh_walker_paul")))


def crossover_row(one: str, other: str, said: str, geometries: Iterable[str] = GEOMETRIES) -> tuple[object, ...]:
    """From how many links on the second is cheaper, on each geometry."""
    found = (crossover(function(one), function(other), geometry) for geometry in geometries)
    return f"`{other}`", f"`{one}`", *("never up to 100" if n is None else f"N >= {n}" for n in found), said


def crossover_table() -> str:
    header = ("cheaper", "than", *GEOMETRIES, "FO00, section 2")
    return table(header, (crossover_row(*pair) for pair in CROSSOVERS))


def spherical_table() -> str:
    """Armstrong's formulation and sixd's own on spherical joints."""
    names, rows = ("armstrong", "aba"), []
    for name in names:
        found = formula_of(function(name), spherical=True)
        rows.append((f"`{name}`", found.multiplications, found.additions, found.divisions))
    return table(("on spherical joints", "multiplications", "additions", "divisions"), rows)


def source_table() -> str:
    """Where the published formulas stand."""
    return table(("algorithm", "source"), ((f"`{name}`", paper.source) for name, paper in PUBLISHED.items()))


def tables() -> dict[str, str]:
    """Every table of the page by its name there."""
    by_question = {question: formula_table(question, names) for question, names in groups()}
    return {
        "formulations": formulation_table(),
        **{question.value: text for question, text in by_question.items()},
        "spherical joints": spherical_table(),
        "crossovers": crossover_table(),
        "totals": total_table(),
        "geometries": geometry_table(),
        "as written": written_table(),
        "references": reference_table(),
        "sources": source_table(),
    }


def filled(page: str, made: Mapping[str, str]) -> str:
    """A page with these tables after their comments ``<!-- table: name -->``, in place of those that are there."""
    for name, text in made.items():
        comment = f"<!-- table: {name} -->\n\n"
        before, found, after = page.partition(comment)
        if not found:
            raise ValueError(
                f"the page has no place for the table {name!r}: put the comment {comment.strip()} on a line"
            )
        rest = re.sub(r"\A(\|.*\n)+\n?", "", after)
        page = f"{before}{comment}{text}\n\n{rest}".rstrip("\n") + "\n"
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write the tables to {PAGE.name}")
    write, made = parser.parse_args().write, tables()
    if write:
        PAGE.write_text(filled(PAGE.read_text(), made))
    else:
        print("\n\n".join(f"{name}\n\n{text}" for name, text in made.items()))


if __name__ == "__main__":
    main()
