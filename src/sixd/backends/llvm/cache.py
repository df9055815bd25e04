"""Machine code on disk, so that a second process starts in milliseconds.

The directory holds code that is run, so it is treated as such: it belongs to the user alone (mode 0700, refused
otherwise), entries are named by the hash of all that they depend on, carry a hash of their content, and appear whole or
not at all. It can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

__all__ = ["Cache", "default_directory"]

_MAGIC = b"sixd-object-1\n"


def default_directory() -> Path | None:
    """Where entries are kept: SIXD_CACHE, else the user's cache directory; SIXD_CACHE=off keeps none."""
    chosen = os.environ.get("SIXD_CACHE")
    if chosen is not None:
        return None if chosen in ("", "0", "off", "none") else Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "sixd"


class Cache:
    """Objects by key in a directory. A cache that cannot be used is silent: it finds nothing and keeps nothing."""

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
        start = len(_MAGIC) + 32
        digest, payload = content[len(_MAGIC) : start], content[start:]
        if not content.startswith(_MAGIC) or hashlib.sha256(key.encode() + payload).digest() != digest:
            path.unlink(missing_ok=True)
            return None
        return payload

    def store(self, key: str, payload: bytes) -> None:
        """Keep an object. Others see all of it or nothing, however many processes write at once."""
        if self.directory is None:
            return
        import tempfile  # not needed to read what is there

        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._private():
                return
            handle, name = tempfile.mkstemp(dir=self.directory, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(key.encode() + payload).digest() + payload)
            os.replace(name, self._path(key))
        except OSError:
            return

    def entries(self) -> list[Path]:
        """The files of the cache."""
        return sorted(self.directory.glob("*.o")) if self.directory is not None and self.directory.is_dir() else []

    def clear(self) -> int:
        """Delete all entries; how many there were."""
        found = self.entries()
        for path in found:
            path.unlink(missing_ok=True)
        return len(found)

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
