"""SQL LIKE: ``%`` is any run of characters, ``_`` one character, ESCAPE makes them plain."""

from __future__ import annotations

import re
from collections.abc import Callable


def like_error(pattern: str, escape: str) -> str:
    """What is wrong with a LIKE pattern, or nothing."""
    if len(escape) > 1:
        return f"ESCAPE takes one character, not {len(escape)}"
    position = 0
    while escape and (position := pattern.find(escape, position)) >= 0:
        if pattern[position + 1 : position + 2] not in ("%", "_", escape):
            return f"in a pattern, {escape!r} must be followed by %, _ or itself"
        position += 2
    return ""


def shortest(pattern: str, escape: str = "") -> int:
    """How many characters the shortest text has that a pattern fits."""
    return sum(map(len, _like_pieces(pattern, escape)))


def like_function(pattern: str, escape: str = "") -> Callable[[str], bool]:
    """A SQL LIKE pattern as a function; its time grows with text times pattern, never faster."""
    pieces = _like_pieces(pattern, escape)
    finders = [_Piece(piece) for piece in pieces]
    if len(finders) == 1:
        only = finders[0]
        return lambda text: len(text) == only.length and only.at(text, 0)
    first, *middle, last = finders

    def like(text: str) -> bool:
        end = len(text) - last.length
        if end < first.length or not first.at(text, 0) or not last.at(text, end):
            return False
        position = first.length
        for piece in middle:
            position = piece.end_of_next(text, position, end)
            if position < 0:
                return False
        return True

    return like


def _like_pieces(pattern: str, escape: str) -> list[list[str | None]]:
    """The runs between ``%``; None stands for ``_``."""
    pieces: list[list[str | None]] = [[]]
    characters = iter(pattern)
    for character in characters:
        if escape and character == escape:
            pieces[-1].append(next(characters, escape))
        elif character == "%":
            pieces.append([])
        else:
            pieces[-1].append(None if character == "_" else character)
    return pieces


class _Piece:
    """A run of fixed length between two ``%``."""

    __slots__ = ("length", "literal", "regex")

    def __init__(self, piece: list[str | None]) -> None:
        self.length = len(piece)
        self.literal = "".join(c for c in piece if c is not None) if None not in piece else None
        source = "".join("." if c is None else re.escape(c) for c in piece)
        self.regex = re.compile(source, re.DOTALL) if self.literal is None else None

    def at(self, text: str, position: int) -> bool:
        """Whether it stands at *position*."""
        if self.literal is not None:
            return text.startswith(self.literal, position)
        return self.regex is not None and self.regex.match(text, position) is not None

    def end_of_next(self, text: str, start: int, end: int) -> int:
        """Where its first place between *start* and *end* ends; -1 without one."""
        if self.literal is not None:
            place = text.find(self.literal, start, end)
            return -1 if place < 0 else place + self.length
        match = self.regex.search(text, start, end) if self.regex is not None else None
        return -1 if match is None else match.end()
