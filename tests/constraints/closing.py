"""Random trees closed by a loop joint, at a position that keeps the constraint."""

from __future__ import annotations

import numpy as np

import sixd
from sixd import Loop, Transform
from sixd.joints import JOINTS, Joint
from sixd.model.random import random_tree
from sixd.spatial import Vector

__all__ = ["LOOP_JOINTS", "closed_by"]

#: An example or two of every joint type of sixd that can close a loop, and None for a weld.
LOOP_JOINTS: list[Joint | None] = [None] + [
    joint
    for kind in JOINTS.values()
    if kind.nv < 6 and kind.__module__.startswith("sixd.")
    for joint in [*kind.examples()][-2:]
]


def closed_by(joint: Joint | None, seed: int, n: int = 8) -> tuple[sixd.ClosedRobot, np.ndarray]:
    """A random tree of n bodies whose bodies 3 and n are tied by a joint, and a position that keeps the constraint.

    The joint is placed on body 3 such that a random position of the tree, with a random position of the loop joint, is
    consistent.
    """
    rng = np.random.default_rng(seed)
    tree = sixd.Robot.of(random_tree(n, seed, rotors=True, passive=True))
    q = tree.random(rng)
    a, b = tree.bodies[3].name, tree.bodies[n].name
    X_ba = Transform.from_pose(np.linalg.inv(tree.pose(q, a)) @ tree.pose(q, b))
    if joint is None:
        return tree.close(Loop(a, b, offset=X_ba)), q
    X_J = joint.transform(Vector.from_array(joint.random(rng, *joint.limits())))
    return tree.close(Loop(a, b, joint, offset=X_J.inv @ X_ba)), q
