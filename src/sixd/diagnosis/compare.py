"""Why two models of a robot differ: which joint, body or parameter changes the mass matrix or the torques.

Each parameter that differs is put from the second model into the first, alone, and the mass matrix and the torques are
computed again on random states. Every degree of freedom counts alike: entries of tau are divided by their usual size
in the first model, those of H by the square root of the usual size of the diagonal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd import algorithms, given
from sixd.algorithms.algorithm import Algorithm
from sixd.compiler.compile import compile
from sixd.diagnosis.swaps import Swap, pair, same, swaps
from sixd.errors import ModelError
from sixd.model.configuration import random, random_generator
from sixd.model.model import Model

__all__ = ["Comparison", "Difference", "compare"]

Array = NDArray[np.float64]

#: Relative changes below this are rounding. And the most lines of a table, unless all are asked for.
ROUNDING, LINES = 1e-13, 15


@dataclass(frozen=True)
class Difference:
    """One parameter that differs, its values, and by how much H and tau change if it alone is replaced.

    The changes are relative; NaN where the parameter cannot be replaced alone.
    """

    subject: str
    parameter: str
    first: str
    second: str
    mass_matrix: float
    torque: float

    @property
    def size(self) -> float:
        """The larger of both changes; 0 if it is rounding, infinity if it is not known."""
        larger = float(np.nan_to_num(max(self.mass_matrix, self.torque), nan=np.inf))
        return larger if larger > ROUNDING else 0.0


@dataclass(frozen=True)
class Comparison:
    """What `compare` found. Relative differences are those of random states, of the joints that both models have."""

    names: tuple[str, str]
    #: What only one of the models has, or what prevents a comparison.
    structure: tuple[str, ...]
    #: The parameters that differ, the one with the largest effect first.
    differences: tuple[Difference, ...]
    #: The relative difference of the mass matrices and of the torques.
    mass_matrix: float
    torque: float
    #: What remains of them when all differences are replaced together.
    remaining: tuple[float, float]

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not (self.structure or self.differences)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def text(self, most: int | None = LINES) -> str:
        """The findings as a text, with at most so many lines in each table; None for all."""
        if self.same:
            return f"{self.names[0]} and {self.names[1]} are the same; shapes were not compared"
        lines = [f"{self.names[0]} (first) and {self.names[1]} (second)"]
        lines += [f"  {line}" for line in self.structure]
        if not np.isnan(self.mass_matrix):
            lines.append(f"on random states H differs by {percent(self.mass_matrix)}, tau by {percent(self.torque)}")
        acting = [d for d in self.differences if d.size > 0.0]
        table = [f"  {percent(d.mass_matrix):>9}  {percent(d.torque):>9}  {_words(d)}" for d in acting]
        if table:
            lines += ["", f"  {'H by':>9}  {'tau by':>9}  changes if this alone is put from the second into the first"]
        lines += _cut(table, most)
        silent = [f"  {_words(d)}" for d in self.differences if d.size == 0.0]
        lines += ["", "without effect on H and tau:", *_cut(silent, most)] if silent else []
        if acting and max(self.remaining) > 1e-9:
            rest = " and ".join(map(percent, self.remaining))
            lines += ["", f"with all of these replaced, H and tau still differ by {rest}"]
        return "\n".join(lines)


def _cut(lines: list[str], most: int | None) -> list[str]:
    if most is None or len(lines) <= most:
        return lines
    return [*lines[:most], f"  ... and {len(lines) - most} more"]


def _words(d: Difference) -> str:
    return f"{d.subject}: {d.parameter}: {d.first} -> {d.second}"


def percent(x: float) -> str:
    if np.isnan(x):
        return "?"
    return f"{100 * x:.3g} %"


def compare(a: Model, b: Model, states: int = 64, seed: int = 0) -> Comparison:
    """Compare two models of a robot, whose joints are found by name.

    Joints that only one has, or that have other numbers of coordinates, are locked at their neutral positions first. If
    mimic joints differ, all move by themselves. Constraints are compared by name, H and tau as those of the open trees.
    """
    given.count(states, "states")
    names = a.name or "robot", b.name or "robot"
    moving, closed = a.nv or b.nv, bool(a.constraint_list or b.constraint_list)
    structure, a, b = _common(a, b)
    differences = [*swaps(a, b), *_frames(a, b)]
    if closed and (structure or differences):
        structure.append("H and tau are those of the open trees, without the constraints")
    if not a.nv:
        none = tuple(Difference(s.subject, s.parameter, s.first, s.second, 0.0, 0.0) for s in differences)
        structure += ["there is no joint that both have"] if moving else []
        return Comparison(names, tuple(structure), none, np.nan, np.nan, (0.0, 0.0))
    sample = _Sample(a, states, seed)
    target = sample.values(b)
    found = [_alone(a, swap, sample) for swap in differences]
    together = a
    for swap in differences:
        together = _put(together, swap) or together
    rest = sample.distance(sample.values(together), target)
    found.sort(key=lambda d: -d.size)
    return Comparison(names, tuple(structure), tuple(found), *sample.distance(sample.own, target), rest)


def _put(model: Model, swap: Swap) -> Model | None:
    try:
        return swap.put(model)
    except ModelError:  # a parent that comes later in the order of this model
        return None


def _alone(a: Model, swap: Swap, sample: _Sample) -> Difference:
    changed = _put(a, swap)
    effect = (np.nan, np.nan) if changed is None else sample.distance(sample.own, sample.values(changed))
    return Difference(swap.subject, swap.parameter, swap.first, swap.second, *effect)


# ---- what both have


def _common(a: Model, b: Model) -> tuple[list[str], Model, Model]:
    """What only one model has, and both models with the joints that they share."""
    found: list[str] = []
    coupled = [{j.name: vars(j.mimic) for j in m.joints if j.mimic} for m in (a, b)]
    if coupled[0] != coupled[1]:
        changed = sorted(n for n in coupled[0].keys() | coupled[1].keys() if coupled[0].get(n) != coupled[1].get(n))
        found.append(f"mimic joints differ ({_some(changed)}); here each moves by itself")
        a, b = _uncoupled(a), _uncoupled(b)
    sizes: list[dict[str, Any]] = [{j.name: (j.type.nq, j.type.nv) for j in m.joints} for m in (a, b)]
    for what, own, other in (("first", *sizes), ("second", *reversed(sizes))):
        if only := [name for name in own if name not in other]:
            found.append(f"only the {what} has {_count(only, 'moving joint')}: {_some(only)}; locked here")
    others = [n for n in sizes[0] if n in sizes[1] and sizes[0][n] != sizes[1][n]]
    for n in others:
        found.append(f"joint {n!r} is {a.joint(n).type!r} in the first, {b.joint(n).type!r} in the second; locked here")
    for what, own_names, other_names in (("first", a.frames, b.frames), ("second", b.frames, a.frames)):
        if only := [name for name in own_names.names if name not in other_names]:
            found.append(f"only the {what} has {_count(only, 'frame')}: {_some(only)}")
    found += _constraints(a, b)
    a, b = _opened(a), _opened(b)
    return found, _locked(a, sizes[1], others), _locked(b, sizes[0], others)


def _constraints(a: Model, b: Model) -> list[str]:
    """The constraints that only one model has, or that are not the same in both."""
    own, other = ({c.name: c for c in m.constraint_list} for m in (a, b))
    found = []
    for what, one, two in (("first", own, other), ("second", other, own)):
        if only := [name for name in one if name not in two]:
            found.append(f"only the {what} has {_count(only, 'constraint')}: {_some(only)}")
    for name, c in own.items():
        if name in other and c.meaning != other[name].meaning:
            words = [f"{m.brief}, {m.rows} rows" for m in (c, other[name])]
            how = f"is {words[0]} in the first, {words[1]} in the second"
            found.append(f"constraint {name!r} {how if words[0] != words[1] else 'has other numbers'}")
    return found


def _opened(model: Model) -> Model:
    """The tree of a model, without its constraints."""
    content = {f.name: getattr(model, f.name) for f in fields(Model)}
    return Model(**{**content, "constraint_list": ()}) if model.constraint_list else model


def _locked(model: Model, other: Mapping[str, Any], unlike: list[str]) -> Model:
    gone = [j.name for j in model.joints if j.name not in other or j.name in unlike]
    followers = [j.name for j in model.joints if j.mimic is not None]
    return model.lock({name: None for name in gone if name not in followers})


def _uncoupled(model: Model) -> Model:
    bodies = [replace(b, joint=replace(b.joint, mimic=None)) if b.joint else b for b in model.body_list]
    return replace(model, body_list=tuple(bodies))


def _count(names: list[str], what: str) -> str:
    return f"a {what}" if len(names) == 1 else f"{len(names)} {what}s"


def _some(names: list[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _frames(a: Model, b: Model) -> list[Swap]:
    """Frames that both have, at another place. No frame has an effect on the dynamics."""
    found = []
    for frame in a.frame_list:
        if frame.name not in b.frames:
            continue
        other = b.frame(frame.name)
        carriers = [m.joints[f.body - 1].name if f.body else "" for m, f in ((a, frame), (b, other))]
        if carriers[0] != carriers[1]:
            one, two = (f"after joint {name!r}" if name else "on the base" for name in carriers)
            found.append(Swap(f"frame {frame.name!r}", "its place", one, two, _unchanged))
        elif not same(frame.offset.components(), other.offset.components()):
            poses = [[*X.r.array(), *np.degrees([float(x) for x in X.rpy()])] for X in (frame.offset, other.offset)]
            found.append(Swap(f"frame {frame.name!r}", "xyz, m, and rpy, degrees", *pair(*poses), _unchanged))
    return found


def _unchanged(model: Model) -> Model:
    return model


# ---- random states


class _Sample:
    """Random states of a model, H and tau there, and the measure of differences of them."""

    def __init__(self, a: Model, states: int, seed: int) -> None:
        rng = random_generator(seed)
        self.model, self.q = a, random(a, rng, (states,))
        self.qd, self.qdd = rng.normal(size=(2, states, a.nv))
        self.own = self.values(a)
        H, tau = self.own
        self.scale = _positive(np.sqrt(np.abs(np.diagonal(H, axis1=1, axis2=2)).mean(axis=0)))
        self.tau_scale = _positive(np.sqrt((tau**2).mean(axis=0)))

    def values(self, model: Model) -> tuple[Array, Array]:
        """H (states, nv, nv) and tau (states, nv) of a model with the same joints, in the order of the first one's."""
        q, v = np.empty(model.nq, dtype=int), np.empty(model.nv, dtype=int)
        for joint in self.model.joints:
            other = model.joint(joint.name)
            q[other.q] = range(joint.q.start, joint.q.stop)
            v[other.v] = range(joint.v.start, joint.v.stop)
        back = np.argsort(v)
        H = _run(algorithms.crba, model, self.q[:, q])
        tau = _run(algorithms.rnea, model, self.q[:, q], self.qd[:, v], self.qdd[:, v])
        return H[:, back][:, :, back], tau[:, back]

    def distance(self, one: tuple[Array, Array], two: tuple[Array, Array]) -> tuple[float, float]:
        """The relative differences of H and of tau."""
        weights = 1.0 / np.outer(self.scale, self.scale), 1.0 / self.tau_scale
        own = [float(np.linalg.norm(x * w)) for x, w in zip(self.own, weights, strict=True)]
        off = [float(np.linalg.norm((x - y) * w)) for x, y, w in zip(one, two, weights, strict=True)]
        return off[0] / (own[0] or 1.0), off[1] / (own[1] or 1.0)


def _positive(x: Array) -> Array:
    return np.where(x > 0.0, x, 1.0)


def _run(algorithm: Algorithm[..., Any], model: Model, *state: Array) -> Array:
    """By code with loops, which all models with the same types of joints share."""
    rolled = True if algorithm.can_be_rolled(model.is_coupled) else None
    return np.asarray(compile(algorithm, model, rolled=rolled)(*state))
