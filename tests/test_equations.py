"""docs/equations.md has a row for every equation, figure and table of the papers, and every row says what is true.

    python tests/test_equations.py          prints how many rows are done
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "equations.md"

#: Section of the page -> the numbers it must have, each once and in this order.
EXPECTED = {
    "F10a": [str(n) for n in range(1, 35)],
    "F10a sidebars": [f"S{n}" for n in range(1, 40)],
    "F10b": [*(str(n) for n in range(1, 69)), *(f"Fig. {n}" for n in (1, 4, 5, 6, 7, 9)), "Table 1"],
    "FO00": [*(str(n) for n in range(1, 30)), *(f"A{n}" for n in range(1, 12))],
    "PBP95": [str(n) for n in range(1, 84)],
    "FDSV": [str(n) for n in range(1, 42)],
}
LATER = {"to come: loops": "FO00", "to come: Lagrangian": "PBP95"}
STATES = ("done", "definition", "derivation", *LATER)


class Row(NamedTuple):
    section: str
    number: str
    meaning: str
    code: tuple[str, ...]
    tests: tuple[str, ...]
    status: str

    def __str__(self) -> str:
        return f"{self.section} ({self.number})"


def parse(text: str) -> list[Row]:
    """The rows of the page's tables; sections without a table of five columns have none."""
    rows, section = [], ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:].strip()
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if len(cells) == 5 and cells[0] != "number" and not set(cells[0]) <= set("-: "):
            code, tests = (tuple(re.findall(r"`([^`]+)`", cell)) for cell in cells[2:4])
            rows.append(Row(section, cells[0], cells[1], code, tests, cells[4]))
    return rows


ROWS = parse(PAGE.read_text())


def resolve(path: str) -> Any:
    """What a dotted path names: the longest module, then attributes. Examples are named by their file."""
    if "/" in path:
        assert (ROOT / path).is_file(), f"there is no file {path}"
        return ROOT / path
    parts = path.split(".")
    for k in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for name in parts[k:]:
            found = getattr(found, name)
        return found
    raise AssertionError(f"no module of {path} can be imported")


@cache
def defined_in(file: str) -> frozenset[str]:
    """The names of the test functions that a file defines, without importing it."""
    path = ROOT / file
    assert path.is_file(), f"there is no file {file}"
    tree = ast.parse(path.read_text())
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def report() -> str:
    """How many rows are done, by paper."""
    lines = []
    for section in EXPECTED:
        states = Counter(row.status for row in ROWS if row.section == section)
        counts = ", ".join(f"{states[state]} {state}" for state in STATES if states[state])
        lines.append(f"{section:<14} {states.total():>3} rows: {counts}")
    states = Counter(row.status for row in ROWS)
    lines.append(f"equations: done {states['done']} of {len(ROWS)}")
    lines.append(", ".join(f"{states[state]} {state}" for state in STATES[1:]))
    return "\n".join(lines)


@pytest.mark.parametrize("section", EXPECTED)
def test_no_number_is_missing(section):
    assert [row.number for row in ROWS if row.section == section] == EXPECTED[section]


def test_every_row_belongs_to_a_paper():
    assert {row.section for row in ROWS} == set(EXPECTED)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_every_row_says_what_is_true(row):
    """Its status is known, its code imports, its tests exist; what is done names both."""
    assert row.status in STATES
    assert row.meaning
    for path in row.code:
        resolve(path)
    for test in row.tests:
        file, _, name = test.partition("::")
        assert name.startswith("test_")
        assert name in defined_in(file), f"{file} has no {name}"
    if row.status == "done":
        assert row.code, "a row that is done names its code"
        assert row.tests, "a row that is done names its test"
    if row.status in ("definition", "derivation"):
        assert row.code, "name the code that rests on it"
    if row.status in LATER:
        assert row.section == LATER[row.status]


def test_how_many_are_done(record_property):
    record_property("equations", report())
    assert all(row.status in STATES for row in ROWS)


def test_wrong_names_are_found():
    assert parse("## F10a\n| 1 | x | `sixd.ops.sin` | `tests/test_ops.py::test_sign` | done |\n") == [
        Row("F10a", "1", "x", ("sixd.ops.sin",), ("tests/test_ops.py::test_sign",), "done")
    ]
    for wrong in ("sixd.nonsense.x", "sixd.spatial.Motion.nonsense", "examples/nonsense.py"):
        with pytest.raises((AssertionError, AttributeError)):
            resolve(wrong)
    assert "test_nonsense" not in defined_in("tests/test_equations.py")


if __name__ == "__main__":
    print(report())
