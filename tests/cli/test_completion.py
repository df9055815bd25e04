"""``sixd completion``: the scripts, run by the shells that are installed."""

import shutil
import subprocess

import pytest

from sixd.algorithms import ALGORITHMS
from sixd.cli import COMMANDS
from sixd.cli.builtin import NAMES
from sixd.cli.main import main
from sixd.cli.quantities import QUANTITIES
from sixd.cli.shells import SHELLS
from sixd.cli.words import words_of

#: What has been typed, and the words that are offered.
CASES = {
    "sixd ": {*COMMANDS, "--help", "--version"},
    "sixd co": {"compare", "completion"},
    "sixd eval ": set(QUANTITIES),
    "sixd eval jac": {"jacobian", "jacobian-rate"},
    "sixd eval id arm.urdf --ex": {"--expressed-in"},
    "sixd eval id arm.urdf --expressed-in ": {"body", "world", "aligned"},
    "sixd export arm.urdf --algorithm rn": {name for name in ALGORITHMS if name.startswith("rn")},
    "sixd simulate arm.urdf --control ": {"none", "gravity", "pd"},
    "sixd simulate arm.urdf --law ": {"compliant", "rigid"},
    "sixd simulate arm.urdf --integrator r": {"rk4"},
    "sixd view arm.urdf --layers sk": {"skeleton"},
    "sixd completion ": set(SHELLS),
    "sixd info --b": {"--base"},
    "sixd info no_such_f": set(),
    "sixd info mechanisms.st": {"mechanisms.stewart_platform", "mechanisms.standing_quadruped"},
    "sixd eval id gallery.pu": {"gallery.puma560"},
    "sixd compare arm.urdf mechanisms.del": {"mechanisms.delta_robot"},
}


def script(capsys, shell):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def run(shell, *argv):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, *argv], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("typed", CASES)
def test_bash(capsys, tmp_path, typed):
    (tmp_path / "sixd.bash").write_text(script(capsys, "bash"))
    words = [*typed.split(), ""] if typed.endswith(" ") else typed.split()
    quoted = " ".join(f"'{word}'" for word in words)
    code = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _sixd; echo ${{COMPREPLY[@]}}"
    assert set(run("bash", "-c", f"source {tmp_path}/sixd.bash; {code}").split()) == CASES[typed]


def test_bash_offers_files_beside_built_in_robots(capsys, tmp_path):
    """Of the word "g", a file that begins so, and all of the gallery; of nothing, files alone, which bash adds."""
    (tmp_path / "sixd.bash").write_text(script(capsys, "bash"))
    (tmp_path / "gripper two.urdf").touch()
    code = "COMP_WORDS=(sixd view '{}'); COMP_CWORD=2; _sixd; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    found = run("bash", "-c", f"cd {tmp_path}; source sixd.bash; {code.format('g')}").splitlines()
    assert set(found) == {"gripper two.urdf", *(name for name in NAMES if name.startswith("gallery"))}
    assert run("bash", "-c", f"cd {tmp_path}; source sixd.bash; {code.format('')}").split() == []


@pytest.mark.parametrize("typed", CASES)
def test_fish(capsys, tmp_path, typed, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "sixd.fish").write_text(script(capsys, "fish"))
    out = run("fish", "--no-config", "-c", f"source sixd.fish; complete -C '{typed}'")
    found = {line.partition("\t")[0] for line in out.splitlines()}
    assert found == CASES[typed] - {"--help", "--version"}


def test_zsh(capsys, tmp_path):
    (tmp_path / "_sixd").write_text(script(capsys, "zsh"))
    run("zsh", "-n", str(tmp_path / "_sixd"))
    assert script(capsys, "zsh").startswith("#compdef sixd\n")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_option_is_there(capsys, shell):
    text = script(capsys, shell)
    for command in COMMANDS.values():
        for option in words_of(command).options:
            for name in option.names:
                assert (f"-l {name[2:]}" if shell == "fish" else name) in text
