"""Lines of label and value: how a document, a plan and a narrow table are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mqtriage.formatters.cells import MISSING, visible

GAP: Final = 2
NARROWEST: Final = 8
"""Characters that a value gets a line at least, however narrow the terminal."""

_DIGEST_LENGTH: Final = 64
"""Hex digits of a SHA-256, and of an accounting token."""
_HEX: Final = frozenset("0123456789abcdefABCDEF")


def bold(text: str, colour: bool) -> str:
    """*text* in bold, where escape codes are wanted."""
    return painted("1", text, colour)


def dim(text: str, colour: bool) -> str:
    """*text* dimmed, likewise."""
    return painted("2", text, colour)


def red(text: str, colour: bool) -> str:
    """*text* in bold red, likewise."""
    return painted("1;31", text, colour)


def painted(code: str, text: str, colour: bool) -> str:
    """*text* with the escape code *code*, likewise."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour and text else text


def pair_lines(
    pairs: Sequence[tuple[str, str]],
    *,
    indent: int = 0,
    width: int | None = None,
    colour: bool = False,
) -> list[str]:
    """Set the labels in one column and the values in another.

    Args:
        pairs: label and text; a text of several lines (a body, MQSC) keeps them.
        indent: blanks before the label.
        width: fold values at this column; None never folds.
    """
    column = max((len(label) for label, _ in pairs), default=0)
    margin = " " * (indent + column + GAP)
    room = None if width is None else max(NARROWEST, width - len(margin))
    lines = []
    for label, text in pairs:
        label = " " * indent + dim(label, colour) + " " * (column - len(label) + GAP)
        for line in visible_lines(text):
            # a path or digest goes on beyond the edge: the terminal breaks it, and a copy is whole
            is_path = line.startswith("/") and " " not in line
            is_whole = is_path or (len(line) == _DIGEST_LENGTH and set(line) <= _HEX)
            for piece in folded(line, None if is_whole else room):
                lines.append((label + piece).rstrip())
                label = margin
    return lines


def visible_lines(text: str) -> list[str]:
    """The lines of a value, with what a terminal would obey written out; ``-`` for no text."""
    # a tab is shown as blanks, as a terminal would: written out it makes a body hard to read
    lines = text.expandtabs().rstrip("\n").split("\n")
    return [visible(line.removesuffix("\r")) for line in lines] if text.strip() else [MISSING]


def folded(line: str, room: int | None) -> Iterator[str]:
    """Cut *line* into pieces of at most *room* columns, at a blank if possible."""
    while room is not None and not (line.isascii() and len(line) <= room):
        from rich.cells import cell_len, chop_cells

        if cell_len(line) <= room:
            break
        most = max(1, len(chop_cells(line, room)[0]))
        cut = line.rfind(" ", 1, most + 1)
        yield line[: cut if cut > 0 else most]
        line = line[cut + 1 if cut > 0 else most :]
    yield line
