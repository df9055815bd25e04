"""Which sixd this process runs: a hash of the modules that make code, read through their loaders as the import began.

Machine code on disk is found by this hash, so that a new version, or an edit, does not run the code of the old one.

A module counts unless it is in one of the rooms of `USERS`, which call kernels and have no part in making them. Two
rules make that safe. No module that counts imports one that does not (`tests/process/test_sources.py`). And only what a
module that counts has defined is looked for on disk by its name (`is_own` in `sixd.compiler.request`): any other
function, such as those of inverse kinematics or the user's own, is recorded first and found by the program it makes.

The files can change while a process is open. What it has imported is old then, and what it imports later is new: of
such a mixture nothing is kept and nothing is looked for. That is told by the files' stamps (length, time of change,
number), which are taken before the contents: as long as they are the same, every module that was loaded is the one
hashed here. The stamps of the folders tell whether modules came or went. Where a stamp differs, all is read again and
compared.

The package may lie in a folder or an archive, as source or byte code alone: what the loader has is what is hashed.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
import warnings
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from math import inf
from pkgutil import iter_modules
from time import monotonic
from typing import Any, NamedTuple

from sixd._version import __version__

__all__ = ["USERS", "identity", "makes_code"]

_PACKAGE = __name__.partition(".")[0]

#: The rooms right below the package that use kernels and make none. A new room counts until it is named here.
USERS = frozenset({"__main__", "cli", "diagnosis", "formats", "gallery", "ik", "layouts", "robot", "testing"})


def makes_code(module: str) -> bool:
    """Whether a module of this full name has a part in machine code, and so in the hash."""
    package, _, below = module.partition(".")
    return package == _PACKAGE and below.partition(".")[0] not in USERS


class _Part(NamedTuple):
    """A module of the package: its file with its stamp, and the hash of its content."""

    name: str
    file: str
    stamp: tuple[int, ...]
    digest: bytes


def _parts() -> tuple[_Part, ...]:
    """The modules that make code, loaded or not; () where one of them cannot be read."""
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
    """Length, time of change and number of a file or folder; () where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_size, status.st_mtime_ns, status.st_ino


def _content(spec: ModuleSpec) -> bytes | None:
    """The file of a module, source or byte code, as its loader has it; its code, where there is no file."""
    loader: Any = spec.loader
    if hasattr(loader, "get_data") and spec.origin:
        try:
            return bytes(loader.get_data(spec.origin))
        except (OSError, ImportError):
            pass  # programs in one file keep code, but no files of it
    try:
        code = loader.get_code(spec.name) if hasattr(loader, "get_code") else None
    except (OSError, ImportError):
        return None
    return None if code is None else marshal.dumps(code)


class _Sources:
    """What was read as the import began."""

    def __init__(self) -> None:
        self.parts, self.folders = _parts(), dict[str, tuple[int, ...]]()
        self.names = {part.name for part in self.parts}
        text = repr([(part.name, part.digest) for part in sorted(self.parts)])
        self.identity = f"sixd {__version__} {hashlib.sha256(text.encode()).hexdigest()}"
        self.checked, self.trouble = -inf, ""

    def check(self, within: float) -> str:
        """What is wrong, if anything is; what was seen some seconds ago counts. What is wrong once stays so."""
        if not self.trouble and monotonic() >= self.checked + within:
            loaded = {name for name in list(sys.modules) if makes_code(name)}
            if not loaded <= self.names:
                self.trouble = f"the module {min(loaded - self.names)} cannot be read through its loader"
            elif self._changed():
                self.trouble = "the files of sixd have changed since it was imported; start the program again"
            self.checked = monotonic()
        return self.trouble

    def _changed(self) -> bool:
        """Whether the files are no longer those that were read; the contents are compared only if a stamp differs."""
        folders = _folders()
        if folders == self.folders and all(_stamp(part.file) == part.stamp for part in self.parts):
            return False
        self.folders = folders
        return _parts() != self.parts


_sources = _Sources()


def identity(within: float = 0.0) -> str | None:
    """The version and the hash that tell machine code of this sixd from that of others; None if nothing may be kept.

    That the files are still those that were imported is checked, unless it was ``within`` the last seconds. Where they
    are not, or cannot be read, that is said once.
    """
    before, trouble = _sources.trouble, _sources.check(within)
    if trouble and not before:
        warnings.warn(f"sixd keeps no machine code for later: {trouble}", RuntimeWarning, stacklevel=2)
    return None if trouble else _sources.identity
