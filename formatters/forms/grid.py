"""Rows set into columns of given widths; rich knows how wide a character is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from mqtriage.formatters.cells import MISSING
from mqtriage.formatters.forms.layout import GAP
from mqtriage.formatters.pairs import bold, folded, painted

COLOURS: Final = {
    **dict.fromkeys(("ok", "running", "done", "delivered"), "green"),
    **dict.fromkeys(("due", "half", "off", "shared", "skipped"), "yellow"),
    **dict.fromkeys(("overdue", "doomed", "broken", "loop", "failed", "stopped"), "red"),
    MISSING: "dim",
}
"""Of cells that are one of these words."""

_CODES: Final = {"green": "32", "yellow": "33", "red": "31", "dim": "2"}


def drawn_grid(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    rights: Sequence[bool],
    widths: Sequence[int],
    *,
    colour: bool,
    is_unicode: bool,
    heading: bool,
) -> str:
    """Draw rows, a cell that is too long on several lines; without *colour* no escape code."""
    text = ""
    if heading:
        cells = _padded(headings, rights, widths)
        text = (" " * GAP).join(bold(cell, colour) for cell in cells).rstrip() + "\n"
        text += ("─" if is_unicode else "-") * (sum(widths) + GAP * (len(widths) - 1)) + "\n"
    for row in rows:
        codes = [_CODES.get(COLOURS.get(cell, ""), "") for cell in row]
        pieces = [folded(cell, width) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*pieces, fillvalue=""):
            cells = _padded(parts, rights, widths)
            line = (
                painted(code, cell, colour and bool(code and part))
                for code, cell, part in zip(codes, cells, parts, strict=True)
            )
            text += (" " * GAP).join(line).rstrip() + "\n"
    return text


def _padded(cells: Sequence[str], rights: Sequence[bool], widths: Sequence[int]) -> list[str]:
    from rich.cells import cell_len

    padded = []
    for cell, right, width in zip(cells, rights, widths, strict=True):
        blanks = " " * (width - cell_len(cell))
        padded.append(blanks + cell if right else cell + blanks)
    return padded
