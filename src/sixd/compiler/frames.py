"""Frames by name, for functions that take a body and the offset of a frame on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sixd.algorithms.declared import Declaration, Kind
from sixd.compiler.request import Request
from sixd.errors import ArgumentError, ChoiceError, ModelError
from sixd.given import described
from sixd.model import Frame, Model
from sixd.spatial import Transform

__all__ = ["frame_of", "with_frames"]


def with_frames(request: Request) -> dict[str, Any]:
    """The fixed arguments, in which names of frames are replaced by the number of the body and the frame's offset.

    ``frame="hand"`` stands for ``body="hand"``, unless the function has an argument of its own called frame.
    """
    fixed, declared = dict(request.fixed), request.declaration
    if "frame" in fixed and "frame" not in declared.arguments:
        if declared.kind("body") is not Kind.BODY:
            raise ChoiceError(f"frame is given, but {request.name} has no argument body that a frame could be on")
        if "body" in fixed:
            raise ArgumentError(f"{request.name}: give frame or body, not both")
        fixed["body"] = frame = fixed.pop("frame")
        if not isinstance(frame, str | Frame):
            raise ModelError(f"frame must be the name of a frame, not {described(frame)}")
    for name, value in declared.bodies(fixed).items():
        if isinstance(value, str | Frame):
            fixed |= _placed(name, frame_of(request.model, value), declared, fixed)
    return fixed


def frame_of(model: Model, given: str | Frame) -> Frame:
    """The frame of a model that has this name. A `Frame` must be one of this model, not of another."""
    name = given.name if isinstance(given, Frame) else given
    if not isinstance(name, str):
        raise ModelError(f"a frame is given by its name, not by {given!r}")
    found = model.frames[name]
    if isinstance(given, Frame) and given != found:
        raise ModelError(f"this frame {name!r} belongs to another robot")
    return found


def _placed(name: str, frame: Frame, declared: Declaration, fixed: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments for a frame: the number of its body and, if the function takes one, its offset."""
    offset = declared.offset_of(name)
    if offset is None:
        if frame.offset != Transform.identity():
            what = f"{frame.name!r} is not at the origin of its body, and no argument places a frame on {name}"
            raise ModelError(f"{name} must be a body: {what}")
        return {name: frame.body}
    if fixed.get(offset) is not None:
        raise ArgumentError(f"{name} is the frame {frame.name!r}, which has an offset of its own: leave {offset} out")
    return {name: frame.body, offset: frame.offset}
