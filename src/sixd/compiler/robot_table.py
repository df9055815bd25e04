"""The table of a robot, which rolled code reads: the numbers of the model, with one row for each body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixd.algorithms.declared import Declaration
from sixd.compiler.request import extents_of
from sixd.compiler.rolled import Case
from sixd.ir import LoopProgram, Table
from sixd.joints import JOINTS, Free, Joint, Prismatic, Revolute
from sixd.model import Model
from sixd.spatial import Inertia, Matrix, Transform, Vector

__all__ = ["cases_of", "pairs_of", "table_of", "types_of"]

Array = NDArray[np.float64]


#: Groups of joint types that are compiled together, so that more robots share code. A robot gets the code of the first
#: group that has all of its types. If there is none, it gets code for just its own types.
GROUPS: tuple[tuple[type[Joint], ...], ...] = (
    (Revolute,),
    (Prismatic, Revolute),
    (Free, Prismatic, Revolute),
    tuple(kind for kind in JOINTS.values() if kind.__module__.startswith("sixd.")),
)


def types_of(model: Model, nested: bool) -> tuple[type[Joint], ...]:
    """The joint types that the rolled code of a model is made for, sorted by name.

    Code of an algorithm with loops within loops (``nested``) is made for the model's own types only.
    """
    own = model.joint_types
    group = own if nested else next((group for group in GROUPS if own <= set(group)), own)
    return tuple(sorted(group, key=lambda kind: kind.name))


def pairs_of(model: Model) -> frozenset[tuple[type[Joint], type[Joint]]]:
    """The joint types of each body and of those that carry it, as pairs."""
    above: list[frozenset[type[Joint]]] = [frozenset()]  # the types of each body's ancestors and of itself
    pairs: set[tuple[type[Joint], type[Joint]]] = set()
    for body, parent in zip(model.body_list[1:], model.parent[1:], strict=True):
        assert body.joint is not None
        kind = type(body.joint.type)
        pairs.update((kind, other) for other in above[parent])
        above.append(above[parent] | {kind})
    return frozenset(pairs)


def _case(kind: type[Joint], in_body_frames: bool) -> Case:
    """The case of a joint type.

    In the bodies' own frames all joint parameters are in the table. In frames that are aligned with the joints, the
    axis is a constant of the code.
    """
    joint = kind.examples()[0]
    constants = (None,) * len(joint.parameters) if in_body_frames or not _has_frame(kind) else kind.standard
    return Case(kind, constants)


@lru_cache(256)
def _has_frame(kind: type[Joint]) -> bool:
    """Whether every joint of a type is the same in the frame that is aligned with it, but for parameters of its own.

    The type says what its parameters are there (``standard``). Its examples are asked whether that is true, because a
    subclass may treat some axes unlike others.
    """
    return all(len(kind.standard) == len(joint.parameters) and _is_standard(joint) for joint in kind.examples())


def _is_standard(joint: Joint) -> bool:
    """Whether X_J and S of a joint are those of the ``standard`` joint, turned by its frame."""
    given = zip(joint.standard, joint.parameters, strict=True)
    standard = joint.from_parameters([own if x is None else x for x, own in given])
    E, dv = Transform(joint.frame(), Vector.zero()), Vector([0.3 + 0.4 * k for k in range(joint.nv)])
    q, q_standard = (x.integrate(x.neutral(), dv) for x in (joint, standard))
    found = *joint.transform(q).components(), *joint.subspace(q).components()
    turned = E.inv @ standard.subspace(q_standard)
    wanted = *(E.inverse() @ standard.transform(q_standard) @ E).components(), *turned.components()
    return all(abs(a - b) < 1e-9 for a, b in zip(found, wanted, strict=True))


def cases_of(model: Model, nested: bool, in_body_frames: bool) -> tuple[Case, ...]:
    """The cases that the rolled code of a model is made for: one for each joint type."""
    return tuple(_case(kind, in_body_frames) for kind in types_of(model, nested))


def table_of(
    program: LoopProgram,
    model: Model,
    in_body_frames: bool,
    cases: Sequence[Case],
    fixed: Mapping[str, Any],
    declaration: Declaration,
) -> Table:
    """The table that a program reads for this model.

    ``fixed`` are the arguments that are not inputs; ``declaration`` says which of them are bodies, and which are
    offsets.
    """
    n = model.n_bodies
    bodies = declaration.bodies(fixed)
    numbers = np.zeros((n + 1, len(program.columns)))
    source = _Numbers(model, in_body_frames, fixed, declaration)
    for k, (what, component) in enumerate(program.columns):
        source.fill(numbers[:, k], what, component)
    places = {case.type: k for k, case in enumerate(cases)}
    lookups = {
        "parent": [max(p, 0) for p in model.parent],
        "case": [0, *(places[type(b.joint.type)] for b in model.body_list[1:] if b.joint)],
        "q": [c.q.start for c in model.coordinates],
        "v": [c.v.start for c in model.coordinates],
        "parameters": [0, *range(0, 10 * n, 10)],
        **_family(model.parent),
    }
    indices = np.array([lookups[name] for name in program.lookups], dtype=np.int64).reshape(-1, n + 1).T
    paths = {f"path to {name}": model.path(body)[::-1] for name, body in bodies.items()}
    return Table(
        np.ascontiguousarray(numbers),
        np.ascontiguousarray(indices),
        tuple(np.array(paths[name], dtype=np.int64) for name in program.sequences),
        tuple(bodies[name] for name in program.names),
        extents_of(model) | {name: 1 + max(lookups[name]) for name in ("scratch up", "scratch down")},
    )


def _family(parent: Sequence[int]) -> dict[str, list[int]]:
    """Indices that follow from the shape of the tree: "leaf", "opens", and a scratch record for each body.

    "leaf" marks bodies without children. "opens" marks bodies that are visited before all other children of their
    parent in a loop from the tips inward. A scratch record is memory that bodies use one after the other. In
    an outward loop a body uses its record from its own visit until its last child is visited, in an inward loop from
    the visit of its first child until its own. Record 0 belongs to the base.
    """
    n = len(parent)
    last_child = list(range(n))
    for i in range(1, n):
        last_child[parent[i]] = i
    has_child = [last_child[i] != i for i in range(n)]
    opens = [int(i > 0 and parent[i] > 0 and last_child[parent[i]] == i) for i in range(n)]
    # A body uses its record during [i, last child] in an outward loop, and during the same interval backwards in an
    # inward loop: one assignment serves both.
    records, used = [0] * n, 1
    free: list[int] = []
    ends: dict[int, list[int]] = {}
    for i in range(1, n):
        if free:
            records[i] = free.pop()
        else:
            records[i], used = used, used + 1
        ends.setdefault(last_child[i], []).append(records[i])
        free += ends.pop(i, [])
    leaf = [int(not child) for child in has_child]
    return {"leaf": leaf, "opens": opens, "scratch up": records, "scratch down": records}


class _Numbers:
    """The columns of the table, made on first use. Transforms are computed for all bodies at once."""

    def __init__(self, model: Model, in_body_frames: bool, fixed: Mapping[str, Any], declaration: Declaration) -> None:
        self.model, self.in_body_frames, self.fixed, self.declaration = model, in_body_frames, fixed, declaration
        self.made: dict[str, Array] = {}

    def fill(self, column: Array, what: str, component: int) -> None:
        if what == "gravity":
            column[0] = self.model.gravity_acceleration.components()[3 + component]
        elif what.startswith("fixed "):
            column[0] = self.argument(what.removeprefix("fixed "))[component]
        else:
            if what not in self.made:
                self.made[what] = getattr(self, what)()
            if component < len(self.made[what]):  # joints of this robot may have fewer components than the code knows
                column[1:] = self.made[what][component]

    def argument(self, name: str) -> list[float]:
        """The numbers of a fixed spatial quantity. Offsets on a body are made to start from its aligned frame."""
        value, body = self.fixed[name], self.declaration.arguments[name].body
        i = 0 if body is None else self.declaration.bodies(self.fixed).get(body, 0)
        if i and not self.in_body_frames:
            E = Matrix.from_components([float(x[i - 1]) for x in self.frame()], 3)
            value = value @ Transform(E, Vector.zero()).inverse()
        return [float(x) for x in value.components()]

    def frame(self) -> Array:
        """E (9, N): from a body's coordinates to those of the frame that is aligned with its joint."""
        if "frame" not in self.made:
            joints = [b.joint.type for b in self.model.body_list[1:] if b.joint]
            known = {(type(joint), joint.parameters): joint for joint in joints}  # many joints have the same axis
            same = Matrix.identity(3)
            frames = {key: (x.frame() if _has_frame(type(x)) else same).components() for key, x in known.items()}
            rows = [frames[type(joint), joint.parameters] for joint in joints]
            self.made["frame"] = np.array(rows, dtype=float).reshape(-1, 9).T
        return self.made["frame"]

    def placement(self) -> Array:
        rows = np.array([b.placement.components() for b in self.model.body_list[1:]], dtype=float).reshape(-1, 12).T
        if self.in_body_frames:
            return rows
        E = self.frame()
        parents = np.array(self.model.parent[1:], dtype=int)
        identity = np.eye(3).reshape(9, 1)
        E_parent = np.where(parents > 0, E[:, parents - 1], identity)
        X = _turn(E) @ Transform.from_components(list(rows)) @ _turn(E_parent).inverse()
        return _columns(X.components(), rows.shape[1])

    def inertia(self) -> Array:
        rows = np.array([b.inertia.components() for b in self.model.body_list[1:]], dtype=float).reshape(-1, 10).T
        if self.in_body_frames:
            return rows
        return _columns((_turn(self.frame()) @ Inertia.from_components(list(rows))).components(), rows.shape[1])

    def parameter(self) -> Array:
        return self._ragged([b.joint.type.parameters for b in self.model.body_list[1:] if b.joint])

    def rotor_inertia(self) -> Array:
        return self._ragged([b.joint.rotor_inertia for b in self.model.body_list[1:] if b.joint])

    def damping(self) -> Array:
        return self._ragged([b.joint.damping for b in self.model.body_list[1:] if b.joint])

    def friction(self) -> Array:
        return self._ragged([b.joint.friction for b in self.model.body_list[1:] if b.joint])

    def stiffness(self) -> Array:
        return self._ragged([b.joint.stiffness for b in self.model.body_list[1:] if b.joint])

    def rest(self) -> Array:
        return self._ragged([b.joint.rest for b in self.model.body_list[1:] if b.joint])

    def ratio(self) -> Array:
        return np.array([[c.ratio for c in self.model.coordinates[1:]]])

    def offset(self) -> Array:
        return np.array([[c.offset for c in self.model.coordinates[1:]]])

    def _ragged(self, rows: Sequence[Sequence[Any]]) -> Array:
        """Rows of different lengths as one array with a column for each body, filled up with zeros."""
        width = max((len(row) for row in rows), default=0)
        return np.array([[*row, *[0.0] * (width - len(row))] for row in rows], dtype=float).reshape(len(rows), width).T


def _turn(E: Array) -> Transform:
    return Transform(Matrix.from_components(list(E), 3), Vector.zero())


def _columns(components: Sequence[Any], n: int) -> Array:
    return np.array([np.broadcast_to(np.asarray(x, dtype=float), (n,)) for x in components])
