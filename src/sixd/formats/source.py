"""Where descriptions come from: a path, XML text, bytes or an open file, read once and up to a bounded size."""

from __future__ import annotations

import codecs
import os
from dataclasses import dataclass
from typing import IO, TypeAlias

from sixd.errors import ArgumentError, FileError, ModelError, shorten

__all__ = ["MAX_BYTES", "Content", "Source", "read_source"]

#: The longest description that is read, bytes.
MAX_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Content:
    """What a source holds: bytes, not blank, without the mark of UTF-8 that may stand before them.

    ``encoding`` is None where the bytes have to tell it themselves, ``file`` where there is no file.
    """

    data: bytes
    encoding: str | None = None
    file: str | None = None

    def text(self) -> str:
        """The bytes as UTF-8, for formats that are plain text. What is no text raises with its line."""
        try:
            text = self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._no_text(error.start, f"the byte {self.data[error.start]:#04x} is no UTF-8") from None
        if "\0" in text:
            raise self._no_text(self.data.index(b"\0"), "there is a NUL character in it")
        return text

    def _no_text(self, place: int, fault: str) -> ModelError:
        line = 1 + self.data.count(b"\n", 0, place)
        return ModelError(f"this is no text file: {fault}", file=self.file, line=line)


#: Where a description may come from: a path, XML text (its first character is ``<``), bytes, an open file, or what was
#: already read from one of them.
Source: TypeAlias = str | bytes | os.PathLike[str] | IO[str] | IO[bytes] | Content


def read_source(source: Source) -> Content:
    """What a source holds. Of a file or a stream at most one byte more is read than is allowed."""
    if isinstance(source, Content):
        return source
    content = _read(source)
    if len(content.data) > MAX_BYTES:
        raise ModelError(f"the description is longer than {MAX_BYTES} bytes", file=content.file)
    if content.data.startswith(codecs.BOM_UTF8):
        content = Content(content.data.removeprefix(codecs.BOM_UTF8), "utf-8", content.file)
    if not content.data.strip():
        raise ModelError("the description is empty", file=content.file, line=1)
    return content


def _read(source: str | bytes | os.PathLike[str] | IO[str] | IO[bytes]) -> Content:
    if isinstance(source, bytes | bytearray | memoryview):
        return Content(bytes(source))
    if isinstance(source, str):
        text = source.removeprefix("\ufeff")
        if text.lstrip().startswith("<"):
            return Content(_encode(text), "utf-8")
        if not text.strip() or "\n" in text or "<" in text:
            raise ModelError("a description given as text must be XML and start with '<'; this is no path either")
    if isinstance(source, str | os.PathLike):
        return Content(_read_file(source), None, str(os.fspath(source)))
    if not callable(getattr(source, "read", None)):
        raise ArgumentError(f"a description is a path, XML text, bytes or an open file, not {type(source).__name__}")
    found = source.read(MAX_BYTES + 1)
    name = getattr(source, "name", None)
    file = name if isinstance(name, str) else None
    if isinstance(found, str):
        return Content(_encode(found.removeprefix("\ufeff")), "utf-8", file)
    if not isinstance(found, bytes):
        raise ArgumentError(f"the open file gives {type(found).__name__}, not text or bytes")
    return Content(found, None, file)


def _read_file(path: str | os.PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise FileError.of(error, str(os.fspath(path))) from None
    except ValueError as error:  # a character that no path has
        raise ModelError(f"{shorten(repr(path))} is no path: {error}") from None


def _encode(text: str) -> bytes:
    """UTF-8; what is no character is passed on, for the reader to refuse with its line."""
    return text.encode("utf-8", "surrogatepass")
