"""Building models: from links and joints in any order to a numbered tree in which welded links are merged."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from math import isfinite
from typing import Any, Self

from sixd import given
from sixd.errors import ArgumentError, ModelError, ModelWarning, PoseError, ShapeError
from sixd.joints import Free, Joint
from sixd.model.model import Model
from sixd.model.parts import (
    DATA_SHEET,
    IDENTITY,
    Body,
    Frame,
    JointData,
    Mimic,
    Visual,
    sound_inertia,
    sound_transform,
)
from sixd.model.plausible import complaint
from sixd.process.told import warn
from sixd.spatial import Inertia, Matrix, Transform, Vector
from sixd.spatial.linear import symmetric

__all__ = ["ModelBuilder", "announce", "exact_quarter_turns", "placement"]


@dataclass(frozen=True)
class _Edge:
    """A joint of the description; ``data`` is None for a weld."""

    name: str
    parent: str
    child: str
    placement: Transform
    data: JointData | None


def placement(
    at: Any = None, xyz: Iterable[float] | None = None, rpy: Iterable[float] | None = None, what: str = "at"
) -> Transform:
    """A place relative to a parent frame: a `Transform`, a pose (4, 4), or position and roll-pitch-yaw.

    ``what`` names it in errors.
    """
    if at is not None and (xyz is not None or rpy is not None):
        raise ModelError("give a place either as 'at' or as 'xyz' and 'rpy', not both")
    if isinstance(at, Transform):
        return exact_quarter_turns(sound_transform(at, what))
    if at is not None:
        try:
            return exact_quarter_turns(sound_transform(Transform.from_pose(at), what))
        except (ArgumentError, PoseError, ShapeError) as error:
            raise ModelError(f"{what}: {error}") from None
    position = (0.0, 0.0, 0.0) if xyz is None else given.numbers(xyz, "xyz")
    angles = (0.0, 0.0, 0.0) if rpy is None else given.numbers(rpy, "rpy")
    if len(position) != 3 or len(angles) != 3 or not all(map(isfinite, position + angles)):
        raise ModelError(f"a place needs three finite numbers for xyz and rpy: {position}, {angles}")
    return exact_quarter_turns(Transform.from_rpy(angles, position)) if any(angles) else Transform(IDENTITY.E, position)


def exact_quarter_turns(X: Transform) -> Transform:
    """The placement with exact 0, 1 and -1 in its rotation, where an entry is within 1e-15 of one of these.

    In floats pi is rounded, and cos(pi/2) is 6e-17. An exact zero costs nothing to multiply with. Entries that are not
    finite stay as they are.
    """

    def nearest(x: float) -> float:
        return next((n for n in (0.0, 1.0, -1.0) if abs(x - n) < 1e-15), x)

    return Transform(Matrix([nearest(x) for x in row] for row in X.E.rows), X.r)


def inertia_of(mass: float, com: Iterable[float], inertia: Any) -> tuple[Inertia, Matrix]:
    """The inertia of a link, and its rotational part about the centre of mass.

    The second is the one that was given: computed back from the inertia about the origin, it would not be exact.
    ``inertia`` is that part as a 3x3 matrix, three principal moments, or the six numbers xx, xy, xz, yy, yz, zz; or a
    whole `Inertia`.
    """
    if isinstance(inertia, Inertia):
        if given.number(mass, "mass"):
            raise ModelError("give either a whole Inertia, which has its mass, or mass, com and inertia")
        inertia = sound_inertia(inertia, "inertia")
        return inertia, inertia.I_com if inertia.m else inertia.I
    mass = given.number(mass, "mass")
    if not isfinite(mass) or mass < 0.0:
        raise ModelError(f"a mass must be finite and not negative: {mass}")
    center = given.numbers(com, "com")
    if len(center) != 3 or not all(map(isfinite, center)):
        raise ModelError(f"a centre of mass is three finite numbers: {center}")
    I = _rotational(inertia)
    if not all(isfinite(x) for x in I.components()):
        raise ModelError(f"a rotational inertia must be finite: {inertia}")
    return sound_inertia(Inertia.from_mass_com(mass, Vector(center), I), "inertia"), I


def _rotational(inertia: Any) -> Matrix:
    """The 3x3 matrix of a rotational inertia in any of its forms."""
    if isinstance(inertia, Mapping) or not _is_sequence(inertia):
        raise ModelError(f"inertia is 3x3, three principal moments or six numbers, not {given.described(inertia)}")
    entries = list(inertia)
    if all(isinstance(row, Iterable) and not isinstance(row, str | bytes) for row in entries):
        rows = [given.numbers(row, "each row of inertia") for row in entries]
        if [len(row) for row in rows] != [3, 3, 3]:
            raise ModelError(f"a rotational inertia is 3x3, three principal moments or six numbers: {inertia}")
        I = Matrix(rows)
        slack = 1e-9 * max(map(abs, I.components()))
        if any(abs(I[r, c] - I[c, r]) > slack for r, c in ((0, 1), (0, 2), (1, 2))):
            raise ModelError(f"a rotational inertia is symmetric: {inertia}")
        return I
    numbers = given.numbers(entries, "inertia")
    if len(numbers) not in (3, 6):
        raise ModelError(f"a rotational inertia is 3x3, three principal moments or six numbers: {inertia}")
    return Matrix.diagonal(numbers) if len(numbers) == 3 else symmetric(numbers)


def check_base(base: Any) -> None:
    """Raises unless a base is "fixed" or "free"."""
    if not isinstance(base, str) or base not in ("fixed", "free"):
        raise ModelError(f"base must be 'fixed' or 'free', not {given.described(base)}")


@dataclass(repr=False)
class ModelBuilder:
    """Collects links, joints and frames, then makes a `Model`.

    >>> arm = ModelBuilder("arm")
    >>> arm.body("upper", joint=Revolute((0, 1, 0)), joint_name="shoulder", mass=2, com=(0, 0, -0.25))
    >>> arm.body("lower", parent="upper", joint=Revolute((0, 1, 0)), joint_name="elbow", xyz=(0, 0, -0.5), mass=1)
    >>> arm.frame("tool", on="lower", xyz=(0, 0, -0.5))
    >>> model = arm.build()
    """

    #: The name of the model.
    name: str = ""
    #: In the world, m/s^2.
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    links: dict[str, Inertia] = field(default_factory=dict)
    edges: dict[str, _Edge] = field(default_factory=dict)
    extra_frames: list[tuple[str, str, Transform]] = field(default_factory=list)
    visuals: list[Visual] = field(default_factory=list)
    warnings: list[ModelWarning] = field(default_factory=list)

    def link(self, name: str, mass: float = 0.0, com: Iterable[float] = (0, 0, 0), inertia: Any = (0, 0, 0)) -> Self:
        """A rigid link, not yet attached. ``inertia`` is about the centre of mass, or a whole `Inertia`.

        An inertia that no body can have is used as it is, with a warning.
        """
        if given.name(name, "the name of a link") in self.links:
            raise ModelError(f"two links are named {name!r}: names must be unique")
        try:
            self.links[name], about_com = inertia_of(mass, com, inertia)
        except ModelError as error:
            raise ModelError(f"link {name!r}: {error}") from None
        if fault := complaint(self.links[name].m, about_com):
            self.warnings.append(ModelWarning(f"link {name!r}: {fault}"))
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
        if given.name(name, "the name of a joint") in self.edges:
            raise ModelError(f"two joints are named {name!r}: names must be unique")
        for role, link in (("parent", parent), ("child", child)):
            given.name(link, f"joint {name!r}: its {role}")
        entries = {key: value if _is_sequence(value) else (value,) for key, value in data.items()}
        unknown = sorted(entries.keys() - set(DATA_SHEET))
        if unknown:
            raise ModelError(f"joint {name!r}: unknown option {', '.join(unknown)}")
        if type is None and (entries or mimic):
            raise ModelError(
                f"joint {name!r} is a weld and has no {', '.join(entries) or 'mimic'}; give it a type to move"
            )
        joint = None if type is None else JointData(name, type, mimic=mimic)
        if joint is not None and entries:
            joint = replace(joint, **_spread(name, entries, joint.type))  # type: ignore[arg-type]
        try:
            place = placement(at, xyz, rpy)
        except ModelError as error:
            raise ModelError(f"joint {name!r}: {error}") from None
        self.edges[name] = _Edge(name, parent, child, place, joint)
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
        """A link and the joint that carries it, in one call. If there are no links yet, the parent becomes the root."""
        before, warned = len(self.links), len(self.warnings)
        given.name(name, "the name of a link")
        if given.name(parent, f"the parent of {name!r}") not in self.links and not self.links:
            self.link(parent)
        try:
            self.link(name, mass, com, inertia)
            own = f"{name}_joint" if joint_name is None else joint_name
            return self.joint(own, parent, name, joint, **options)
        except Exception:
            while len(self.links) > before:
                self.links.popitem()  # a call that fails leaves nothing behind
            del self.warnings[warned:]
            raise

    def frame(
        self,
        name: str,
        on: str,
        *,
        at: Any = None,
        xyz: Iterable[float] | None = None,
        rpy: Iterable[float] | None = None,
    ) -> Self:
        """A named place on a link."""
        what = f"frame {given.name(name, 'the name of a frame')!r}"
        given.name(on, f"{what}: on")
        try:
            self.extra_frames.append((name, on, placement(at, xyz, rpy)))
        except ModelError as error:
            raise ModelError(f"{what}: {error}") from None
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}: {len(self.links)} links, {len(self.edges)} joints)"

    # ---- making the model

    def build(self, base: str = "fixed", gravity: Iterable[float] | None = None, base_joint: str = "base") -> Model:
        """The model: bodies numbered depth first in the order joints were given, welded links merged.

        ``base="free"`` lets the root float in the world on a free joint named ``base_joint``. Oddities are listed in
        the model's ``warnings`` and announced by one `ModelWarning`.
        """
        model = self.assemble(base, gravity, base_joint)
        announce(model.warnings)
        return model

    def assemble(self, base: str = "fixed", gravity: Iterable[float] | None = None, base_joint: str = "base") -> Model:
        """The same as `build`, but without the announcement: oddities are only listed in the model's ``warnings``."""
        check_base(base)
        given.name(base_joint, "base_joint")
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
        # Joints that are still to be followed, each with the frame of its parent link.
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
        """The root link and the joints below each link. A description that is not a tree is refused."""
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


def announce(warned: Sequence[ModelWarning]) -> None:
    """One warning for all oddities of a model."""
    if warned:
        first, more = warned[0], len(warned) - 1
        tail = f" (and {more} more, see robot.warnings)" if more else ""
        warn(ModelWarning(f"{first}{tail}"))


def unused_name(names: Iterable[str], taken: Container[str]) -> str:
    """The first of some names that is not taken; if all are, the last one with a number."""
    candidates = list(names)
    more = (f"{candidates[-1]}_{k}" for k in count(2))
    return next(name for name in chain(candidates, more) if name not in taken)


def _is_sequence(value: Any) -> bool:
    """Whether a value has several entries. Text and arrays without axes count as one value."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "shape", 1) != ()


def _spread(name: str, data: Mapping[str, Iterable[float]], type: Joint) -> dict[str, tuple[float, ...]]:
    """The data of a joint with one number per coordinate. A single number is repeated for all of them."""
    sizes = {"lower": type.nq, "upper": type.nq, "rest": type.nq}
    full = {}
    for key, value in data.items():
        entries = given.numbers(value, f"joint {name!r}: {key}")
        full[key] = entries * sizes.get(key, type.nv) if len(entries) == 1 else entries
    return full


def _resolve_mimics(bodies: list[Body]) -> list[Body]:
    """Make every mimic refer to an independent joint: a mimic of a mimic becomes the product of both couplings."""
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
