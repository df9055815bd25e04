"""From the name of a mesh in a robot's file to its parts: where the file is, and what is in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sixd.errors import FileError, ModelError, shorten
from sixd.view.meshes import READERS
from sixd.view.meshes.mesh import Part

__all__ = ["find_mesh", "read_mesh"]

#: The largest file that is read, bytes.
MAX_BYTES = 200_000_000


def read_mesh(path: Path) -> tuple[Part, ...]:
    """The parts of a mesh file. It is read again only if it has changed, or a file of materials beside it."""
    try:
        status = path.stat()
        beside = tuple((file, file.stat().st_mtime_ns) for file in sorted(path.parent.glob("*.[mM][tT][lL]")))
    except OSError as error:
        raise FileError.of(error, str(path)) from None
    colored = path.suffix.lower() == ".obj"  # its colours are in files of their own
    return _read(path, status.st_mtime_ns, status.st_size, beside if colored else ())


@lru_cache(256)
def _read(path: Path, modified: int, size: int, materials: tuple[tuple[Path, int], ...]) -> tuple[Part, ...]:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ModelError(f"meshes of this kind are not read; known are {', '.join(READERS)}", file=str(path))
    if size > MAX_BYTES:
        raise ModelError(f"it has more than {MAX_BYTES} bytes", file=str(path))
    try:
        return tuple(reader(path.read_bytes(), path))
    except OSError as error:
        raise FileError.of(error, str(path)) from None
    except ModelError as error:
        raise ModelError(error.message, file=str(path)) from None


def find_mesh(name: str, source: str | None) -> Path:
    """The file that a robot's file ``source`` calls ``name``: a path beside it, file://path or package://name/path.

    A package is a folder of its name. It is looked for among the folders of ROS_PACKAGE_PATH and in them, and among the
    folders that the robot's file is in, and beside those.
    """
    scheme, _, rest = name.partition("://")
    if not rest:
        tried = [_folder(source) / name]
    elif scheme == "file":
        plain = "/" + rest.partition("/")[2]  # many files have #, % and ? of folders as they are, not as a URL does
        tried = [Path(unquote(urlsplit(name).path)), Path(plain)]
    elif scheme in ("package", "model"):
        package, _, inside = rest.lstrip("/").partition("/")
        tried = list(_in_packages(package, inside, source))
    else:
        raise ModelError(f"{shorten(name)!r} is no path, file://path or package://name/path: nothing is fetched")
    found = next((path for path in tried if _is_file(path)), None)
    if found is not None:
        return found
    where = (
        f": {tried[0]}" if scheme not in ("package", "model") else "; set ROS_PACKAGE_PATH to the folder of its package"
    )
    raise ModelError(f"the mesh {shorten(name)!r} is not found{where}")


def _folder(source: str | None) -> Path:
    return Path(source).absolute().parent if source else Path.cwd()


def _in_packages(package: str, inside: str, source: str | None) -> Iterator[Path]:
    for place in filter(None, os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)):
        if Path(place).name == package:
            yield Path(place) / inside
        yield Path(place) / package / inside
    folder = _folder(source)
    for above in (folder, *folder.parents):
        if above.name == package:
            yield above / inside
        yield above / package / inside


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False
