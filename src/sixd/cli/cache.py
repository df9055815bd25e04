"""Show or clear the machine code that is kept on disk.

The directory is that of the environment variable SIXD_CACHE, else sixd's own in the user's cache directory;
SIXD_CACHE=off keeps nothing.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import time

from sixd.backends.llvm.cache import Cache, default_directory
from sixd.errors import SixdError

__all__ = ["arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "clear", "dir"),
        default="list",
        help="list the entries (if nothing is given), delete them, or print the directory",
    )


def run(args: argparse.Namespace) -> None:
    directory = default_directory()
    if directory is None:
        raise SixdError("the cache is off: SIXD_CACHE says so")
    {"list": _list, "clear": _clear, "dir": _dir}[args.action](directory)


def _list(directory: Path) -> None:
    entries = [(path, path.stat()) for path in Cache(directory).entries()]
    entries.sort(key=lambda entry: entry[1].st_mtime, reverse=True)
    print(f"{_count(len(entries))} in {directory}, {_size(sum(status.st_size for _, status in entries))}")
    now = time()
    for path, status in entries:
        print(f"{_size(status.st_size):>9}  {_age(now - status.st_mtime):>8}  {path.name}")


def _clear(directory: Path) -> None:
    print(f"{_count(Cache(directory).clear())} deleted from {directory}")


def _dir(directory: Path) -> None:
    print(directory)


def _count(n: int) -> str:
    return "1 entry" if n == 1 else f"{n} entries"


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _age(seconds: float) -> str:
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
