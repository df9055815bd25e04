"""A robot for a page: its tree, its joints as JavaScript, and what sliders move.

A page computes forward kinematics itself. Each joint's own `transform` and `integrate` are recorded and printed, so
every joint type can be shown, also a user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from sixd.backends.javascript import arrow_function
from sixd.ir import Port, trace
from sixd.joints import Joint
from sixd.model import Model
from sixd.spatial import Vector
from sixd.view.scene import Scene

__all__ = ["controls", "joint_functions", "quaternions", "travels", "tree"]


def joint_functions(model: Model) -> tuple[str, dict[Joint, int]]:
    """The text of an array of the joints' functions, and the place of each joint in it. Equal joints share one."""
    places: dict[Joint, int] = {}
    for body in model.body_list[1:]:
        if body.joint is not None:
            places.setdefault(body.joint.type, len(places))
    texts = (f"{{transform:{_transform(joint)},integrate:{_integrate(joint)}}}" for joint in places)
    return "const JOINTS = [\n" + ",\n".join(texts) + "\n];\n", places


def _transform(joint: Joint) -> str:
    """q -> X_J as the 9 entries of E and the 3 of r."""
    return _printed(lambda q: joint.transform(Vector(q)).components(), joint.name, q=joint.nq)


def _integrate(joint: Joint) -> str:
    """(q, dv) -> the position reached."""
    return _printed(lambda q, dv: joint.integrate(Vector(q), Vector(dv)).entries, joint.name, q=joint.nq, dv=joint.nv)


def _printed(function: Callable[..., Sequence[Any]], name: str, **sizes: int) -> str:
    def run(*values: Any) -> Any:
        result = list(function(*values))
        return [("result", (len(result),), result)]

    return arrow_function(trace(run, [Port(key, (n,)) for key, n in sizes.items()], name))


def tree(scene: Scene, places: dict[Joint, int]) -> list[dict[str, Any]]:
    """The bodies from 1 on, as the page reads them."""
    found = []
    for i, body in enumerate(scene.model.body_list[1:], start=1):
        assert body.joint is not None
        c = scene.model.coordinates[i]
        found.append(
            {
                "name": body.name,
                "parent": body.parent,
                "placement": [float(x) for x in body.placement.components()],
                "joint": places[body.joint.type],
                "q": [c.q.start, c.q.stop],
                "ratio": c.ratio,
                "offset": c.offset,
                "share": float(scene.shares[i]),
                "centre": scene.centres[i].tolist(),
            }
        )
    return found


def quaternions(model: Model) -> list[tuple[int, int]]:
    """Groups of coordinates with a sign that has no meaning: first entry in q, and number."""
    joints = [joint for joint in model.joints if joint.mimic is None]
    return [(joint.q.start + first, count) for joint in joints for first, count in joint.type.nonzero]


def controls(model: Model) -> list[dict[str, Any]]:
    """The sliders: for each coordinate of q one within its limits, or within a turn or a metre where it has none.

    For joints whose q is no vector, they are the velocity that leads there from the present position in unit time.
    """
    found: list[dict[str, Any]] = []
    for joint in model.joints:
        kind = joint.type
        if joint.mimic is not None:
            continue
        plain = kind.has_rates and kind.nq == kind.nv
        units = _units(kind)
        for k in range(kind.nv):
            lower, upper = (-3.15, 3.15) if units[k] == "rad" else (-1.0, 1.0)
            if plain:
                limits = model.lower[joint.q][k], model.upper[joint.q][k]
                lower, upper = (float(x) if isfinite(x) else end for x, end in zip(limits, (lower, upper), strict=True))
            label = joint.name if kind.nv == 1 else f"{joint.name}: {_part(kind, k)}"
            where = {"kind": "q", "k": joint.q.start + k} if plain else {"kind": "v", "k": k}
            more = {"joint": joint.index - 1, "nv": kind.nv, "unit": units[k], "id": f"{len(found)}"}
            found.append({"label": label, "lower": lower, "upper": upper, **where, **more})
    return found


def travels(model: Model) -> bool:
    """Whether a joint on the base lets the robot move away, as a free or planar one does."""
    carried = (model.body_list[i].joint for i in model.children[0])
    return any("m" in _units(joint.type) for joint in carried if joint is not None)


def _units(joint: Joint) -> list[str]:
    """rad or m, for each velocity coordinate: whether it turns the body at the neutral position."""
    columns = [column.components()[:3] for column in joint.subspace(joint.neutral())]
    return ["rad" if any(abs(float(x)) > 1e-9 for x in angular) else "m" for angular in columns]


def _part(joint: Joint, k: int) -> str:
    """What a coordinate of a joint with several does: "turn x", "move 2"."""
    units = _units(joint)
    word, same = ("turn" if units[k] == "rad" else "move"), [j for j in range(joint.nv) if units[j] == units[k]]
    letter = "xyz"[same.index(k)] if len(same) == 3 else str(same.index(k) + 1) if len(same) > 1 else ""
    return f"{word} {letter}".strip()
