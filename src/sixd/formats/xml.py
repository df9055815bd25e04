"""XML as a small tree of elements that know their line, on the standard library's expat.

Made for files from anywhere: the size, the depth and the numbers of elements and attributes are bounded, and with them
the memory; a DOCTYPE (and with it every entity of one's own) is refused, nothing is ever fetched. Only elements and
attributes are kept; names keep their prefix as written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from xml.parsers import expat

from sixd.errors import ModelError, shorten
from sixd.formats.source import Content, Source, read_source

__all__ = ["MAX_ATTRIBUTES", "MAX_DEPTH", "MAX_ELEMENTS", "Element", "parse", "root_of"]

#: The deepest nesting of elements that is read.
MAX_DEPTH = 64
#: The most elements and the most attributes that are read: some 20,000 links with shapes. An element takes about 100
#: bytes of memory, though five in the file may do.
MAX_ELEMENTS = 500_000
MAX_ATTRIBUTES = 2_000_000

#: As many bytes are read at a time where only the root element is wanted.
_PIECE = 4096

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(slots=True, eq=False)
class Element:
    """An element: its tag, its attributes, the line it starts at, and the elements inside it."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    parent: Element | None = field(default=None, repr=False)
    children: list[Element] | tuple[()] = field(default=(), repr=False)

    def all(self, tag: str) -> list[Element]:
        """The children with this tag, in order."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Element]:
        """This element and all below it, in the order of the file."""
        todo = [self]
        while todo:
            element = todo.pop()
            yield element
            todo.extend(reversed(element.children))

    @property
    def label(self) -> str:
        """The start tag as errors show it: ``joint name="elbow"``."""
        tag, name = shorten(self.tag), self.attributes.get("name")
        return f'{tag} name="{shorten(name)}"' if name else tag

    @property
    def owner(self) -> Element:
        """The element just below the root that this one belongs to."""
        element = self
        while element.parent is not None and element.parent.parent is not None:
            element = element.parent
        return element


def parse(source: Source) -> tuple[Element, str | None]:
    """The root element, and the name of the file where there is one."""
    content = read_source(source)
    data, skipped = _without_blank_start(content)
    parser = expat.ParserCreate(content.encoding)
    tree = _TreeBuilder(parser, content.file, skipped)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        fault = f"this is not well-formed XML: {expat.ErrorString(error.code)}"
        raise ModelError(fault, file=content.file, line=error.lineno + skipped) from None
    except (LookupError, UnicodeError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"the text cannot be decoded: {error}", file=content.file, line=1 + skipped) from None
    assert tree.root is not None
    return tree.root, content.file


def root_of(content: Content) -> Element | None:
    """The root element with some of what is in it; None where there is none, or something is wrong before it."""
    data, skipped = _without_blank_start(content)
    parser = expat.ParserCreate(content.encoding)
    tree = _TreeBuilder(parser, content.file, skipped)
    with suppress(expat.ExpatError, LookupError, UnicodeError, ValueError):  # `parse` says what is wrong, and where
        for start in range(0, len(data), _PIECE):
            parser.Parse(data[start : start + _PIECE], False)
            if tree.root is not None:
                break
    return tree.root


def _without_blank_start(content: Content) -> tuple[bytes, int]:
    """The bytes from the first that is not blank, and how many lines were left out.

    Blank lines before <?xml ...?> are not XML, but they are common, and they count.
    """
    data = content.data.lstrip()
    return data, content.data[: len(content.data) - len(data)].count(b"\n")


class _TreeBuilder:
    """Collects the events of expat into elements."""

    def __init__(self, parser: expat.XMLParserType, file: str | None, skipped: int) -> None:
        self.parser, self.file, self.skipped = parser, file, skipped
        self.root: Element | None = None
        self.open: list[Element] = []
        self.elements = self.attributes = 0
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.StartDoctypeDeclHandler = self.doctype

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber + self.skipped

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self.open[-1] if self.open else None
        element = Element(tag, attributes or _NOTHING, self.line, parent)
        self.elements += 1
        self.attributes += len(attributes)
        if len(self.open) >= MAX_DEPTH:
            raise self.error(element, f"elements are nested more than {MAX_DEPTH} deep")
        if self.elements > MAX_ELEMENTS:
            raise self.error(element, f"there are more than {MAX_ELEMENTS} elements")
        if self.attributes > MAX_ATTRIBUTES:
            raise self.error(element, f"there are more than {MAX_ATTRIBUTES} attributes")
        if parent is None:
            self.root = element
        elif parent.children:
            parent.children.append(element)
        else:
            parent.children = [element]
        self.open.append(element)

    def error(self, element: Element, message: str) -> ModelError:
        return ModelError(message, file=self.file, line=element.line, element=element.label)

    def end(self, tag: str) -> None:
        self.open.pop()

    def doctype(self, name: str, *_: Any) -> None:
        raise ModelError(
            "a DOCTYPE is not allowed in a robot description; remove it",
            file=self.file,
            line=self.line,
            element="!DOCTYPE",
        )
