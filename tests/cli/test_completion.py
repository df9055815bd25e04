"""``sixd completion``: the scripts, run by the shells that are installed."""

import os
import shutil
import subprocess

import pytest

from sixd.algorithms import ALGORITHMS
from sixd.cli import COMMANDS
from sixd.cli.builtin import NAMES
from sixd.cli.command import Command
from sixd.cli.main import main
from sixd.cli.quantities import QUANTITIES
from sixd.cli.shells import SHELLS
from sixd.cli.words import MANY, words_of

LAYERS = {"links", "collisions", "skeleton", "inertias", "axes", "coms", "frames", "constraints"}

#: What has been typed, and what its last word becomes.
CASES = {
    "sixd ": {*COMMANDS, "--help", "--version"},
    "sixd co": {"compare", "completion"},
    "sixd eval ": set(QUANTITIES),
    "sixd eval jac": {"jacobian", "jacobian-rate"},
    "sixd eval --json ja": {"jacobian", "jacobian-rate"},
    "sixd eval id arm.urdf --ex": {"--expressed-in"},
    "sixd eval id arm.urdf --expressed-in ": {"body", "world", "aligned"},
    "sixd eval id gallery.pu": {"gallery.puma560"},
    "sixd eval id --base free gallery.p": {"gallery.particle", "gallery.pendulum", "gallery.puma560"},
    "sixd export arm.urdf --algorithm rn": {name for name in ALGORITHMS if name.startswith("rn")},
    "sixd bench arm.urdf --methods pose jac": {"jacobian"},
    "sixd check gallery.puma560 arm.urdf mechanisms.del": {"mechanisms.delta_robot"},
    "sixd simulate arm.urdf --control ": {"none", "gravity", "pd"},
    "sixd simulate arm.urdf --control pd g": {"gravity"},
    "sixd simulate arm.urdf --control=": {"none", "gravity", "pd"},
    "sixd simulate arm.urdf --control=p": {"pd"},
    "sixd simulate --control=pd gallery.pu": {"gallery.puma560"},
    "sixd simulate --dt 0.1 gallery.pu": {"gallery.puma560"},
    "sixd simulate --gravity 0 -9.81 0 gallery.pu": {"gallery.puma560"},
    "sixd simulate arm.urdf --q joint2=-.5 --law ": {"compliant", "rigid"},
    "sixd simulate arm.urdf --integrator r": {"rk4", "rk43"},
    "sixd view arm.urdf --layers sk": {"skeleton"},
    "sixd view arm.urdf --layers links f": {"frames"},
    "sixd view arm.urdf --layers links ": LAYERS,
    "sixd view arm.urdf --layers links --li": {"--live"},
    "sixd completion ": set(SHELLS),
    "sixd info --b": {"--base"},
    "sixd info no_such_f": {"no_such_f"},
    "sixd info mechanisms.st": {"mechanisms.stewart_platform", "mechanisms.standing_quadruped"},
    "sixd compare arm.urdf mechanisms.del": {"mechanisms.delta_robot"},
}

#: What makes the shells write to "found" what becomes of each line of "typed", with all words that they offer.
BASH = """\
PS1= PS2=
source ../sixd.bash
sixd() { echo "sixd $*" >> ../found; }
"""
ZSH = """\
autoload -Uz compinit; compinit -D -u
source ../sixd.zsh
every() { _main_complete; compstate[insert]=all; compstate[list]= }
zle -C every complete-word every
zle-line-init() {
  local line
  while IFS= read -r line; do
    BUFFER=$line; CURSOR=$#BUFFER; zle every; print -r -- "${(Q)BUFFER}" >> ../found
  done < ../typed
  exit
}
zle -N zle-line-init
"""
ZSH_IN_A_TERMINAL = "zmodload zsh/zpty; zpty inner zsh -d -i; while zpty -r inner; do :; done"
FISH = """\
source ../sixd.fish
while read -l line
    set -l words (complete -C $line | string replace -r '\\t.*' '')
    test -n "$words"; or set words (string split ' ' $line)[-1]
    echo (string replace -r '[^ ]*$' '' $line)"$words" >> ../found
end < ../typed
"""
RUN = {
    "bash": ["bash", "--noprofile", "--rcfile", "../rc", "-i"],
    "zsh": ["zsh", "-f", "-c", ZSH_IN_A_TERMINAL],
    "fish": ["fish", "--no-config", "../rc"],
}


@pytest.fixture(params=SHELLS)
def shell(request):
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return request.param


@pytest.fixture
def complete(shell, tmp_path):
    """A function that types lines into the shell, in a folder with some files, and gives what they become."""
    folder = tmp_path / "folder"
    folder.mkdir()

    def completed(script, lines, files=(), setting=""):
        for name in files:
            (folder / name).touch()
        (tmp_path / f"sixd.{shell}").write_text(script)
        (tmp_path / "typed").write_text("".join(f"{line}\n" for line in lines))
        start = tmp_path / (".zshrc" if shell == "zsh" else "rc")
        start.write_text({"bash": BASH, "zsh": ZSH, "fish": FISH}[shell] + setting)
        keys = "".join(f"{line}\033*\n" for line in lines)
        places = {"HOME": str(folder), "ZDOTDIR": str(tmp_path), "INPUTRC": "/dev/null", "TERM": "dumb"}
        env = {**os.environ, **places}
        subprocess.run(RUN[shell], input=keys, cwd=folder, env=env, capture_output=True, text=True, timeout=60)
        return [line.rstrip() for line in (tmp_path / "found").read_text().splitlines()]

    return completed


def script(capsys, shell):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def last(typed, became):
    """What the last word became; of values that follow an equals sign, the values."""
    before = len(typed.split(" ")) - 1
    return {word.rpartition("=")[2] for word in became.split()[before:]}


def test_completes(capsys, shell, complete):
    found = complete(script(capsys, shell), CASES)
    assert {typed: last(typed, became) for typed, became in zip(CASES, found, strict=True)} == CASES


def test_offers_files(capsys, shell, complete):
    """Beside robots of the same letters, and where no word is known or fits; bash offers robots from a letter on."""
    typed = [
        "sixd view g",
        "sixd view ",
        "sixd simulate arm.urdf --control m",
        "sixd simulate --out=m",
        "sixd eval --q g",
    ]
    found = complete(script(capsys, shell), typed, ["gripper.urdf", "mine.py"])
    found = [last(*pair) for pair in zip(typed, found, strict=True)]
    robots = {name for name in NAMES if name.startswith("gallery")}
    everything = {"gripper.urdf", "mine.py"} | (set() if shell == "bash" else set(NAMES))
    assert found == [{"gripper.urdf"} | robots, everything, {"mine.py"}, {"mine.py"}, {"gripper.urdf"}]


def test_names_with_spaces(capsys, shell, complete):
    assert complete(script(capsys, shell), ["sixd info gr"], ["gripper two.urdf"]) == ["sixd info gripper two.urdf"]


def test_arguments_by_their_number(shell, complete):
    """Two values, then any number of others; an option with a value that may be left out."""

    def arguments(parser):
        parser.add_argument("two", nargs=2, choices=("apple", "pear"))
        parser.add_argument("others", nargs="*", choices=("plum", "quince"))
        parser.add_argument("--maybe", nargs="?", choices=("yes", "no"))

    command = Command("pick", "Pick fruit.", arguments, lambda args: None)
    words = words_of(command)
    assert [p.takes for p in words.positions] == [2, MANY]
    assert [o.takes for o in words.options] == [0, 1]
    cases = {
        "sixd pick a": "sixd pick apple",
        "sixd pick apple p": "sixd pick apple pear",
        "sixd pick apple pear p": "sixd pick apple pear plum",
        "sixd pick apple pear plum q": "sixd pick apple pear plum quince",
        "sixd pick apple --maybe y": "sixd pick apple --maybe yes",
        "sixd pick apple --maybe yes p": "sixd pick apple --maybe yes pear",
    }
    found = complete(SHELLS[shell]([words]), cases)
    assert dict(zip(cases, found, strict=True)) == cases


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_bash_that_does_not_break_words_at_equals_signs(capsys, complete):
    setting = "COMP_WORDBREAKS=${COMP_WORDBREAKS//=}\n"
    cases = ["sixd simulate arm.urdf --control=p", "sixd simulate --dt=0.1 gallery.pu"]
    found = complete(script(capsys, "bash"), cases, setting=setting)
    assert found == ["sixd simulate arm.urdf --control=pd", "sixd simulate --dt=0.1 gallery.puma560"]


@pytest.mark.parametrize("shell", ["fish"], indirect=True)
def test_fish_describes_options_and_not_their_values(capsys, shell, tmp_path):
    (tmp_path / "sixd.fish").write_text(script(capsys, shell))
    code = "complete -C 'sixd simulate a --integrator d'; complete -C 'sixd simulate a --dt'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source {tmp_path}/sixd.fish; {code}"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.splitlines() == ["dopri5", "--dt\tthe step of the integrator, s (0.001)"]


def test_zsh_knows_the_file(capsys):
    assert script(capsys, "zsh").startswith("#compdef sixd\n")


@pytest.mark.parametrize("name", SHELLS)
def test_every_option_is_there(capsys, name):
    text = script(capsys, name)
    for command in COMMANDS.values():
        for option in words_of(command).options:
            assert all(word in text for word in option.names)
