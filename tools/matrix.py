"""Runs the tests on several versions of Python, or on the lowest versions of what sixd depends on.

    python tools/matrix.py                          # on 3.11, 3.12, 3.13, 3.14 and 3.15
    python tools/matrix.py 3.12 --tests tests/lie   # on one of them, some tests
    python tools/matrix.py --lowest                 # on 3.11, with the lowest versions that pyproject.toml allows

Interpreters are looked for in PATH and among those of pyenv. Each has a virtual environment of its own, .venv-3.12 (or
.venv-lowest), which is made once and again when pyproject.toml has changed; what pytest said is in tests.log there. A
package of the tests that cannot be had for a version of Python is left out, and so are the tests that need it. The end
is a table, and one of what was skipped, by reason. The exit status is 0 if all tests passed on all versions that were
asked for.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
#: What the table shows the version of, beside Python.
SHOWN = ("numpy", "llvmlite", "mpmath")


class Row(NamedTuple):
    """What came of the tests in one environment."""

    environment: str
    versions: str
    result: str
    seconds: float
    passed: bool
    #: How many tests, or files of tests, were skipped for each reason.
    skipped: Mapping[str, int] = {}
    #: Packages of the tests that cannot be had there.
    without: Sequence[str] = ()


def interpreter(version: str) -> str | None:
    """A Python of this version that starts, or None."""
    return next((path for path in candidates(version) if version_of(path) == version), None)


def candidates(version: str) -> Iterator[str]:
    """Where a Python of this version may be; that a file is there does not tell that it starts."""
    if found := shutil.which(f"python{version}"):
        yield found
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False).stdout.strip()
        yield from sorted(map(str, Path(root, "versions").glob(f"{version}*/bin/python{version}")), reverse=True)


def version_of(path: str) -> str | None:
    """The version of an interpreter, such as 3.12; None if it does not start."""
    code = "import sys; print('{}.{}'.format(*sys.version_info))"
    done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def lowest(project: dict[str, Any]) -> list[str]:
    """The lowest versions that are allowed of what sixd needs, and of mpmath, which is a kind of number it knows."""
    needs = [*project["project"]["dependencies"], *(n for n in project["dependency-groups"]["test"] if "mpmath" in n)]
    found = [re.fullmatch(r"([\w-]+)>=([\d.]+)", need) for need in needs]
    unclear = [need for need, match in zip(needs, found, strict=True) if match is None]
    if unclear:
        raise SystemExit(f"pyproject.toml gives no lowest version as 'name>=version': {', '.join(unclear)}")
    return [f"{match[1]}=={match[2]}" for match in found if match is not None]


def prepare(python: str, folder: Path, more: Sequence[str]) -> list[str]:
    """A virtual environment with sixd, its tests' tools and ``more``, unless it is there and up to date.

    Returns what could not be installed of the tests' tools: not every package is built for the newest Python.
    """
    done, project = folder / ".ready", ROOT / "pyproject.toml"
    if done.exists() and done.stat().st_mtime > project.stat().st_mtime:
        return done.read_text().split()
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
    subprocess.run([*pip, "--upgrade", "pip>=25.1"], check=True)
    subprocess.run([*pip, "-e", ".", *more], check=True, cwd=ROOT)
    without = []
    if subprocess.run([*pip, "--group", "test", *more], cwd=ROOT, check=False).returncode:
        group = tomllib.loads(project.read_text())["dependency-groups"]["test"]
        one_by_one = ([*pip, "--only-binary", ":all:", need, *more] for need in group)
        failed = [subprocess.run(command, cwd=ROOT, check=False).returncode for command in one_by_one]
        without = [need for need, code in zip(group, failed, strict=True) if code]
    done.write_text("\n".join(without))
    return without


def run(name: str, python: str, tests: Sequence[str], more: Sequence[str] = ()) -> Row:
    """The tests in the environment of this name."""
    folder, start = ROOT / f".venv-{name}", monotonic()
    try:
        without = prepare(python, folder, more)
    except subprocess.CalledProcessError as error:
        return Row(name, "", f"no environment: {' '.join(error.cmd[:6])} ... failed", monotonic() - start, False)
    own = folder / "bin" / "python"
    code = f"from importlib.metadata import version as v; print(*(f'{{n}} {{v(n)}}' for n in {SHOWN}), sep=', ')"
    versions = subprocess.run([own, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    print(f"\n{name}: {versions}", flush=True)
    start = monotonic()
    with (folder / "tests.log").open("w") as log:
        command = [str(own), "-m", "pytest", "-n", "2", "--dist", "worksteal", "-rs", *tests]
        done = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = []
        for line in done.stdout or ():
            log.write(line)
            print(line, end="", flush=True)
            lines.append(line.strip())
    last = next(filter(None, reversed(lines)), "").strip("= ")
    return Row(name, versions, last, monotonic() - start, done.wait() == 0, skips(lines), without)


def skips(lines: Iterable[str]) -> Counter[str]:
    """How often pytest skipped for each reason, from the summary that ``-rs`` asks for."""
    found = Counter[str]()
    for line in lines:
        if match := re.match(r"SKIPPED \[(\d+)\] [^:]*:(?:\d+:)? (.*)", line):
            found[match[2]] += int(match[1])
    return found


def table(rows: Sequence[Row]) -> str:
    """The results, one row for each environment."""
    heads = ("", "environment", "versions", "what pytest said", "s", "without")
    cells = [
        ("ok" if r.passed else "FAILED", r.environment, r.versions, r.result, f"{r.seconds:.0f}", " ".join(r.without))
        for r in rows
    ]
    return aligned(heads, cells)


def table_of_skips(rows: Sequence[Row]) -> str:
    """How often each reason led to a skip, one column for each environment."""
    reasons = sorted({reason for row in rows for reason in row.skipped})
    cells = [(reason, *(str(row.skipped.get(reason, "")) for row in rows)) for reason in reasons]
    return aligned(("skipped", *(row.environment for row in rows)), cells)


def aligned(heads: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (heads, *cells))
    return "\n".join(line.rstrip() for line in lines)


def main(argv: Sequence[str] | None = None) -> int:
    """0 if all tests passed wherever they were to run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=VERSIONS, help="of Python, such as 3.12")
    parser.add_argument("--lowest", action="store_true", help="with the lowest versions of the dependencies")
    parser.add_argument("--tests", default="", help="what pytest is given; all tests if nothing is")
    args = parser.parse_args(argv)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    rows = []
    for version in args.versions[:1] if args.lowest else args.versions:
        python, name = interpreter(version), "lowest" if args.lowest else version
        more = lowest(project) if args.lowest else []
        missing = Row(name, "", f"no Python {version} on this machine", 0.0, False)
        rows.append(missing if python is None else run(name, python, shlex.split(args.tests), more))
    print(f"\n{table(rows)}\n\n{table_of_skips(rows)}")
    return 0 if all(row.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
