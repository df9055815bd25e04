"""Units in the names of columns: "q_elbow [deg]", "qd_elbow (rad/s)", "q_slide_mm", "t [ms]"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import pi
from typing import NamedTuple

__all__ = ["WORDS_TOO", "Reading", "factor", "known_units", "readings"]

_ANGLES = {"rad": 1.0, "mrad": 1e-3, "deg": pi / 180.0, "turn": 2.0 * pi, "rev": 2.0 * pi}
_LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "km": 1e3, "in": 0.0254}
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0}
_FORCES = {"N": 1.0, "mN": 1e-3, "kN": 1e3}
#: Signs and words, in small letters, with what they are written as here.
_SIGNS = str.maketrans({"°": "deg", "µ": "u", "μ": "u", "¹": "1", "²": "2", "⁻": "-"})
_WORDS = {
    **dict.fromkeys(("rad", "rads", "radian", "radians"), "rad"),
    **dict.fromkeys(("deg", "degs", "degree", "degrees"), "deg"),
    **dict.fromkeys(("rev", "revs", "revolution", "revolutions"), "rev"),
    **dict.fromkeys(("turn", "turns"), "turn"),
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "msecs", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("usec", "usecs", "microsecond", "microseconds"), "us"),
    **dict.fromkeys(("nsec", "nsecs", "nanosec", "nanosecs", "nanosecond", "nanoseconds"), "ns"),
    **dict.fromkeys(("min", "minute", "minutes"), "min"),
    **{name.lower(): name for name in ("rpm", "dps", "Hz")},
}
#: Units that are words, too: "q_lift_in" may be beside "q_lift_out". They are units in brackets only.
WORDS_TOO = {"in", "min", "rev", "turn"}
#: Rates that have names of their own, as those that are written out.
_RATES = {"rpm": "rev/min", "dps": "deg/s", "Hz": "turn/s"}


def _all_units() -> dict[str, dict[str, float]]:
    """For each SI unit the units that are converted to it, each with its size."""
    found = {"rad": _ANGLES, "m": _LENGTHS, "s": _TIMES, "N": _FORCES, "1": {"1": 1.0}, "": {}}
    found["rad"] = {**_ANGLES, "1": 1.0}
    for unit, all_of_it in (("rad", _ANGLES), ("m", _LENGTHS)):
        for si, power, ending in ((f"{unit}/s", 1, ""), (f"{unit}/s^2", 2, "2")):
            found[si] = {f"{x}/{t}{ending}": a / b**power for x, a in all_of_it.items() for t, b in _TIMES.items()}
    found["N m"] = {f"{f}{length}": a * b for f, a in _FORCES.items() for length, b in _LENGTHS.items()}
    found["rad/s"]["1/s"] = found["rad/s^2"]["1/s2"] = 1.0
    found["rad/s"] |= {name: found["rad/s"][written] for name, written in _RATES.items()}
    return found


#: By the SI unit: the sizes of the units that are known for the same quantity.
_UNITS = _all_units()
#: Units that a name may end in without brackets.
_ENDINGS = {text for units in _UNITS.values() for text in units if text[0] != "1"} - WORDS_TOO
#: For errors, what most tables have.
_USUAL = {
    "rad": "rad, mrad, deg, turn",
    "m": "m, mm, cm, um, in",
    "s": "s, ms, us, ns, min",
    "N": "N, mN, kN",
    "1": "1",
    "N m": "N m, N mm, N cm, mN m, kN m",
    "rad/s": "rad/s, mrad/s, deg/s, rpm, turn/s",
    "m/s": "m/s, mm/s, cm/s, m/min",
    "rad/s^2": "rad/s^2, mrad/s^2, deg/s^2, turn/s^2",
    "m/s^2": "m/s^2, mm/s^2, cm/s^2",
}


class Reading(NamedTuple):
    """A name of a column taken apart: the name without a unit, and the unit as it is written."""

    name: str
    unit: str


def readings(column: str) -> Iterator[Reading]:
    """All ways to take a unit off a name.

    In brackets or behind a slash anything but a number is a unit; behind "_" or a blank only one that is known and no
    other word, where "_" stands for "/": "qd_elbow_deg_s".
    """
    inside = r"((?:[^\[\]()]|\([^\[\]()]+\))+)"
    for gap in re.finditer(r"\s*[\[(/_\s]", column):
        name, rest = column[: gap.start()], column[gap.start() :].strip()
        if found := re.fullmatch(rf"\[{inside}\]|\({inside}\)|/\s*(\S.*)", rest):
            unit = (found[1] or found[2] or found[3]).strip()
            if name and unit and not unit.isdigit():
                yield Reading(name, unit)
        elif name and _plain(unit := rest.lstrip("_")) in _ENDINGS:
            yield Reading(name, unit)


def factor(unit: str, si: str) -> float | None:
    """What numbers in a unit are multiplied by to be in the SI unit; None if it is not one for the same quantity."""
    return _UNITS[si].get(_plain(unit))


def known_units(si: str) -> str:
    """Some of the units for a quantity, for errors."""
    return _USUAL.get(si, "none")


def _plain(unit: str) -> str:
    """A unit as `_UNITS` writes it.

    "N·m", "N-m" and "N m" are "Nm"; "deg/s²", "deg/(s^2)", "deg*s^-2", "deg_per_s2" and "deg/s/s" are "deg/s2". What
    has no unit, "-", is "1".
    """
    text = unit.strip().translate(_SIGNS)
    if text == "-":
        return "1"
    text = re.sub(r"[\s_]per[\s_]", "/", text).replace("N_", "N").replace("_", "/")
    text = re.sub(r"[A-Za-z]+", lambda word: _WORDS.get(word[0].lower(), word[0]), text)
    text = re.sub(r"[\s·⋅∙.*]*([a-z]+)\^?-(\d)", r"/\1\2", text)  # s^-2 as /s2
    text = re.sub(r"[\s·⋅∙.*^()-]", "", text)
    text = re.sub(r"(?<=/s)1$", "", re.sub(r"^/", "1/", text))
    return re.sub(r"^(\w+)/(\w+)/\2$", r"\1/\g<2>2", text)
