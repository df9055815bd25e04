"""The velocities of all bodies in O(log N) steps: what the recursion of F10b (9) does, piece by piece.

The step from a body's parent to the body, v_i = X_i v_p + S_i qd_i, is an affine map (X, w). Maps of two pieces that
follow each other make one of the whole; so up the assembly each piece learns its maps from above its top to the bodies
it is joined at, and down the assembly each piece learns the velocity from above its top.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sixd.model import Tree
from sixd.operators.assembly import Assembly
from sixd.operators.mechanism import TreeMotion
from sixd.spatial import Motion, Transform

__all__ = ["Step", "scanned_motion"]


class Step(NamedTuple):
    """v -> X v + w, between two bodies: from the coordinates of one to those of the other."""

    X: Transform
    w: Motion

    def after(self, first: Step) -> Step:
        """This step after another."""
        return Step(self.X @ first.X, self.X @ first.w + self.w)


def scanned_motion(tree: Tree, q: Any, qd: Any, assembly: Assembly) -> TreeMotion:
    """The motion of the bodies by the pieces of an assembly."""
    steps = {}
    for i, _ in tree.outward():
        joint = tree.joint(i)
        steps[i] = Step(joint.transform(q[i]) @ tree.placement(i), joint.subspace(q[i]) @ qd[i])
    to = _up(assembly, steps)
    above: dict[int, Step] = {k: Step(Transform.identity(), Motion.zero()) for ks, _ in assembly.groups for k in ks}
    X, v, X_0 = (
        [identity] * (len(steps) + 1) for identity in (Transform.identity(), Motion.zero(), Transform.identity())
    )
    for k in range(len(assembly.nodes) - 1, -1, -1):
        node = assembly.nodes[k]
        if node.parts is None:
            i = node.top
            found = steps[i].after(above[k])
            X[i], v[i], X_0[i] = steps[i].X, found.w, found.X
        else:
            upper, lower = node.parts
            above[upper] = above[k]
            above[lower] = to[upper][node.joints[0]].after(above[k])
    return TreeMotion(X, v, X_0)  # type: ignore[arg-type]


def _up(assembly: Assembly, steps: dict[int, Step]) -> list[dict[int, Step]]:
    """For each piece, its step from the parent of its top to each body that carries a body of another piece."""
    to: list[dict[int, Step]] = []
    for node in assembly.nodes:
        if node.parts is None:
            to.append({joint: steps[node.top] for joint in node.open if joint != node.top})
        else:
            upper, lower = node.parts
            across = to[upper][node.joints[0]]
            found = {joint: step for joint, step in to[upper].items() if joint in node.open}
            found |= {joint: step.after(across) for joint, step in to[lower].items() if joint in node.open}
            to.append(found)
    return to
