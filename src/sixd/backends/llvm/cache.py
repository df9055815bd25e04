"""Machine code on disk, so that a second process starts in milliseconds.

The directory holds code that is run, so it is treated as such: it belongs to the user alone (mode 0700, refused
otherwise), entries are named by the hash of all that they depend on, carry a hash of their content, and appear whole or
not at all. It can be deleted at any time; beyond a size, what was used longest ago goes by itself.

An entry is a file: `_MAGIC`, the hash of its key and of all that follows, a title for people up to the end of the line,
and the object. The time of its last change is that of its last use.
"""

from __future__ import annotations

import hashlib
import os
import stat
import warnings
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import time
from typing import NamedTuple

__all__ = ["Cache", "Entry", "default_directory", "size_limit"]

_MAGIC = b"sixd-object-2\n"
_DIGEST = 32
#: Bytes of a title that are kept.
_TITLE = 400
#: The bytes that a cache may hold, unless SIXD_CACHE_SIZE says other.
LIMIT = 500e6
#: Seconds after which a file that is half written belongs to a process that was killed.
_ABANDONED = 3600


def default_directory() -> Path | None:
    """Where entries are kept: SIXD_CACHE, else the user's cache directory; SIXD_CACHE=off keeps none."""
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
    """A warning, once: a cache that fails costs time, not results."""
    warnings.warn(text, RuntimeWarning, stacklevel=3)


class Entry(NamedTuple):
    """A file of the cache: its size in bytes, and when it was last used in seconds since 1970."""

    path: str
    size: int
    used: float

    @property
    def title(self) -> str:
        """What the machine code computes, as the entry says itself: unchecked, made fit to be printed. Else ""."""
        try:
            with open(self.path, "rb") as file:
                start = file.read(len(_MAGIC) + _DIGEST + _TITLE + 1)
        except OSError:
            return ""
        line, end, _ = start[len(_MAGIC) + _DIGEST :].partition(b"\n")
        text = line.decode(errors="replace") if start.startswith(_MAGIC) and end else ""
        return "".join(c if c.isprintable() else "\ufffd" for c in text)


class Cache:
    """Objects by key in a directory. A cache that cannot be used finds nothing and keeps nothing: it never fails."""

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory

    def load(self, key: str) -> bytes | None:
        """The object with this key, or None; a damaged entry is removed."""
        if self.directory is None or not self._private():
            return None
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        start = len(_MAGIC) + _DIGEST
        digest, rest = content[len(_MAGIC) : start], content[start:]
        if not content.startswith(_MAGIC) or hashlib.sha256(key.encode() + rest).digest() != digest:
            _remove(path)
            return None
        with suppress(OSError):
            os.utime(path)
        return rest[rest.index(b"\n") + 1 :]

    def store(self, key: str, payload: bytes, title: str = "") -> None:
        """Keep an object. Others see all of it or nothing, however many processes write at once."""
        if self.directory is None:
            return
        line = " ".join(title.split()).encode(errors="replace")[:_TITLE]
        content = line + b"\n" + payload
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._private():
                raise PermissionError(f"{self.directory} must belong to this user alone (mode 0700)")
            self._write(self._path(key), _MAGIC + hashlib.sha256(key.encode() + content).digest() + content)
            self.shrink(size_limit())
        except OSError as error:
            _warn(f"sixd keeps no machine code for later ({error}); set SIXD_CACHE to another directory, or to off")

    def _write(self, path: Path, content: bytes) -> None:
        import tempfile  # not needed to read what is there

        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(name, path)
        except BaseException:  # a full disk, or an interruption
            _remove(name)
            raise

    def entries(self) -> list[Entry]:
        """The entries, those used last first."""
        return sorted(self._files(".o"), key=lambda entry: (-entry.used, entry.path))

    def clear(self, entries: Iterable[Entry] | None = None) -> int:
        """Delete these entries, or all; how many there were."""
        found = self.entries() if entries is None else list(entries)
        for entry in found:
            with suppress(FileNotFoundError):
                os.unlink(entry.path)
        self._remove_abandoned()
        return len(found)

    def shrink(self, limit: float) -> None:
        """Remove what was used longest ago until this many bytes are left, and what killed processes left."""
        self._remove_abandoned()
        files = self._files(".o")
        total = sum(file.size for file in files)
        if total > limit:
            for entry in sorted(files, key=lambda entry: entry.used):
                _remove(entry.path)
                total -= entry.size
                if total <= limit:
                    break

    def _remove_abandoned(self) -> None:
        for file in self._files(".part"):
            if file.used < time() - _ABANDONED:
                _remove(file.path)

    def _files(self, suffix: str) -> list[Entry]:
        """The files whose name ends so. Others may come and go meanwhile."""
        found = []
        if self.directory is not None and self.directory.is_dir():
            with os.scandir(self.directory) as listing:
                for item in listing:
                    if item.name.endswith(suffix):
                        with suppress(OSError):
                            status = item.stat()
                            found.append(Entry(item.path, status.st_size, status.st_mtime))
        return found

    def _path(self, key: str) -> Path:
        assert self.directory is not None
        return self.directory / f"{hashlib.sha256(key.encode()).hexdigest()}.o"

    def _private(self) -> bool:
        """Whether the directory exists and is this user's alone."""
        assert self.directory is not None
        try:
            status = self.directory.stat()
        except OSError:
            return False
        if not stat.S_ISDIR(status.st_mode):
            return False
        if not hasattr(os, "getuid"):
            return True  # file systems without owners and modes
        return status.st_uid == os.getuid() and not status.st_mode & 0o077


def _remove(path: str | Path) -> None:
    """Delete a file if that is possible: another process may have done so, or the directory may be read-only."""
    with suppress(OSError):
        os.unlink(path)
