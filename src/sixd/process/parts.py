"""Names of files that are not yet complete. They tell which process writes them: what it leaves can be removed."""

from __future__ import annotations

import os
import platform
import re
import sys
from functools import cache

__all__ = ["is_part", "new_name", "was_left"]

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


def was_left(name: str) -> bool:
    """Whether a file has such a name, of a process of this machine that has ended."""
    found = _NAME.fullmatch(name)
    return found is not None and found[2] == _host() and not _runs(int(found[1]))


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
