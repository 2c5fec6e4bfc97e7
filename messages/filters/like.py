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
    regexes = [
        re.compile("".join("." if c is None else re.escape(c) for c in piece), re.DOTALL)
        for piece in pieces
    ]
    if len(regexes) == 1:
        return lambda text: regexes[0].fullmatch(text) is not None
    first, *middle, last = regexes
    first_length, last_length = len(pieces[0]), len(pieces[-1])

    def like(text: str) -> bool:
        position, end = first_length, len(text) - last_length
        if end < position or not first.match(text) or not last.match(text, end):
            return False
        for piece in middle:
            match = piece.search(text, position, end)
            if match is None:
                return False
            position = match.end()
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
