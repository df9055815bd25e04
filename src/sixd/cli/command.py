"""What a subcommand of ``sixd`` is: each is a file in this folder that registers a `Command`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from sixd.errors import ChoiceError

__all__ = ["COMMANDS", "Command", "register"]


@dataclass(frozen=True)
class Command:
    """A subcommand: what people type, its help, what declares its arguments, and what does the work.

    The help is the docstring of its file; its first line stands in the list of commands. What takes long to import is
    imported by ``arguments`` and ``run``, which are called when the command is asked for. The result of ``run`` is the
    exit code; None is 0. A `SixdError` that it raises is told in one line, and the exit code is 2. ``words`` has the
    words that an argument takes, by its name, for shells to complete, where the parser does not list them as choices;
    ``words_or_files`` those of arguments that may be files as well.
    """

    name: str
    help: str | None
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int | None]
    words: Mapping[str, Iterable[str]] = field(default_factory=dict)
    words_or_files: Mapping[str, Iterable[str]] = field(default_factory=dict)


#: The subcommands by name.
COMMANDS: dict[str, Command] = {}


def register(new: Command) -> Command:
    """Make a command known to ``sixd``. No two may share a name."""
    if new.name in COMMANDS:
        raise ChoiceError(f"a command called {new.name!r} is registered already")
    COMMANDS[new.name] = new
    return new
