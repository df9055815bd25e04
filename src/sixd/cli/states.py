"""States in words of the command line: numbers in the order of the joints, name=value, or a word."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixd.errors import ArgumentError, ChoiceError, NameNotFoundError, ShapeError
from sixd.robot import Robot
from sixd.tables.fields import coordinate_names

__all__ = ["STATE", "Part", "add_state", "is_random", "state_part"]

Array = NDArray[np.float64]

#: The parts of a state, and what they are.
STATE = {"q": "positions", "qd": "velocities", "qdd": "accelerations", "tau": "joint forces"}


@dataclass(frozen=True)
class Part:
    """A part of the state that words gave."""

    #: q (nq,), or qd, qdd, tau (nv,); random ones may be a batch (*size, n).
    values: Array
    #: The places of the coordinates that were given by name=value.
    named: tuple[int, ...] = ()
    random: bool = False


def add_state(parser: argparse.ArgumentParser, *names: str) -> None:
    """The options --q, --qd, ... for these parts of the state."""
    for name in names:
        parser.add_argument(f"--{name}", nargs="+", metavar="X", help=f"{STATE[name]}: numbers, name=value, or a word")


def is_random(words: Sequence[str]) -> bool:
    """Whether words ask for random numbers."""
    return list(words) == ["random"]


def state_part(
    robot: Robot,
    name: str,
    words: Sequence[str],
    seed: int,
    size: tuple[int, ...] = (),
    option: str | None = None,
    rest: Array | None = None,
) -> Part:
    """A part of the state from words of the command line; random ones have the shape (*size, n).

    ``option`` is what it is called, if that is not its name; ``rest`` is what coordinates are that no name=value names:
    neutral or zero, unless it is given.
    """
    title, positions = f"--{option or name}", name == "q"
    names = coordinate_names(robot, positions)
    default = robot.neutral() if positions else np.zeros(robot.nv)
    entries = [entry for word in words for entry in _entries(word, names)]
    known = ("neutral", "random") if positions else ("zero", "random")
    if len(entries) == 1 and entries[0].isalpha() and entries[0].lower() not in ("nan", "inf"):
        if entries[0] not in known:
            raise ChoiceError(f"{title} takes numbers, name=value, {' or '.join(known)}, not {entries[0]!r}")
        if entries[0] == "random":
            rng = np.random.default_rng(seed)
            return Part(robot.random(rng, size) if positions else rng.normal(size=(*size, robot.nv)), random=True)
        return Part(default)
    if entries and all("=" in entry for entry in entries):
        found = default if rest is None else rest.copy()
        named: list[int] = []
        for entry in entries:
            joint, _, text = entry.rpartition("=")
            if joint not in names:
                raise NameNotFoundError(f"coordinate ({title})", joint, names)
            if (k := names.index(joint)) in named:
                raise ArgumentError(f"{title} gives {joint} more than once")
            named.append(k)
            found[k] = _number(text, f"{title} {joint}")
        return Part(found, tuple(named))
    numbers = [_number(entry, title) for entry in entries]
    if len(numbers) != len(names):
        some = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise ShapeError(f"{title} needs {len(names)} numbers ({some}), not {len(numbers)}; or give name=value")
    return Part(np.array(numbers))


def _entries(word: str, names: Sequence[str]) -> list[str]:
    """The parts of a word at blanks and commas; a name=value whose name has some stays whole."""
    return [word] if word.rpartition("=")[0] in names else word.replace(",", " ").split()


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(f"{what}: {text!r} is no number, in rad or m") from None
