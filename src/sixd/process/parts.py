"""Names of files that are not yet complete. They tell which process writes them: what it leaves can be removed."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

__all__ = ["held", "hold", "is_part", "new_name", "was_left"]

#: Number of the process, 8 random digits, host.
_NAME = re.compile(r"\.sixd-(\d{1,10})-[0-9a-f]{8}@([\w.-]+)\.part(\.[^.]*)?")


@cache
def _host() -> str:
    return re.sub(r"[^\w.-]", "_", platform.node(), flags=re.ASCII)[:64] or "_"


def new_name(suffix: str = "") -> str:
    """A name that no other file has; ``suffix``, such as ".gif", for libraries that go by it."""
    return f".sixd-{os.getpid()}-{os.urandom(4).hex()}@{_host()}.part{suffix}"


def is_part(name: str) -> bool:
    """Whether a file has such a name."""
    return _NAME.fullmatch(name) is not None


def was_left(name: str, opened: Callable[[], int]) -> bool:
    """Whether a file has such a name, of a process of this machine that has ended.

    Containers may share a folder and the name of their machine, but number their processes apart. So the file, which
    is ``opened`` for that, must not be `held` either.
    """
    found = _NAME.fullmatch(name)
    if found is None or found[2] != _host() or _runs(int(found[1])):
        return False
    with suppress(OSError), open(opened(), "rb") as file:
        return not fcntl or _is_free(file.fileno())
    return False


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Let processes know, those in other containers too, that a file is being written."""
    if not fcntl:  # where a file that is open cannot be renamed
        yield
        return
    descriptor = os.open(path, os.O_WRONLY)
    try:
        hold(descriptor)
        yield
    finally:
        os.close(descriptor)


def hold(descriptor: int) -> None:
    """The same, as long as the descriptor is open. Some file systems have no such locks."""
    if fcntl:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


def _is_free(descriptor: int) -> bool:
    assert fcntl
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _runs(process: int) -> bool:
    if sys.platform == "win32":  # where asking would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):  # another user's; no number of a process
        pass
    return True
