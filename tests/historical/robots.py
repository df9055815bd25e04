"""Robots and states for every formulation, and what it should find on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixd import algorithms
from sixd.historical import Computes, Formulation, Takes
from sixd.model import Model, configuration
from sixd.model.random import random_tree
from sixd.spatial import Forces

__all__ = ["DIRECTIONS", "arguments", "reference", "robot_for", "shapes_for"]

SCREWS = ("revolute", "prismatic", "helical")
#: Two constraints at the tip, in general directions.
DIRECTIONS = Forces.from_components(np.random.default_rng(4).normal(size=12).tolist())


def robot_for(formulation: Formulation, seed: int, n: int = 6, branching: float = 0.0) -> Model:
    """A random robot of the kind that a formulation takes."""
    kinds = {Takes.SPHERICAL: ("spherical",), Takes.ALL: None}.get(formulation.takes, SCREWS)
    rotors = formulation.takes is not Takes.SPHERICAL
    return random_tree(n, seed, joints=kinds, branching=branching, rotors=rotors).with_gravity((1.0, -2.0, -9.0))


def arguments(formulation: Formulation, model: Model, seed: int, samples: int = 7) -> dict[str, Any]:
    """Samples of the state, and the other arguments."""
    rng = np.random.default_rng(seed)
    q = configuration.random(model, rng, (samples,))
    found: dict[str, Any] = {"q": q}
    for name, argument in formulation.function.arguments.items():
        if argument.shape == ("nv",):
            found[name] = rng.normal(size=(samples, model.nv))
        elif name == "body":
            found[name] = model.n_bodies
        elif name == "directions":
            found |= {name: DIRECTIONS, "accelerations": rng.normal(size=(samples, len(DIRECTIONS)))}
    return found


def shapes_for(formulation: Formulation) -> dict[str, tuple[int, ...]]:
    """The shapes that `sixd.compile` has to be told."""
    return {"accelerations": (len(DIRECTIONS),)} if "directions" in formulation.function.arguments else {}


def reference(formulation: Formulation, model: Model, given: dict[str, Any]) -> Any:
    """What sixd's own algorithms find."""
    if formulation.computes is Computes.INVERSE_DYNAMICS:
        return algorithms.rnea(model, **given)
    if formulation.computes is Computes.FORWARD_DYNAMICS:
        return algorithms.aba(model, **given)
    if formulation.computes is Computes.MASS_MATRIX:
        return algorithms.crba(model, **given)
    J, H = algorithms.jacobian(model, given["q"], model.n_bodies), algorithms.crba(model, given["q"])
    if formulation.computes is Computes.INVERSE_INERTIA:
        return J @ np.linalg.solve(H, J.swapaxes(-1, -2))
    return _held(model, J, H, given)


def _held(model: Model, J: Any, H: Any, given: dict[str, Any]) -> tuple[Any, Any]:
    """The motion of a chain whose tip is held, from one system for accelerations and multipliers: FO00 (20)."""
    q, qd, tau, wanted = (given[name] for name in ("q", "qd", "tau", "accelerations"))
    n, m = model.nv, wanted.shape[-1]
    L = np.array([d.components() for d in DIRECTIONS]) @ J
    drift = algorithms.acceleration(model, q, qd, None, model.n_bodies).array()
    right = np.concatenate([tau - algorithms.bias_forces(model, q, qd), wanted - drift @ _matrix().T], axis=-1)
    system = np.block([[H, -L.swapaxes(-1, -2)], [L, np.zeros((len(q), m, m))]])
    x = np.linalg.solve(system, right[..., None])[..., 0]
    return x[..., :n], x[..., n:]


def _matrix() -> Any:
    return np.array([d.components() for d in DIRECTIONS])
