"""Packages that pictures need and sixd itself does not: each is imported when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sixd.errors import ArgumentError
from sixd.process.forks import importing

__all__ = ["optional", "plain"]


def optional(name: str, caller: str, extra: str) -> Any:
    """The module of this name; an error says who needs it and which extra of sixd installs it."""
    package = name.partition(".")[0]
    with importing:
        try:
            return import_module(name)
        except ImportError as error:
            raise ArgumentError(
                f"{caller} needs {package}, which cannot be imported ({error}): pip install 'sixd[{extra}]'"
            ) from None


def plain(text: str) -> str:
    """A text as matplotlib shows it letter by letter: dollar signs would be read as TeX."""
    return text.replace("$", r"\$")
