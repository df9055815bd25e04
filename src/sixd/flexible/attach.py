"""Flexible links in models: added by a builder, or in the place of a rigid link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import hypot
from typing import Any, NamedTuple, TypeVar

import numpy as np

from sixd import given
from sixd.errors import ModelError
from sixd.flexible.beam import Section
from sixd.flexible.link import Bending, Piece, pieces
from sixd.model import Mimic, Model, ModelBuilder
from sixd.model.edit import body_number
from sixd.model.parts import Body, Frame, JointData, Visual
from sixd.spatial import Inertia, Matrix, Transform, Vector

__all__ = ["add_flexible_parts", "flexible_parts", "with_flexible_link"]

M = TypeVar("M", bound=Model)

#: The colour of beams in pictures.
_COLOR = (0.35, 0.55, 0.75, 1.0)


class _Named(NamedTuple):
    """A piece of a flexible link with the names of its body, its joint and the body that carries it."""

    piece: Piece
    body: str
    parent: str
    joint: JointData


def _named(name: str, bending: Bending) -> Iterator[_Named]:
    """The pieces of the flexible link of this name. The tip's joint has the coordinates, the others share them."""
    found = pieces(bending)
    bodies = [f"{name}_{piece.name or 'tip'}" for piece in found]
    modes = f"{name}_modes"
    for piece, body in zip(found, bodies, strict=True):
        if piece.name:
            joint = JointData(f"{modes}_{piece.name}", piece.joint, mimic=Mimic(modes))
        else:
            joint = JointData(modes, piece.joint, stiffness=bending.stiffness, damping=bending.damping)
        yield _Named(piece, body, name if piece.on < 0 else bodies[piece.on], joint)


def flexible_parts(builder: ModelBuilder, name: str, bending: Bending) -> list[_Named]:
    """The stations and the tip of a flexible link, if no names in the builder are in their way."""
    found = list(_named(name, bending))
    for what, names, taken in (
        ("links", [each.body for each in found], builder.links),
        ("joints", [each.joint.name for each in found], builder.edges),
    ):
        for own in names:
            if own in taken:
                raise ModelError(f"two {what} are named {own!r}, one of them by the flexible link {name!r}: rename one")
    return found


def add_flexible_parts(builder: ModelBuilder, parts: list[_Named], section: Section | None) -> None:
    """Put the stations and the tip of a flexible link on their hub, with the beam along its x axis."""
    for each in parts:
        builder.link(each.body, inertia=each.piece.inertia)
        data = {} if each.joint.mimic else {"stiffness": each.joint.stiffness, "damping": each.joint.damping}
        place = Transform.translation((each.piece.x, 0.0, 0.0))
        builder.joint(
            each.joint.name, each.parent, each.body, each.joint.type, at=place, mimic=each.joint.mimic, **data
        )
        builder.visuals += _pictures(each, section)


def _pictures(each: _Named, section: Section | None) -> list[Visual]:
    """The slice of the beam at a station, as it is drawn."""
    length = each.piece.share
    if section is None or not length:
        return []
    if section.shape == "box":
        return [Visual(each.body, "box", (length, *section.size), color=_COLOR)]
    along_x = Transform(Matrix([(0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)]), Vector.zero())  # z of it is our x
    return [Visual(each.body, "cylinder", (section.size[0], length), offset=along_x, color=_COLOR)]


def with_flexible_link(model: M, link: str, end: str, bending: Bending, inertia: Any, keep: Iterable[str], y: Any) -> M:
    """The robot with a link that bends: see `Robot.with_flexible_link`."""
    hub = body_number(model, link, "link", "name")
    if hub == 0:
        raise ModelError(f"{link!r} is the base, which does not move; put a flexible link on it instead")
    root = _beam_frame(model, hub, end, bending.beam.length, y)
    stay = {model.body_list[hub].name, *_kept(model, hub, keep)}
    rigid = Inertia.zero()
    if inertia is not None:
        rigid = given.instance(inertia, "inertia", Inertia, "sixd.Inertia.from_mass_com(mass, com, I)")

    bodies: list[Body] = []
    number: dict[int, int] = {}  # the new number of each old body
    tip, to_tip = 0, Transform.identity()  # the tip, and the transform from the old link's coordinates to it
    visuals = list(model.visuals)
    added: list[Frame] = []
    for i, body in enumerate(model.body_list):
        moved = body.parent == hub and body.joint is not None and body.joint.name not in stay
        number[i] = len(bodies)
        if i == hub:
            bodies.append(replace(body, parent=number[body.parent], inertia=rigid))
            places = {body.name: len(bodies) - 1}
            for each in _named(body.name, bending):
                at = Transform.translation((each.piece.x, 0.0, 0.0))
                placement = at @ root if each.piece.on < 0 else at
                places[each.body] = len(bodies)
                added.append(Frame(each.body, len(bodies)))
                bodies.append(Body(each.body, places[each.parent], placement, each.joint, each.piece.inertia))
                visuals += _pictures(each, bending.beam.section)
            tip = len(bodies) - 1
            to_tip = Transform.translation((bending.beam.length, 0.0, 0.0)) @ root
        elif moved:
            bodies.append(replace(body, parent=tip, placement=body.placement @ to_tip.inverse()))
        else:
            bodies.append(replace(body, parent=number.get(body.parent, -1)))
    frames: list[Frame] = []
    for frame in model.frame_list:
        if frame.body == hub and frame.name not in stay:
            frames.append(Frame(frame.name, tip, frame.offset @ to_tip.inverse()))
        else:
            frames.append(replace(frame, body=number[frame.body]))
    return replace(model, body_list=tuple(bodies), frame_list=(*frames, *added), visuals=tuple(visuals))


def _kept(model: Model, hub: int, keep: Iterable[str]) -> set[str]:
    """The joints and frames that stay on the hub, checked."""
    found = set(given.words(keep, "keep"))
    carried = {b.joint.name for b in model.body_list if b.parent == hub and b.joint}
    carried |= {frame.name for frame in model.frame_list if frame.body == hub}
    for name in found - carried:
        raise ModelError(f"keep: {name!r} is no joint or frame that link {model.body_list[hub].name!r} carries")
    return found


def _beam_frame(model: Model, hub: int, end: str, length: float, y: Any) -> Transform:
    """The transform from the coordinates of a link to those of the beam in it: from its origin to the end."""
    link = model.body_list[hub].name
    if given.name(end, "end") in model.joints.names:
        body = model.body_list[model.joint(end).index]
        owner, r = body.parent, body.placement.r
    else:
        frame = model.frame(end)
        owner, r = frame.body, frame.offset.r
    if owner != hub:
        raise ModelError(f"end: {end!r} is on {model.body_list[owner].name!r}, not on link {link!r}, which is to bend")
    distance = hypot(*r)
    if abs(distance - length) > 1e-6 * length:
        raise ModelError(
            f"the beam is {length:g} m long, but from link {link!r} to {end!r} it is {distance:.9g} m: give it that "
            "length"
        )
    x = np.array([float(c) for c in r]) / distance
    side = np.eye(3)[int(np.argmin(np.abs(x)))] if y is None else np.array(given.finite(y, "y", 3))
    across = side - x * (side @ x)
    size = float(np.linalg.norm(across))
    if not size > 1e-9 * max(1.0, float(np.linalg.norm(side))):
        raise ModelError(f"y, the direction of the beam's y axis, is along the beam: {side.tolist()}")
    across /= size
    return Transform(Matrix([x.tolist(), across.tolist(), np.cross(x, across).tolist()]), Vector.zero())
