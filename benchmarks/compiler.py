"""C++ programs of the benchmark, built once and kept as long as nothing they depend on changes."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from benchmarks.machine import cpu

__all__ = ["NotBuiltError", "build", "package_headers"]

#: Where binaries are kept.
BUILD = Path(__file__).parent / ".build"
FLAGS = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w")


class NotBuiltError(RuntimeError):
    """There is no compiler, or a header is missing: what needs the program is left out of the benchmark."""


def build(source: Path, flags: Sequence[str] = (), versions: Sequence[str] = ()) -> Path:
    """The binary of a source file, with optimisation for this machine; ``versions`` tell what else it is made of."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise NotBuiltError("there is no g++ here")
    which = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    key = repr((source.read_text(), FLAGS, tuple(flags), tuple(versions), which, cpu()))
    binary = BUILD / f"{source.stem}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    if not binary.exists():
        BUILD.mkdir(exist_ok=True)
        for old in BUILD.glob(f"{source.stem}-*"):
            old.unlink()
        print(f"building {source.name} (Pinocchio takes some minutes, once)", flush=True)
        part = binary.with_suffix(".part")
        done = subprocess.run([compiler, *FLAGS, *flags, str(source), "-o", str(part)], capture_output=True, text=True)
        if done.returncode:
            raise NotBuiltError(f"{source.name} does not compile: {done.stderr.strip().splitlines()[0]}")
        part.rename(binary)
    return binary


def package_headers() -> Path:
    """Where the packages of the cmeel family (Pinocchio, Eigen, Boost) have their headers."""
    try:
        package = distribution("cmeel-eigen")
    except PackageNotFoundError:
        raise NotBuiltError("the package cmeel-eigen is not installed") from None
    return Path(str(package.locate_file("cmeel.prefix"))) / "include"
