"""The random trees that the laws run on, and states of them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from sixd import Builder, Mimic, Robot
from sixd.flexible import Beam
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
    if kind in COUPLED:
        robot = COUPLED[kind]()
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


def flexible() -> Robot:
    """An arm with a link that bends and twists, in two segments, and one that bends and stretches."""
    b = Builder("flexible arm")
    stout = Beam(0.8, 0.6, EI_y=3.0, EI_z=2.0, GJ=1.0, inertia_per_length=(0.02, 0.01, 0.01))
    slim = Beam(0.5, 0.3, EI_z=1.0, EA=30.0)
    options = {"bending_y": 1, "bending_z": 1, "torsion": 1, "stations": 1, "segments": 2}
    hub = {"mass": 0.5, "com": (0.1, 0.0, 0.1), "inertia": (0.02, 0.03, 0.02), "rotor_inertia": 0.1}
    b.flexible_body(
        "upper", stout, joint=Revolute((0, 1, 1)), joint_name="shoulder", damping_ratio=0.1, **options, **hub
    )
    b.flexible_body(
        "fore",
        slim,
        "upper_tip",
        Revolute((1, 0, 2)),
        "elbow",
        bending_z=1,
        axial=1,
        stations=2,
        xyz=(0.1, 0, 0),
        **hub,
    )
    b.body("hand", "fore_tip", mass=0.7, com=(0.1, 0.1, 0.0), inertia=(0.01, 0.01, 0.01))
    return b.build()


#: Robots whose joints share coordinates.
COUPLED = {"mimic joints": coupled, "flexible links": flexible}


def states(robot: Robot, n: int = 3, seed: int = 0) -> State:
    rng = np.random.default_rng(seed)
    return State(robot.random(rng, (n,)), rng.normal(size=(n, robot.nv)), rng.normal(size=(n, robot.nv)))


ALL = [*KINDS, *COUPLED]
#: For tests that take long: a tree of all joints branches, and has chains. The two extremes are for the soak.
EXTREMES = ("chain of all joints", "bush of all joints")
TREES = [pytest.param(kind, marks=pytest.mark.slow if kind in EXTREMES else ()) for kind in ALL]
