"""A list with commas, given with an option that is to be repeated: what to type instead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mqtriage.cli.frame.same_command import values_of
from mqtriage.cli.frame.tree import GROUPS
from mqtriage.cli.frame.verb import parameters_of, verb_function
from mqtriage.model.shell_words import shell_word

_SHOWS_A_LIST: Final = re.compile(r"\w,[\w.]")
"""In the help of an option that takes a list: ``FIELD,...``, ``100,10m``."""
_MOST: Final = 5


def repeat_hint(noun: str, verb: str, args: Sequence[str], text: str) -> str:
    """The option as often as it has values, where the error *text* is about a list of them.

    Returns:
        "" where the error is about something else, or the option takes lists.
    """
    if noun not in GROUPS or verb not in GROUPS[noun].verbs:
        return ""
    for _, opt, words, *_ in parameters_of(verb_function(GROUPS[noun].verbs[verb][0])):
        if opt.kind != "repeated" or _SHOWS_A_LIST.search(f"{opt.metavar} {opt.help}"):
            continue
        for word in words:
            for value in values_of(args, word):
                values = list(filter(None, value.split(",")))
                if 1 < len(values) <= _MOST and value[:60] in text:
                    line = " ".join(f"{word} {shell_word(one)}" for one in values)
                    return f"repeat the option: {line}"
    return ""
