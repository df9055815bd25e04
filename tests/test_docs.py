"""The documentation is true: its Python blocks run, its links lead somewhere.

The ```python blocks of a page run as one script, in order, from the root of the repository, with warnings as errors.
What people see first runs where nothing but the package is. A block after the comment <!-- no-run --> is left out: it
is an excerpt of a file, and compared with it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sixd
from sixd.backends.llvm.emit import emit
from sixd.ir.passes import fuse
from tests.optional import skip_if_told

ROOT = Path(__file__).parents[1]
DOCS = sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS]
#: The pages without Python; those of the reference have none either.
WORDS_ONLY = {"CHANGELOG.md", "docs/changelog.md", "docs/contributing.md", "docs/equations.md", "docs/examples.md"}
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


def run(page: Path, script_path: Path, cwd: Path, places: list[Path]) -> None:
    """Run the code of a page as a script, in this folder, with packages from these places."""
    script_path.write_text(script(page.read_text()))
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script_path)],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places))},
        capture_output=True,
        text=True,
    )
    skip_if_told(done.stderr)
    assert done.returncode == 0, f"{name_of(page)}:\n{done.stderr}"


#: Where this process finds packages beside those that are installed.
PLACES = [Path(place) for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
WITH_CODE = [page for page in PAGES if script(page.read_text()).strip()]


def test_which_pages_have_code():
    without = {name_of(page) for page in PAGES if page not in WITH_CODE}
    assert without == WORDS_ONLY | {name_of(page) for page in DOCS if page.parent.name == "reference"}


@pytest.mark.parametrize("page", WITH_CODE, ids=name_of)
def test_code_runs(page, tmp_path):
    run(page, tmp_path / f"{page.stem}.py", ROOT, [ROOT / "src", ROOT, *PLACES])


@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_what_is_seen_first_needs_the_package_alone(name, tmp_path):
    """Where nothing of the repository is, only sixd as pip installs it."""
    page, empty, installed = ROOT / name, tmp_path / "empty", tmp_path / "installed"
    empty.mkdir()
    shutil.copytree(ROOT / "src" / "sixd", installed / "sixd", ignore=shutil.ignore_patterns("__pycache__"))
    assert 'sixd.load("' in script(page.read_text()), "how to load a file is shown"
    run(page, tmp_path / "first.py", empty, [installed])
    assert list(empty.iterdir()) == []


def links(text: str) -> list[str]:
    """The links of a page within the documentation."""
    return [link for link in LINK.findall(prose(text)) if not re.match(r"[a-z]+:", link)]


def anchors(text: str) -> set[str]:
    """What links may end in: the headings, in small letters, hyphens for blanks, without other signs."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path, text: str) -> list[str]:
    """The links of a text at this place that lead nowhere."""
    found = []
    for link in links(text):
        file, _, heading = link.partition("#")
        target = (page.parent / file).resolve()
        if not target.exists() or (heading and heading not in anchors(target.read_text() if file else text)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    assert broken(page, page.read_text()) == []


def test_there_are_links_and_broken_ones_are_found():
    assert sum(len(links(page.read_text())) for page in PAGES) > 20
    text = "# A title: of two\n[a](README.md) [b](nonsense.md) [c](#a-title-of-two) [d](#other) [e](README.md#sixd)"
    assert broken(ROOT / "x.md", text) == ["nonsense.md", "#other"]
    assert broken(ROOT / "x.md", "[x](README.md#nonsense) [y](https://sixd.example/nonsense)") == ["README.md#nonsense"]


EXCERPTS = ["architecture.md", "fast.md"]


def test_only_excerpts_do_not_run():
    left_out = {name_of(page): page.read_text().count("<!-- no-run -->") for page in PAGES}
    assert {name: count for name, count in left_out.items() if count} == {f"docs/{name}": 1 for name in EXCERPTS}


@pytest.mark.parametrize("name", EXCERPTS)
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
