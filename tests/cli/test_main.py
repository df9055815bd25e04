"""The command ``sixd`` itself: help, wrong use, warnings, start."""

import io
import json
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import sixd
from sixd.cli import COMMANDS
from sixd.cli.command import Command, register
from sixd.cli.main import main
from sixd.cli.robots import print_json


def ended(argv):
    with pytest.raises(SystemExit) as end:
        main(argv)
    return end.value.code


def test_version(capsys):
    assert ended(["--version"]) == 0
    assert capsys.readouterr().out == f"sixd {sixd.__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(capsys, name):
    assert ended([name, "--help"]) == 0
    assert COMMANDS[name].help.splitlines()[0] in " ".join(capsys.readouterr().out.split())
    assert ended(["--help"]) == 0
    assert re.search(rf"^ +{name}\s+\w", capsys.readouterr().out, re.MULTILINE)


def test_a_command_of_ones_own(capsys):
    def arguments(parser):
        parser.add_argument("name")

    command = Command("greet", "Greet somebody.\n\nAt length.", arguments, lambda args: print("hello", args.name))
    register(command)
    try:
        assert main(["greet", "you"]) == 0
        assert capsys.readouterr().out == "hello you\n"
        with pytest.raises(sixd.ChoiceError, match="'greet' is registered already"):
            register(command)
    finally:
        del COMMANDS["greet"]
    assert ended(["greet", "you"]) == 2


@pytest.mark.parametrize("argv", [["nonsense"], ["cache", "nonsense"], ["--nonsense"]])
def test_wrong_use(capsys, argv):
    assert ended(argv) == 2
    assert "nonsense" in capsys.readouterr().err


def test_unknown_options_are_told_by_the_command_that_was_meant(capsys):
    assert ended(["view", "arm.urdf", "--motions", "run.csv"]) == 2
    assert capsys.readouterr().err == (
        "sixd view: unrecognized arguments: --motions run.csv; did you mean --motion? (sixd view --help tells more)\n"
    )
    assert ended(["cache", "list", "rnea", "more"]) == 2
    assert capsys.readouterr().err == "sixd cache: unrecognized arguments: more (sixd cache --help tells more)\n"


def test_json_has_plain_arrays_in_a_line(capsys):
    value = {"a": np.eye(2), "b": {"names": ["x", 'y"'], "no": []}, "c": [{"n": np.nan}, {}], "d": {}}
    print_json(value)
    said = capsys.readouterr().out
    read = {"a": [[1.0, 0.0], [0.0, 1.0]], "b": {"names": ["x", 'y"'], "no": []}, "c": [{"n": None}, {}], "d": {}}
    assert json.loads(said) == read
    assert '  "a": [\n    [1.0, 0.0],\n    [0.0, 1.0]\n  ],\n' in said
    assert '    "names": ["x", "y\\""],\n' in said


def test_no_command(capsys):
    assert main([]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.splitlines()[0]) == ("", "usage: sixd [-h] [--version] COMMAND ...")


def test_it_is_installed_as_a_command():
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert '[project.scripts]\nsixd = "sixd.cli.main:main"\n' in project


@pytest.mark.parametrize(
    ("argv", "hint"),
    [(["evil"], "did you mean 'eval'?"), (["eval", "id", "a.urdf", "--base", "fred"], "did you mean 'free'?")],
)
def test_the_closest_word_is_named(capsys, argv, hint):
    assert ended(argv) == 2
    said = capsys.readouterr().err
    assert hint in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "cache"])
def test_help_has_examples(capsys, name):
    assert ended([name, "--help"]) == 0
    assert re.search(rf"^examples?:\n(.*\n)*.*sixd {name}\b", capsys.readouterr().out, re.MULTILINE)


def test_help_tells_the_exit_codes(capsys):
    assert ended(["--help"]) == 0
    assert re.search(r"^exit codes:\n  0 .*\n  1 .*\n  2 ", capsys.readouterr().out, re.MULTILINE)


def test_a_command_returns_its_exit_code():
    register(Command("three", "Return three.", lambda parser: None, lambda args: 3))
    try:
        assert main(["three"]) == 3
    finally:
        del COMMANDS["three"]


@pytest.mark.filterwarnings("default")
def test_warnings_are_one_line(capsys):
    before = warnings.showwarning
    register(Command("warn", "Warn.", lambda parser: None, lambda args: warnings.warn("first\nsecond", stacklevel=1)))
    try:
        assert main(["warn"]) == 0
    finally:
        del COMMANDS["warn"]
    assert capsys.readouterr().err == "sixd: warning: first second\n"
    assert warnings.showwarning is before


def test_starting_imports_no_more_than_sixd_itself():
    """The list of commands needs nothing that `import sixd` does not load, and no extra is loaded by either."""
    code = """
import sys
import sixd
before = set(sys.modules)
import sixd.cli.main
sixd.cli.main.make_parser().format_help()
print(*{name.partition(".")[0] for name in set(sys.modules) - before if not name.startswith("sixd")})
assert not {"scipy", "pyarrow", "pinocchio", "matplotlib", "pandas"} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) <= {"argparse", "csv", "_csv", "decimal", "_decimal", "gettext", "textwrap"} | set(
        sys.stdlib_module_names
    )


@pytest.mark.parametrize(
    "argv",
    [
        ["--help"],
        ["info", "examples/two_link.urdf"],
        ["eval", "gravity", "examples/two_link.urdf"],
        ["view", "gallery.pendulum", "--help"],
        ["info", "mechanisms.four_ba"],
    ],
)
def test_simulation_is_not_imported_for_what_does_not_simulate(request, argv):
    """Every command imported it, for the names of mechanisms and integrators: a sixth of the time of a start."""
    code = f"""
import sys
from sixd.cli.main import main
try:
    main({argv!r})
finally:
    assert not [name for name in sys.modules if name.startswith(("sixd.simulation", "sixd.mechanisms"))]
"""
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, cwd=request.config.rootpath)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("to", [">&-", ">/dev/full"])
@pytest.mark.parametrize(
    ("argv", "errors"),
    [
        *(
            (argv, "")
            for argv in (["info", "gallery.pendulum"], ["info", "nowhere.urdf"], ["cache"], ["--version"], [])
        ),
        (["info", "gallery.pendulum"], "2>&-"),
        (["info", "gallery.quadruped", "--json"], ""),  # more than a buffer
    ],
)
def test_output_that_cannot_be_written_is_no_success(request, monkeypatch, argv, to, errors, unbuffered):
    """``sixd info arm.urdf >&-`` and ``sixd --version >/dev/full`` printed nothing and ended with 0."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    command = f"{shlex.quote(sys.executable)} -m sixd {' '.join(argv)} {to} {errors}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120, cwd=request.config.rootpath)
    assert done.returncode == 2
    if not errors:
        prints = argv and "nowhere.urdf" not in argv
        told = "is closed" if to == ">&-" else "cannot be written: No space left on device"
        assert done.stderr.count(f"sixd: standard output {told}") == bool(prints)
        assert "Traceback" not in done.stderr
        assert "Exception" not in done.stderr


def test_what_is_not_printed_may_go_to_a_closed_stream(request, tmp_path):
    """Files are written as ever."""
    files = shlex.join(["--states", str(tmp_path / "q.csv"), "--out", str(tmp_path / "o.csv")])
    (tmp_path / "q.csv").write_text("q_pivot\n0.5\n")
    command = f"{shlex.quote(sys.executable)} -m sixd eval gravity gallery.pendulum {files} >&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120, cwd=request.config.rootpath)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "o.csv").read_text().startswith("g_pivot\n")


def test_options_that_take_several_values_come_after_the_file(capsys):
    assert ended(["simulate", "--q", "0", "0", "arm.urdf"]) == 2
    assert "required: file; --q takes all values that follow it: put the file before it" in capsys.readouterr().err
    assert ended(["info"]) == 2
    assert "put the file before it" not in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_streams_without_all_letters(monkeypatch, tmp_path, encoding):
    """The lines of trees ended in a traceback, and JSON was written in the encoding of the terminal."""
    (tmp_path / "ärm.urdf").write_text("<robot name='机'><link name='a'/></robot>", encoding="utf-8")
    for argv, wanted in (
        (["info", "mechanisms.four_bar"], "|  `- coupler"),
        (["info", str(tmp_path / "ärm.urdf"), "--json"], '"name": "\\u673a"'),
    ):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
        assert main(argv) == 0
        assert wanted in raw.getvalue().decode(encoding)
