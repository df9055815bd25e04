"""How to call every algorithm: what tests that iterate over all of them need."""

from __future__ import annotations

import inspect
from functools import cache

import numpy as np

import sixd
from sixd import algorithms
from sixd.compiler.request import Request
from sixd.compiler.unrolled import record_unrolled
from sixd.ir import Program
from sixd.model.random import random_tree
from sixd.spatial import Transform

#: Every public algorithm, by name: what is added to `sixd.algorithms` is here by being there.
ALGORITHMS = {name: f for name, f in sorted(vars(algorithms).items()) if hasattr(f, "body")}

OFFSET = Transform.rotation((0.0, 0.6, 0.8), 0.7) @ Transform.translation((0.1, -0.2, 0.3))
#: Arguments that are no arrays, with a value for a robot of so many bodies.
FIXED = {
    "body": lambda n: n,
    "offset": lambda n: OFFSET,
    "left": lambda n: 1,
    "right": lambda n: n,
    "left_offset": lambda n: OFFSET,
    "right_offset": lambda n: None,
    "to": lambda n: None,
    "base_acceleration": lambda n: None,
    "expressed_in": lambda n: "aligned",
    "conventional": lambda n: False,
    "factorization": lambda n: "ltdl",
    "form": lambda n: "body",
}


@cache
def robot(kinds: tuple[str, ...] = ("revolute", "universal", "spherical"), seed: int = 5) -> sixd.Robot:
    """A small tree with these types of joints, in some order."""
    trees = (random_tree(len(kinds), s, joints=kinds, rotors=True, passive=True) for s in range(seed, seed + 1000))
    return sixd.Robot.of(next(tree for tree in trees if {j.type.name for j in tree.joints} == set(kinds)))


def robot_for(name: str) -> sixd.Robot:
    """A robot that the algorithm of this name takes: some need joints that move by one screw for each coordinate."""
    return robot(("revolute", "prismatic", "helical")) if name == "screw_jacobian" else robot()


def arrays_of(name: str) -> list[str]:
    """The arguments of an algorithm that are arrays."""
    return [argument for argument in list(inspect.signature(ALGORITHMS[name]).parameters)[1:] if argument not in FIXED]


def shapes(model: sixd.Robot) -> dict[str, tuple[int, ...]]:
    """The shape that each array has for one state."""
    nv = (model.nv,)
    return {"q": (model.nq,), "qd": nv, "qdd": nv, "tau": nv, "dv": nv, "f_ext": (model.n_bodies, 6), "force": (6,)}


def fixed_for(name: str, model: sixd.Robot) -> dict[str, object]:
    """Values for the arguments of an algorithm that are no arrays."""
    known = inspect.signature(ALGORITHMS[name]).parameters
    return {argument: value(model.n_bodies) for argument, value in FIXED.items() if argument in known}


def state(name: str, model: sixd.Robot, n: int | tuple[int, ...] = (), seed: int = 0) -> dict[str, np.ndarray]:
    """Random arrays for an algorithm, ``n`` samples."""
    rng, lead = np.random.default_rng(seed), (n,) if isinstance(n, int) else n
    found = {k: rng.normal(size=(*lead, *shapes(model)[k])) for k in arrays_of(name)}
    if "q" in found:
        found["q"] = model.random(rng, lead)
    return found


def shapes_for(name: str, model: sixd.Robot) -> dict[str, tuple[int, ...]]:
    """The shapes that `sixd.compile` must be told, so that all arrays of an algorithm are arguments."""
    return {k: shape for k, shape in shapes(model).items() if k in ("f_ext", "force") and k in arrays_of(name)}


def compile_algorithm(name: str, model: sixd.Robot, **options) -> sixd.Kernel:
    """The kernel of an algorithm with all its arrays as arguments."""
    return sixd.compile(ALGORITHMS[name], model, shapes=shapes_for(name, model), **fixed_for(name, model), **options)


def record(name: str, model: sixd.Robot, function, more: dict[str, tuple[int, ...]] | None = None) -> Program:
    """The program that `sixd.compile` makes of a function made from an algorithm; ``more`` arrays have these shapes."""
    known = {**shapes_for(name, model), **(more or {})}
    return record_unrolled(Request(function, model, known, fixed_for(name, model)))
