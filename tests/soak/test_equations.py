"""A row of docs/equations.md that is done: its tests call the code that it names."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

from sixd.joints import JOINTS, Joint
from sixd.model import ModelTree
from tests.soak.calls import name_of
from tests.test_equations import ROOT, ROWS, resolve

pytestmark = pytest.mark.slow


def functions(found: Any) -> set[str]:
    """The functions that belong to what a row names: it itself, a property's, or all of a class, module or override."""
    if isinstance(found, ModuleType):
        own = [x for x in vars(found).values() if getattr(x, "__module__", "") == found.__name__]
        return set().union(*map(functions, own))
    if isinstance(found, type):
        bases = [base for base in found.__mro__ if base.__module__.startswith("sixd.")]
        return set().union(*(functions(x) for base in bases for x in vars(base).values()))
    found = getattr(found, "fget", None) or getattr(found, "func", None) or getattr(found, "__func__", found)
    found = inspect.unwrap(found) if callable(found) else found
    code = getattr(found, "__code__", None)
    return {name_of(code)} if code else set()


def meant(path: str) -> set[str]:
    """The functions that are called where this code is used; a method of joints is overridden by each."""
    if path.startswith("sixd.joints.Joint."):
        method = path.rpartition(".")[2]
        kinds = [Joint, *JOINTS.values()]
        return set().union(*(functions(vars(kind)[method]) for kind in kinds if method in vars(kind)))
    if path.startswith("sixd.model.Tree."):
        return functions(getattr(ModelTree, path.rpartition(".")[2]))
    owner, _, name = path.rpartition(".")
    # Operators such as X @ m run ``_transformed``, which ``transformed`` runs after a look at its argument.
    hidden = getattr(resolve(owner), f"_{name}", None) if path.startswith("sixd.spatial.") else None
    return functions(resolve(path)) | functions(hidden)


def test_the_tests_of_a_row_call_its_code(tmp_path):
    """In Python: machine code would hide what is called."""
    rows = [row for row in ROWS if row.status == "done"]
    tests = sorted({test for row in rows for test in row.tests})
    report = tmp_path / "calls.json"
    environment = os.environ | {"SIXD_CALLS": str(report), "SIXD_KERNELS": "python"}
    command = [sys.executable, "-m", "pytest", "-p", "tests.soak.calls", "-p", "no:xdist", *tests]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    calls = {test: set(names) for test, names in json.loads(report.read_text()).items()}
    assert set(tests) <= set(calls)
    idle = [f"{row}: {path}" for row in rows for path in row.code if not any(meant(path) & calls[t] for t in row.tests)]
    assert idle == []
