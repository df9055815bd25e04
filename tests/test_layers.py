"""Rules on the source itself: who may import whom, and where numbers may be touched."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "sixd"

#: From the ground up. A layer imports from those before it and from itself; `testing` may use all, none may use it.
LAYERS = (
    "_version",
    "process",
    "errors",
    "given",
    "files",
    "stored",
    "samples",
    "tabulated",
    "ops",
    "dual",
    "spatial",
    "lie",
    "joints",
    "constraints",
    "model",
    "flexible",
    "lagrangian",
    "algorithms",
    "operators",
    "ir",
    "backends",
    "runtime",
    "compiler",
    "parallel",
    "diagnosis",
    "ik",
    "view",
    "robot",
    "gallery",
    "historical",
    "tables",
    "motion",
    "identification",
    "formats",
    "layouts",
    "simulation",
    "mechanisms",
    "testing",
    "cli",
    "__main__",
)

#: The compiler knows no robots: all that these layers may import.
APART = {"ir": {"errors", "ops", "ir"}, "backends": {"process", "errors", "ops", "ir", "backends"}}

#: Written for any number: what is no operator goes through `sixd.ops`.
GENERIC = ("spatial", "lie", "joints", "constraints", "lagrangian", "algorithms", "historical", "operators")
FORBIDDEN = {"sin", "cos", "tan", "sqrt", "arctan2", "atan2", "cross", "dot", "matmul", "einsum", "where", "linalg"}


class Import(NamedTuple):
    """A module of sixd that a file imports, at the top or inside a function."""

    module: str
    line: int
    #: Whether it is only seen by type checkers.
    for_types: bool


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def layer_of(path: Path, package: Path = PACKAGE) -> str:
    """The folder or file right below the package; "" for the package's own ``__init__``."""
    name = path.relative_to(package).parts[0].removesuffix(".py")
    return "" if name == "__init__" else name


def imports(source: str) -> list[Import]:
    """Every import of sixd's own modules."""
    return list(_imports(ast.parse(source), False))


def _imports(node: ast.AST, for_types: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for name in node.names:
            yield Import(name.name, node.lineno, for_types)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"line {node.lineno}: imports name the whole path"
        # `from sixd import ops` imports a module, `from sixd.ops import sin` a name.
        names = [f"sixd.{n.name}" for n in node.names] if node.module == "sixd" else [node.module or ""]
        for name in names:
            yield Import(name, node.lineno, for_types)
    elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
        for child in node.body:
            yield from _imports(child, True)
        for child in node.orelse:
            yield from _imports(child, for_types)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _imports(child, for_types)


def violations(layer: str, source: str) -> list[str]:
    """What a file of this layer imports against the rule."""
    found = []
    for item in imports(source):
        parts = item.module.split(".")
        if parts[0] != "sixd" or len(parts) < 2:
            if item.module == "sixd":
                found.append(f"line {item.line}: import the module that defines a name, not the whole package")
            continue
        other = parts[1]
        if layer == "":
            if other == "testing":
                found.append(f"line {item.line}: sixd.testing needs mpmath and is imported by those who test")
        elif other == layer:
            continue
        elif layer in APART and other not in APART[layer]:
            found.append(f"line {item.line}: {layer} may not import {item.module}: it knows no robots")
        elif other not in LAYERS or LAYERS.index(other) > LAYERS.index(layer):
            found.append(f"line {item.line}: {layer} may not import {item.module}, which is built on it")
    return found


def touched(source: str) -> list[str]:
    """Where a file computes with functions of numpy or math instead of `sixd.ops`."""
    tree, libraries, found = ast.parse(source), set(), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            libraries |= {n.asname or n.name for n in node.names if n.name.split(".")[0] in ("numpy", "math")}
            names = [n.name for n in node.names if n.name.startswith("numpy.linalg")]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("numpy", "math"):
            names = [n.name for n in node.names if n.name in FORBIDDEN or "linalg" in (node.module or "")]
        else:
            continue
        found += [f"line {node.lineno}: {name}" for name in names]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in libraries:
            found += [f"line {node.lineno}: {node.value.id}.{node.attr}"] * (node.attr in FORBIDDEN)
    return found


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_every_file_belongs_to_a_layer():
    assert {layer_of(path) for path in modules()} <= {"", *LAYERS}


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_layers_import_only_upwards(path):
    assert violations(layer_of(path), path.read_text()) == []


@pytest.mark.parametrize("path", [p for p in modules() if layer_of(p) in GENERIC], ids=name_of)
def test_generic_code_goes_through_ops(path):
    assert touched(path.read_text()) == []


@pytest.mark.parametrize(
    ("layer", "source", "wrong"),
    [
        ("spatial", "from sixd.ops import sin", 0),
        ("spatial", "from sixd.model import Model", 1),
        ("spatial", "def f():\n    from sixd.model import Model", 1),
        ("spatial", "import sixd.robot.robot", 1),
        ("spatial", "from sixd import ops, robot", 1),
        ("spatial", "import sixd", 1),
        ("spatial", "if TYPE_CHECKING:\n    from sixd.spatial.motion import Motion", 0),
        ("spatial", "if TYPE_CHECKING:\n    from sixd.model import Model", 1),
        ("joints", "from sixd.lie import se3", 0),
        ("lie", "from sixd.joints import Free", 1),
        ("robot", "from sixd.testing import precise", 1),
        ("testing", "from sixd.formats.load import load", 0),
        ("algorithms", "from sixd.nonsense import x", 1),
        ("", "from sixd.robot import Robot", 0),
        ("", "from sixd import testing", 1),
    ],
)
def test_the_rule_itself(layer, source, wrong):
    assert len(violations(layer, source)) == wrong


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("import numpy as np\nx = np.sin(y)", 1),
        ("import numpy as np\nx = np.linalg.inv(y)", 1),
        ("import numpy as np\nx = np.asarray(y)", 0),
        ("from numpy import cross", 1),
        ("from numpy.linalg import inv", 1),
        ("import math\nx = math.sqrt(y)", 1),
        ("from math import pi, hypot", 0),
        ("from sixd.ops import sin\nx = sin(y)", 0),
    ],
)
def test_the_rule_on_numbers_itself(source, wrong):
    assert len(touched(source)) == wrong


def test_nothing_is_left_to_do_later():
    later = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b")
    places = [ROOT / folder for folder in ("src", "tests", "docs", "examples", "benchmarks")]
    files = [p for place in places for p in place.rglob("*") if p.suffix in (".py", ".md") and "_build" not in p.parts]
    files += list(ROOT.glob("*.md"))
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if later.search(line)
    ]
    assert found == []


def test_files_stay_short():
    """A typical file is under 200 lines; 500 is too long."""
    long = [name_of(path) for path in modules() if len(path.read_text().splitlines()) > 500]
    assert long == []
