"""A robot for a page: its tree, and its joints as JavaScript.

A page computes forward kinematics itself. Each joint's own `transform` and `integrate` are recorded and printed, so
every joint type can be shown, also a user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixd.backends.javascript import arrow_function
from sixd.ir import Port, UnsteadyError, trace
from sixd.joints import Joint
from sixd.model import Model
from sixd.spatial import Vector
from sixd.view.scene import Scene

__all__ = ["joint_functions", "quaternions", "tree"]


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

    program, again = (trace(run, [Port(key, (n,)) for key, n in sizes.items()], name) for _ in range(2))
    if again.fingerprint != program.fingerprint:
        raise UnsteadyError(f"the joint type {name!r}")
    return arrow_function(program)


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
