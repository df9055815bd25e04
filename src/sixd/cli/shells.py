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


def _positions(commands: Sequence[CommandWords], answer: str, or_file: str, first: int) -> Iterator[str]:
    """A case for each argument whose words are known, by the command and the place of the cursor.

    ``answer`` is how words are offered where no file is expected, ``or_file`` how they are offered beside files.
    """
    for command in commands:
        for k, position in enumerate(command.positions):
            if position.words:
                how = or_file if position.files else answer
                yield f"    {command.name}:{first + k}) {how.format(' '.join(position.words))}; return ;;"


def bash(commands: Sequence[CommandWords]) -> str:
    """Where the function offers nothing, bash completes files. Names of robots are offered from the first letter on."""
    offer = 'COMPREPLY=($(compgen -W "{}" -- "$cur"))'
    or_file = '_sixd_or_file "{}"'
    options = [
        f"    {c.name}) {offer.format(' '.join(name for option in c.options for name in option.names))} ;;"
        for c in commands
    ]
    lines = [
        "# completion of sixd in bash",
        "_sixd_or_file() {",
        "  local file",
        '  [ -n "$cur" ] && COMPREPLY=($(compgen -W "$1" -- "$cur"))',
        "  [ ${#COMPREPLY[@]} -eq 0 ] && return",
        "  compopt -o filenames 2>/dev/null",
        '  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$cur")',
        "}",
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
        *_positions(commands, offer, or_file, 2),
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
        *_positions(commands, "compadd {}", "compadd {}; _files", 3),
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
        for k, position in enumerate(c.positions):
            if position.words:
                here = f"__fish_seen_subcommand_from {c.name}; and test (count (commandline -opc)) -eq {k + 2}"
                only = "" if position.files else " -f"
                lines.append(f"complete -c sixd -n '{here}'{only} -a '{' '.join(position.words)}'")
    return "\n".join(lines) + "\n"


#: The scripts by shell.
SHELLS: dict[str, Callable[[Sequence[CommandWords]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
