"""Walking through the pieces of a condition: what `--where` and selection strings share."""

from __future__ import annotations

import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final, NoReturn

from mqtriage.records import NamedTuple

COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
"""What the operators of a condition do, with values and with columns of Spark."""
_BLANKS: Final = re.compile(r"\s*+")
_OTHER_QUOTES: Final = {'"': '"', "\u201c": "\u201d", "\u2018": "\u2019", "`": "`"}
"""Quotes of other languages and of word processors, each with its end."""

_WRITTEN_AS: Final = {
    "&": "AND joins two conditions",
    "|": "OR joins two conditions",
    "!": "NOT stands before a condition",
    "~": "LIKE '%text%' compares with a pattern",
    "-": "write it without blanks, as in now-1h",
}
"""What stands here for the signs of other languages."""


class Token(NamedTuple):
    """A piece of the text; *position* counts from 0, *kind* is ``end`` behind the last."""

    kind: str
    text: str
    position: int

    @property
    def shown(self) -> str:
        """The piece for an error message."""
        if self.kind == "end":
            return "the end"
        return repr(self.text if len(self.text) <= 40 else self.text[:40] + "...")


class TokenCursor(ABC):
    """The place in a text that a parser by recursive descent has come to.

    Attributes:
        pattern: one piece of the language; the name of its group is the kind of the token, of
            which the cursor itself knows ``word``, ``mark`` and ``string``.
        greatest_depth: levels of parentheses, NOT and the like inside each other.
    """

    pattern: ClassVar[re.Pattern[str]]
    greatest_depth: ClassVar[int]

    def __init__(self, text: str) -> None:
        self.index = 0
        self.depth = 0
        self.tokens = self._split(text)

    @abstractmethod
    def _fail_at(self, token: Token, why: str, hint: str | None = None) -> NoReturn:
        """Raise the error of the language, with the column."""

    @property
    def _here(self) -> Token:
        return self.tokens[self.index]

    def _is(self, word: str) -> bool:
        token = self._here
        return token.kind in ("word", "mark") and token.text.lower() == word

    def _take(self, word: str) -> bool:
        if not self._is(word):
            return False
        self.index += 1
        return True

    def _expect(self, word: str, expected: str) -> None:
        if not self._take(word):
            self._fail(expected)

    def _string(self, expected: str) -> Token:
        token = self._here
        if token.kind != "string":
            self._fail(expected)
        self.index += 1
        return token

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > self.greatest_depth:
            self._fail_at(self._here, f"more than {self.greatest_depth} levels inside each other")

    def _fail(self, expected: str, hint: str | None = None) -> NoReturn:
        self._fail_at(self._here, f"expected {expected}, found {self._here.shown}", hint)

    def _split(self, text: str) -> list[Token]:
        tokens = []
        position = _skip_blanks(text, 0)
        while position < len(text):
            match = self.pattern.match(text, position)
            if match is None:
                here = Token("word", text[position], position)
                self._fail_at(here, _without_meaning(text, position))
            tokens.append(Token(match.lastgroup or "", match[0], position))
            position = _skip_blanks(text, match.end())
        tokens.append(Token("end", "", len(text)))
        return tokens


def _without_meaning(text: str, position: int) -> str:
    """Why no token begins there; for other quotes, also what to write."""
    character = text[position]
    if character == "'":
        return "this text has no closing quote"
    why = f"{character!r} has no meaning here"
    if character in _WRITTEN_AS:
        return f"{why}: {_WRITTEN_AS[character]}"
    if character not in _OTHER_QUOTES:
        return why
    inner = text[position + 1 :].partition(_OTHER_QUOTES[character])[0]
    short = inner if len(inner) <= 40 else f"{inner[:40]}..."
    doubled = short.replace("'", "''")
    return f"{why}: text is in single quotes, as in '{doubled}'"


def unquoted(text: str) -> str:
    """The content of a string in single quotes."""
    return text[1:-1].replace("''", "'")


def _skip_blanks(text: str, position: int) -> int:
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position
