"""A robot description while it is read: values with their place, errors with file, line and element, warnings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from sixd.errors import ModelError, ModelWarning, closest, shorten
from sixd.formats.source import Source
from sixd.formats.xml import Element, parse
from sixd.model import ModelBuilder, exact_quarter_turns, placement
from sixd.spatial import Transform

__all__ = ["Description", "Document"]

#: Possessive (++, *+): digits are never given back, so that a word takes time in proportion to its length.
_NUMBER = re.compile(r"[+-]?(\d++(\.\d*+)?|\.\d++)([eE][+-]?\d++)?", re.ASCII)
_INFINITY = re.compile(r"([+-]?)inf(inity)?", re.ASCII | re.IGNORECASE)

#: The longest name of a link or joint, and the longest message: both occur many times for one in the file.
MAX_NAME, MAX_MESSAGE = 1000, 1000
#: How many different unknown words a file may have, and for how many missing names a similar one is looked for.
MAX_UNKNOWN, MAX_HINTS = 1000, 20


@dataclass(frozen=True)
class Description:
    """A description that was read: what to build, what was odd about it, and its file (None for text)."""

    builder: ModelBuilder
    warnings: tuple[ModelWarning, ...] = ()
    file: str | None = None


class Document:
    """The elements of a file and what was noticed while reading them. ``strict`` makes every warning an error."""

    def __init__(self, source: Source, strict: bool = False) -> None:
        self.root, self.file = parse(source)
        self.strict = strict
        self.warnings: list[ModelWarning] = []
        self._hints = 0
        #: Unknown words that were compared with the known ones, and the known one that each looks like.
        self._unknown: dict[tuple[str, tuple[str, ...]], str | None] = {}

    # ---- complaints

    def error(self, element: Element, message: str) -> ModelError:
        """An error at an element, to be raised."""
        message = self._name_owner(element, shorten(message, MAX_MESSAGE))
        return ModelError(message, file=self.file, line=element.line, element=element.label)

    def warn(self, element: Element, message: str) -> None:
        """Notes a defect that cannot change the dynamics."""
        if self.strict:
            raise self.error(element, message)
        message = self._name_owner(element, shorten(message, MAX_MESSAGE))
        self.warnings.append(ModelWarning(message, file=self.file, line=element.line, element=element.label))

    def _name_owner(self, element: Element, message: str) -> str:
        owner = element.owner
        name = owner.attributes.get("name")
        if not name or owner is self.root:
            return message
        return f"{shorten(owner.tag)} {shorten(name)!r}: {message}"

    def hint(self, name: str, known: Iterable[str]) -> str:
        """The known name that one which does not exist may stand for; empty if there is none, or after many."""
        self._hints += 1
        close = closest(name, known) if self._hints <= MAX_HINTS else []
        return f"did you mean {close[0]!r}?" if close else ""

    def refuse_misspellings(
        self, element: Element, attributes: tuple[str, ...], children: tuple[str, ...] = ()
    ) -> None:
        """Raises at a name that looks like a known one written wrongly: what it says would be lost."""
        tags = dict.fromkeys(child.tag for child in element.children)
        for kind, found, known in (("attribute", element.attributes, attributes), ("element", tags, children)):
            for name in found:
                meant = None if name in known else self._meant(element, name, known)
                if meant:
                    raise self.error(element, f"unknown {kind} {name!r}; did you mean {meant!r}?")

    def _meant(self, element: Element, name: str, known: tuple[str, ...]) -> str | None:
        if (name, known) not in self._unknown:
            if len(self._unknown) >= MAX_UNKNOWN:
                raise self.error(element, f"there are more than {MAX_UNKNOWN} different unknown words; is this a URDF?")
            self._unknown[name, known] = next(iter(closest(name, known, cutoff=0.8)), None)
        return self._unknown[name, known]

    # ---- elements and values

    def one(self, element: Element, tag: str) -> Element | None:
        """The child with this tag, or None; two of them would leave open which one counts."""
        found = element.all(tag)
        if len(found) > 1:
            raise self.error(found[1], f"a second <{tag}>; the first is in line {found[0].line}")
        return found[0] if found else None

    def need(self, element: Element, tag: str) -> Element:
        """The child with this tag."""
        found = self.one(element, tag)
        if found is None:
            raise self.error(element, f"<{tag}> is missing")
        return found

    def text(self, element: Element, attribute: str) -> str:
        """An attribute that must be there and not be empty."""
        value = element.attributes.get(attribute)
        if not value:
            raise self.error(element, f"attribute {attribute!r} is {'missing' if value is None else 'empty'}")
        return value

    def name(self, element: Element, attribute: str) -> str:
        """An attribute that names a link or a joint."""
        value = self.text(element, attribute)
        if len(value) > MAX_NAME:
            raise self.error(element, f"{attribute} is longer than {MAX_NAME} characters: {value!r}")
        return value

    def choice(self, element: Element, attribute: str, choices: Iterable[str]) -> str:
        """An attribute that must have one of some values."""
        value, known = self.text(element, attribute), list(choices)
        if value not in known:
            raise self.error(element, f"unknown {attribute} {value!r}; known are {', '.join(known)}")
        return value

    def number(self, element: Element, attribute: str, default: float | None = None, infinite: bool = False) -> float:
        """One number; without a default it must be there."""
        (value,) = self.numbers(element, attribute, 1, None if default is None else (default,), infinite)
        return value

    def numbers(
        self,
        element: Element,
        attribute: str,
        count: int,
        default: tuple[float, ...] | None = None,
        infinite: bool = False,
    ) -> tuple[float, ...]:
        """Numbers separated by blanks, as many as there must be; finite unless ``infinite``."""
        if default is not None and attribute not in element.attributes:
            return default
        words = self.text(element, attribute).split()
        if len(words) != count:
            needed = "one number" if count == 1 else f"{count} numbers"
            raise self.error(element, f"{attribute} needs {needed}, not {element.attributes[attribute]!r}")
        return tuple(self._number(element, attribute, word, infinite) for word in words)

    def _number(self, element: Element, attribute: str, word: str, infinite: bool) -> float:
        sign = _INFINITY.fullmatch(word) if infinite else None
        if sign:
            return -inf if sign[1] == "-" else inf
        value = float(word) if _NUMBER.fullmatch(word) else None
        if value is None or abs(value) == inf:
            raise self.error(element, f"{attribute} is not a finite number: {word!r}")
        return value

    def place(self, element: Element) -> Transform:
        """Where the <origin> of an element puts it: X from the surrounding frame; without one, the identity."""
        origin = self.one(element, "origin")
        if origin is None:
            return Transform.identity()
        xyz = self.numbers(origin, "xyz", 3, (0.0, 0.0, 0.0))
        if "quat_xyzw" not in origin.attributes:
            return placement(xyz=xyz, rpy=self.numbers(origin, "rpy", 3, (0.0, 0.0, 0.0)))
        if "rpy" in origin.attributes:
            raise self.error(origin, "give either rpy or quat_xyzw, not both")
        quaternion = self.numbers(origin, "quat_xyzw", 4)
        if not any(quaternion):
            raise self.error(origin, "the quaternion is zero")
        return exact_quarter_turns(Transform.from_quaternion(quaternion, xyz))
