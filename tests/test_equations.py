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
    "PBP95": [*(str(n) for n in range(1, 67)), "J(x)", *(str(n) for n in range(67, 84))],
    "FDSV": [str(n) for n in range(1, 42)],
    "FS": [str(n) for n in range(1, 32)],
}
STATES = ("done", "in a test", "in an example", "definition", "derivation")


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


def in_library(path: str) -> bool:
    """Whether this names code of the library itself."""
    return path.startswith("sixd.") and not path.startswith("sixd.testing")


def in_example(path: str) -> bool:
    return path.startswith("examples/")


def resolve(path: str) -> Any:
    """What a dotted path names: the longest module, then attributes. Examples are named by their file."""
    if in_example(path):
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


def check(row: Row) -> None:
    """Raises unless the row can be true: a known status, code that imports, tests that exist, what the status needs."""
    assert row.status in STATES
    assert row.meaning
    for path in row.code:
        resolve(path)
    for test in row.tests:
        file, _, name = test.partition("::")
        assert name.startswith("test_")
        assert name in defined_in(file), f"{file} has no {name}"
    if row.status == "done":
        assert any(map(in_library, row.code)), "a row that is done names code of the library"
        assert all(map(in_library, row.code)), "what is no code of the library is not what is done"
    if row.status == "in an example":
        assert any(map(in_example, row.code)), "name the example"
    if row.status in ("done", "in a test", "in an example"):
        assert row.tests, f"a row that is {row.status} names its test"
    if row.status in ("in a test", "definition", "derivation"):
        assert row.code, "name the code that rests on it or is compared with it"


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
    check(row)


def test_the_page_says_how_many_are_done(record_property):
    record_property("equations", report())
    shown = re.search(r"<!-- counts -->\n```text\n(.*?)\n```", PAGE.read_text(), re.DOTALL)
    assert shown
    assert shown[1] == report(), "the counts have changed: python tests/test_equations.py prints them"


RIGHT = Row("F10a", "1", "x", ("sixd.ops.sin",), ("tests/test_ops.py::test_functions_of_floats_follow_ieee",), "done")


@pytest.mark.parametrize(
    "change",
    [
        {"status": "finished"},
        {"meaning": ""},
        {"code": ()},
        {"code": ("sixd.ops.nonsense",)},
        {"code": ("examples/two_body.py",)},
        {"code": ("sixd.testing.derivative",)},
        {"code": ("sixd.ops.sin", "examples/two_body.py")},
        {"tests": ()},
        {"tests": ("tests/test_ops.py::test_nonsense",)},
        {"tests": ("tests/test_nonsense.py::test_functions_of_floats_follow_ieee",)},
        {"tests": ("tests/test_ops.py",)},
        {"status": "in a test", "tests": ()},
        {"status": "in a test", "code": ()},
        {"status": "in an example"},
        {"status": "in an example", "code": ("examples/nonsense.py",)},
        {"status": "definition", "code": ()},
        {"status": "to come: loops"},
        {"status": "to come: loops", "section": "FO00"},
    ],
    ids=str,
)
def test_a_row_that_cannot_be_true_is_found(change):
    check(RIGHT)
    with pytest.raises((AssertionError, AttributeError)):
        check(RIGHT._replace(**change))


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
