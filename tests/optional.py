"""What a test needs and is not installed makes that the test is skipped, by the package's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec

import pytest

__all__ = ["Module", "skip_if_told", "skipped_where_missing"]

#: Packages of the dependency group "test" that some tests need, as errors of an import name them.
MODULES = frozenset(
    {"PIL", "array_api_strict", "control", "daqp", "dask", "distributed", "joblib", "matplotlib", "mujoco"}
    | {"mypy", "pandas", "pinocchio", "pyarrow", "scipy", "sympy", "viser", "websockets", "xarray"}
)
#: Those that are asked for as distributions.
DISTRIBUTIONS = frozenset({"example-robot-data"})


def _is_installed(name: str) -> bool:
    try:
        return distribution(name) is not None
    except PackageNotFoundError:
        return False


MISSING = {name for name in MODULES if find_spec(name) is None} | {x for x in DISTRIBUTIONS if not _is_installed(x)}


def skipped_where_missing() -> Iterator[None]:
    """Around a hook of pytest: an error that comes from the want of an optional package becomes a skip."""
    try:
        return (yield)
    except Exception as error:
        skip_if_missing(error)
        raise


def skip_if_missing(error: BaseException) -> None:
    """Skip the test or module that raised an error if the want of a package is what led to it."""
    cause: BaseException | None = error
    while cause is not None:
        name = str(cause.name).partition(".")[0] if isinstance(cause, ModuleNotFoundError) else ""
        if name in MISSING:
            pytest.skip(f"needs {name}, which is not installed", allow_module_level=True)
        cause = cause.__cause__ or cause.__context__


def skip_if_told(stderr: str) -> None:
    """Skip the test whose other process ended by the want of a package."""
    end = re.search(r"^ModuleNotFoundError: No module named '([^'.]+)[^\n]*\s*\Z", stderr, re.MULTILINE)
    if end is not None:
        skip_if_missing(ModuleNotFoundError(name=end[1]))


class Module(pytest.Module):
    """A file of tests, which is skipped if it imports what is not installed."""

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        try:
            return list(super().collect())
        except self.CollectError as error:
            skip_if_missing(error)
            raise
