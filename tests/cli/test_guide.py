"""The commands of the guide run as they are printed; those of other pages and of help texts are understood."""

import re
import shlex

import pytest

from sixd.cli import COMMANDS
from sixd.cli.main import main, make_parser
from tests.test_claims import section
from tests.test_docs import PAGES, ROOT

GUIDE = section((ROOT / "docs" / "guide.md").read_text(), "From the command line")
LINES = re.findall(r"^    sixd (.*)$", GUIDE, re.MULTILINE)


@pytest.mark.parametrize("line", LINES)
def test_commands_of_the_guide(capsys, monkeypatch, line):
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(line, comments=True)) == 0
    assert capsys.readouterr().err == ""


def test_every_command_is_in_the_guide():
    text = (ROOT / "docs" / "guide.md").read_text() + (ROOT / "README.md").read_text()
    assert {name for name in COMMANDS if f"sixd {name}" in text} == set(COMMANDS)


def named():
    """The command lines in pages and help texts that can be parsed: without what a shell does with them."""
    texts = [page.read_text() for page in PAGES]
    texts += [action.format_help() for action in make_parser()._subparsers._group_actions[0].choices.values()]
    found = {line for text in texts for line in re.findall(r"^ +sixd ([a-z]+ .*?)(?: {2,}.*)?$", text, re.MULTILINE)}
    found |= {line for text in texts for line in re.findall(r"`sixd ([a-z]+ [^`]+)`", text)}
    return sorted(re.split(r"\s+[#|>;]", line)[0] for line in found)


@pytest.mark.parametrize("line", named())
def test_command_lines_are_understood(line):
    if "..." in line or "COMMAND" in line:
        pytest.skip("not a whole command line")
    if line.endswith("--help"):
        return
    assert make_parser().parse_args(shlex.split(line)).run is COMMANDS[line.split()[0]].run
