"""The command tree: every group, what its help says, and its verbs.

A verb is a function with `@takes` in the file of its noun: `delay browse` is `browse` in
`cli/delay.py`, or in a file of the folder `cli/backout/`. Which they are, in what order, and their
lines of help stand in `verbs.tsv`, which scripts/make_index.py writes from the functions; what help
says of a group stands in `groups.tsv`, in the order of help, the noun "" for the program itself;
what people type instead in `habits.tsv`.
Nothing is imported here, and `cli/frame/lazy.py` imports the module of a verb when it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, TypeAlias

from mqtriage.records import NamedTuple

Verb: TypeAlias = tuple[str, str]
"""(``module:function``, one line of help)."""

INDEX: Final = "verbs.tsv"
_GROUPS: Final = "groups.tsv"
_HABITS: Final = "habits.tsv"


class CommandGroup(NamedTuple):
    """An MQ noun with its verbs.

    Attributes:
        help: one line, shown beside the group's name.
        verbs: name to (module:function, one line of help), in the order of the help.
        examples: command lines to paste, shown in the group's help and manual page.
        default: verb that is meant where none is named, "" for none: `mqtriage mqsc FILE`.
        together: words of several verbs to the one row of the group's help that they share, so
            that it fits a screen.
        parts: first word of verbs of two words to the line of help for all of these.
        files: where the verbs are in a folder, its files in the order of the help.
    """

    help: str
    verbs: Mapping[str, Verb]
    examples: tuple[str, ...] = ()
    default: str = ""
    together: Mapping[str, str] = {}
    parts: Mapping[str, str] = {}
    files: tuple[str, ...] = ()


def verb_of(group: CommandGroup, words: Sequence[str]) -> tuple[str, int]:
    """The verb that *words* begin with, and of how many words it is; ("", 0) for none.

    A verb of two words is one of a kind: ``emulator lab consume``.
    """
    for count in (2, 1):
        name = " ".join(words[:count])
        if len(words) >= count and name in group.verbs:
            return name, count
    return "", 0


def _rows(name: str) -> Iterator[list[str]]:
    with open(f"{__file__.removesuffix('tree.py')}{name}", encoding="utf-8") as rows:
        for row in rows:
            yield row.rstrip("\n").split("\t")


def _lines(rows: Iterable[str]) -> dict[str, str]:
    """Words to their line, of rows of ``words: line``."""
    return dict(row.split(": ", 1) for row in rows)


def _read_groups() -> dict[str, CommandGroup]:
    """Noun to its group; "" is the program itself, whose verbs are the commands without a noun."""
    texts: dict[str, dict[str, list[str]]] = {}
    for noun, kind, text in _rows(_GROUPS):
        texts.setdefault(noun, {}).setdefault(kind, []).append(text)
    verbs: dict[str, dict[str, Verb]] = {}
    for noun, verb, target, line in _rows(INDEX):
        verbs.setdefault(noun, {})[verb] = (target, line)
    return {
        noun: CommandGroup(
            "".join(of.get("help", ())),
            verbs[noun],
            tuple(of.get("example", ())),
            "".join(of.get("default", ())),
            _lines(of.get("together", ())),
            _lines(of.get("part", ())),
            tuple(of.get("file", ())),
        )
        for noun, of in texts.items()
    }


@cache
def habits(kind: str) -> Mapping[str, str]:
    """What people type that is not there, and what they mean; read where a word is wrong.

    Args:
        kind: ``verb``: of other tools, and ours for it; of these those count that the group has,
            and those behind a semicolon where it has none before it.
            ``command``: the first word of another tool's command, and our commands for it, with
            semicolons between them.
            ``noun verb``: a verb that a group has not, or has no more, and what to type.
            ``option``: of other tools, and ours; of these those count that the command has.
            ``option gone``: its work others do; it counts where the command has its option.
            ``option here``: behind its command, and the command that does it.
            ``extra words``: a command that gets more arguments than it takes, and what to type.
    """
    return {word: meant for of, word, meant in _rows(_HABITS) if of == kind}


GROUPS: Final = _read_groups()
PROGRAM: Final = GROUPS.pop("")
"""Its row of help for several groups, and the files of the commands without a noun."""
COMMANDS: Final = PROGRAM.verbs
