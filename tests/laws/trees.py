"""The random trees that the laws run on, and states of them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from sixd import Builder, Mimic, Robot
from sixd.joints import JOINTS, Free, Prismatic, Revolute
from sixd.model.random import random_tree

#: name -> options of `random_tree`
KINDS = {
    "one body, any joint": {"n": 1},
    "two bodies": {"n": 2},
    "chain of all joints": {"n": 11, "branching": 0.0, "rotors": True},
    "bush of all joints": {"n": 10, "branching": 1.0, "passive": True},
    "tree of all joints": {"n": 12, "branching": 0.5, "rotors": True, "passive": True},
    "tree of simple joints": {"n": 9, "joints": ["revolute", "prismatic", "helical"]},
    "joints whose subspace varies": {"n": 6, "joints": ["universal", "spherical-euler", "planar", "rolling"]},
    "quaternion joints": {"n": 5, "joints": ["spherical", "free"], "rotors": True},
}


class State(NamedTuple):
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


@cache
def tree(kind: str, **more: bool) -> Robot:
    """The tree of this kind; ``passive=True`` gives any of them springs. Coupled ones have them.

    Its last frame is turned and away from the origin of the last body, which carries it.
    """
    if kind == "mimic joints":
        robot = coupled()
    else:
        options = {"joints": sorted(JOINTS)} | KINDS[kind] | more
        robot = Robot.of(random_tree(rng=sorted(KINDS).index(kind), **options))
    return robot.with_frame("flange", on=robot.bodies.names[-1], xyz=(0.3, -0.2, 0.1), rpy=(0.4, -0.5, 0.6))


def coupled(mimic: bool = True) -> Robot:
    """A free body with an arm and a gripper: couplings between siblings, along a chain, and of a mimic to a mimic."""
    rng = np.random.default_rng(5)
    b = Builder("gripper")

    def body(name, parent, joint, **options):
        options["mimic"] = options.get("mimic") if mimic else None
        b.body(
            name,
            parent,
            joint,
            joint_name=f"{name}_joint",
            mass=rng.uniform(0.5, 2.0),
            com=rng.normal(size=3) * 0.2,
            inertia=(0.3, 0.35, 0.4),
            xyz=rng.normal(size=3) * 0.3,
            rpy=rng.normal(size=3),
            rotor_inertia=rng.uniform(0.0, 0.4, size=joint.nv),
            stiffness=rng.uniform(0.0, 3.0, size=joint.nv),
            damping=rng.uniform(0.0, 3.0, size=joint.nv),
            **options,
        )

    body("palm", "base", Free())
    body("arm", "palm", Revolute((0, 1, 0)))
    body("forearm", "arm", Revolute((1, 2, 0)), mimic=Mimic("arm_joint", -0.5, 0.2))
    body("left", "forearm", Prismatic((0, 1, 0)))
    body("right", "forearm", Prismatic((0, -1, 0)), mimic=Mimic("left_joint", 1.0, 0.0))
    body("tip", "right", Revolute((0, 0, 1)), mimic=Mimic("right_joint", 3.0, -0.1))
    return b.build()


def states(robot: Robot, n: int = 3, seed: int = 0) -> State:
    rng = np.random.default_rng(seed)
    return State(robot.random(rng, (n,)), rng.normal(size=(n, robot.nv)), rng.normal(size=(n, robot.nv)))


ALL = [*KINDS, "mimic joints"]
