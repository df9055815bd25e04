"""New models from old: joints locked, subtrees taken out, models joined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from sixd import given
from sixd.errors import ModelError, NameNotFoundError, ShapeError
from sixd.joints import Free, Joint
from sixd.model.build import check_base, placement, unused_name
from sixd.model.model import Model
from sixd.model.parts import Body, Frame, JointData, Mimic
from sixd.spatial import Transform, Vector

__all__ = ["body_number", "join", "lock", "subtree"]

M = TypeVar("M", bound=Model)


def lock(model: M, positions: Mapping[str, Any]) -> M:
    """The robot with some joints frozen at given positions: {joint name: coordinates, or None for neutral}.

    A locked body is welded to its parent; it stays as a frame. Joints that mimic a locked joint are locked with it.
    """
    if not isinstance(positions, Mapping):
        raise ModelError(f"lock takes {{joint name: position}}, not {type(positions).__name__}")
    fixed: dict[int, Vector] = {}
    for name, position in positions.items():
        joint = model.joint(name)
        if joint.mimic is not None:
            raise ModelError(f"joint {name!r} mimics {joint.mimic.joint!r}: lock that one instead")
        q = joint.type.neutral() if position is None else Vector(_numbers(name, position))
        if len(q) != joint.type.nq:
            raise ShapeError(f"joint {name!r} needs {joint.type.nq} coordinates to be locked, not {len(q)}")
        fixed[joint.index] = q
    for joint in model.joints:
        if joint.mimic is not None and joint.mimic.joint in positions:
            source = fixed[model.joints.index(joint.mimic.joint) + 1]
            fixed[joint.index] = Vector(joint.mimic.ratio * x + joint.mimic.offset for x in source)

    for constraint in model.constraint_list:
        for name in constraint.joints:
            if model.joint(name).index in fixed:
                raise ModelError(f"joint {name!r} cannot be locked: constraint {constraint.name!r} ties it")

    bodies: list[Body] = [model.body_list[0]]
    # For each old body: the number of its new body, and the transform from the new body's coordinates to the old one's.
    places: list[tuple[int, Transform]] = [(0, Transform.identity())]
    for i, body in enumerate(model.body_list[1:], start=1):
        owner, offset = places[body.parent]
        placement = body.placement @ offset
        if i in fixed:
            assert body.joint is not None
            X = body.joint.type.transform(fixed[i]) @ placement
            bodies[owner] = replace(bodies[owner], inertia=bodies[owner].inertia + X.inv @ body.inertia)
            places.append((owner, X))
        else:
            bodies.append(replace(body, parent=owner, placement=placement))
            places.append((len(bodies) - 1, Transform.identity()))
    frames = tuple(Frame(f.name, places[f.body][0], f.offset @ places[f.body][1]) for f in model.frame_list)
    return replace(model, body_list=tuple(bodies), frame_list=frames)


def subtree(model: M, root: str, base: str = "fixed") -> M:
    """The part of the robot that a body carries, that body included, as a robot of its own.

    The body becomes the fixed base, or with ``base="free"`` a floating one. A joint that mimics one outside is refused.
    """
    check_base(base)
    top = body_number(model, root, "the root of a subtree", "take the subtree of")
    kept = model.subtree_of(top)
    names = {b.joint.name for i in kept if (b := model.body_list[i]).joint and i != top}
    new = {old: k for k, old in enumerate(kept, start=1 if base == "free" else 0)}
    bodies: list[Body] = []
    if base == "free":
        taken = {f.name for f in model.frame_list if f.body in new}
        world = unused_name(("world", "universe"), taken)
        bodies = [Body(world, -1), Body(root, 0, joint=JointData("base", Free()), inertia=model.body_list[top].inertia)]
    else:
        bodies = [Body(root, -1, inertia=model.body_list[top].inertia)]
    for i in kept[1:]:
        body = model.body_list[i]
        if body.joint and body.joint.mimic and body.joint.mimic.joint not in names:
            raise ModelError(
                f"joint {body.joint.name!r} mimics {body.joint.mimic.joint!r}, which is not in the subtree of "
                f"{root!r}; lock it first"
            )
        bodies.append(replace(body, parent=new[body.parent]))
    frames = [replace(f, body=new[f.body]) for f in model.frame_list if f.body in new]
    if base == "free":
        frames.insert(0, Frame(bodies[0].name, 0))
    inside = {f.name for f in frames}
    for constraint in model.constraint_list:
        gone = {*constraint.frames} - inside | {*constraint.joints} - names
        if gone:
            raise ModelError(
                f"constraint {constraint.name!r} ties {sorted(gone)[0]!r}, which is not in the subtree of {root!r}; "
                "take the subtree of the open robot, closed.tree, and close what is left"
            )
    visuals = tuple(v for v in model.visuals if v.frame in inside)
    return replace(model, name=root, body_list=tuple(bodies), frame_list=tuple(frames), visuals=visuals)


def body_number(model: Model, name: Any, what: str, remedy: str) -> int:
    """The number of a body. A link welded to a body is refused: it has no inertia and no joint of its own."""
    if given.name(name, what) in model.bodies:
        return model.bodies.index(name)
    if name not in model.frames:
        raise NameNotFoundError("body", name, model.bodies.names)
    owner = model.bodies[model.frames[name].body].name
    raise ModelError(f"{name!r} is welded to body {owner!r}; {remedy} {owner!r}")


def join(
    model: M,
    other: Model,
    at: str,
    joint: Joint | None = None,
    joint_name: str | None = None,
    offset: Any = None,
    xyz: Iterable[float] | None = None,
    rpy: Iterable[float] | None = None,
    prefix: str = "",
) -> M:
    """The robot with another one mounted on one of its frames.

    ``offset`` is the pose of the other's base in frame ``at``: a `Transform`, a pose (4, 4); or give xyz and rpy. The
    base is welded there, or carried by a ``joint``. ``prefix`` is put before all names of the other, so that two of a
    kind can be mounted.
    """
    if not isinstance(other, Model):
        raise ModelError(f"the robot to be joined is a Model or Robot, not {given.described(other)}")
    if not isinstance(prefix, str):
        raise ModelError(f"prefix is text, put before names, not {given.described(prefix)}")
    anchor = model.frame(at)
    mount = placement(offset, xyz, rpy, "offset") @ anchor.offset
    bodies = list(model.body_list)
    base = other.body_list[0]
    if joint is None:
        host = bodies[anchor.body]
        bodies[anchor.body] = replace(host, inertia=host.inertia + mount.inv @ base.inertia)
        owner, to_base = anchor.body, mount
    else:
        data = JointData(f"{prefix}{base.name}_mount" if joint_name is None else joint_name, joint)
        bodies.append(Body(prefix + base.name, anchor.body, mount, data, base.inertia))
        owner, to_base = len(bodies) - 1, Transform.identity()
    shift = len(bodies) - 1
    for body in other.body_list[1:]:
        assert body.joint is not None
        mimic = body.joint.mimic
        data = replace(
            body.joint,
            name=prefix + body.joint.name,
            mimic=None if mimic is None else Mimic(prefix + mimic.joint, mimic.ratio, mimic.offset),
        )
        on_base = body.parent == 0
        bodies.append(
            replace(
                body,
                name=prefix + body.name,
                joint=data,
                parent=owner if on_base else body.parent + shift,
                placement=body.placement @ to_base if on_base else body.placement,
            )
        )
    frames = [
        Frame(prefix + f.name, f.body + shift, f.offset)
        if f.body
        else Frame(prefix + f.name, owner, f.offset @ to_base)
        for f in other.frame_list
    ]
    visuals = tuple(replace(v, frame=prefix + v.frame, mesh=_whole_path(v.mesh, other)) for v in other.visuals)
    return replace(
        model,
        body_list=tuple(bodies),
        frame_list=(*model.frame_list, *frames),
        visuals=(*model.visuals, *visuals),
        warnings=(*model.warnings, *other.warnings),
        constraint_list=(*model.constraint_list, *(c.renamed(prefix) for c in other.constraint_list)),
    )


def _whole_path(mesh: str | None, model: Model) -> str | None:
    """The name of a mesh that is found from elsewhere, too: a path beside the model's file becomes a whole one."""
    if mesh is None or model.source is None or "://" in mesh:
        return mesh
    return str(Path(model.source).absolute().parent / mesh)


def _numbers(name: str, position: Any) -> tuple[float, ...]:
    """The coordinates of a joint that are given as several numbers or as one."""
    what = f"the position of joint {name!r}"
    # An array of NumPy without axes is iterable by its type, but it is one number.
    if isinstance(position, Iterable) and getattr(position, "shape", 1) != ():
        return given.numbers(position, what)
    return (given.number(position, what),)
