"""Machine code on disk, so that a second process starts in milliseconds.

The files are run as code, so they are protected: the directory must belong to the user alone (mode 0700), and it is
opened once for all that is done in it (`folder`). An entry is named by a hash of everything that it depends on,
contains a hash of its content, and appears whole or not at all. The directory can be deleted at any time. Beyond a
size, give or take a hundredth of it, the entries used longest ago are deleted. Other files are safe, whatever directory
is chosen: only files with the name and the mark of an entry are ever deleted.

An entry is a file: `_MAGIC`, a hash of its key and of all that follows, a line with a title for people, and the object.
Its modification time is the time of its last use.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from math import inf
from pathlib import Path
from time import time
from typing import NamedTuple

from sixd.backends.llvm.folder import Folder
from sixd.process import parts
from sixd.process.told import warn

__all__ = ["Cache", "Entry", "default_directory", "file_name", "size_limit"]

_Files = list[tuple[str, os.stat_result]]

#: Entries of every version begin with the mark; those that this version can read begin with the magic.
_MARK = b"sixd-object-"
_MAGIC = _MARK + b"2\n"
#: The names of entries.
_ENTRY = re.compile(r"[0-9a-f]{64}\.o")
_DIGEST = 32
#: The most bytes of a title.
_TITLE = 400
#: The bytes that a cache may hold, unless SIXD_CACHE_SIZE says otherwise.
LIMIT = 500e6
#: An incomplete file of another machine that is older than this, in seconds, was left by a process that was killed.
_ABANDONED = 3600
#: A process lists the directory when it first stores something there, and again whenever it has stored this part of the
#: limit since. Listing it each time would take longer than compiling once there are thousands of entries.
_UNLISTED = 0.01
#: The bytes that this process has stored in a directory since it listed it.
_stored: dict[Path, float] = {}


def default_directory() -> Path | None:
    """The directory of entries: SIXD_CACHE, else the user's cache directory; None if SIXD_CACHE is "off"."""
    chosen = os.environ.get("SIXD_CACHE")
    if chosen is not None:
        return None if chosen in ("", "0", "off", "none") else Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "sixd"
    except RuntimeError:  # a user without a home, as in some containers
        return None


def size_limit() -> float:
    """The bytes that the cache may hold: SIXD_CACHE_SIZE, in megabytes, else `LIMIT`."""
    text = os.environ.get("SIXD_CACHE_SIZE", "").strip()
    try:
        limit = 1e6 * float(text) if text else LIMIT
    except ValueError:
        limit = -1
    if limit >= 0:
        return limit
    _warn(f"SIXD_CACHE_SIZE is {text!r}, but a number of megabytes is needed; it is ignored")
    return LIMIT


@cache
def _warn(text: str) -> None:
    """Warn once for each text. It is no error: without a cache sixd is slower, but its results are the same."""
    warn(text, RuntimeWarning)


class Entry(NamedTuple):
    """An entry: its file, its size in bytes, when it was last used in seconds since 1970, and what it computes.

    The title is what the file says, unchecked; characters that cannot be printed are replaced.
    """

    name: str
    size: int
    used: float
    title: str


class Cache:
    """Objects by key in a directory. If it cannot be used, `load` finds nothing and `store` does nothing but warn."""

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory

    def load(self, key: str) -> bytes | None:
        """The object with this key, or None; a damaged entry is removed."""
        if self.directory is None:
            return None
        name = file_name(key)
        with suppress(OSError), Folder.opened(self.directory) as folder:
            content = folder.read(name)
            start = len(_MAGIC) + _DIGEST
            digest, rest = content[len(_MAGIC) : start], content[start:]
            if not content.startswith(_MAGIC) or hashlib.sha256(key.encode() + rest).digest() != digest:
                folder.remove(name)  # only sixd gives files such names
                return None
            with suppress(OSError):
                folder.touch(name)
            return rest[rest.index(b"\n") + 1 :]
        return None

    def store(self, key: str, payload: bytes, title: str = "") -> None:
        """Store an object. Other processes see all of it or nothing, even if several write at once."""
        if self.directory is None:
            return
        line = " ".join(title.split()).encode(errors="replace")[:_TITLE]
        content = line + b"\n" + payload
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            with Folder.opened(self.directory) as folder:
                folder.write(file_name(key), _MAGIC + hashlib.sha256(key.encode() + content).digest() + content)
                _keep_within(size_limit(), folder, len(content))
        except OSError as error:
            why = f"{self.directory}: {error.strerror}" if error.strerror else error
            _warn(f"sixd keeps no machine code for later ({why}); set SIXD_CACHE to another directory, or to off")

    def entries(self) -> list[Entry]:
        """The entries, those used last first."""
        if self.directory is None or not self.directory.is_dir():
            return []
        with Folder.opened(self.directory, private=False) as folder:
            return sorted(_entries(folder, folder.files()), key=lambda entry: (-entry.used, entry.name))

    def clear(self, entries: Iterable[Entry] | None = None) -> int:
        """Delete these entries, or all; returns how many."""
        found = self.entries() if entries is None else list(entries)
        if self.directory is not None and self.directory.is_dir():
            with Folder.opened(self.directory, private=False) as folder:
                for entry in found:
                    with suppress(FileNotFoundError):
                        _remove(folder, entry.name)
                _remove_abandoned(folder, folder.files())
        return len(found)


def file_name(key: str) -> str:
    """The name of the file of the object with this key."""
    return f"{hashlib.sha256(key.encode()).hexdigest()}.o"


def _entries(folder: Folder, files: _Files) -> list[Entry]:
    """Those of these files with the name and the mark of an entry."""
    found = []
    for name, status in files:
        if _ENTRY.fullmatch(name):
            with suppress(OSError):
                start = folder.read(name, len(_MAGIC) + _DIGEST + _TITLE + 1)
                if start.startswith(_MARK):
                    found.append(Entry(name, status.st_size, status.st_mtime, _title(start)))
    return found


def _title(start: bytes) -> str:
    line, end, _ = start[len(_MAGIC) + _DIGEST :].partition(b"\n")
    text = line.decode(errors="replace") if start.startswith(_MAGIC) and end else ""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _keep_within(limit: float, folder: Folder, stored: int) -> None:
    """Shrink the directory to the limit if enough was stored, these bytes included, since it was last listed."""
    _stored[folder.path] = _stored.get(folder.path, inf) + stored
    if _stored[folder.path] >= _UNLISTED * limit:
        _stored[folder.path] = 0.0
        _shrink(folder, limit)


def _shrink(folder: Folder, limit: float) -> None:
    """Delete the entries used longest ago until at most ``limit`` bytes are left, and files of killed processes."""
    files = folder.files()
    _remove_abandoned(folder, files)
    if sum(status.st_size for name, status in files if _ENTRY.fullmatch(name)) <= limit:
        return
    entries = _entries(folder, files)
    total = sum(entry.size for entry in entries)
    for entry in sorted(entries, key=lambda entry: entry.used):
        if total <= limit:
            break
        with suppress(OSError):
            _remove(folder, entry.name)
        total -= entry.size


def _remove_abandoned(folder: Folder, files: _Files) -> None:
    for name, status in files:
        if folder.was_left(name) or (parts.is_part(name) and status.st_mtime < time() - _ABANDONED):
            with suppress(OSError):
                _remove(folder, name)


def _remove(folder: Folder, name: str) -> None:
    """Delete a file if it begins with the mark of entries, or is cut off within the mark."""
    if _MARK.startswith(folder.read(name, len(_MARK))):
        folder.remove(name)
