"""What commands tell of mechanisms with loops: how they can move, and what they come with."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from sixd.cli.robots import shown
from sixd.errors import shorten
from sixd.tables.fields import coordinate_names

if TYPE_CHECKING:
    from sixd.mechanisms import Mechanism

__all__ = ["mechanism_lines", "mechanism_summary"]


def mechanism_lines(mechanism: Mechanism) -> list[str]:
    """How a mechanism can move, and what it comes with, as a table of lines."""
    found, robot = mechanism.robot.mobility(mechanism.q), mechanism.robot
    redundant = ", ".join(f"{number} of {name}" for name, number in found.redundant.items())
    at = [f"{name} = {shown(x)}" for name, x in zip(coordinate_names(robot, True), mechanism.q, strict=True)]
    moving, driven = _nonzero(mechanism, mechanism.qd), _nonzero(mechanism, mechanism.tau)
    rows = [
        ["freedoms", f"{found.dof} (nv {robot.nv} less {robot.n_rows} rows is {found.gruebler})"],
        ["led by", ", ".join(mechanism.independent)],
        ["redundant rows", redundant or "none"],
        ["its position", ", ".join(at)],
        ["its velocity", ", ".join(moving) or "at rest"],
        ["its forces", ", ".join(shorten(str(force), 100) for force in mechanism.forces) or "none"],
        ["its drive", ", ".join(driven) or "none"],
    ]
    return [line for title, text in rows for line in _wrapped(title, text)]


def mechanism_summary(mechanism: Mechanism) -> dict[str, Any]:
    """The same for JSON."""
    found = mechanism.robot.mobility(mechanism.q)
    freedoms = {"freedoms": found.dof, "rank": found.rank, "gruebler": found.gruebler, "redundant": found.redundant}
    return {
        "constraints": [
            {"name": c.name, "kind": c.kind, "frames": c.frames, "joints": c.joints, "rows": c.rows}
            for c in mechanism.robot.constraint_list
        ],
        "mobility": freedoms,
        "independent": mechanism.independent,
        "start": {"q": mechanism.q, "qd": mechanism.qd},
        "drive": mechanism.tau,
        "forces": [str(force) for force in mechanism.forces],
        "dt": mechanism.dt,
    }


def _wrapped(title: str, text: str) -> list[str]:
    """A title, and a text beside it on as many lines as it needs."""
    first, *others = wrap(shorten(text, 1000), 100)
    return [f"{title:<16}{first}", *(f"{'':<16}{line}" for line in others)]


def _nonzero(mechanism: Mechanism, values: Any) -> list[str]:
    """The degrees of freedom at which something is not zero."""
    names = coordinate_names(mechanism.robot, False)
    return [f"{names[k]} = {shown(values[k])}" for k in np.flatnonzero(values)]
