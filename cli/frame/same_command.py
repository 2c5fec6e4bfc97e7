"""The command line at hand with other options: what a refusal says to type next."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mqtriage.model.shell_words import shell_line, shell_word

if TYPE_CHECKING:
    from mqtriage.cli.frame.console import CommandRun

_LONGEST: Final = 300
_CONSENT: Final = frozenset({"-n", "--dry-run", "--yes", "--confirm", "--expect", "--plan"})
PASSWORD_IN_URL: Final = re.compile(r"://[^/@ ]*@")


def same_command(run: CommandRun, *words: str) -> str:
    """The command line at hand with other options, to be typed next.

    Args:
        words: what is added, in place of the same options: ``--confirm QM1``. What follows
            ``--where`` is a condition that is to hold as well as those that were given.

    Returns:
        "" where it is too long to read, of several lines, or has a password.
    """
    options = {word.partition(" ")[0] for word in words} | {"-n", "--dry-run"}
    if "-n" in words:  # it needs no consent, and shows whatever number it finds
        options |= {"--yes", "--expect"}
    if "--plan FILE" in words:  # nothing is done that needs a yes
        options.add("--yes")
    return _command(run.arguments, options, [_narrowed(run.arguments, word) for word in words])


def moved_instead(run: CommandRun, *words: str) -> str:
    """The ``msg purge`` or ``backout purge`` at hand as a ``msg move`` of the same messages.

    Returns:
        "" where the command line is another one, or is not to be shown.
    """
    arguments = list(run.arguments)
    for at, pair in enumerate(pairwise(arguments)):
        if pair in (("msg", "purge"), ("backout", "purge")):
            arguments[at : at + 2] = ["msg", "move"]
            return _command(arguments, _CONSENT, words)
    return ""


def _narrowed(arguments: Sequence[str], word: str) -> str:
    """The word to type: a condition together with those of the command line."""
    option, _, condition = word.partition(" ")
    if option != "--where":
        return word
    given = [f"({text})" for text in values_of(arguments, option)]
    both = " and ".join([*([f"({' or '.join(given)})"] if given[1:] else given), condition])
    return f"{option} {shell_word(both)}"


def values_of(arguments: Sequence[str], option: str) -> list[str]:
    """What was given with an option."""
    pairs = zip(arguments, [*arguments, ""][1:], strict=True)
    return [
        word.removeprefix(f"{option}=") if word != option else following
        for word, following in pairs
        if word == option or word.startswith(f"{option}=")
    ]


def loop_over(
    arguments: Sequence[str], option: str, names: Sequence[str], *, is_fed: bool = False
) -> str:
    """A loop of the shell that runs a command line once for each queue manager.

    Args:
        option: ``-m`` or ``--context``.
        names: none that is generic.
        is_fed: the command reads a pipe or a file that is no word of the command line.
    """
    chosen = f"{option} $name"
    command = _command(arguments, {"-m", "--qmgr", "--context"}, (chosen,))
    reads = is_fed or any(word.rpartition("=")[2] == "-" for word in arguments)
    # of an input that they share, the first would read everything, the others nothing
    again = " < FILE" if reads else ""
    return f"for name in {shell_line(names)}; do {command or f'COMMAND {chosen}'}{again}; done"


def _command(arguments: Sequence[str], options: Collection[str], words: Sequence[str]) -> str:
    """The line without *options*, but with *words*; "" where it is not to be shown."""
    kept: list[str] = []
    given = iter(arguments)
    for word in given:
        option, equals, _ = word.partition("=")
        if option not in options:
            kept.append(shell_word(word))
        elif not equals and option not in ("-n", "--dry-run", "--yes"):
            next(given, None)
    line = " ".join(("mqtriage", *kept, *words))
    is_short = kept and len(line) <= _LONGEST and "\n" not in line
    return line if is_short and not PASSWORD_IN_URL.search(line) else ""
