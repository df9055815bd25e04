"""How far a frame can be from the first joint that carries it: a bound that proves targets unreachable.

By the triangle inequality the distance is at most the sum of the links' lengths and the joints' travels, and at least
the longest link less all the others. Joint angles play no part, so the proof holds for every configuration.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.ik.problem import Problem
from sixd.ik.targets import Goal
from sixd.joints import Joint
from sixd.spatial import Transform, Vector

__all__ = ["Reach", "proofs", "reach"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Reach:
    """A point keeps a distance in [least, most], m, from ``anchor`` (3,), a fixed point in the world on ``joint``."""

    anchor: Array
    joint: str
    least: float
    most: float

    def violated(self, point: Array, slack: float) -> Array:
        """Which points (T, 3) are proved out of reach, (T,)."""
        distance = np.linalg.norm(point - self.anchor, axis=-1)
        slack += 1e-9 * self.most if np.isfinite(self.most) else 0.0
        return (distance > self.most + slack) | (distance < self.least - slack)


def reach(problem: Problem, body: int, offset: Transform) -> Reach:
    """The bounds for the point at ``offset`` on ``body``."""
    model = problem.model
    chain = model.path(body)[::-1]
    if not chain:
        return Reach(offset.r.array(), model.body_list[0].name, 0.0, 0.0)
    links = [_length(model.body_list[i].placement) for i in chain[1:]] + [_length(offset)]
    travel = 0.0
    for i in chain:
        joint, c = model.joints[i - 1], model.coordinates[i]
        with np.errstate(invalid="ignore"):
            ends = np.array([c.ratio * limit[c.q] + c.offset for limit in (problem.lower, problem.upper)])
        travel += joint_travel(joint.type, np.max(np.abs(ends), axis=0))
    first = model.body_list[chain[0]]
    most = sum(links) + travel
    return Reach(first.placement.r.array(), model.joints[chain[0] - 1].name, max(0.0, 2.0 * max(links) - most), most)


def _length(X: Transform) -> float:
    return float(np.linalg.norm(X.r.array()))


def joint_travel(joint: Joint, size: Array) -> float:
    """How far a joint can carry the origin of its successor while |q| <= size, entry by entry; m.

    Infinity where the displacement is not affine in q.
    """
    gains = _affine_gains(joint)
    if gains is None:
        return np.inf
    moving = gains[1:] > 0.0
    return float(gains[0] + gains[1:][moving] @ size[moving])


@lru_cache(maxsize=256)
def _affine_gains(joint: Joint) -> Array | None:
    """|a| and the norms of the columns of B if probing shows the displacement to be a + B q, as in all joints here."""
    probes = np.random.default_rng(0).normal(size=(2 * joint.nq + 4, joint.nq))
    r = joint.transform(Vector.from_array(probes)).r.array()
    r = np.broadcast_to(r, (len(probes), 3))
    affine = np.column_stack([np.ones(len(probes)), probes])
    coefficients = np.linalg.lstsq(affine, r, rcond=None)[0]
    if np.max(np.abs(affine @ coefficients - r)) > 1e-9:
        return None
    gains = np.linalg.norm(coefficients, axis=1)
    gains[gains < 1e-12] = 0.0
    return gains


def proofs(problem: Problem, target: Array) -> dict[int, str]:
    """Of the targets (T,), those that no configuration reaches, each with the reason."""
    found: dict[int, str] = {}
    for goal in problem.goals if len(target) else ():
        for what, place, points in _points(goal):
            bound = reach(problem, goal.frame.body, place)
            distance = np.linalg.norm(points - bound.anchor, axis=-1)
            violated = bound.violated(points, problem.tolerance[1])
            for k in target[violated[target]].tolist():
                far = distance[k] > bound.most
                limit, how = (bound.most, "farther") if far else (bound.least, "nearer")
                found.setdefault(
                    k,
                    f"{what} would have to be {distance[k]:.7g} m from joint {bound.joint!r}, "
                    f"and nothing brings it {how} than {limit:.7g} m",
                )
    return found


def _points(goal: Goal) -> list[tuple[str, Transform, Array]]:
    """The points of the frame's body whose positions a goal prescribes: a name, the place on the body, (T, 3)."""
    points: list[tuple[str, Transform, Array]] = []
    if goal.kind == "orientation" or not np.all(goal.weights[-3:] > 0.0):
        return points
    points.append((f"frame {goal.frame.name!r}", goal.frame.offset, goal.position))
    if goal.kind == "pose" and np.all(goal.weights > 0.0):
        origin = goal.position + goal.rotation @ goal.frame.offset.inverse().r.array()
        points.append((f"the body of frame {goal.frame.name!r}", Transform.identity(), origin))
    return points
