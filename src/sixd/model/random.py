"""Random trees: any size, any branching, any mix of joints. For tests and benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sixd import given
from sixd.errors import ModelError, NameNotFoundError
from sixd.joints import JOINTS, Joint
from sixd.model.build import ModelBuilder
from sixd.model.configuration import random_generator
from sixd.model.model import Model

__all__ = ["KINDS", "random_tree"]

#: The joint types that random trees have unless told otherwise.
KINDS = (
    "revolute",
    "prismatic",
    "helical",
    "cylindrical",
    "universal",
    "spherical",
    "spherical-euler",
    "planar",
    "translational",
    "free",
)


def random_tree(
    n: int,
    rng: np.random.Generator | int | None = None,
    *,
    joints: Sequence[str | Joint] | None = None,
    branching: float = 0.5,
    rotors: bool = False,
    passive: bool = False,
    name: str = "random tree",
) -> Model:
    """A random model of ``n`` bodies with physically possible inertias.

    ``joints`` are type names or joints to choose from (default: every type of sixd). ``branching`` 0 gives a chain,
    1 attaches every body to a random earlier one. ``rotors`` adds rotor inertia, ``passive`` springs and dampers.
    """
    n, rng = given.count(n, "n", least=0), random_generator(rng)
    choices = _types(KINDS if joints is None else joints)
    if not 0.0 <= given.number(branching, "branching") <= 1.0:
        raise ModelError(f"branching is from 0 to 1, not {branching}")
    builder = ModelBuilder(name)
    builder.link("base")
    for i in range(1, n + 1):
        chosen = choices[int(rng.integers(len(choices)))]
        if not isinstance(chosen, Joint):
            examples = chosen.examples()
            chosen = examples[int(rng.integers(len(examples)))]
        before = i - 1 if rng.random() >= branching else int(rng.integers(0, i))
        root = rng.normal(size=(3, 3)) * 0.2
        spread = root @ root.T + 0.01 * np.eye(3)  # second moments: any such matrix belongs to some real body
        extras = {}
        if rotors:
            extras["rotor_inertia"] = rng.uniform(0.0, 0.5, size=chosen.nv)
        if passive:
            extras |= {key: rng.uniform(0.0, 2.0, size=chosen.nv) for key in ("damping", "friction", "stiffness")}
        builder.body(
            f"body{i}",
            parent="base" if before == 0 else f"body{before}",
            joint=chosen,
            joint_name=f"joint{i}",
            mass=rng.uniform(0.5, 2.0),
            com=rng.normal(size=3) * 0.2,
            inertia=np.trace(spread) * np.eye(3) - spread,
            xyz=rng.normal(size=3) * 0.4,
            rpy=rng.uniform(-np.pi, np.pi, size=3),
            **extras,
        )
    return builder.build()


def _types(joints: Sequence[str | Joint]) -> list[type[Joint] | Joint]:
    """Joints, or the types that names stand for."""
    if isinstance(joints, str) or not isinstance(joints, Iterable):
        raise ModelError(f"joints must be names of types or joints, a sequence of them, not {given.described(joints)}")
    found: list[type[Joint] | Joint] = []
    for each in joints:
        if not isinstance(each, Joint) and (not isinstance(each, str) or each not in JOINTS):
            raise NameNotFoundError("joint type", each, sorted(JOINTS))
        found.append(each if isinstance(each, Joint) else JOINTS[each])
    if not found:
        raise ModelError("joints must have one entry or more")
    return found
