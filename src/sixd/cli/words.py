"""The words that a command takes, as its parser declares them, for scripts that complete them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from sixd.cli.command import Command

__all__ = ["MANY", "Argument", "CommandWords", "words_of"]

#: As many values as people type.
MANY = 999


@dataclass(frozen=True)
class Argument:
    """An option or a positional argument.

    It has names, such as --frame, if it is an option; its help; how many values it takes at most; which, if they are
    known; and whether files may stand beside those.
    """

    names: tuple[str, ...]
    help: str
    takes: int
    words: tuple[str, ...]
    or_files: bool


@dataclass(frozen=True)
class CommandWords:
    """A command: its name, its help in a line, its options, and its positional arguments in order."""

    name: str
    help: str
    options: tuple[Argument, ...]
    positions: tuple[Argument, ...]


def words_of(command: Command) -> CommandWords:
    """What the parser of a command takes."""
    parser = argparse.ArgumentParser(prog=command.name)
    command.arguments(parser)
    options = tuple(_argument(action, command) for action in parser._actions if action.option_strings)
    positions = tuple(_argument(action, command) for action in parser._actions if not action.option_strings)
    return CommandWords(command.name, _line(command.help), options, positions)


def _argument(action: argparse.Action, command: Command) -> Argument:
    names = tuple(name for name in action.option_strings if name.startswith("--"))
    words = tuple(map(str, action.choices or command.words.get(action.dest, ())))
    beside = tuple(command.words_or_files.get(action.dest, ()))
    return Argument(names, _line(action.help), _most(action.nargs), words or beside, bool(beside and not words))


def _most(nargs: int | str | None) -> int:
    """How many values an argument takes at most, by the ``nargs`` of argparse."""
    if isinstance(nargs, int):
        return nargs
    return 1 if nargs in (None, argparse.OPTIONAL) else MANY


def _line(text: str | None) -> str:
    """The first line of a help text, without what shells and their scripts take for more than text."""
    first = (text or "").partition("\n")[0].rstrip(".").replace(": ", ", ")
    return "".join(c for c in first if c not in "'\"\\`$:[]%")
