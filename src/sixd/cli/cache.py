"""Show or clear the machine code that is kept on disk.

The directory is that of the environment variable SIXD_CACHE, else sixd's own in the user's cache directory;
SIXD_CACHE=off keeps nothing. Beyond SIXD_CACHE_SIZE megabytes (500) what was used longest ago goes by itself.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import time

from sixd.backends.llvm.cache import Cache, Entry, default_directory, size_limit
from sixd.cli.command import Command, register
from sixd.cli.robots import add_json, print_json
from sixd.errors import ArgumentError, SixdError

__all__ = ["CACHE", "arguments", "run"]

_DAY = 86400


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "clear", "dir"),
        default="list",
        help="list the entries (if nothing is given), delete them, or print the directory",
    )
    parser.add_argument("name", nargs="?", default="", help="only entries whose name has this in it, such as rnea")
    parser.add_argument(
        "--unused", metavar="DAYS", type=float, default=0, help="only entries that were not used for so many days"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> None:
    directory = default_directory()
    if directory is None:
        raise SixdError("the cache is off: SIXD_CACHE says so")
    if args.action != "list" and args.json:
        raise ArgumentError(f"--json is for the list of entries: leave out {args.action}, or --json")
    if not args.unused >= 0.0:
        raise ArgumentError(f"--unused is a number of days, at least 0, not {args.unused:g}")
    if args.action == "dir":
        print(directory)
        return
    cache, now = Cache(directory), time()
    entries = [entry for entry in cache.entries() if max(now - entry.used, 0) >= _DAY * args.unused]
    chosen = [entry for entry in entries if args.name.lower() in entry.title.lower()]
    if args.action == "clear":
        print(f"{_count(cache.clear(chosen))} deleted from {directory}")
    elif args.json:
        rows = [{"title": e.title or e.name, "bytes": e.size, "unused": now - e.used} for e in chosen]
        print_json({"directory": str(directory), "limit": size_limit(), "entries": rows})
    else:
        _list(directory, chosen, now)


CACHE = register(Command("cache", __doc__, arguments, run))


def _list(directory: Path, entries: list[Entry], now: float) -> None:
    """Name, size and last use of each entry, those used last first."""
    total, limit = sum(entry.size for entry in entries), size_limit()
    print(f"{_count(len(entries))} in {directory}, {_size(total)} of at most {_size(limit)}")
    for entry in entries:
        print(f"{_size(entry.size):>9}  {_age(now - entry.used):>8}  {entry.title or entry.name}")


def _count(n: int) -> str:
    return "1 entry" if n == 1 else f"{n} entries"


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _age(seconds: float) -> str:
    for unit, length in (("days", _DAY), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
