"""Robots that commands take by name instead of a file: gallery.puma560, mechanisms.four_bar, as in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixd import gallery
from sixd.errors import ArgumentError, ChoiceError, closest
from sixd.robot import ClosedRobot, Robot

if TYPE_CHECKING:
    from sixd.mechanisms import Mechanism

__all__ = ["NAMES", "Subject", "built_in", "plain_name"]

Array = NDArray[np.float64]

#: The functions that make robots, by the names that commands take.
_GALLERY: dict[str, Callable[..., Robot]] = {f"gallery.{name}": getattr(gallery, name) for name in gallery.__all__}
#: The mechanisms of `sixd.mechanisms.MECHANISMS`. They are listed here since with them all of simulation is imported.
_MECHANISMS = tuple(
    f"mechanisms.{name}"
    for name in (
        "four_bar",
        "slider_crank",
        "five_bar",
        "andrews",
        "bricard",
        "flyball_governor",
        "delta_robot",
        "stewart_platform",
        "two_handed_grasp",
        "standing_quadruped",
    )
)


def _needed(make: Any) -> list[str]:
    """The arguments that a function cannot do without."""
    return [name for name, p in signature(make).parameters.items() if p.default is p.empty and p.kind != _MORE]


_MORE = Parameter.VAR_KEYWORD
#: What can be made without arguments.
NAMES = (*(name for name, make in _GALLERY.items() if not _needed(make)), *_MECHANISMS)


@dataclass(frozen=True)
class Subject:
    """What a command is about: a robot, and the state and the forces that a built-in mechanism comes with."""

    robot: Robot
    mechanism: Mechanism | None = None

    @property
    def closed(self) -> ClosedRobot | None:
        """The robot, if it has loops."""
        return self.robot if isinstance(self.robot, ClosedRobot) else None

    @property
    def q(self) -> Array:
        """Where it is if nothing else is said, (nq,)."""
        return self.robot.neutral() if self.mechanism is None else self.mechanism.q.copy()

    @property
    def qd(self) -> Array:
        """How it moves if nothing else is said, (nv,)."""
        return np.zeros(self.robot.nv) if self.mechanism is None else self.mechanism.qd.copy()


def built_in(word: str, base: str = "fixed", mimic: bool = True) -> Subject | None:
    """The robot or mechanism of a name; None if the word is to be read as a file.

    ``base`` and ``mimic`` say how a file would be read: what is built in has no such choice.
    """
    if not _is_built_in(word):
        if word.startswith(("gallery.", "mechanisms.")) and "/" not in word and not Path(word).exists():
            near = closest(word, NAMES, n=2)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(NAMES)}"
            raise ChoiceError(f"{word}: there is no such file, and no built-in robot of this name; {hint}")
        return None
    if needed := _needed(_GALLERY[word]) if word in _GALLERY else ():
        raise ArgumentError(f"{word} needs {' and '.join(needed)}, which only Python can give: sixd.{word}(...)")
    for option, given in (("--base free", base != "fixed"), ("--no-mimic", not mimic)):
        if given:
            raise ArgumentError(f"{option} is for files: {word} is built in as it is, leave it out")
    if word in _GALLERY:
        return Subject(_GALLERY[word]())
    from sixd.mechanisms import MECHANISMS

    mechanism = MECHANISMS[word.partition(".")[2]]()
    return Subject(mechanism.robot, mechanism)


def plain_name(word: str) -> str:
    """What a file or a built-in robot is called, without folder, suffix or prefix: the stem of names of outputs."""
    return word.partition(".")[2] if _is_built_in(word) else Path(word).stem


def _is_built_in(word: str) -> bool:
    return word in _GALLERY or word in _MECHANISMS
