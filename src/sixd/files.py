"""Files that are written: each beside the old one, which it replaces when it is complete, if that can be replaced."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import gettempdir

from sixd.errors import FileError, ModelError
from sixd.process import parts

__all__ = ["replacing"]


#: Why a file cannot be made in a folder, or take the place of another, that may be written itself: the folder is
#: read-only, or its files belong to others; the file is mounted.
_FIXED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Where to write the file ``path``: in its folder, under another name, until the ``with`` block ends.

    The file appears when it is complete, with the owner and the permissions of the one that it replaces; links are
    followed. After an error, such as a full disk, nothing is left of it, and the old file is as it was; errors name
    ``path``. Devices, pipes and what is open already, such as /dev/stdout, are written directly.

    An old file that cannot be replaced but may be written is written over when all is complete: if it has other names
    (hard links), another owner, whom a new file could not have, a folder that is read-only, or if it is mounted itself.
    The place on the disk is taken first; only a machine that stops then leaves a mixture.
    """
    part = target = path
    try:
        old = _status(path)
        if old is not None and stat.S_ISDIR(old.st_mode):
            raise FileError("it cannot be written: it is a folder; add the name of a file", file=str(path))
        if _is_stream(path, old):
            yield path
            return
        target = Path(os.path.realpath(path))
        if old is not None and not os.access(target, os.W_OK):
            raise FileError("it cannot be written: it is read-only for you; give another name", file=str(path))
        part = target.with_name(parts.new_name(path.suffix))
        is_beside = _create(part, old)
        if not is_beside:
            part = Path(gettempdir()) / part.name
            part.open("xb").close()
        _remove_left(part.parent)
        try:
            with parts.held(part):
                yield part
                if not (is_beside and _replace(part, target, old)):
                    _write_over(part, target)
        finally:
            with suppress(OSError):
                part.unlink()
    except ModelError as error:
        if error.file == str(part):
            raise type(error)(error.message, file=str(path)) from None
        raise
    except OSError as error:
        if error.filename not in (None, str(part), part, str(target), target):
            raise
        raise FileError.of(error, str(path), "written", _remedy(path)) from None


def _status(path: Path) -> os.stat_result | None:
    """The state of the file that a path leads to; None if there is none yet."""
    with suppress(FileNotFoundError):
        return path.stat()
    return None


def _is_stream(path: Path, status: os.stat_result | None) -> bool:
    """Whether a path leads to a device, a pipe or, as /dev/stdout does, to what is open already."""
    folder = os.path.realpath(path.parent)
    opened = folder in ("/dev", "/dev/fd") or (folder.startswith("/proc/") and folder.endswith("/fd"))
    return status is not None and (opened or not stat.S_ISREG(status.st_mode))


def _create(part: Path, old: os.stat_result | None) -> bool:
    """An empty file with the owner and the permissions of the old one. False if it cannot stand in its place."""
    if old is None:
        part.open("xb").close()
        return True
    if old.st_nlink > 1:
        return False
    try:
        part.open("xb").close()
        if hasattr(os, "chown") and (old.st_uid, old.st_gid) != (part.stat().st_uid, part.stat().st_gid):
            os.chown(part, old.st_uid, old.st_gid)  # only root may give files away
        if stat.S_IMODE(old.st_mode) != stat.S_IMODE(part.stat().st_mode):
            part.chmod(stat.S_IMODE(old.st_mode))
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        if error.errno not in _FIXED:
            raise
        return False
    return True


def _replace(part: Path, target: Path, old: os.stat_result | None) -> bool:
    """Put a complete file in the place of the old one; False if that must stay."""
    try:
        part.replace(target)
    except OSError as error:
        if old is None or error.errno not in _FIXED:
            raise
        return False
    return True


def _write_over(part: Path, target: Path) -> None:
    """Write the content of one file into another. If there is no room for it, the other is as it was."""
    with part.open("rb") as source, target.open("r+b") as file:
        size, room = os.fstat(source.fileno()).st_size, os.fstat(file.fileno()).st_size
        if size > room and hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(file.fileno(), 0, size)
            except OSError:
                file.truncate(room)
                raise
        copyfileobj(source, file)
        file.truncate(size)


def _remove_left(folder: Path) -> None:
    """Remove incomplete files of processes that have ended."""
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(folder)
    for name in names:
        if parts.was_left(name, partial(os.open, folder / name, os.O_RDONLY)):
            with suppress(OSError):
                (folder / name).unlink()


def _remedy(path: Path) -> str:
    """What to do where a file cannot be created."""
    if not path.parent.is_dir():
        return f"make the folder {path.parent} first"
    if not os.access(path.parent, os.W_OK):
        return f"the folder {path.parent} is read-only for you"
    return ""
