"""Rows drawn into columns of given widths: by rich, or as rich would where that takes too long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

from mqtriage.formatters.cells import MISSING
from mqtriage.formatters.forms.layout import GAP
from mqtriage.formatters.pairs import folded

COLOURS: Final = {
    **dict.fromkeys(("ok", "running", "done", "delivered"), "green"),
    **dict.fromkeys(("due", "half", "off", "shared", "skipped"), "yellow"),
    **dict.fromkeys(("overdue", "doomed", "broken", "loop", "failed", "stopped"), "red"),
    MISSING: "dim",
}
"""Of cells that are one of these words."""

_CODES: Final = {"green": 32, "yellow": 33, "red": 31, "dim": 2}


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
    """Draw rows by rich, in columns of the given widths; without *colour* no escape code."""
    from io import StringIO

    from rich.box import Box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rule = "─" if is_unicode else "-"
    box = Box(f"    \n    \n {rule}{rule} \n" + "    \n" * 5)
    # The gap is drawn as one blank of padding and one of the box.
    table = Table(
        box=box,
        show_edge=False,
        pad_edge=False,
        padding=(0, GAP - 1, 0, 0),
        show_header=heading,
        header_style="bold" if colour else "",
    )
    for name, right, width in zip(headings, rights, widths, strict=True):
        table.add_column(
            name,
            justify="right" if right else "left",
            width=width,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(cell, COLOURS.get(cell, "") if colour else "") for cell in row))
    buffer = StringIO()
    console = Console(
        file=buffer,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        width=sum(widths) + GAP * len(widths),
        height=25,  # without a height rich takes 80 columns where TERM is dumb
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    console.print(table)
    return "".join(line.rstrip() + "\n" for line in buffer.getvalue().splitlines())


def is_simple(rows: Iterable[Sequence[str]], widths: Sequence[int]) -> bool:
    """Whether characters are as wide as they are many, where a cell has to be folded."""
    from rich.cells import cell_len

    return all(
        cell.isascii() or cell_len(cell) <= width
        for row in rows
        for cell, width in zip(row, widths, strict=True)
    )


def row_text(
    row: Sequence[str], rights: Sequence[bool], widths: Sequence[int], colour: bool
) -> str:
    """One row set into the columns that rich has drawn; rich takes 50 times as long for it."""
    from rich.cells import cell_len

    pieces = [
        (cell,) if cell_len(cell) <= width else tuple(folded(cell, width))
        for cell, width in zip(row, widths, strict=True)
    ]
    text = ""
    for parts in zip_longest(*pieces, fillvalue=""):
        line = []
        for cell, part, right, width in zip(row, parts, rights, widths, strict=True):
            blanks = " " * (width - cell_len(part))
            padded = blanks + part if right else part + blanks
            name = COLOURS.get(cell) if colour else None
            line.append(f"\x1b[{_CODES[name]}m{padded}\x1b[0m" if name and part else padded)
        text += (" " * GAP).join(line).rstrip() + "\n"
    return text
