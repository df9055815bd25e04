"""How to call every algorithm: what tests that iterate over all of them need."""

from __future__ import annotations

import inspect
from functools import cache

import numpy as np

import sixd
from sixd.algorithms import ALGORITHMS
from sixd.algorithms.declared import Kind
from sixd.compiler.request import Request
from sixd.compiler.unrolled import record_unrolled
from sixd.ir import Program
from sixd.model import configuration
from sixd.model.random import random_tree
from sixd.spatial import Transform

OFFSET = Transform.rotation((0.0, 0.6, 0.8), 0.7) @ Transform.translation((0.1, -0.2, 0.3))
#: Algorithms of frames by name, and all those that need frames which can move in every direction of a task.
NAMED = (
    *("operational_space_of_frames", "inverse_operational_inertia_of_frames"),
    *("dynamically_consistent_inverse", "null_space_projector"),
)
TASKS = ("operational_space", *NAMED)
#: Those of robots with constraints.
CONSTRAINED_TASKS = (
    *("constrained_operational_space", "constrained_inverse_operational_inertia"),
    *("constrained_dynamically_consistent_inverse", "constrained_null_space_projector"),
)
#: Options that are not left at their default.
OPTIONS = {
    "independent": (0, 1, 2),
    "actuated": (0, 1, 2),
    "expressed_in": "aligned",
    "form": "body",
    "kind": "position",
    "kinds": "position",
}


@cache
def robot(kinds: tuple[str, ...] = ("revolute", "universal", "spherical"), seed: int = 5) -> sixd.Robot:
    """A small tree with these types of joints, in some order."""
    trees = (random_tree(len(kinds), s, joints=kinds, rotors=True, passive=True) for s in range(seed, seed + 1000))
    return sixd.Robot.of(next(tree for tree in trees if {j.type.name for j in tree.joints} == set(kinds)))


@cache
def closed_robot() -> sixd.ClosedRobot:
    """A small tree with two loops, on a joint whose subspace is constant and on one whose subspace varies, and with a
    joint whose motion is prescribed."""
    kinds = "revolute", "universal", "spherical"
    trees = (random_tree(6, s, joints=kinds, rotors=True, passive=True) for s in range(1000))
    tree = sixd.Robot.of(next(tree for tree in trees if len(set(tree.parent)) < 6))
    first, last = tree.bodies[2].name, tree.bodies[6].name
    loops = sixd.Loop(first, last, "cylindrical", axis=(1, 2, 3)), sixd.Loop("base", last, "universal")
    turning = next(joint.name for joint in tree.joints if joint.type.name == "revolute")
    return tree.close(*loops, sixd.Prescribed(turning))


@cache
def closed_arm() -> sixd.ClosedRobot:
    """An arm with two joints that turn together, whose last body can move in all directions."""
    return sixd.gallery.seven_axis_arm().close(sixd.Coupling({"joint1": 1.0, "joint3": -1.0}))


def is_constrained(name: str) -> bool:
    """Whether an algorithm is about constraints, so that it needs a model that has some."""
    return name.startswith("constrain")


def suited(name: str, model: sixd.Robot) -> sixd.Robot:
    """The model, or one with constraints if the algorithm of this name needs some."""
    if name in CONSTRAINED_TASKS:
        return closed_arm()
    return closed_robot() if is_constrained(name) else model


def robot_for(name: str) -> sixd.Robot:
    """A robot that the algorithm of this name takes: some need joints that move by one screw for each coordinate, some
    a last body that can move in all directions, some constraints."""
    if is_constrained(name):
        return suited(name, robot())
    if name in TASKS:
        return sixd.gallery.seven_axis_arm()
    return robot(("revolute", "prismatic", "helical")) if name == "screw_jacobian" else robot()


def arrays_of(name: str) -> list[str]:
    """The arguments of an algorithm that are arrays."""
    return [argument.name for argument in ALGORITHMS[name].arguments.values() if argument.shape is not None]


def shapes(name: str, model: sixd.Robot) -> dict[str, tuple[int, ...]]:
    """The shape that each array of an algorithm has for one state."""
    sizes = {"nq": model.nq, "nv": model.nv, "moving": model.n_bodies, "targets": model.n_targets}
    declared = {k: ALGORITHMS[name].arguments[k].shape for k in arrays_of(name)}
    return {k: tuple(sizes[n] if isinstance(n, str) else n for n in shape) for k, shape in declared.items()}


def fixed_for(name: str, model: sixd.Robot) -> dict[str, object]:
    """Values for the arguments of an algorithm that are no arrays: the last body, a frame on it, an option."""
    algorithm = ALGORITHMS[name]
    defaults = {k: parameter.default for k, parameter in inspect.signature(algorithm).parameters.items()}
    bodies = [a.name for a in algorithm.arguments.values() if a.kind is Kind.BODY and a.required]
    found: dict[str, object] = {}
    for k, argument in algorithm.arguments.items():
        if argument.kind is Kind.BODY:
            found[k] = None if not argument.required else model.n_bodies if k == bodies[-1] else 1
        elif argument.kind is Kind.OFFSET:
            found[k] = OFFSET if argument.body == bodies[0] else None
        elif k in ("independent", "actuated"):
            found[k] = model.independent(configuration.random(model, 1))
        elif argument.kind is Kind.OPTION:
            found[k] = OPTIONS.get(k, defaults[k])
            if k == "frames" and defaults[k] is inspect.Parameter.empty:
                # beside the last frame others have few directions left: their own tests have several
                last = model.frames.names[-1]
                found[k] = (model.bodies.names[1], last) if name.startswith("inverse") else (last,)
    return found


def state(name: str, model: sixd.Robot, n: int | tuple[int, ...] = (), seed: int = 0) -> dict[str, np.ndarray]:
    """Random arrays for an algorithm, ``n`` samples."""
    rng, lead = np.random.default_rng(seed), (n,) if isinstance(n, int) else n
    found = {k: rng.normal(size=(*lead, *shape)) for k, shape in shapes(name, model).items()}
    positions = [k for k in found if ALGORITHMS[name].arguments[k].kind is Kind.POSITION]
    return found | {k: configuration.random(model, rng, lead) for k in positions}


def shapes_for(name: str, model: sixd.Robot) -> dict[str, tuple[int, ...]]:
    """The shapes that `sixd.compile` must be told, so that all arrays of an algorithm are arguments."""
    optional = Kind.BODY_FORCES, Kind.TARGETS
    arrays = [k for k, argument in ALGORITHMS[name].arguments.items() if argument.kind in optional]
    return {k: shapes(name, model)[k] for k in arrays}


def compile_algorithm(name: str, model: sixd.Robot, **options) -> sixd.Kernel:
    """The kernel of an algorithm with all its arrays as arguments."""
    return sixd.compile(ALGORITHMS[name], model, shapes=shapes_for(name, model), **fixed_for(name, model), **options)


def record(name: str, model: sixd.Robot, function, more: dict[str, tuple[int, ...]] | None = None) -> Program:
    """The program that `sixd.compile` makes of a function made from an algorithm; ``more`` arrays have these shapes."""
    known = {**shapes_for(name, model), **(more or {})}
    return record_unrolled(Request(function, model, known, fixed_for(name, model)))
