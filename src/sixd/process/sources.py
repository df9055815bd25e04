"""A hash of the sources of sixd that make code, read through their loaders when the import of sixd began.

Machine code on disk is stored under this hash, so that a new or edited sixd never runs the code of an older one.

A module is in the hash unless it belongs to one of the packages in `USERS`, which call kernels but have no part in
making them. Two rules make that safe. No module in the hash imports one that is not (`tests/process/test_sources.py`).
And only functions that such a module defines are looked up on disk by their names (`is_own` in
`sixd.compiler.request`). Any other function, such as those of inverse kinematics or the user's own, is recorded first
and looked up by its program.

The files can change while a process runs. What it has imported is then old, and what it imports later is new. With such
a mixture nothing is stored or looked up. Changes are noticed by the files' stamps (size, time of change, inode number).
The stamps were taken before the contents were read: as long as they are the same, every loaded module is the one that
was hashed. The stamps of the folders tell whether modules were added or removed. If a stamp differs, all files are read
again and compared.

The package may be a folder or an archive, with source or only byte code: whatever the loader has is hashed.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from math import inf
from pkgutil import iter_modules
from time import monotonic
from typing import Any, NamedTuple

from sixd._version import __version__
from sixd.process.told import warn

__all__ = ["USERS", "identity", "makes_code"]

_PACKAGE = __name__.partition(".")[0]

#: Packages and modules right below sixd that use kernels but do not make them. A new one is hashed until it is named
#: here.
USERS = frozenset(
    {"__main__", "cli", "diagnosis", "flexible", "formats", "gallery", "historical", "identification", "ik"}
    | {"layouts", "mechanisms", "motion", "parallel", "robot", "simulation", "tables", "testing", "view"}
)


def makes_code(module: str) -> bool:
    """Whether the module of this full name has a part in making machine code, and so is in the hash."""
    package, _, below = module.partition(".")
    return package == _PACKAGE and below.partition(".")[0] not in USERS


class _Part(NamedTuple):
    """A module of the package: its file with its stamp, and the hash of its content."""

    name: str
    file: str
    stamp: tuple[int, ...]
    digest: bytes


def _parts() -> tuple[_Part, ...]:
    """The modules that make code, loaded or not; () if one of them cannot be read."""
    spec = sys.modules[_PACKAGE].__spec__
    found = []
    for each in _specs(spec) if spec is not None else ():
        file = str(getattr(each.loader, "archive", each.origin) or "")
        stamp, content = _stamp(file), _content(each)
        if content is None:
            return ()
        found.append(_Part(each.name, file, stamp, hashlib.sha256(content).digest()))
    return tuple(found)


def _specs(spec: ModuleSpec) -> Iterator[ModuleSpec]:
    """A module and those below it that make code, each as an import would find it."""
    if not makes_code(spec.name):
        return
    yield spec
    folders = spec.submodule_search_locations
    for module in iter_modules(folders, f"{spec.name}.") if folders is not None else ():
        found = (finder.find_spec(module.name, folders, None) for finder in sys.meta_path)
        below = next((each for each in found if each is not None), None)
        if below is not None:
            yield from _specs(below)


def _folders() -> dict[str, tuple[int, ...]]:
    """The folders of the packages that are loaded, with their stamps."""
    loaded = (sys.modules[name] for name in list(sys.modules) if f"{name}.".startswith(f"{_PACKAGE}."))
    return {path: _stamp(path) for module in loaded for path in getattr(module, "__path__", ())}


def _stamp(path: str) -> tuple[int, ...]:
    """Size, time of change and inode number of a file or folder; () if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_size, status.st_mtime_ns, status.st_ino


def _content(spec: ModuleSpec) -> bytes | None:
    """The file of a module, source or byte code, as its loader has it. If there is no file: its code object."""
    loader: Any = spec.loader
    if hasattr(loader, "get_data") and spec.origin:
        try:
            return bytes(loader.get_data(spec.origin))
        except (OSError, ImportError):
            pass  # programs packed into one file have code objects, but no files
    try:
        code = loader.get_code(spec.name) if hasattr(loader, "get_code") else None
    except (OSError, ImportError):
        return None
    return None if code is None else marshal.dumps(code)


class _Sources:
    """The sources as they were when the import began."""

    def __init__(self) -> None:
        self.parts, self.folders = _parts(), dict[str, tuple[int, ...]]()
        self.names = {part.name for part in self.parts}
        text = repr([(part.name, part.digest) for part in sorted(self.parts)])
        self.identity = f"sixd {__version__} {hashlib.sha256(text.encode()).hexdigest()}"
        self.checked, self.trouble = -inf, ""

    def check(self, within: float) -> str:
        """What is wrong with the sources, or an empty text. Once something is wrong, it stays so.

        If the last check was ``within`` so many seconds, its answer is returned.
        """
        if not self.trouble and monotonic() >= self.checked + within:
            loaded = {name for name in list(sys.modules) if makes_code(name)}
            if not loaded <= self.names:
                self.trouble = f"the module {min(loaded - self.names)} cannot be read through its loader"
            elif self._changed():
                self.trouble = "the files of sixd have changed since it was imported; start the program again"
            self.checked = monotonic()
        return self.trouble

    def _changed(self) -> bool:
        """Whether the files have changed. The contents are compared only if a stamp differs."""
        folders = _folders()
        if folders == self.folders and all(_stamp(part.file) == part.stamp for part in self.parts):
            return False
        self.folders = folders
        return _parts() != self.parts


_sources = _Sources()


def identity(within: float = 0.0) -> str | None:
    """The version and hash under which this sixd stores machine code; None if nothing may be stored or looked up.

    It is checked that the files are still those that were imported, unless that was done ``within`` so many seconds. If
    they are not, or cannot be read, one warning says so.
    """
    before, trouble = _sources.trouble, _sources.check(within)
    if trouble and not before:
        warn(f"sixd keeps no machine code for later: {trouble}", RuntimeWarning)
    return None if trouble else _sources.identity
