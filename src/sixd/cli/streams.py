"""The streams that commands print to: they may be closed, or unable to show all letters."""

from __future__ import annotations

import codecs
import io
import os
import sys

__all__ = ["Closed", "is_unicode", "open_streams"]

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


def is_unicode(stream: object) -> bool:
    """Whether a stream can show every letter."""
    return str(getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(letter if letter.isascii() else "?" for letter in text), error.end
