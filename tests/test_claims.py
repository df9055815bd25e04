"""What the pages say of the repository is so: names, files, commands, variables, layers, joints."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import sixd
from sixd.joints import JOINTS
from sixd.model import JointView
from sixd.model.random import KINDS
from sixd.testing.precise import DIGITS
from tests.test_docs import DOCS, PAGES, ROOT, name_of
from tests.test_layers import LAYERS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
README = (ROOT / "README.md").read_text()
ALL_TEXT = "\n".join(page.read_text() for page in PAGES)


def spans(text: str) -> list[str]:
    """What stands between single backticks, outside of blocks."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))


def section(text: str, title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, title
    return found[1]


def exists(name: str) -> bool:
    """Whether a name of the table is one: of the package, or of a robot, a joint's view, a kernel or a trajectory."""
    parts = name.split(".")
    if parts[0] == "sixd":
        found = sixd
        for part in parts[1:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    owners = (
        sixd.ClosedRobot,
        JointView,
        sixd.Kernel,
        sixd.simulation.Trajectory,
        sixd,
        sixd.spatial,
        sixd.spatial.table1,
        sixd.lie.se3,
    )
    fields = {
        field
        for owner in (sixd.Robot, JointView, sixd.simulation.Trajectory)
        for field in getattr(owner, "__dataclass_fields__", ())
    }
    last = parts[-1]
    return last in fields or any(hasattr(owner, last) for owner in owners)


def named(span: str) -> list[str]:
    """The names in a piece of code, without its strings, numbers and keywords of calls."""
    code = re.sub(r"\"[^\"]*\"|\w+=|\{[^}]*\}", "", span)
    found = re.findall(r"(?<![\w.])(?:sixd|robot|closed|run)(?:\.\w+)+|(?<=\))\.\w+|^\.?[a-z]\w+", code)
    return [
        name.removeprefix("robot.").removeprefix("closed.").removeprefix("run.").removeprefix(".")
        for name in found
        if name not in ("sixd", "closed", "run")
    ]


def test_every_name_in_the_table_of_tasks_exists():
    table = section(README, "I want to ...")
    words = {"print"}
    names = [name for span in spans(table) for name in named(span) if not re.match(r"SIXD_|sixd cache", span)]
    assert len(names) > 60
    assert sorted({name for name in names if not exists(name) and name not in words}) == []


def test_names_that_are_none_are_found():
    assert named('robot.joint("elbow").q') == ["joint", "q"]
    assert named("sixd.compile(..., rolled=True)") == ["sixd.compile"]
    assert exists("inverse_dynamics")
    assert exists("sixd.algorithms.rnea")
    assert not exists("sixd.algorithms.nonsense")
    assert not exists("nonsense")


def test_every_file_that_is_named_is_there():
    paths = {s for s in spans(ALL_TEXT) if re.fullmatch(r"(src|tests|docs|examples|benchmarks)/[\w./-]*", s)}
    assert len(paths) > 10
    made = {"docs/_build", "benchmarks/results/"}  # by `make docs` and `make bench`
    assert sorted(path for path in paths - made if not (ROOT / path).exists()) == []


def test_every_command_of_make_is_one():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    used = set(re.findall(r"(?:`|^    )make (\w+)", ALL_TEXT, re.MULTILINE))
    assert {"demo", "test", "bench", "docs"} <= used <= targets


def test_variables_of_the_environment_are_those_of_the_source():
    source = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    read = set(re.findall(r"\bSIXD_[A-Z_]+\b", source))
    assert read == set(re.findall(r"\bSIXD_[A-Z_]+\b", ALL_TEXT))


def test_what_is_needed_is_what_is_said():
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert "Python 3.11 or newer" in README
    assert sorted(re.match(r"\w+", need)[0] for need in PROJECT["project"]["dependencies"]) == ["llvmlite", "numpy"]
    assert "(NumPy and llvmlite come with it)" in " ".join(README.split())
    page = " ".join((ROOT / "CONTRIBUTING.md").read_text().split())
    assert (DIGITS, "differences in sixty digits" in page) == (60, True)


def test_the_layers_on_the_page_are_those_that_are_enforced():
    page = (ROOT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| `(\w+)(?:\.py|/)` \|", section(page, "Folders in reading order"), re.MULTILINE)
    assert rows == list(LAYERS)


def test_every_joint_has_its_row_of_coordinates():
    """And those whose q has a quaternion say so."""
    page = section((ROOT / "docs" / "notation.md").read_text(), "Coordinates of joints")
    cells = re.findall(r"^\| (\w[\w, -]*) \| (.*?) \|", page, re.MULTILINE)
    rows = {kind: q for kinds, q in cells for kind in kinds.split(", ")}
    assert set(rows) == {*KINDS, "joint"}
    assert {kind for kind in KINDS if "quaternion" in rows[kind]} == {k for k in KINDS if JOINTS[k].nq != JOINTS[k].nv}


def test_every_page_of_the_documentation_is_in_its_index():
    index = (ROOT / "docs" / "index.md").read_text()
    lists = "\n".join(re.findall(r"```\{toctree\}(.*?)```", index, re.DOTALL))
    listed = set(re.findall(r"^[\w/]+$", lists, re.MULTILINE))
    pages = {str(Path(name_of(page)).relative_to("docs").with_suffix("")) for page in DOCS}
    assert listed == pages - {"index"}
