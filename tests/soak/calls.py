"""A plugin of pytest: writes which functions of sixd each test calls, as JSON, to the file that SIXD_CALLS names."""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import sixd

PACKAGE = str(Path(sixd.__file__).parent)
calls: dict[str, set[str]] = defaultdict(set)


def name_of(code: Any) -> str:
    """A function by its file and name."""
    return f"{code.co_filename.removeprefix(PACKAGE)}:{code.co_qualname}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any) -> Any:
    found = calls[item.nodeid.partition("[")[0]]

    def called(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            found.add(name_of(frame.f_code))

    sys.setprofile(called)
    try:
        return (yield)
    finally:
        sys.setprofile(None)


def pytest_sessionfinish() -> None:
    Path(os.environ["SIXD_CALLS"]).write_text(json.dumps({test: sorted(names) for test, names in calls.items()}))
