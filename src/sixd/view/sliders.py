"""What sliders move: the coordinates of a robot, with labels, units and ranges."""

from __future__ import annotations

from math import ceil, floor, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.model import Model
from sixd.model.units import coordinate_units, shared_types

__all__ = ["LOOPS_OPEN", "controls", "travels"]

#: What pages say beside the sliders of a robot with constraints.
LOOPS_OPEN = "A slider moves one joint: loops open."
#: How far the slider of a coordinate without limits goes both ways: half a turn and a little, a metre.
REACH = {"rad": 3.15, "m": 1.0}
#: And that of a mode of a flexible link, whose deflections are small, rad or m.
DEFLECTION = 0.3


def controls(model: Model, q: NDArray[np.float64] | None = None) -> list[dict[str, Any]]:
    """The sliders: for each coordinate one within its limits, or within `REACH` where it has none.

    A slider that could not show the positions q (T, nq) of a motion is made longer than its ``limits``, None where
    there are none. For joints whose q is no vector, they are the velocity that leads there from the present position in
    unit time.
    """
    samples = np.empty((0, model.nq)) if q is None else q
    found: list[dict[str, Any]] = []
    all_units, flexible = coordinate_units(model), shared_types(model)
    for joint in model.joints:
        kind = joint.type
        if joint.mimic is not None:
            continue
        plain = kind.has_rates and kind.nq == kind.nv
        units, modes = all_units[joint.name], joint.name in flexible
        for k in range(kind.nv):
            upper = DEFLECTION if modes else REACH[units[k]]
            lower = -upper
            limits: list[float | None] = [None, None]
            if plain:
                ends = model.lower[joint.q][k], model.upper[joint.q][k]
                limits = [float(x) if isfinite(x) else None for x in ends]
                lower, upper = (end if x is None else x for x, end in zip(limits, (lower, upper), strict=True))
                taken = samples[:, joint.q.start + k]
                if len(taken) and taken.min() < lower:
                    lower = floor(1000.0 * float(taken.min())) / 1000.0
                if len(taken) and taken.max() > upper:
                    upper = ceil(1000.0 * float(taken.max())) / 1000.0
            part = f"mode {k + 1}" if modes else _part(units, k)
            label = joint.name if kind.nv == 1 else f"{joint.name}: {part}"
            where = {"kind": "q", "k": joint.q.start + k} if plain else {"kind": "v", "k": k}
            more = {"joint": joint.index - 1, "nv": kind.nv, "unit": units[k], "id": f"{len(found)}"}
            found.append({"label": label, "lower": lower, "upper": upper, "limits": limits, **where, **more})
    return found


def travels(model: Model) -> bool:
    """Whether a joint on the base lets the robot move away, as a free or planar one does."""
    units = coordinate_units(model)
    carried = (model.body_list[i].joint for i in model.children[0])
    return any("m" in units[joint.name] for joint in carried if joint is not None)


def _part(units: list[str], k: int) -> str:
    """What a coordinate of a joint with several does: "turn x", "move 2"."""
    word, same = ("turn" if units[k] == "rad" else "move"), [j for j, unit in enumerate(units) if unit == units[k]]
    letter = "xyz"[same.index(k)] if len(same) == 3 else str(same.index(k) + 1) if len(same) > 1 else ""
    return f"{word} {letter}".strip()
