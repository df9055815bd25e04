"""Scripts that complete the command line, a function for each shell.

All work alike. They go through the words before the cursor, and count the values that options take, to find the place
of the cursor: "commands"; "info:-", an option of a command; "info:--base", a value of that option; "info:@0", its first
positional argument. Then they offer the words of that place. Files are offered beside them where the parser takes both,
and where no word fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sixd.cli.words import MANY, CommandWords

__all__ = ["SHELLS"]

Key = TypeVar("Key")


@dataclass(frozen=True)
class Offer:
    """What is offered at a place: words, each with its help, and whether files stand beside them."""

    words: tuple[tuple[str, str], ...]
    or_files: bool = False


def _takes(commands: Sequence[CommandWords]) -> dict[int, list[str]]:
    """The options that values follow, as "info:--base", by the number of values."""
    found: dict[int, list[str]] = {}
    for command in commands:
        for option in command.options:
            if option.takes:
                found.setdefault(option.takes, []).extend(f"{command.name}:{name}" for name in option.names)
    return found


def _offers(commands: Sequence[CommandWords]) -> dict[Offer, list[str]]:
    """The places at which words are known, as patterns, by what is offered there."""
    first = [*((c.name, c.help) for c in commands), ("--help", ""), ("--version", "")]
    found = {Offer(tuple(first)): ["commands"]}
    for command in commands:
        names = Offer(tuple((name, option.help) for option in command.options for name in option.names))
        found.setdefault(names, []).append(f"{command.name}:-")
        for place, words, or_files in _places(command):
            if words:
                found.setdefault(Offer(tuple((word, "") for word in words), or_files), []).append(place)
    return found


def _places(command: CommandWords) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """The places of values, as patterns, with their words and whether files stand beside these."""
    for option in command.options:
        for name in option.names:
            yield f"{command.name}:{name}", option.words, option.or_files
    first = 0
    for position in command.positions:
        places = ["*"] if position.takes == MANY else range(first, first + position.takes)
        first += position.takes
        for place in places:
            yield f"{command.name}:@{place}", position.words, position.or_files


def _cases(table: Mapping[Key, Sequence[str]], answer: Callable[[Key], str]) -> Iterator[str]:
    """The cases of a table, for bash and zsh."""
    for key, patterns in table.items():
        yield f"    {'|'.join(patterns)}) {answer(key)} ;;"


def _finder(commands: Sequence[CommandWords]) -> list[str]:
    """Functions for bash and zsh: ``_sixd_place`` sets ``place`` by the words after sixd, up to the cursor."""
    return [
        "_sixd_takes() {",
        '  case "$command:$option" in',
        *_cases(_takes(commands), lambda takes: f"left={takes}"),
        "    *) left=0 ;;",
        "  esac",
        "}",
        "_sixd_place() {",
        "  local command=$1 option= left=0 position=0",
        "  place=commands",
        "  (( $# > 1 )) || return",
        "  shift",
        "  while (( $# > 1 )); do",
        "    if [[ $1 == -* && $1 != -[0-9.]* ]]; then option=$1; _sixd_takes",
        "    elif (( left > 0 )); then (( left -= 1 ))",
        "    else (( position += 1 ))",
        "    fi",
        "    shift",
        "  done",
        '  case "$1" in',
        '    --*=*) place="$command:${1%%=*}" ;;',
        '    -*) place="$command:-" ;;',
        '    *) if (( left > 0 )); then place="$command:$option"; else place="$command:@$position"; fi ;;',
        "  esac",
        "}",
    ]


def bash(commands: Sequence[CommandWords]) -> str:
    """Where the function offers nothing, bash completes files. Names of robots are offered from the first letter on.

    Bash takes --base=free for three words, unless it is set up not to.
    """

    def answer(offer: Offer) -> str:
        return f'offer="{" ".join(word for word, _ in offer.words)}"{" or_files=1" if offer.or_files else ""}'

    lines = [
        "# completion of sixd in bash",
        *_finder(commands),
        "_sixd() {",
        "  local word glue place cur prefix offer or_files line=()",
        '  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do',
        "    if [[ ${#line[@]} -gt 0 && ( $word == =* || $glue ) ]]; then line[${#line[@]}-1]+=$word",
        '    else line+=("$word")',
        "    fi",
        "    glue=; [[ $word == =* ]] && glue=1",
        "  done",
        "  cur=${line[${#line[@]}-1]}",
        "  COMPREPLY=()",
        '  _sixd_place "${line[@]}"',
        '  case "$place" in',
        *_cases(_offers(commands), answer),
        "  esac",
        "  if [[ $cur == --*=* ]]; then",
        '    [[ $COMP_WORDBREAKS == *=* ]] || prefix="${cur%%=*}="',
        "    cur=${cur#*=}",
        "  fi",
        "  [[ $or_files && -z $cur ]] && return",
        '  COMPREPLY=($(compgen -P "$prefix" -W "$offer" -- "$cur"))',
        "  [[ $or_files && ${#COMPREPLY[@]} -gt 0 ]] || return 0",
        "  compopt -o filenames 2>/dev/null",
        '  while IFS= read -r word; do COMPREPLY+=("$prefix$word"); done < <(compgen -f -- "$cur")',
        "}",
        "complete -o bashdefault -o default -F _sixd sixd",
    ]
    return "\n".join(lines) + "\n"


def zsh(commands: Sequence[CommandWords]) -> str:
    """The same cases, with descriptions of commands and options."""

    def answer(offer: Offer) -> str:
        items = " ".join(f"'{word}:{text}'" if text else word for word, text in offer.words)
        return f"list=({items}){' or_files=1' if offer.or_files else ''}"

    lines = [
        "#compdef sixd",
        "# completion of sixd in zsh",
        *_finder(commands),
        "_sixd() {",
        "  local place or_files",
        "  local -a list",
        '  _sixd_place "${(@)words[2,CURRENT]}"',
        '  case "$place" in',
        *_cases(_offers(commands), answer),
        "  esac",
        '  [[ "$words[CURRENT]" == --*=* ]] && compset -P "*="',
        "  if _describe word list && [[ -z $or_files ]]; then return; fi",
        "  _files",
        "}",
        'if [ "$funcstack[1]" = "_sixd" ]; then _sixd "$@"; else compdef _sixd sixd; fi',
    ]
    return "\n".join(lines) + "\n"


def fish(commands: Sequence[CommandWords]) -> str:
    """The same in the language of fish; a tab stands between a word and its help.

    The function that prints the words is true where files are not wanted.
    """

    def cases(table: Mapping[Key, Sequence[str]], answer: Callable[[Key], str]) -> Iterator[str]:
        for key, patterns in table.items():
            yield "        case " + " ".join(f"'{pattern}'" for pattern in patterns)
            yield f"            {answer(key)}"

    def answer(offer: Offer) -> str:
        items = " ".join(f"'{word}\t{text}'" if text else word for word, text in offer.words)
        return f"set offer {items}{'; set or_files 1' if offer.or_files else ''}"

    lines = [
        "# completion of sixd in fish",
        "function _sixd_takes",
        "    switch $argv[1]",
        *cases(_takes(commands), lambda takes: f"echo {takes}"),
        "        case '*'",
        "            echo 0",
        "    end",
        "end",
        "function _sixd_place",
        "    set -l command $argv[1]",
        "    set -l option",
        "    set -l left 0",
        "    set -l position 0",
        "    if test (count $argv) -eq 1",
        "        echo commands",
        "        return",
        "    end",
        "    for word in $argv[2..-2]",
        "        if string match -qr -- '^-([^0-9.]|$)' $word",
        "            set option $word",
        '            set left (_sixd_takes "$command:$option")',
        "        else if test $left -gt 0",
        "            set left (math $left - 1)",
        "        else",
        "            set position (math $position + 1)",
        "        end",
        "    end",
        "    switch $argv[-1]",
        "        case '--*=*'",
        '            echo "$command:"(string split -m 1 = -- $argv[-1])[1]',
        "        case '-*'",
        '            echo "$command:-"',
        "        case '*'",
        '            test $left -gt 0; and echo "$command:$option"; or echo "$command:@$position"',
        "    end",
        "end",
        "function _sixd",
        "    set -l cur (commandline -ct)",
        "    set -l typed (commandline -opc) $cur",
        "    set -l prefix (string match -r -- '^--[^=]*=' $cur)",
        "    set -l offer",
        "    set -l or_files",
        "    switch (_sixd_place $typed[2..])",
        *cases(_offers(commands), answer),
        "    end",
        '    string join \\n -- "$prefix"$offer',
        '    test -z "$or_files"; and string match -q -- "$cur*" "$prefix"$offer',
        "end",
        "complete -c sixd -a '(_sixd)'",
        "complete -c sixd -f -n '_sixd >/dev/null'",
    ]
    return "\n".join(lines) + "\n"


#: The scripts by shell.
SHELLS: dict[str, Callable[[Sequence[CommandWords]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
