"""The joints of a URDF."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot, inf
from typing import Any

from sixd.errors import ModelError
from sixd.formats.document import Document
from sixd.formats.graph import Coupling, Edge
from sixd.formats.xml import Element
from sixd.joints import Free, Joint, Planar, Prismatic, Revolute
from sixd.model import Mimic, ModelBuilder

__all__ = ["JointReader"]

#: The types with one coordinate, and all.
SINGLE = ("revolute", "continuous", "prismatic")
TYPES = (*SINGLE, "fixed", "floating", "planar")
#: The length below which an axis has no direction, and how far one of unit length may be off it.
SHORTEST_AXIS, UNIT = 1e-150, 1e-3


class JointReader:
    """Reads joints, one after the other, into a builder."""

    def __init__(self, document: Document, builder: ModelBuilder, edges: Mapping[str, Edge], mimic: bool) -> None:
        self.document, self.builder, self.edges = document, builder, edges
        self.follow = mimic
        #: The mimics read so far.
        self.mimics: dict[str, Coupling] = {}

    def read(self, name: str) -> None:
        element = self.edges[name].element
        try:
            self._read(name)
        except ModelError as error:  # of the builder: it knows no lines
            raise error if error.line is not None else self.document.error(element, error.message) from None

    def _read(self, name: str) -> None:
        element, parent, child = self.edges[name]
        kind = self.document.choice(element, "type", TYPES)
        place = self.document.place(element)
        if kind == "fixed":
            for mimic in element.all("mimic"):
                self.document.warn(mimic, "<mimic> has no meaning for a fixed joint and is ignored")
            self.builder.joint(name, parent, child, None, at=place)
        elif kind in SINGLE:
            axis = self.axis(element)
            if kind == "prismatic":
                self.warn_of_length(element, axis)
            joint: Joint = Prismatic(axis) if kind == "prismatic" else Revolute(axis)
            data: dict[str, Any] = self.limits(element, kind) | self.friction(element)
            self.builder.joint(name, parent, child, joint, at=place, mimic=self.mimic(name, element), **data)
        else:
            self.refuse_scalars(element, kind)
            joint = Free() if kind == "floating" else Planar(self.normal(element))
            self.builder.joint(name, parent, child, joint, at=place)

    def axis(self, element: Element) -> tuple[float, ...]:
        axis = self.document.one(element, "axis")
        if axis is None:
            return (1.0, 0.0, 0.0)
        entries = self.document.numbers(axis, "xyz", 3)
        length = hypot(*entries)
        if not SHORTEST_AXIS <= length < inf:
            fault = "too long" if length == inf else "too short to have a direction" if any(entries) else "zero"
            raise self.document.error(axis, f"the axis is {fault}")
        return entries

    def normal(self, element: Element) -> tuple[float, ...]:
        if not element.all("axis"):
            self.document.warn(
                element, "a planar joint without <axis>: by the format its normal is x, though some readers take z"
            )
        return self.axis(element)

    def warn_of_length(self, element: Element, axis: tuple[float, ...]) -> None:
        """The length of an axis means nothing, but some programs let it scale the way of a slide."""
        length = hypot(*axis)
        if abs(length - 1.0) > UNIT:
            where = self.document.need(element, "axis")
            self.document.warn(where, f"the axis has length {length:g}, not 1; only its direction is used")

    def limits(self, element: Element, kind: str) -> dict[str, float]:
        document, limit = self.document, self.document.one(element, "limit")
        if limit is None:
            if kind != "continuous":
                document.warn(element, f"a {kind} joint should have a <limit>; it is taken as unlimited")
            return {}
        found = {}
        for key in ("effort", "velocity"):
            if key not in limit.attributes:
                document.warn(limit, f"the {key} limit is missing; it is taken as unlimited")
            found[key] = document.number(limit, key, inf, infinite=True)
            if found[key] < 0.0:
                document.warn(limit, f"the {key} limit is negative: {found[key]:g}")
        if kind == "continuous":
            return found
        if not limit.attributes.keys() & {"lower", "upper"}:
            document.warn(limit, "the limits lower and upper are missing; both are 0 then, which leaves no range")
        lower, upper = (document.number(limit, key, 0.0, infinite=True) for key in ("lower", "upper"))
        if lower > upper:
            document.warn(limit, f"the lower limit {lower:g} is above the upper limit {upper:g}")
        return {"lower": lower, "upper": upper, **found}

    def friction(self, element: Element) -> dict[str, float]:
        dynamics = self.document.one(element, "dynamics")
        if dynamics is None:
            return {}
        found = {key: self.document.number(dynamics, key, 0.0) for key in ("damping", "friction")}
        for key, value in found.items():
            if value < 0.0:
                self.document.warn(dynamics, f"{key} is negative: {value:g}; it is used as written")
        return found

    def mimic(self, name: str, element: Element) -> Mimic | None:
        document, mimic = self.document, self.document.one(element, "mimic")
        if mimic is None or not self.follow:
            return None
        leader = document.name(mimic, "joint")
        ratio, offset = document.number(mimic, "multiplier", 1.0), document.number(mimic, "offset", 0.0)
        if leader not in self.edges:
            hint = document.hint(leader, (other for other in self.edges if other != name))
            hint = hint and f" ({hint})"
            document.warn(mimic, f"it mimics {leader!r}, which does not exist{hint}; it moves on its own")
            return None
        kind = self.edges[leader].element.attributes.get("type")
        if kind not in SINGLE:
            raise document.error(mimic, f"it mimics {leader!r}, a {kind} joint, which does not have one coordinate")
        self.mimics[name] = Coupling(mimic, leader)
        return Mimic(leader, ratio, offset)

    def refuse_scalars(self, element: Element, kind: str) -> None:
        """One limit for several coordinates has no meaning; one mimic for them would change the mechanism."""
        for tag in ("limit", "dynamics"):
            for child in element.all(tag):
                self.document.warn(child, f"<{tag}> has no meaning for a {kind} joint and is ignored")
        for child in element.all("mimic"):
            raise self.document.error(child, f"a {kind} joint has several coordinates and cannot mimic another")
