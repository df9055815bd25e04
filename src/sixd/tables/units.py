"""Units in the names of columns: "q_elbow [deg]", "qd_elbow (rad/s)", "q_slide_mm", "t [ms]"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import pi
from typing import NamedTuple

__all__ = ["Reading", "factor", "known_units", "readings"]

_ANGLES = {"rad": 1.0, "mrad": 1e-3, "deg": pi / 180.0, "turn": 2.0 * pi, "rev": 2.0 * pi}
_LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "km": 1e3, "in": 0.0254}
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0}
_FORCES = {"N": 1.0, "mN": 1e-3, "kN": 1e3}
#: Other spellings, of what a text begins with.
_SPELLINGS = {"radians": "rad", "radian": "rad", "degrees": "deg", "degree": "deg", "°": "deg", "µ": "u", "μ": "u"}
#: Rates that have names of their own, as those that are written out.
_RATES = {"rpm": "rev/min", "dps": "deg/s", "Hz": "turn/s"}


def _all_units() -> dict[str, dict[str, float]]:
    """For each SI unit the units that are converted to it, each with its size."""
    found = {"rad": _ANGLES, "m": _LENGTHS, "s": _TIMES, "N": _FORCES, "1": {"1": 1.0}, "": {}}
    for unit, all_of_it in (("rad", _ANGLES), ("m", _LENGTHS)):
        for si, power, ending in ((f"{unit}/s", 1, ""), (f"{unit}/s^2", 2, "2")):
            found[si] = {f"{x}/{t}{ending}": a / b**power for x, a in all_of_it.items() for t, b in _TIMES.items()}
    found["N m"] = {f"{f}{length}": a * b for f, a in _FORCES.items() for length, b in _LENGTHS.items()}
    found["rad/s"] |= {name: found["rad/s"][written] for name, written in _RATES.items()}
    return found


#: By the SI unit: the sizes of the units that are known for the same quantity.
_UNITS = _all_units()
_KNOWN = {text for units in _UNITS.values() for text in units}


class Reading(NamedTuple):
    """A name of a column taken apart: the name without a unit, and the unit as it is written."""

    name: str
    unit: str


def readings(column: str) -> Iterator[Reading]:
    """All ways to take a unit off a name.

    In brackets or behind a slash anything but a number is a unit; behind "_" or a blank only one that is known is,
    where "_" stands for "/": "qd_elbow_deg_s".
    """
    for gap in re.finditer(r"\s*[\[(/_\s]", column):
        name, rest = column[: gap.start()], column[gap.start() :].strip()
        if found := re.fullmatch(r"\[([^\[\]()]+)\]|\(([^\[\]()]+)\)|/\s*(\S.*)", rest):
            unit = (found[1] or found[2] or found[3]).strip()
            if name and unit and not unit.isdigit():
                yield Reading(name, unit)
        elif name and _plain(unit := rest.lstrip("_").replace("_per_", "/").replace("_", "/")) in _KNOWN:
            yield Reading(name, unit)


def factor(unit: str, si: str) -> float | None:
    """What numbers in a unit are multiplied by to be in the SI unit; None if it is not one for the same quantity."""
    return _UNITS[si].get(_plain(unit))


def known_units(si: str) -> str:
    """Some of the units for a quantity, for errors."""
    return ", ".join(dict.fromkeys([si, *_UNITS[si]][:6])) or "none"


def _plain(unit: str) -> str:
    """A unit as `_UNITS` writes it: "N·m" and "N m" as "Nm", "deg/s²", "deg/s^2" and "deg/s/s" as "deg/s2"."""
    text = re.sub(r"[\s·.*^]", "", unit).replace("²", "2").replace("per", "/")
    for other, own in _SPELLINGS.items():
        text = text.replace(other, own, 1) if text.startswith(other) else text
    return re.sub(r"^(\w+)/(\w+)/\2$", r"\1/\g<2>2", text)
