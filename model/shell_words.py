"""A command line as a person would type it, to be shown and pasted."""

from __future__ import annotations

from collections.abc import Iterable
from shlex import quote
from typing import Final

_PLAIN_INSIDE: Final = frozenset('"$`\\!')
"""What a shell sees to in double quotes."""


def shell_word(text: str) -> str:
    """A word in the quotes that are easier to read: ``"user = 'a'"``."""
    return f'"{text}"' if "'" in text and _PLAIN_INSIDE.isdisjoint(text) else quote(text)


def shell_line(words: Iterable[str]) -> str:
    """Words as one line of a shell that has the same words again."""
    return " ".join(map(shell_word, words))
