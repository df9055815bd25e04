"""Building models: links and joints in any order, in; a numbered tree with merged welds, out."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count
from math import isfinite
from typing import Any, Self

from sixd.errors import ModelError, ModelWarning
from sixd.joints import Free, Joint
from sixd.model.model import Model
from sixd.model.parts import DATA_SHEET, IDENTITY, Body, Frame, JointData, Mimic, Visual
from sixd.spatial import Inertia, Matrix, Transform, Vector

__all__ = ["ModelBuilder", "exact_quarter_turns", "placement"]


@dataclass(frozen=True)
class _Edge:
    """A joint of the description; ``data`` is None for a weld."""

    name: str
    parent: str
    child: str
    placement: Transform
    data: JointData | None


def placement(at: Any = None, xyz: Iterable[float] | None = None, rpy: Iterable[float] | None = None) -> Transform:
    """A place relative to a parent frame: a `Transform`, a pose (4, 4), or position and roll-pitch-yaw."""
    if at is not None and (xyz is not None or rpy is not None):
        raise ModelError("give a place either as 'at' or as 'xyz' and 'rpy', not both")
    if at is not None:
        return exact_quarter_turns(at if isinstance(at, Transform) else Transform.from_pose(at))
    position = (0.0, 0.0, 0.0) if xyz is None else tuple(map(float, xyz))
    angles = (0.0, 0.0, 0.0) if rpy is None else tuple(map(float, rpy))
    if len(position) != 3 or len(angles) != 3 or not all(map(isfinite, position + angles)):
        raise ModelError(f"a place needs three finite numbers for xyz and rpy: {position}, {angles}")
    return exact_quarter_turns(Transform.from_rpy(angles, position)) if any(angles) else Transform(IDENTITY.E, position)


def exact_quarter_turns(X: Transform) -> Transform:
    """A placement whose rotation has 0 and 1 where it has them but for the rounding of pi: entries within 4 ulp.

    cos(pi/2) is 6e-17 in floats; as a zero it costs nothing to multiply with.
    """

    def nearest(x: float) -> float:
        return float(round(x)) if abs(x - round(x)) < 1e-15 else x

    return Transform(Matrix([nearest(x) for x in row] for row in X.E.rows), X.r)


def inertia_of(mass: float, com: Iterable[float], inertia: Any) -> Inertia:
    """The inertia of a link from its mass, centre of mass and rotational inertia about that centre.

    ``inertia`` is a 3x3 matrix, three principal moments, or the six numbers xx, xy, xz, yy, yz, zz.
    """
    if isinstance(inertia, Inertia):
        if mass:
            raise ModelError("give either a whole Inertia, which has its mass, or mass, com and inertia")
        return inertia
    if not isfinite(mass) or mass < 0.0:
        raise ModelError(f"a mass must be finite and not negative: {mass}")
    center = tuple(map(float, com))
    if len(center) != 3 or not all(map(isfinite, center)):
        raise ModelError(f"a centre of mass is three finite numbers: {center}")
    rows = [list(map(float, row)) if isinstance(row, Iterable) else float(row) for row in inertia]
    if len(rows) == 3 and all(isinstance(row, float) for row in rows):
        I = Matrix.diagonal(rows)
    elif len(rows) == 6 and all(isinstance(row, float) for row in rows):
        xx, xy, xz, yy, yz, zz = rows
        I = Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    elif len(rows) == 3 and all(isinstance(row, list) and len(row) == 3 for row in rows):
        I = Matrix(rows)  # type: ignore[arg-type]
        slack = 1e-9 * max(map(abs, I.components()))
        if any(abs(I[r, c] - I[c, r]) > slack for r, c in ((0, 1), (0, 2), (1, 2))):
            raise ModelError(f"a rotational inertia is symmetric: {inertia}")
    else:
        raise ModelError(f"a rotational inertia is 3x3, three principal moments or six numbers: {inertia}")
    if not all(isfinite(x) for x in I.components()):
        raise ModelError(f"a rotational inertia must be finite: {inertia}")
    return Inertia.from_mass_com(float(mass), Vector(center), I)


@dataclass(repr=False)
class ModelBuilder:
    """Collects links, joints and frames, then makes a `Model`.

    >>> arm = ModelBuilder("arm")
    >>> arm.body("upper", joint=Revolute((0, 1, 0)), joint_name="shoulder", mass=2, com=(0, 0, -0.25))
    >>> arm.body("lower", parent="upper", joint=Revolute((0, 1, 0)), joint_name="elbow", xyz=(0, 0, -0.5), mass=1)
    >>> arm.frame("tool", on="lower", xyz=(0, 0, -0.5))
    >>> model = arm.build()
    """

    #: The name of the model to be.
    name: str = ""
    #: In the world, m/s^2.
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    links: dict[str, Inertia] = field(default_factory=dict)
    edges: dict[str, _Edge] = field(default_factory=dict)
    extra_frames: list[tuple[str, str, Transform]] = field(default_factory=list)
    visuals: list[Visual] = field(default_factory=list)
    warnings: list[ModelWarning] = field(default_factory=list)

    def link(self, name: str, mass: float = 0.0, com: Iterable[float] = (0, 0, 0), inertia: Any = (0, 0, 0)) -> Self:
        """A rigid link, not yet attached. ``inertia`` is about the centre of mass, or a whole `Inertia`."""
        if name in self.links:
            raise ModelError(f"two links are named {name!r}: names must be unique")
        try:
            self.links[name] = inertia_of(mass, com, inertia)
        except ModelError as error:
            raise ModelError(f"link {name!r}: {error}") from None
        return self

    def joint(
        self,
        name: str,
        parent: str,
        child: str,
        type: Joint | None,
        *,
        at: Any = None,
        xyz: Iterable[float] | None = None,
        rpy: Iterable[float] | None = None,
        mimic: Mimic | None = None,
        **data: Any,
    ) -> Self:
        """A joint between two links; ``type=None`` welds them. The place is the joint's frame in the parent link.

        ``data`` are fields of `JointData`: lower, upper, velocity, effort, damping, friction, rotor_inertia,
        stiffness, rest; each one number or one per coordinate.
        """
        if name in self.edges:
            raise ModelError(f"two joints are named {name!r}: names must be unique")
        entries = {key: value if isinstance(value, Iterable) else (value,) for key, value in data.items()}
        unknown = sorted(entries.keys() - set(DATA_SHEET))
        if unknown:
            raise ModelError(f"joint {name!r}: unknown option {', '.join(unknown)}")
        if type is None and (entries or mimic):
            raise ModelError(
                f"joint {name!r} is a weld and has no {', '.join(entries) or 'mimic'}; give it a type to move"
            )
        joint = None if type is None else JointData(name, type, mimic=mimic)
        if joint is not None and entries:
            joint = replace(joint, **_spread(entries, joint.type))  # type: ignore[arg-type]
        self.edges[name] = _Edge(name, parent, child, placement(at, xyz, rpy), joint)
        return self

    def body(
        self,
        name: str,
        parent: str = "base",
        joint: Joint | None = None,
        joint_name: str | None = None,
        mass: float = 0.0,
        com: Iterable[float] = (0, 0, 0),
        inertia: Any = (0, 0, 0),
        **options: Any,
    ) -> Self:
        """A link and the joint that carries it, in one call. The first parent named becomes the root if it is new."""
        before = len(self.links)
        if parent not in self.links and not self.links:
            self.link(parent)
        try:
            self.link(name, mass, com, inertia)
            return self.joint(joint_name or f"{name}_joint", parent, name, joint, **options)
        except Exception:
            while len(self.links) > before:
                self.links.popitem()  # a call that fails leaves nothing behind
            raise

    def frame(self, name: str, on: str, **place: Any) -> Self:
        """A named place on a link."""
        self.extra_frames.append((name, on, placement(**place)))
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}: {len(self.links)} links, {len(self.edges)} joints)"

    # ---- making the model

    def build(self, base: str = "fixed", gravity: Iterable[float] | None = None, base_joint: str = "base") -> Model:
        """The model: bodies numbered depth first in the order joints were given, welded links merged.

        ``base="free"`` lets the root float on a free joint named ``base_joint``, in a world of its own.
        """
        if base not in ("fixed", "free"):
            raise ModelError(f"base must be 'fixed' or 'free', not {base!r}")
        root, children = self._graph()
        taken = {*self.links, *(name for name, _, _ in self.extra_frames)}
        world = root if base == "fixed" else unused_name(("world", "universe"), taken)
        if base == "free" and base_joint in self.edges:
            raise ModelError(
                f"a joint of the description is named {base_joint!r}, as the floating joint would be: give that one "
                "another name with base_joint="
            )
        bodies = [Body(world, -1)]
        if base == "free":
            bodies.append(Body(root, 0, joint=JointData(base_joint, Free()), inertia=self.links[root]))
        else:
            bodies[0] = replace(bodies[0], inertia=self.links[root])
        frames = [Frame(body.name, i) for i, body in enumerate(bodies)]
        # A joint still to be followed, and where its parent link is on its body.
        todo = [(edge, frames[-1]) for edge in reversed(children.get(root, ()))]
        while todo:
            edge, parent = todo.pop()
            owner, X = parent.body, edge.placement if parent.offset is IDENTITY else edge.placement @ parent.offset
            if edge.data is None:
                welded = bodies[owner].inertia + X.inv @ self.links[edge.child]
                bodies[owner] = replace(bodies[owner], inertia=welded)
                frame = Frame(edge.child, owner, X)
            else:
                bodies.append(Body(edge.child, owner, X, edge.data, self.links[edge.child]))
                frame = Frame(edge.child, len(bodies) - 1)
            frames.append(frame)
            todo.extend((below, frame) for below in reversed(children.get(edge.child, ())))
        return self._finish(bodies, frames, gravity)

    def _finish(self, bodies: list[Body], frames: list[Frame], gravity: Iterable[float] | None) -> Model:
        places = {f.name: f for f in frames}
        for name, on, offset in self.extra_frames:
            if on not in places:
                raise ModelError(f"frame {name!r} is on link {on!r}, which does not exist")
            places[name] = Frame(name, places[on].body, offset @ places[on].offset)
            frames.append(places[name])
        return Model(
            self.name,
            tuple(_resolve_mimics(bodies)),
            tuple(frames),
            self.gravity if gravity is None else gravity,  # type: ignore[arg-type]
            tuple(self.visuals),
            tuple(self.warnings),
        )

    def _graph(self) -> tuple[str, dict[str, list[_Edge]]]:
        """The root link and the joints below each link; refuses what is not a tree."""
        children: dict[str, list[_Edge]] = {}
        carried: dict[str, str] = {}
        for edge in self.edges.values():
            for role, link in (("parent", edge.parent), ("child", edge.child)):
                if link not in self.links:
                    raise ModelError(f"joint {edge.name!r}: its {role} link {link!r} does not exist")
            if edge.child in carried:
                raise ModelError(
                    f"link {edge.child!r} has two parents, through joints {carried[edge.child]!r} and {edge.name!r}; "
                    "a tree has one (loops are not described this way)"
                )
            carried[edge.child] = edge.name
            children.setdefault(edge.parent, []).append(edge)
        roots = [link for link in self.links if link not in carried]
        if not self.links:
            raise ModelError("the description has no links")
        if not roots:
            raise ModelError(f"the joints form a cycle: every link has a parent ({', '.join(list(self.links)[:6])})")
        reached, todo = set(roots), list(roots)
        while todo:
            for edge in children.get(todo.pop(), ()):
                reached.add(edge.child)
                todo.append(edge.child)
        if len(reached) < len(self.links):
            cycle = [link for link in self.links if link not in reached]
            raise ModelError(f"the joints form a cycle through links {', '.join(map(repr, cycle[:6]))}")
        if len(roots) > 1:
            raise ModelError(
                f"the description has {len(roots)} roots: {', '.join(map(repr, roots[:6]))}; "
                "connect them with joints or leave the unused links out"
            )
        return roots[0], children


def unused_name(names: Iterable[str], taken: Container[str]) -> str:
    """The first of some names that is not taken, else the last with a number."""
    candidates = list(names)
    more = (f"{candidates[-1]}_{k}" for k in count(2))
    return next(name for name in chain(candidates, more) if name not in taken)


def _spread(data: Mapping[str, Iterable[float]], type: Joint) -> dict[str, tuple[float, ...]]:
    """One number stands for all coordinates of a joint."""
    sizes = {"lower": type.nq, "upper": type.nq, "rest": type.nq}
    full = {}
    for key, value in data.items():
        entries = tuple(map(float, value))
        full[key] = entries * sizes.get(key, type.nv) if len(entries) == 1 else entries
    return full


def _resolve_mimics(bodies: list[Body]) -> list[Body]:
    """Let every mimic refer to an independent joint: a mimic of a mimic is a product of couplings."""
    data = {b.joint.name: b.joint for b in bodies if b.joint}
    resolved: dict[str, Mimic] = {}
    for name in data:
        chain: dict[str, Mimic] = {}
        while name not in resolved and (mimic := data[name].mimic):
            if name in chain:
                raise ModelError(f"joints mimic each other in a loop: {' -> '.join([*chain, name])}")
            if mimic.joint not in data:
                raise ModelError(f"joint {name!r} mimics {mimic.joint!r}, which is not a moving joint of the model")
            chain[name], name = mimic, mimic.joint
        for follower, mimic in reversed(chain.items()):
            above = resolved.get(mimic.joint, Mimic(mimic.joint))
            ratio, offset = mimic.ratio * above.ratio, mimic.ratio * above.offset + mimic.offset
            if not (isfinite(ratio) and isfinite(offset)):
                raise ModelError(f"joint {follower!r}: mimic ratio and offset must be finite: {ratio}, {offset}")
            resolved[follower] = Mimic(above.joint, ratio, offset)
    return [
        replace(b, joint=replace(b.joint, mimic=resolved[b.joint.name])) if b.joint and b.joint.mimic else b
        for b in bodies
    ]
