"""XML as a small tree of elements that know their line, on the standard library's expat.

Made for files from anywhere: the size, the depth and the numbers of elements and attributes are bounded, and with them
the memory; a DOCTYPE (and with it every entity of one's own) is refused, nothing is ever fetched. Only elements and
attributes are kept; names keep their prefix as written.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import IO, Any, TypeAlias
from xml.parsers import expat

from sixd.errors import ArgumentError, FileError, ModelError, shorten

__all__ = ["MAX_ATTRIBUTES", "MAX_BYTES", "MAX_DEPTH", "MAX_ELEMENTS", "Element", "Source", "parse"]

#: The longest text that is read, bytes.
MAX_BYTES = 64 * 2**20
#: The deepest nesting of elements that is read.
MAX_DEPTH = 64
#: The most elements and the most attributes that are read: some 20,000 links with shapes. An element takes about 100
#: bytes of memory, though five in the file may do.
MAX_ELEMENTS = 500_000
MAX_ATTRIBUTES = 2_000_000

_NOTHING: Mapping[str, str] = MappingProxyType({})

#: Where a description may come from: a path, XML text (its first character is ``<``), bytes, or an open file.
Source: TypeAlias = str | bytes | os.PathLike[str] | IO[str] | IO[bytes]


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
    text, encoding, file = _read(source)
    if len(text) > MAX_BYTES:
        raise ModelError(f"the description is longer than {MAX_BYTES} bytes", file=file)
    # Blank lines before <?xml ...?> are not XML, but they are common, and they count; so is the mark of UTF-8.
    if text.startswith(codecs.BOM_UTF8):
        text, encoding = text.removeprefix(codecs.BOM_UTF8), "utf-8"
    content = text.lstrip()
    if not content:
        raise ModelError("the description is empty", file=file)
    skipped = text[: len(text) - len(content)].count(b"\n")
    parser = expat.ParserCreate(encoding)
    tree = _TreeBuilder(parser, file, skipped)
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise ModelError(f"this is not well-formed XML: {reason}", file=file, line=error.lineno + skipped) from None
    except (LookupError, UnicodeError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"the text cannot be decoded: {error}", file=file) from None
    assert tree.root is not None
    return tree.root, file


def _read(source: Source) -> tuple[bytes, str | None, str | None]:
    """The bytes of a source (at most one more than allowed), their encoding if known, and the name of the file."""
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), None, None
    if isinstance(source, str):
        text = source.removeprefix("\ufeff")
        if text.lstrip().startswith("<"):
            return _encode(text), "utf-8", None
        if not text.strip() or "\n" in text or "<" in text:
            raise ModelError("a description given as text must be XML and start with '<'; this is no path either")
    if isinstance(source, str | os.PathLike):
        return _read_file(source), None, str(os.fspath(source))
    if not callable(getattr(source, "read", None)):
        raise ArgumentError(f"a description is a path, XML text, bytes or an open file, not {type(source).__name__}")
    content = source.read(MAX_BYTES + 1)
    name = getattr(source, "name", None)
    file = name if isinstance(name, str) else None
    if isinstance(content, str):
        return _encode(content.removeprefix("\ufeff")), "utf-8", file
    if not isinstance(content, bytes):
        raise ArgumentError(f"the open file gives {type(content).__name__}, not text or bytes")
    return content, None, file


def _read_file(path: str | os.PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise FileError.of(error, str(os.fspath(path))) from None
    except ValueError as error:  # a character that no path has
        raise ModelError(f"{shorten(repr(path))} is no path: {error}") from None


def _encode(text: str) -> bytes:
    """UTF-8; what is no character is passed on, for the parser to refuse with its line."""
    return text.encode("utf-8", "surrogatepass")


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
