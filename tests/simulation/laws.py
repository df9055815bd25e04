"""What tests of force elements share: moments of random trees, loads as arrays, energies along a motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import sixd
from sixd.simulation.moment import Loads, Moment
from sixd.testing import derivative, precise
from tests.laws.test_trees import moved


class Found(NamedTuple):
    tau: np.ndarray
    forces: np.ndarray


def inputs_for(part, model, seed=0):
    """Numbers for the inputs of an element or a controller; those called q... are positions."""
    rng = np.random.default_rng(seed)
    found = {name: rng.normal(size=shape) for name, shape in part.inputs(model).items()}
    positions = {name: sixd.Robot.of(model).random(rng) for name in found if name == "q_target"}
    return found | positions


def moment_of(part, model, t, q, qd, inputs=None):
    """The moment that an element sees: with the base that it moves."""
    base = part.base(t) if hasattr(part, "base") else None
    return Moment(model, t, list(q), list(qd), inputs_for(part, model) if inputs is None else inputs, base)


def loads_of(element, moment):
    loads = Loads(moment.model)
    element.apply(moment, loads)
    return loads


def power(element, robot, t, q, qd):
    moment = moment_of(element, robot, t, q.tolist(), qd.tolist())
    return loads_of(element, moment).power(moment)


def energy_rate(element, robot, t, q, qd):
    """dE/dt as the robot moves on with qd, by differences in sixty digits."""

    def along(h):
        return [element.energy(moment_of(element, robot, precise([t])[0] + h, moved(robot, q, qd, h), precise(qd)))]

    return derivative(along)[0]


def in_arrays(element):
    """The loads of an element as a function of arrays, for eager and compiled runs."""

    def loads(model, q, qd, t):
        moment = moment_of(element, model, _one(t), q, qd)
        found = loads_of(element, moment)
        body = [x for f in found.bodies[1:] for x in f.components()]
        return Found(_stacked(found.tau), _stacked(body))

    return loads


def _one(t):
    return t.item() if getattr(t, "shape", None) == () else t


def _stacked(values):
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
