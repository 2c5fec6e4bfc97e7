"""A command line as a person would type it, to be shown and pasted."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from shlex import quote, split
from typing import Final

from mqtriage.mq.errors import UsageError

_PLAIN_INSIDE: Final = frozenset('"$`\\!')
"""What a shell sees to in double quotes."""


def shell_word(text: str) -> str:
    """A word in the quotes that are easier to read: ``"user = 'a'"``."""
    return f'"{text}"' if "'" in text and _PLAIN_INSIDE.isdisjoint(text) else quote(text)


def shell_line(words: Iterable[str]) -> str:
    """Words as one line of a shell that has the same words again."""
    return " ".join(map(shell_word, words))


def command_words(command: str | None) -> tuple[str, ...]:
    """The words of a command, none for None.

    Raises:
        UsageError: No words, or a quote that does not end.
    """
    words: list[str] = []
    with suppress(ValueError):
        words = split(command or "")
    if command is not None and not words:
        raise UsageError(f"--run {command!r}: not a command with arguments")
    return tuple(words)
