"""The tokens of an MQSC script, cut without our parser: what a formatter has to keep."""

from __future__ import annotations

import re
from typing import Final

from mqtriage.mq.mqsc.verbs import NOUN_BY_WORD, VERB_BY_WORD

_TOKEN: Final = re.compile(r"'(?:[^'\n]|'')*'|\"[^\"\n]*\"|[()]|[^\s(),;'\"]+|['\"]")


def tokens(text: str) -> list[str]:
    """Every word, quoted text and parenthesis, in order.

    Unquoted words are in upper case (ASCII) and verbs and object types in full; line ends,
    continuation signs, comment lines, commas and semicolons are no tokens.
    """
    lines = [line for line in text.split("\n") if not line.startswith("*")]
    joined = re.sub(r"[+-][ \t\r]*\n\s*", "", "\n".join(lines) + "\n")
    return [_normal(match[0]) for match in _TOKEN.finditer(joined)]


def _normal(token: str) -> str:
    if len(token) > 1 and token[0] == token[-1] == '"':
        return f"'{token[1:-1]}'"
    if token.startswith("'"):
        return token
    word = re.sub("[a-z]+", lambda letters: letters[0].upper(), token)
    return VERB_BY_WORD.get(word) or NOUN_BY_WORD.get(word) or word
