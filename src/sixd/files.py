"""Files that are written: each beside the old one, which it replaces when it is complete."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sixd.errors import FileError, ModelError
from sixd.process import parts

__all__ = ["replacing"]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Where to write the file ``path``: in its folder, under another name, until the ``with`` block ends.

    The file appears when it is complete, with the owner and the permissions of the one that it replaces; links are
    followed. After an error, such as a full disk, nothing is left of it, and the old file is as it was; errors name
    ``path``. Devices, pipes and what is open already, such as /dev/stdout, are written directly.
    """
    part = path
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
        _remove_left(target.parent)
        part = target.with_name(parts.new_name(path.suffix))
        _create(part, old)
        try:
            yield part
            part.replace(target)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
    except ModelError as error:
        if error.file == str(part):
            raise type(error)(error.message, file=str(path)) from None
        raise
    except OSError as error:
        if error.filename not in (None, str(part), part):
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


def _create(part: Path, old: os.stat_result | None) -> None:
    """An empty file with the owner and the permissions of the old one."""
    part.open("xb").close()
    if old is not None:
        if hasattr(os, "chown") and (old.st_uid, old.st_gid) != (part.stat().st_uid, part.stat().st_gid):
            with suppress(PermissionError):  # only root may give files away
                os.chown(part, old.st_uid, old.st_gid)
        if stat.S_IMODE(old.st_mode) != stat.S_IMODE(part.stat().st_mode):
            part.chmod(stat.S_IMODE(old.st_mode))


def _remove_left(folder: Path) -> None:
    """Remove incomplete files of processes that have ended."""
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(folder)
    for name in filter(parts.was_left, names):
        with suppress(OSError):
            (folder / name).unlink()


def _remedy(path: Path) -> str:
    """What to do where a file cannot be created."""
    if not path.parent.is_dir():
        return f"make the folder {path.parent} first"
    if not os.access(path.parent, os.W_OK):
        return f"the folder {path.parent} is read-only for you"
    return ""
