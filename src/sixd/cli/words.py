"""The words that a command takes, as its parser declares them, for scripts that complete them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from sixd.cli.command import Command

__all__ = ["CommandWords", "Option", "Position", "words_of"]


@dataclass(frozen=True)
class Option:
    """An option: its names, such as --frame, its help, whether a value follows, and which, if they are known."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    values: tuple[str, ...]


@dataclass(frozen=True)
class Position:
    """An argument: the words that it takes, if they are known, and whether it may be a file."""

    words: tuple[str, ...]
    files: bool


@dataclass(frozen=True)
class CommandWords:
    """A command: its name, its help in a line, its options, and its arguments by position."""

    name: str
    help: str
    options: tuple[Option, ...]
    positions: tuple[Position, ...]


def words_of(command: Command) -> CommandWords:
    """What the parser of a command takes."""
    parser = argparse.ArgumentParser(prog=command.name)
    command.arguments(parser)
    options, positions = [], []
    for action in parser._actions:
        values = tuple(map(str, action.choices or command.words.get(action.dest, ())))
        if action.option_strings:
            named = tuple(name for name in action.option_strings if name.startswith("--"))
            options.append(Option(named, _line(action.help), action.nargs != 0, values))
        else:
            beside = tuple(command.words_or_files.get(action.dest, ()))
            positions.append(Position(values or beside, files=not values))
    return CommandWords(command.name, _line(command.help), tuple(options), tuple(positions))


def _line(text: str | None) -> str:
    """The first line of a help text, without what shells and their scripts take for more than text."""
    first = (text or "").partition("\n")[0].rstrip(".").replace(": ", ", ")
    return "".join(c for c in first if c not in "'\"\\`$:[]%")
