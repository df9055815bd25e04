"""Sphinx: Markdown pages, and reference pages from the docstrings. Built by `make docs`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import sixd
from sixd.algorithms import Algorithm

project = "sixd"
copyright = "the sixd contributors"
release = version = sixd.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"sixd {release}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]

myst_heading_anchors = 3

smartquotes = False
# `name` in a docstring is code, and a link where sphinx knows it.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
add_module_names = False
python_display_short_literal_types = True

LITERAL = re.compile(r"(``.*?``|`[^`\n]+`)")
SPECIAL = re.compile(r"(\*|\||(?<=\w)_(?![\w]))")


def plain_formulas(app: object, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Formulas in docstrings are plain text: `v x* f`, `|phi|` are no markup; indented blocks keep their columns."""
    out: list[str] = []
    for number, line in enumerate(lines):
        indented = line.startswith("    ") and not line.lstrip().startswith((">>>", "..."))
        opens = indented and number > 0 and not lines[number - 1].strip()
        if opens and not _in_item(lines, number):
            out += ["::", ""]
        if indented and not _in_item(lines, number):
            out.append(line)
        elif line.strip() and not set(line.strip()) <= {"=", " "}:
            parts = LITERAL.split(line)
            out.append("".join(part if k % 2 else SPECIAL.sub(r"\\\1", part) for k, part in enumerate(parts)))
        else:
            out.append(line)
    lines[:] = out


def _in_item(lines: list[str], number: int) -> bool:
    """Whether an indented line continues a list item."""
    for line in reversed(lines[:number]):
        if line.strip() and not line.startswith("  "):
            return line.startswith("- ")
    return False


def show_algorithms_as_functions() -> None:
    """autodoc shows functions with their arguments; of other objects that can be called, only that they are there."""
    for module in [x for name, x in sys.modules.items() if name.startswith("sixd.algorithms.")]:
        for name, thing in list(vars(module).items()):
            if isinstance(thing, Algorithm):
                setattr(module, name, thing.body)


def setup(app: Any) -> None:
    show_algorithms_as_functions()
    app.connect("autodoc-process-docstring", plain_formulas)
