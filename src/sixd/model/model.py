"""The model of a robot: frozen data, numbered as F10b numbers it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from sixd import given
from sixd.constraints import Constraint
from sixd.errors import ModelError, ModelWarning
from sixd.joints import Joint
from sixd.model.closures import Closure, closures
from sixd.model.joint_view import Coordinates, JointView
from sixd.model.names import Named
from sixd.model.parts import Body, Frame, Visual, content
from sixd.process.forks import cached_property
from sixd.spatial import Motion, Vector
from sixd.stored import Stored

__all__ = ["Model"]


def sound_gravity(gravity: Any) -> tuple[float, ...]:
    """Gravity as three finite floats; refused if it is anything else."""
    try:
        return given.finite(gravity, "gravity", 3)
    except ModelError:
        raise ModelError(f"gravity must be three finite numbers (m/s^2), not {given.described(gravity)}") from None


def _need_all(item: str, values: Any, kind: type) -> None:
    if not isinstance(values, tuple) or not all(isinstance(value, kind) for value in values):
        raise ModelError(f"{item} of a model is a tuple, each entry a {kind.__name__}")


@dataclass(frozen=True, eq=False, repr=False)
class Model(Stored):
    """A tree of bodies 1..N on a fixed base, body 0, with parent(i) < i (F10b (2)).

    ``bodies[0]`` is the base. Models never change; methods that edit return a new one. Two models with the same
    content are equal and have the same hash.
    """

    #: The name of the robot.
    name: str
    #: The bodies, base first; `bodies` finds them by name.
    body_list: tuple[Body, ...]
    #: The frames; `frames` finds them by name.
    frame_list: tuple[Frame, ...]
    #: The acceleration that gravity gives a free body, in the world, m/s^2.
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    #: The shapes that the description gives the links, for viewers.
    visuals: tuple[Visual, ...] = ()
    #: What was odd in the description this model was read from; no part of the model's identity.
    warnings: tuple[ModelWarning, ...] = ()
    #: The file this model was read from, if any; no part of its identity.
    source: str | None = None
    #: The constraints that close loops or tie joints; `constraints` finds them by name.
    constraint_list: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        kinds = {"body_list": Body, "frame_list": Frame, "constraint_list": Constraint, "visuals": Visual}
        for item, kind in (kinds | {"warnings": ModelWarning}).items():
            _need_all(item, getattr(self, item), kind)
        if not isinstance(self.name, str) or not isinstance(self.source, str | None):
            raise ModelError(f"the name and the source of a model are text, not {self.name!r}, {self.source!r}")
        object.__setattr__(self, "gravity", sound_gravity(self.gravity))
        for what, names in (
            ("bodies", [b.name for b in self.body_list]),
            ("joints", [b.joint.name for b in self.body_list if b.joint]),
            ("frames", [f.name for f in self.frame_list]),
            ("constraints", [c.name for c in self.constraint_list]),
        ):
            name, times = next(iter(Counter(names).most_common(1)), ("", 0))
            if times > 1:
                raise ModelError(f"two {what} are named {name!r}: names must be unique")
        self._check_tree()
        # Computed now, because they refuse mimics of joints, and constraints of frames, that do not exist.
        _ = self.coordinates, self.closures

    def _check_tree(self) -> None:
        """Raise unless all bodies and frames that bodies, frames and shapes refer to exist."""
        if not self.body_list:
            raise ModelError("a model has at least one body, its base")
        for i, body in enumerate(self.body_list):
            if i and not 0 <= body.parent < i:
                raise ModelError(f"body {body.name!r} is number {i} but its parent is number {body.parent}")
            if i and body.joint is None:
                raise ModelError(f"body {body.name!r} has no joint")
        if self.body_list[0].joint is not None:
            raise ModelError(f"body {self.body_list[0].name!r} is the base and has no joint")
        for frame in self.frame_list:
            if not 0 <= frame.body < len(self.body_list):
                raise ModelError(f"frame {frame.name!r} is on body number {frame.body}, which does not exist")
        names = {f.name for f in self.frame_list}
        for visual in self.visuals:
            if visual.frame not in names:
                raise ModelError(f"a shape is on frame {visual.frame!r}, which does not exist")

    # ---- what there is

    @property
    def n_bodies(self) -> int:
        """N, the number of moving bodies."""
        return len(self.body_list) - 1

    @cached_property
    def parent(self) -> tuple[int, ...]:
        """lambda of F10b (2): ``parent[i]`` is the body that carries body i; the base has -1."""
        return (-1, *(body.parent for body in self.body_list[1:]))

    @cached_property
    def bodies(self) -> Named[Body]:
        """The bodies, base first: ``bodies["hand"]`` or ``bodies[3]``."""
        return Named("body", self.body_list)

    @cached_property
    def frames(self) -> Named[Frame]:
        """Every link of the description and every frame added to it."""
        return Named("frame", self.frame_list)

    @cached_property
    def joints(self) -> Named[JointView]:
        """The moving joints, in order: ``joints["elbow"]``, or ``joints[k]`` by position, which is joint number k + 1
        (there is no joint 0).
        """
        views = []
        for i, body in enumerate(self.body_list[1:], start=1):
            assert body.joint is not None
            c = self.coordinates[i]
            views.append(JointView(body.joint, i, c.q, c.v, self.body_list[body.parent].name, body.name))
        return Named("joint", views)

    @cached_property
    def constraints(self) -> Named[Constraint]:
        """The constraints: ``constraints["knee rod"]`` or ``constraints[0]``."""
        return Named("constraint", self.constraint_list)

    @cached_property
    def closures(self) -> tuple[Closure, ...]:
        """For each constraint: the bodies that it ties, where on them, and which rows it has among all."""
        return closures(self)

    @property
    def n_rows(self) -> int:
        """The number of rows of all constraints."""
        return self.closures[-1].rows.stop if self.closures else 0

    @property
    def n_targets(self) -> int:
        """The number of constraint rows whose motion is prescribed."""
        return self.closures[-1].targets.stop if self.closures else 0

    def joint(self, name: str) -> JointView:
        """The joint of this name."""
        return self.joints[self.joints.index(name)]

    def body(self, name: str) -> Body:
        """The body of this name."""
        return self.bodies[self.bodies.index(name)]

    def frame(self, name: str) -> Frame:
        """The frame of this name."""
        return self.frames[self.frames.index(name)]

    @cached_property
    def nq(self) -> int:
        """The number of position coordinates."""
        return sum(b.joint.type.nq for b in self.body_list[1:] if b.joint and not b.joint.mimic)

    @cached_property
    def nv(self) -> int:
        """The number of velocity coordinates: the degrees of freedom, F10b (8)."""
        return sum(b.joint.type.nv for b in self.body_list[1:] if b.joint and not b.joint.mimic)

    @cached_property
    def mass(self) -> float:
        """The mass of all moving bodies, kg; the fixed base, ``bodies[0]``, is left out."""
        return float(sum(b.inertia.m for b in self.body_list[1:]))

    @cached_property
    def coordinates(self) -> tuple[Coordinates, ...]:
        """For each body, where its joint's coordinates are; body 0 has none."""
        nothing = Coordinates(slice(0, 0), slice(0, 0), 1.0, 0.0)
        found: dict[str, Coordinates] = {}
        nq = nv = 0
        for body in self.body_list[1:]:
            assert body.joint is not None
            if not body.joint.mimic:
                kind = body.joint.type
                found[body.joint.name] = Coordinates(slice(nq, nq + kind.nq), slice(nv, nv + kind.nv), 1.0, 0.0)
                nq, nv = nq + kind.nq, nv + kind.nv
        for body in self.body_list[1:]:
            mimic = body.joint.mimic if body.joint else None
            if body.joint and mimic:
                source = found.get(mimic.joint)
                if source is None or source.v.stop - source.v.start != 1:
                    raise ModelError(
                        f"joint {body.joint.name!r} mimics {mimic.joint!r}, which is not an independent joint "
                        "with one coordinate"
                    )
                found[body.joint.name] = Coordinates(source.q, source.v, mimic.ratio, mimic.offset)
        return (nothing, *(found[b.joint.name] for b in self.body_list[1:] if b.joint))

    @cached_property
    def is_coupled(self) -> bool:
        """Whether some joint mimics another, so that joints share coordinates."""
        return any(b.joint and b.joint.mimic for b in self.body_list)

    @cached_property
    def dof_parent(self) -> tuple[int, ...]:
        """lambda by degree of freedom: ``dof_parent[k]`` is the next one after k on the way to the base, or -1.

        It describes the branch-induced sparsity of the mass matrix (F10b, after (48)): entry (r, c) with c < r is zero
        unless c is reached from r. Mimic joints break the pattern. With them the parent of each degree of freedom is
        the one numbered before it, which describes a full matrix.
        """
        if self.is_coupled:
            return tuple(range(-1, self.nv - 1))
        last = [-1] * (self.n_bodies + 1)
        parents = [-1] * self.nv
        for i in range(1, self.n_bodies + 1):
            before = last[self.parent[i]]
            for k in range(self.coordinates[i].v.start, self.coordinates[i].v.stop):
                parents[k], before = before, k
            last[i] = before
        return tuple(parents)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """mu of F10b: the bodies that each body carries."""
        found: list[list[int]] = [[] for _ in self.body_list]
        for i in range(1, self.n_bodies + 1):
            found[self.parent[i]].append(i)
        return tuple(tuple(c) for c in found)

    def path(self, i: int) -> tuple[int, ...]:
        """kappa of F10b: the bodies from body i down to the base, body i first, the base left out."""
        i = self._number(i)
        steps = []
        while i > 0:
            steps.append(i)
            i = self.parent[i]
        return tuple(steps)

    def subtree_of(self, i: int) -> tuple[int, ...]:
        """nu of F10b: body i and all bodies that it carries, in order of number."""
        inside = {i := self._number(i)}
        for k in range(i + 1, self.n_bodies + 1):
            if self.parent[k] in inside:
                inside.add(k)
        return tuple(sorted(inside))

    def _number(self, i: Any) -> int:
        """The number of a body of this model, checked."""
        number = given.whole(i)
        if number is None:
            raise ModelError(f"a body is given by its number here, not by {given.described(i)}")
        if not 0 <= number <= self.n_bodies:
            raise ModelError(f"there is no body {number}: the bodies are 1 to {self.n_bodies}, and 0 is the base")
        return number

    @cached_property
    def gravity_acceleration(self) -> Motion:
        """a_g, the uniform gravitational field as a spatial acceleration of the base (F10b (10))."""
        return Motion(Vector.zero(), Vector(self.gravity))

    # ---- limits as vectors

    def _by_coordinate(self, what: str, which: str, size: int) -> Any:
        import numpy as np

        out = np.zeros(size)
        for i, body in enumerate(self.body_list):
            if body.joint and not body.joint.mimic:
                out[getattr(self.coordinates[i], which)] = getattr(body.joint, what)
        out.flags.writeable = False
        return out

    @cached_property
    def _position_limits(self) -> tuple[Any, Any]:
        """Lower and upper limits by coordinate.

        The limits of mimic joints narrow the range of the joint they follow, unless nothing would be left of it.
        """
        lower, upper = (self._by_coordinate(which, "q", self.nq).copy() for which in ("lower", "upper"))
        for i, body in enumerate(self.body_list):
            c = self.coordinates[i]
            if body.joint and body.joint.mimic and c.ratio:
                k = c.q.start
                ends = sorted((limit[0] - c.offset) / c.ratio for limit in (body.joint.lower, body.joint.upper))
                low, high = max(lower[k], ends[0]), min(upper[k], ends[1])
                if low < high:
                    lower[k], upper[k] = low, high
        lower.flags.writeable = upper.flags.writeable = False
        return lower, upper

    @property
    def lower(self) -> Any:
        """The lower position limits, (nq,), mimic joints' own limits included."""
        return self._position_limits[0]

    @property
    def upper(self) -> Any:
        """The upper position limits, (nq,), mimic joints' own limits included."""
        return self._position_limits[1]

    @cached_property
    def velocity_limit(self) -> Any:
        """The largest speeds, (nv,), mimic joints' own limits included."""
        limit = self._by_coordinate("velocity", "v", self.nv).copy()
        for i, body in enumerate(self.body_list):
            c = self.coordinates[i]
            if body.joint and body.joint.mimic and c.ratio:
                limit[c.v] = min(limit[c.v.start], body.joint.velocity[0] / abs(c.ratio))
        limit.flags.writeable = False
        return limit

    @cached_property
    def effort_limit(self) -> Any:
        """The largest joint forces, (nv,)."""
        return self._by_coordinate("effort", "v", self.nv)

    # ---- identity

    @cached_property
    def _content(self) -> Any:
        return (self._mechanism, content(self.visuals))

    @cached_property
    def _mechanism(self) -> Any:
        """The content without the shapes, on which nothing that is computed depends."""
        others = {"visuals", "warnings", "source"} | (set() if self.constraint_list else {"constraint_list"})
        return tuple(content(getattr(self, f.name)) for f in fields(Model) if f.name not in others)

    @cached_property
    def joint_types(self) -> frozenset[type[Joint]]:
        """The types of the moving joints."""
        return frozenset(type(b.joint.type) for b in self.body_list[1:] if b.joint)

    @cached_property
    def types(self) -> frozenset[type]:
        """The types of its joints, its constraints and the joints that close loops: what `fingerprint` only names."""
        parts = [x for c in self.constraint_list for x in (c, *c.content[1:]) if isinstance(x, Constraint | Joint)]
        return self.joint_types.union(map(type, parts))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the content without shapes that is the same in every process: robots with the same one share code.

        It distinguishes joint types and kinds of constraints only by name.
        """
        return hashlib.sha256(repr(self._mechanism).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and bool(self._content == other._content)

    def __hash__(self) -> int:
        return hash(self._content)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    # ---- small edits

    def with_gravity(self, gravity: Iterable[float]) -> Self:
        """The same robot in another gravitational field, m/s^2 in world coordinates."""
        return replace(self, gravity=gravity)  # type: ignore[arg-type]

    def with_inertia(
        self, body: str, inertia: Any = None, *, mass: float | None = None, com: Iterable[float] | None = None
    ) -> Self:
        """The same robot with another inertia of a body, which includes all links that are welded to it.

        ``inertia`` is a whole `Inertia`; or the rotational part about the centre of mass, kg m^2, as a 3x3 matrix,
        three principal moments or the six numbers xx, xy, xz, yy, yz, zz. With the latter, ``mass``, kg, and ``com``,
        the centre of mass in the body's frame, m, can be given. What is not given stays as it is: another mass alone
        changes no moment about the centre of mass. An inertia that no body can have is used as it is, with a warning.
        """
        from sixd.model.inertias import with_inertia

        return with_inertia(self, body, inertia, mass, com)

    def with_name(self, name: str) -> Self:
        """The same robot under another name."""
        return replace(self, name=name)

    def with_frame(
        self,
        name: str,
        on: str,
        offset: Any = None,
        *,
        xyz: Iterable[float] | None = None,
        rpy: Iterable[float] | None = None,
    ) -> Self:
        """The same robot with one more frame, placed relative to an existing frame.

        ``offset`` is the pose of the new frame in frame ``on``: a `Transform`, a pose (4, 4); or give xyz and rpy.
        """
        from sixd.model.build import placement

        anchor = self.frame(on)
        placed = placement(offset, xyz, rpy, f"frame {given.name(name, 'name')!r}: offset") @ anchor.offset
        return replace(self, frame_list=(*self.frame_list, Frame(name, anchor.body, placed)))

    def lock(self, positions: Mapping[str, Any]) -> Self:
        """The robot with some joints frozen: {joint name: coordinates, or None for neutral}."""
        from sixd.model.edit import lock

        return lock(self, positions)

    def subtree(self, root: str, base: str = "fixed") -> Self:
        """The part of the robot that a body carries, as a robot of its own on a fixed or free base."""
        from sixd.model.edit import subtree

        return subtree(self, root, base)

    def join(
        self,
        other: Model,
        at: str,
        *,
        joint: Joint | None = None,
        joint_name: str | None = None,
        offset: Any = None,
        xyz: Iterable[float] | None = None,
        rpy: Iterable[float] | None = None,
        prefix: str = "",
    ) -> Self:
        """The robot with another one mounted on frame ``at``, welded or on a joint.

        ``offset`` is the pose of the other's base in that frame: a `Transform`, a pose (4, 4); or give xyz and rpy.
        ``prefix`` is put before all names of the other, so that two of a kind can be mounted.
        """
        from sixd.model.edit import join

        return join(self, other, at, joint, joint_name, offset, xyz, rpy, prefix)

    # ---- looks

    def draw(self) -> str:
        """A text drawing of the tree: bodies, the joints that lead to them, masses."""
        from sixd.model.draw import draw

        return draw(self)

    def __repr__(self) -> str:
        return self.draw()
