"""A directory that is opened once and used through its handle: replacing or renaming it meanwhile has no effect.

Files are opened relative to the handle. Links and files of other users are refused. Where the system has no such
handles (Windows), paths are used; directories have no modes there, and are as protected as their owner has set them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sixd.process import parts

__all__ = ["Folder"]

#: Whether the system opens, renames and lists relative to an open directory.
_RELATIVE = {os.open, os.rename, os.unlink, os.utime} <= os.supports_dir_fd and os.scandir in os.supports_fd
#: Refuse links, do not wait for the writer of a pipe, close in child processes; on Windows, do not convert line ends.
_FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


class Folder:
    """An open directory: its path, and its handle, or None where the system cannot work relative to one."""

    def __init__(self, path: Path, handle: int | None) -> None:
        self.path, self.handle = path, handle

    @classmethod
    @contextmanager
    def opened(cls, path: Path, private: bool = True) -> Iterator[Folder]:
        """The directory at this path. A ``private`` one must be this user's alone, else PermissionError is raised.

        The path may be a link: the directory is opened first, and what was opened is checked.
        """
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) if _RELATIVE else None
        try:
            status = os.stat(path) if handle is None else os.fstat(handle)
            if private and not (stat.S_ISDIR(status.st_mode) and _own(status, 0o077)):
                raise PermissionError(f"{path} must belong to this user alone (mode 0700)")
            yield cls(path, handle)
        finally:
            if handle is not None:
                os.close(handle)

    def read(self, name: str, limit: int = -1) -> bytes:
        """The content of a file, or its beginning. PermissionError if others than this user can write to it."""
        with open(self._open(name, os.O_RDONLY), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not _own(status, 0o022):
                raise PermissionError(f"{name} must be a file that only this user can write")
            return file.read(limit)

    def write(self, name: str, content: bytes) -> None:
        """Write a file that is for this user alone. Others see all of it or nothing."""
        part = parts.new_name()
        try:
            with open(self._open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                parts.hold(file.fileno())
                file.write(content)
            os.replace(self._at(part), self._at(name), src_dir_fd=self.handle, dst_dir_fd=self.handle)
        except BaseException:  # a full disk, or a keyboard interrupt
            with suppress(OSError):
                self.remove(part)
            raise

    def was_left(self, name: str) -> bool:
        """Whether a file is incomplete, and the process that wrote it has ended."""
        return parts.was_left(name, lambda: self._open(name, os.O_RDONLY))

    def remove(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self.handle)

    def touch(self, name: str) -> None:
        """Set the time of the last change to now."""
        os.utime(self._at(name), dir_fd=self.handle)

    def files(self) -> list[tuple[str, os.stat_result]]:
        """The names and states of all files. Those that vanish meanwhile are left out."""
        found = []
        with os.scandir(self.path if self.handle is None else self.handle) as listing:
            for item in listing:
                with suppress(OSError):
                    found.append((item.name, item.stat(follow_symlinks=False)))
        return found

    def _open(self, name: str, flags: int) -> int:
        return os.open(self._at(name), flags | _FLAGS, 0o600, dir_fd=self.handle)

    def _at(self, name: str) -> str | Path:
        return self.path / name if self.handle is None else name


def _own(status: os.stat_result, others: int) -> bool:
    """Whether a file belongs to this user and has no mode bit of ``others``. True where files have no owners."""
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & others)
