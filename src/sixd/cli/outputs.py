"""Files that commands write: refused before the work, rather than after it, if they cannot be written."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from sixd.errors import ChoiceError, FileError

__all__ = ["PAGES", "PICTURES", "are_same", "need_writable", "open_page"]

#: The suffixes of pages and of plots.
PAGES, PICTURES = (".html", ".htm"), (".png", ".svg", ".pdf")


def need_writable(path: str, option: str, suffixes: Sequence[str]) -> None:
    """Raise unless a file of one of these suffixes could be written here; ``option`` is what asked for it."""
    file = Path(path)
    if file.suffix.lower() not in suffixes:
        *others, last = suffixes
        raise ChoiceError(f"{option}: {path} must be a {', '.join(others)} or {last} file")
    if file.is_dir():
        raise FileError("it cannot be written: it is a folder; add the name of a file", file=path)
    if not file.parent.is_dir():
        raise FileError(f"it cannot be written: make the folder {file.parent} first", file=path)
    place = file if file.exists() else file.parent
    if not os.access(place, os.W_OK):
        what = "the file is" if place is file else f"the folder {file.parent} is"
        raise FileError(f"it cannot be written: {what} read-only for you; give another name", file=path)


def are_same(one: str, other: str) -> bool:
    """Whether two paths lead to the same file."""
    return Path(one).exists() and Path(other).exists() and Path(one).samefile(other)


def open_page(path: str) -> None:
    """Open a page that was written in the browser."""
    webbrowser.open(Path(path).resolve().as_uri())
