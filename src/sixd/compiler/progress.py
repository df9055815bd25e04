"""A progress line on the terminal, for work that takes long."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

__all__ = ["Progress"]

#: Seconds until the line is first shown, and between two updates of it.
PATIENCE, PAUSE = 1.0, 0.1


class Progress:
    """A context manager around work that may take long: call it with a text now and then.

    The line appears once the work has taken a second, or is expected to, and is erased at the end. Without a terminal
    nothing is shown.
    """

    def __init__(self) -> None:
        self.start, self.next, self.length = perf_counter(), 0.0, 0
        self.active = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __call__(self, text: str, expected: float = 0.0) -> None:
        """Show what is being done; ``expected`` are the seconds that it will take at least."""
        now = perf_counter()
        if not self.active or now < self.next or (now - self.start + expected < PATIENCE and not self.length):
            return
        self.next = now + PAUSE
        line = f"sixd: {text} ..."
        print("\r" + line.ljust(self.length), end="", flush=True, file=sys.stderr)
        self.length = len(line)

    def __exit__(self, *_: Any) -> None:
        if self.length:
            print("\r" + " " * self.length + "\r", end="", flush=True, file=sys.stderr)
