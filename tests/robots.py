"""The robots of the package example-robot-data: its URDF files, found through the list of installed files."""

from __future__ import annotations

from functools import cache
from importlib.metadata import files
from pathlib import Path

__all__ = ["example_urdf", "example_urdfs"]


@cache
def example_urdfs() -> tuple[tuple[str, Path], ...]:
    """(id, path) of every URDF: the id is the folder and the file's name without its ending."""
    paths = [Path(str(entry.locate())) for entry in files("example-robot-data") or () if entry.suffix == ".urdf"]
    found = {f"{path.parent.parent.name}/{path.stem}": path for path in paths}
    assert len(found) == len(paths) > 0
    return tuple(sorted(found.items()))


def example_urdf(name: str) -> Path:
    """The path of the URDF with this id."""
    return dict(example_urdfs())[name]
