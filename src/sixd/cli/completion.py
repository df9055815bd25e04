"""Print a script for completion in bash, zsh or fish.

It completes commands, options and their values. The script is made from what sixd's commands declare; files are
completed where no word is known or fits. Have it read whenever a shell starts by adding the line below to the shell's
own start file, or save it where the shell looks for such scripts.
"""

from __future__ import annotations

import argparse

from sixd.cli.command import COMMANDS, Command, register
from sixd.cli.shells import SHELLS
from sixd.cli.words import words_of

__all__ = ["COMPLETION", "arguments", "run"]

EXAMPLES = """\
examples:
  eval "$(sixd completion bash)"        in ~/.bashrc
  eval "$(sixd completion zsh)"         in ~/.zshrc, after compinit
  sixd completion fish | source         in ~/.config/fish/config.fish
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument("shell", choices=tuple(SHELLS), help="for which shell")


def run(args: argparse.Namespace) -> None:
    print(SHELLS[args.shell]([words_of(command) for command in COMMANDS.values()]), end="")


COMPLETION = register(Command("completion", __doc__, arguments, run))
