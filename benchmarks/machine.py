"""The machine the figures belong to: its name, the versions of everything, and what one core can do at most."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["Peak", "cpu", "description", "measure_peak", "versions"]

PACKAGES = ("sixd", "numpy", "llvmlite", "pin", "cmeel-eigen", "mujoco", "dynibo", "example-robot-data")


@dataclass(frozen=True)
class Peak:
    """What one core can do: double precision GFLOP/s from registers, GB/s copied in memory (read plus written)."""

    gflops: float
    bandwidth: float


def cpu() -> str:
    """The name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def description() -> str:
    return f"{cpu()}, {os.cpu_count()} cores; {platform.system()} {platform.release()}"


def versions() -> str:
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    return ", ".join(found)


def measure_peak(binary: Path) -> Peak:
    """Run the program that measures it."""
    words = subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout.split()
    return Peak(float(words[0]), float(words[1]))
