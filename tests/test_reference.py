"""The pages in docs/reference show every public name of the classes that users hold, inherited ones too.

autodoc shows a member if its class, or with ``:inherited-members:`` a class before it, documents it: by a docstring, or
by a comment `#:` above a field.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import sixd
from sixd.diagnosis.audit import Report
from sixd.identification import Calibration, Combinations, Excitation, Fit
from sixd.ik import IKResult
from sixd.model import JointView, Model, ModelBuilder
from sixd.motion import GradientCheck, OptimizedMotion
from sixd.view import LiveView, Scene

PAGES = Path(__file__).parents[1] / "docs" / "reference"
CLASSES = {
    "sixd.Robot": sixd.Robot,
    "sixd.Builder": sixd.Builder,
    "sixd.ClosedRobot": sixd.ClosedRobot,
    "sixd.diagnosis.audit.Report": Report,
    "sixd.Kernel": sixd.Kernel,
    "sixd.model.Model": Model,
    "sixd.model.ModelBuilder": ModelBuilder,
    "sixd.model.JointView": JointView,
    "sixd.ik.IKResult": IKResult,
    **{f"sixd.identification.{kind.__name__}": kind for kind in (Calibration, Combinations, Excitation, Fit)},
    "sixd.mechanisms.Mechanism": sixd.mechanisms.Mechanism,
    **{f"sixd.view.{kind.__name__}": kind for kind in (LiveView, Scene)},
    **{f"sixd.motion.{kind.__name__}": kind for kind in (GradientCheck, OptimizedMotion)},
}


def directive(path: str, text: str) -> set[str] | None:
    """The options that a page gives ``.. autoclass:: path``, None if it is not there."""
    found = re.search(rf"^\.\. autoclass:: {re.escape(path)}\n((?:   :.*\n?)*)", text, re.MULTILINE)
    return set(re.findall(r":([\w-]+):", found[1])) if found else None


def commented(kind: type) -> set[str]:
    """The fields of a class with a comment `#:` above them."""
    source = inspect.getsource(getattr(kind, "_plain", kind))  # kernels have a type that no source defines
    return set(re.findall(r"^    #:.*\n    (\w+): ", source, re.MULTILINE))


def documented(member: Any) -> bool:
    inner = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
    return bool(getattr(inner, "__doc__", None)) and (callable(inner) or inspect.isdatadescriptor(member))


def ours(kind: type) -> list[type]:
    """The class and those before it that sixd defines."""
    return [base for base in kind.__mro__ if base.__module__.startswith("sixd")]


def own(kind: type) -> dict[str, Any]:
    return {name: member for name, member in vars(kind).items() if not name.startswith("_")}


def shown(kind: type, options: set[str]) -> set[str]:
    bases = ours(kind) if "inherited-members" in options else [kind]
    found = set()
    for base in bases if "members" in options else ():
        found |= {name for name, member in own(base).items() if documented(member)} | commented(base)
    return found


def public(kind: type) -> set[str]:
    """The public names that a class has from sixd."""
    return {name for base in ours(kind) for name in own(base)}


@pytest.mark.parametrize("path", CLASSES)
def test_every_public_name_is_shown(path):
    kind = CLASSES[path]
    found = [options for page in PAGES.glob("*.md") if (options := directive(path, page.read_text())) is not None]
    assert len(found) == 1, f"{path} has its place in the reference"
    assert public(kind) - shown(kind, found[0]) == set()


def test_what_is_inherited_is_found_missing():
    assert {"join", "lock", "subtree", "joint", "frames", "with_frame", "lower", "upper"} <= public(sixd.Robot)
    assert {"join", "frames", "lower", "gravity"} <= public(sixd.Robot) - shown(sixd.Robot, {"members"})
    assert shown(sixd.Robot, set()) == set()
    assert directive("sixd.Robot", ".. autoclass:: sixd.Robot\n   :members:\n\n") == {"members"}
    assert directive("sixd.Robot", ".. autoclass:: sixd.Robotics\n   :members:\n") is None
