"""The joint of `tests/rolling.py` joins the registry, so that every law runs on a joint sixd does not have; most tests
run machine code that is quick to make; and the figures that tests record are printed at the end.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

# Two workers on two cores: LAPACK's threads would wait for one another. It is read when NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Pictures are made without a screen.
os.environ["MPLBACKEND"] = "Agg"

import pytest

from sixd.backends.llvm import target
from tests.optional import Module, skipped_where_missing
from tests.rolling import Rolling

__all__ = ["Rolling"]

if "PYTEST_XDIST_WORKER" not in os.environ:
    # Tests neither use nor fill the user's cache; the workers of a run share one of their own.
    _cache = TemporaryDirectory(prefix="sixd-test-cache-")
    os.environ["SIXD_CACHE"] = _cache.name


# Recordings are many objects and little garbage: to look for it less often saves a tenth of the time.
gc.set_threshold(500_000, 50, 50)

#: Tests of these folders are about machine code, and run what users run; but for those about what it computes.
ABOUT_CODE = {"backends", "compiler", "process", "runtime", "soak"}
ABOUT_NUMBERS = {
    *("test_c.py", "test_c_loops.py", "test_choice.py", "test_compile.py", "test_conformance.py"),
    *("test_derivatives.py", "test_derivatives_by.py", "test_float32.py", "test_parameters.py", "test_tape.py"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--level", type=int, default=0, help="LLVM's level for tests that are not about machine code")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run files, and the tests of each, in another order")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--shuffle``, another order, the same for all workers; what a file's tests share is made once as ever."""
    seed = config.getoption("--shuffle")
    if seed is not None:
        place = {item.nodeid: k for k, item in enumerate(Random(seed).sample(items, len(items)))}
        first = {item.path: place[item.nodeid] for item in items}
        items.sort(key=lambda item: (first[item.path], place[item.nodeid]))


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    return Module.from_parent(parent, path=module_path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    return (yield from skipped_where_missing())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    return (yield from skipped_where_missing())


@pytest.fixture(scope="module", autouse=True)
def quick_code(request: pytest.FixtureRequest) -> Iterator[None]:
    """Elsewhere LLVM makes code in a fifth of the time, with the same bits: tests/backends/test_levels.py."""
    folder, name = request.path.relative_to(os.path.dirname(__file__)).parts[0], request.path.name
    with pytest.MonkeyPatch.context() as patch:
        if folder not in ABOUT_CODE or name in ABOUT_NUMBERS:
            patch.setattr(target, "LEVEL", request.config.getoption("--level"))
        yield


@pytest.fixture(scope="module", autouse=True)
def long_lived() -> None:
    """What earlier tests left behind, such as kernels that are kept, is no garbage: it is not looked through again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """What a test draws is closed after it: matplotlib warns of more than twenty figures, whichever tests drew them."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints the figures that tests recorded: differences from Pinocchio, and how many equations are done."""
    reports = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", [])
    _differences(terminalreporter, reports)
    for table in (value for report in reports for key, value in report.user_properties if key == "equations"):
        terminalreporter.section("rows of docs/equations.md")
        for line in table.splitlines():
            terminalreporter.line(line)


def _differences(terminalreporter: Any, reports: list[Any]) -> None:
    worst: dict[str, tuple[float, str]] = {}
    compared: Counter[str] = Counter()
    singular = set()
    for report in reports:
        for key, value in report.user_properties:
            if key == "singular":
                singular.add(value)
            elif key.startswith("difference: "):
                quantity = key.removeprefix("difference: ")
                compared[quantity] += 1
                worst[quantity] = max(worst.get(quantity, (0.0, "-")), (value, report.nodeid.partition("[")[2][:-1]))
    if not worst:
        return
    terminalreporter.section("largest relative differences from Pinocchio")
    for quantity, (value, where) in worst.items():
        terminalreporter.line(f"{quantity:<22} {value:8.1e}  in {compared[quantity]} comparisons, at {where}")
    if singular:
        terminalreporter.line(f"no forward dynamics, for a joint moves no inertia ({len(singular)}):")
        for label in sorted(singular):
            terminalreporter.line(f"    {label}")
