"""Scripts that complete the command line, a function for each shell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sixd.cli.words import CommandWords

__all__ = ["SHELLS"]


def _cases(commands: Sequence[CommandWords], answer: str) -> Iterator[str]:
    """A case for each option that a value follows, by the command and the option before the cursor.

    ``answer`` is how words are offered; where none are known the shell is left to offer files.
    """
    for command in commands:
        for option in command.options:
            if option.takes_value:
                names = "|".join(f"{command.name}:{name}" for name in option.names)
                yield f"    {names}) {answer.format(' '.join(option.values)) + '; ' if option.values else ''}return ;;"


def _positions(commands: Sequence[CommandWords], answer: str, first: int) -> Iterator[str]:
    """A case for each argument whose words are known, by the command and the place of the cursor."""
    for command in commands:
        for k, values in enumerate(command.positions):
            if values:
                yield f"    {command.name}:{first + k}) {answer.format(' '.join(values))}; return ;;"


def bash(commands: Sequence[CommandWords]) -> str:
    """Where the function offers nothing, bash completes files."""
    offer = 'COMPREPLY=($(compgen -W "{}" -- "$cur"))'
    options = [
        f"    {c.name}) {offer.format(' '.join(name for option in c.options for name in option.names))} ;;"
        for c in commands
    ]
    lines = [
        "# completion of sixd in bash",
        "_sixd() {",
        "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}",
        "  COMPREPLY=()",
        "  if [ $COMP_CWORD -eq 1 ]; then",
        f"    {offer.format(' '.join([*(c.name for c in commands), '--help', '--version']))}; return",
        "  fi",
        '  case "$command:$prev" in',
        *_cases(commands, offer),
        "  esac",
        '  case "$cur" in -*) case "$command" in',
        *options,
        "  esac; return ;; esac",
        '  case "$command:$COMP_CWORD" in',
        *_positions(commands, offer, 2),
        "  esac",
        "}",
        "complete -o bashdefault -o default -F _sixd sixd",
    ]
    return "\n".join(lines) + "\n"


def zsh(commands: Sequence[CommandWords]) -> str:
    """The same cases, with descriptions of commands and options."""
    described = "\n".join(f"      '{c.name}:{c.help}'" for c in commands)
    options = []
    for c in commands:
        pairs = " ".join(f"'{name}:{option.help}'" for option in c.options for name in option.names)
        options.append(f"    {c.name}) list=({pairs}) ;;")
    values = [line.replace(") return", ") _files; return") for line in _cases(commands, "compadd {}")]
    lines = [
        "#compdef sixd",
        "# completion of sixd in zsh",
        "_sixd() {",
        "  local -a list",
        "  if (( CURRENT == 2 )); then",
        f"    list=(\n{described}\n    )",
        "    _describe command list; return",
        "  fi",
        '  case "$words[2]:$words[CURRENT-1]" in',
        *values,
        "  esac",
        '  if [[ "$words[CURRENT]" == -* ]]; then',
        '    case "$words[2]" in',
        *(f"  {line}" for line in options),
        "    esac",
        "    _describe option list; return",
        "  fi",
        '  case "$words[2]:$CURRENT" in',
        *_positions(commands, "compadd {}", 3),
        "  esac",
        "  _files",
        "}",
        'if [ "$funcstack[1]" = "_sixd" ]; then _sixd "$@"; else compdef _sixd sixd; fi',
    ]
    return "\n".join(lines) + "\n"


def fish(commands: Sequence[CommandWords]) -> str:
    """A line for each word."""
    lines = ["# completion of sixd in fish", "complete -c sixd -n __fish_use_subcommand -f"]
    lines += [f"complete -c sixd -n __fish_use_subcommand -a {c.name} -d '{c.help}'" for c in commands]
    for c in commands:
        seen = f"complete -c sixd -n '__fish_seen_subcommand_from {c.name}'"
        for option in c.options:
            names = " ".join(f"-l {name.removeprefix('--')}" for name in option.names)
            value = f" -x -a '{' '.join(option.values)}'" if option.values else " -r" if option.takes_value else ""
            lines.append(f"{seen} {names}{value} -d '{option.help}'")
        for k, values in enumerate(c.positions):
            if values:
                here = f"__fish_seen_subcommand_from {c.name}; and test (count (commandline -opc)) -eq {k + 2}"
                lines.append(f"complete -c sixd -n '{here}' -f -a '{' '.join(values)}'")
    return "\n".join(lines) + "\n"


#: The scripts by shell.
SHELLS: dict[str, Callable[[Sequence[CommandWords]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
