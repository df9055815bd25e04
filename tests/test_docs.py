"""The documentation is true: its Python blocks run, its links lead somewhere.

The ```python blocks of a page run as one script, in order, from the root of the repository, with warnings as errors.
A block after the comment <!-- no-run --> is left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sixd
from sixd.backends.llvm.emit import emit
from sixd.ir.passes import fuse

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def script(text: str) -> str:
    """The Python blocks of a page, each line at its own line number; all other lines are empty."""
    lines, inside, last = [], "", ""
    for line in text.splitlines():
        if inside:
            if line.strip() == "```":
                inside, last = "", "```"
                lines.append("")
            else:
                lines.append(line if inside == "run" else "")
            continue
        if line.startswith("```"):
            inside = "run" if line.strip() == "```python" and last != "<!-- no-run -->" else "skip"
        last = line.strip() or last
        lines.append("")
    assert not inside, "a code block is not closed"
    return "\n".join(lines) + "\n"


def prose(text: str) -> str:
    """A page without its code."""
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_runs(page, tmp_path):
    source = script(page.read_text())
    if not source.strip():
        return
    path = tmp_path / f"{page.stem}.py"
    path.write_text(source)
    places = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": places},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, f"{name_of(page)}:\n{run.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    missing = []
    for link in LINK.findall(prose(page.read_text())):
        if not re.match(r"[a-z]+:", link) and not link.startswith("#"):
            target = (page.parent / link.split("#")[0]).resolve()
            if not target.exists():
                missing.append(link)
    assert missing == []


@pytest.mark.parametrize("name", ["architecture.md", "fast.md"])
def test_the_algorithm_on_the_page_is_the_source(name):
    """The excerpt of `rnea` is what stands in the file."""
    page = (ROOT / "docs" / name).read_text()
    excerpt = re.search(r"<!-- no-run -->\n```python\n(.*?)```", page, re.DOTALL)
    assert excerpt
    assert excerpt[1] in (ROOT / "src" / "sixd" / "algorithms" / "inverse_dynamics.py").read_text()


def excerpts(text: str, name: str) -> list[str]:
    """What a page shows of an output: the pieces, parted by lines of three dots, of the block after its comment."""
    block = re.search(rf"<!-- shown: {name} -->\n```text\n(.*?)```", text, re.DOTALL)
    assert block, name
    return block[1].split("...\n")


def missing_from(output: str, pieces: list[str]) -> list[str]:
    """The pieces that are not there, one after the other; blanks at the end of a line do not count."""
    lines = "".join(f"{line.rstrip()}\n" for line in output.splitlines())
    found, missing = 0, []
    for piece in pieces:
        place = lines.find("\n" + piece, found) if found or not lines.startswith(piece) else 0
        if place < 0:
            missing.append(piece)
        else:
            found = place + len(piece)
    return missing


def test_the_stages_on_the_page_are_what_is_made():
    """The excerpts in docs/fast.md of what becomes of a two-link arm. Machine code differs and is not compared."""
    page = (ROOT / "docs" / "fast.md").read_text()
    arm = sixd.load(ROOT / "examples" / "two_link.urdf")
    kernel, rolled = (sixd.compile(sixd.algorithms.rnea, arm, rolled=kept) for kept in (False, True))
    fused = fuse(kernel.program)
    outputs = {"program": kernel.program, "fused": fused, "llvm": emit(fused, 8), "rolled": rolled.program}
    missing = {name: missing_from(str(output), excerpts(page, name)) for name, output in outputs.items()}
    assert not any(missing.values()), missing
    assert set(re.findall(r"<!-- shown: (\w+) -->", page)) == set(outputs)


def test_excerpts_are_compared_in_order():
    output = "a\nb \nc\nd\n"
    assert missing_from(output, ["a\nb\n", "d\n"]) == []
    assert missing_from(output, ["b\n", "a\n"]) == ["a\n"]
    assert missing_from(output, ["a\nc\n"]) == ["a\nc\n"]


def test_blocks_keep_their_line_numbers():
    text = "# Title\n```python\nx = 1\n```\ntext\n<!-- no-run -->\n```python\nx = nonsense\n```\n```text\nno\n```\n"
    assert script(text).splitlines() == ["", "", "x = 1", *[""] * 9]


def test_a_block_after_the_comment_and_another_one_runs():
    text = "<!-- no-run -->\n```python\na\n```\n\n```python\nb\n```\n"
    assert script(text).split() == ["b"]
