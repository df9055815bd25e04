"""What developers run: the matrix of Python versions, the checks of `make` and of pre-commit."""

from __future__ import annotations

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.test_claims import PROJECT
from tests.test_docs import ROOT
from tools import matrix

HERE = "{}.{}".format(*sys.version_info)


def test_the_lowest_versions_are_those_of_the_project():
    found = dict(need.split("==") for need in matrix.lowest(PROJECT))
    assert set(found) == {"numpy", "llvmlite", "mpmath"}
    for name, version in found.items():
        assert f"{name}>={version}" in (ROOT / "pyproject.toml").read_text()


def test_a_bound_that_is_no_lowest_version_is_told():
    project = {"project": {"dependencies": ["numpy>=2.0", "other"]}, "dependency-groups": {"test": []}}
    with pytest.raises(SystemExit, match="'name>=version': other"):
        matrix.lowest(project)


def test_the_versions_begin_with_the_lowest_that_sixd_allows():
    assert PROJECT["project"]["requires-python"] == f">={matrix.VERSIONS[0]}"


def test_this_version_of_python_is_found(monkeypatch):
    monkeypatch.setattr(matrix.shutil, "which", {f"python{HERE}": sys.executable}.get)
    assert matrix.interpreter(HERE) == sys.executable
    assert matrix.interpreter("3.99") is None


def test_an_interpreter_that_does_not_start_is_passed_over(monkeypatch, tmp_path):
    """As the shims of pyenv do not, for versions that are not chosen: the folder of versions has them."""
    shim, own = tmp_path / "shim", tmp_path / "versions" / f"{HERE}.1" / "bin" / f"python{HERE}"
    shim.write_text("#!/bin/sh\necho not found >&2\nexit 127\n")
    shim.chmod(0o755)
    own.parent.mkdir(parents=True)
    own.symlink_to(sys.executable)
    monkeypatch.setattr(matrix.shutil, "which", {f"python{HERE}": str(shim), "pyenv": "pyenv"}.get)
    real = subprocess.run

    def run(command, **options):
        return SimpleNamespace(stdout=f"{tmp_path}\n") if command == ["pyenv", "root"] else real(command, **options)

    monkeypatch.setattr(matrix.subprocess, "run", run)
    assert matrix.interpreter(HERE) == str(own)


def test_the_table_and_the_status(monkeypatch, capsys):
    results = {"a": ("12 passed in 3 s", True), "b": ("1 failed, 11 passed", False)}
    monkeypatch.setattr(matrix, "interpreter", lambda version: version if version in results else None)
    monkeypatch.setattr(
        matrix, "run", lambda name, *_: matrix.Row(name, "numpy 2", results[name][0], 3.2, results[name][1])
    )
    assert matrix.main(["a"]) == 0
    assert matrix.main(["a", "b", "c"]) == 1
    lines = capsys.readouterr().out.split("\n\n")[-2].splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["ok", "a"], ["FAILED", "b"], ["FAILED", "c"]]
    assert "no Python c on this machine" in lines[-1]
    assert len({line.index(word) for line, word in zip(lines[1:3], ("12 passed", "1 failed"), strict=True)}) == 1


SAID = """
tests/lie/test_so3.py: ...ss [100%]
SKIPPED [6] tests/optional.py:47: needs pinocchio, which is not installed
SKIPPED [2] tests/runtime/test_arguments.py:142: no longer than double here
SKIPPED [1] tests/optional.py:47: needs pinocchio, which is not installed
SKIPPED [3] tests/a.py: needs: fork
12 passed, 12 skipped in 3 s
"""


def test_what_was_skipped_is_listed_by_reason():
    found = matrix.skips(SAID.splitlines())
    assert found == {
        "needs pinocchio, which is not installed": 7,
        "no longer than double here": 2,
        "needs: fork": 3,
    }
    rows = [matrix.Row("3.14", "", "", 1.0, True), matrix.Row("3.15", "", "", 1.0, True, found, ["pin>=3.4"])]
    heads, *lines = matrix.table_of_skips(rows).splitlines()
    assert heads.split() == ["skipped", "3.14", "3.15"]
    assert [line.split()[-1] for line in lines] == ["7", "3", "2"]
    assert matrix.table(rows).splitlines()[-1].endswith("pin>=3.4")


def test_what_cannot_be_installed_is_left_out(monkeypatch, tmp_path):
    """Where the tests' tools cannot be had together, each is tried; the environment is made once."""
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    tried = []

    def run(command, **options):
        tried.append(command)
        wanted = [word for word in command if word == "--group" or word.startswith(("pin>", "daqp>"))]
        return SimpleNamespace(returncode=int(bool(wanted)))

    monkeypatch.setattr(matrix, "ROOT", tmp_path)
    monkeypatch.setattr(matrix.subprocess, "run", run)
    folder = tmp_path / ".venv-3.15"
    folder.mkdir()
    assert [need.partition(">")[0] for need in matrix.prepare("python", folder, [])] == ["pin", "daqp"]
    assert len(tried) == 4 + len(PROJECT["dependency-groups"]["test"])
    assert [need.partition(">")[0] for need in matrix.prepare("python", folder, [])] == ["pin", "daqp"]
    assert len(tried) == 4 + len(PROJECT["dependency-groups"]["test"])


def test_pre_commit_checks_what_make_checks():
    """Each command of `make lint`; --force-exclude only says that files which are named may be left out too."""
    makefile, hooks = (ROOT / "Makefile").read_text(), (ROOT / ".pre-commit-config.yaml").read_text()
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)[1]
    by_make = [re.sub(r"\$\(BIN\)/| \.$", "", line.strip()) for line in lint.splitlines()]
    by_hooks = re.findall(r"entry: \.venv/bin/(.*?)(?: --force-exclude)?$", hooks, re.MULTILINE)
    assert by_make == by_hooks == ["ruff check", "ruff format --check", "mypy"]
    assert re.search(r"^test: lint$", makefile, re.MULTILINE)
    assert "http" not in hooks
