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


def test_the_algorithm_on_the_page_is_the_source():
    """The excerpt of `rnea` in docs/architecture.md is what stands in the file."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    excerpt = re.search(r"<!-- no-run -->\n```python\n(.*?)```", page, re.DOTALL)
    assert excerpt
    assert excerpt[1] in (ROOT / "src" / "sixd" / "algorithms" / "inverse_dynamics.py").read_text()


def test_blocks_keep_their_line_numbers():
    text = "# Title\n```python\nx = 1\n```\ntext\n<!-- no-run -->\n```python\nx = nonsense\n```\n```text\nno\n```\n"
    assert script(text).splitlines() == ["", "", "x = 1", *[""] * 9]


def test_a_block_after_the_comment_and_another_one_runs():
    text = "<!-- no-run -->\n```python\na\n```\n\n```python\nb\n```\n"
    assert script(text).split() == ["b"]
