"""The streams that commands print to: they may be closed, or unable to show all letters."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

__all__ = ["Closed", "Output", "UnwritableError", "is_unicode", "open_streams"]

#: How drawings of trees look where there is ASCII alone.
_PLAIN = str.maketrans({"├": "|", "└": "`", "│": "|", "─": "-", "○": "o", "²": "^2", "µ": "u"})


class Closed(io.TextIOWrapper):
    """A stream in the place of one that the caller has closed: what is printed is lost, but that is known."""

    def __init__(self) -> None:
        # It takes the number of the closed stream, so that no file of the process gets it.
        super().__init__(io.FileIO(os.devnull, "w"), encoding="utf-8", errors="replace", write_through=True)
        #: Whether something was printed.
        self.lost = False

    def write(self, text: str) -> int:
        self.lost = self.lost or bool(text)
        return len(text)


class UnwritableError(Exception):
    """What is printed cannot be written, as to a full disk; it is no OSError, which `argparse` passes over."""


class Output:
    """Standard output whose errors differ from those of files: `UnwritableError`, but if its reader has ended."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        with _told_apart():
            return self.stream.write(text)

    def flush(self) -> None:
        with _told_apart():
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def _told_apart() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UnwritableError(error.strerror or str(error)) from None


def open_streams() -> None:
    """Make standard output and standard error such that printing does not fail on the way.

    Where a stream was closed by the caller, as by ``sixd info arm.urdf >&-``, it becomes one that is `Closed`. Letters
    that an encoding does not have, such as the lines of trees in that of Windows, are replaced, and so are bytes in
    names of files that stand for no letter.
    """
    codecs.register_error("sixd", _replaced)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Closed())
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="sixd")
            if name == "stdout" and not isinstance(stream, Closed):
                sys.stdout = cast(TextIO, Output(stream))


def is_unicode(stream: object) -> bool:
    """Whether a stream can show every letter."""
    return str(getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(letter if letter.isascii() else "?" for letter in text), error.end
