"""`-o table`: for people at a terminal.

Widths come from the first records; the following ones are set into the same columns, and a value
that needs more room is folded; names are not. If the terminal is too narrow for all columns, those
that have no value, then those that matter least, are left out, with a note (`--wide` shows them);
before a time is left out, times lose their seconds. If that is not enough, each record becomes a
block of lines; with `--wide` it does if only texts can be folded, and no value is shortened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from mqtriage.formatters.cells import (
    MISSING,
    display_function,
    is_right_aligned,
    name_shortened,
    shortened,
)
from mqtriage.formatters.document import document_lines
from mqtriage.formatters.forms.grid import drawn_grid
from mqtriage.formatters.forms.layout import GAP, fitted, kept, natural_widths
from mqtriage.formatters.forms.rows import BLOCK, blocks
from mqtriage.formatters.out import Out
from mqtriage.formatters.pairs import pair_lines
from mqtriage.formatters.report import report_lines
from mqtriage.formatters.style import Style
from mqtriage.model.result import Document, Field, Listing, Record, Report, Show
from mqtriage.records import NamedTuple

Cells = dict[str, str]

_SECONDS: Final = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d):\d\d(?:\.\d+)?")
_FOLDABLE: Final = frozenset({Show.TEXT, Show.ID, Show.TIME})


def write_listing(
    listing: Listing, fields: Sequence[Field], records: Iterator[Record], style: Style, out: Out
) -> None:
    """Write the records in columns, or as blocks of lines."""
    whole = not style.wide  # of a time people want the second, scripts what there is
    displays = [
        (field.key, display_function(field.show, utc=style.utc, whole_seconds=whole))
        for field in fields
    ]
    times = [field.key for field in fields if field.show is Show.TIME]
    widths: tuple[int, ...] | None = None
    to_minutes = False
    for number, block in enumerate(blocks(records)):
        rows = [{key: show(record.get(key)) for key, show in displays} for record in block]
        if number == 0:
            complete = len(block) < BLOCK
            natural, stay = _staying(fields, rows, style, complete=complete)
            if style.columns or style.wide:
                stay = list(range(len(fields)))
            elif lost := {n for n, field in enumerate(fields) if field.key in times} - {*stay}:
                less = [f._replace(width=0) if f.key in times else f for f in fields]
                shorter = [_without_seconds(row, times) for row in rows]
                narrow = _staying(less, shorter, style, complete=complete)
                if to_minutes := not lost.isdisjoint(narrow[1]):
                    natural, stay = narrow
        if to_minutes:
            rows = [_without_seconds(row, times) for row in rows]
        if number == 0:
            staying, wish = [fields[n] for n in stay], [natural[n] for n in stay]
            widths = fitted(staying, wish, style.width, whole=style.wide)
            if style.wide and widths is not None and _breaks_a_word(staying, widths, rows):
                widths = None
            if widths is not None:  # blocks have room for all of them
                listing.left_out += [
                    field.heading for n, field in enumerate(fields) if n not in stay
                ]
                fields = [fields[n] for n in stay]
        if widths is None:
            out.write(_as_blocks(fields, rows, style, out.is_unicode, first=number == 0))
        else:
            out.write(_as_columns(fields, widths, rows, style, out.is_unicode, first=number == 0))


def _staying(
    fields: Sequence[Field], rows: Sequence[Cells], style: Style, *, complete: bool
) -> tuple[list[int], list[int]]:
    """The width that each column would like, and the numbers of those that fit."""
    from rich.cells import cell_len

    cells = [[row[field.key] for field in fields] for row in rows]
    natural = natural_widths(fields, cells, complete=complete, measure=cell_len)
    empty = _empty(zip(*cells, strict=True)) if complete else ()
    return natural, kept(fields, natural, style.width, empty)


def _breaks_a_word(fields: Sequence[Field], widths: Sequence[int], rows: Sequence[Cells]) -> bool:
    """Whether a path or a digest would go over two lines of a cell."""
    return any(
        len(word) > width
        for field, width in zip(fields, widths, strict=True)
        for row in rows
        for word in row[field.key].split()
    )


def _empty(columns: Iterable[Sequence[str]]) -> list[int]:
    """The numbers of the columns in which no record has a value."""
    return [n for n, column in enumerate(columns) if {*column} == {MISSING}]


def _without_seconds(row: Cells, times: Sequence[str]) -> Cells:
    """The row with its times to the minute: better than none, if a column would be left out."""
    return row | {key: _SECONDS.sub(r"\1", row[key]) for key in times}


class ColumnCells(NamedTuple):
    """A column that fits, with what stands in it."""

    field: Field
    width: int
    cells: list[str]


def column_cells(
    fields: Sequence[Field], records: Sequence[Record], style: Style, *, is_unicode: bool
) -> list[ColumnCells]:
    """The columns of all *records* that fit the width, for a table that something else draws.

    Each record has one line: texts are shortened where they stand, and where that is not enough,
    the table goes on beyond the edge.
    """
    from rich.cells import cell_len

    as_drawn = {Show.TEXT: Show.NAME, Show.TIME: Show.NUMBER}  # shortened, and left whole
    shows = [display_function(field.show, utc=style.utc, whole_seconds=True) for field in fields]
    columns = [
        [show(record.get(field.key)) for record in records]
        for field, show in zip(fields, shows, strict=True)
    ]
    fitting = [field._replace(show=as_drawn.get(field.show, field.show)) for field in fields]
    rows = zip(*columns, strict=True)
    natural = natural_widths(fields, rows, complete=True, measure=cell_len)
    stay = kept(fitting, natural, style.width)
    of_stay = [natural[n] for n in stay]
    widths = fitted([fitting[n] for n in stay], of_stay, style.width) or of_stay
    first_name = next((field.key for field in fitting if field.show is Show.NAME), "")
    ellipsis = "…" if is_unicode else ".."
    return [
        ColumnCells(
            fields[n],
            width,
            [_short(cell, fitting[n], width, first_name, ellipsis) for cell in columns[n]],
        )
        for n, width in zip(stay, widths, strict=True)
    ]


def _as_columns(
    fields: Sequence[Field],
    widths: Sequence[int],
    rows: Sequence[Cells],
    style: Style,
    is_unicode: bool,
    *,
    first: bool,
) -> str:
    ellipsis = "…" if is_unicode else ".."
    first_name = next((field.key for field in fields if field.show is Show.NAME), "")
    foldable = {Show.TEXT} if style.wide else _FOLDABLE
    columns = [
        [
            row[field.key]
            if style.wide
            else _short(row[field.key], field, width, first_name, ellipsis)
            for row in rows
        ]
        for field, width in zip(fields, widths, strict=True)
    ]
    # A number is never folded: 12345 on two lines would read as two numbers; nor is a name.
    widths = [
        width if field.show in foldable else max(width, *map(len, column))
        for field, width, column in zip(fields, widths, columns, strict=True)
    ]
    cells = list(zip(*columns, strict=True))
    return drawn_grid(
        [field.heading for field in fields],
        cells,
        [is_right_aligned(field.show) for field in fields],
        widths,
        colour=style.colour,
        is_unicode=is_unicode,
        heading=first and style.header,
    )


def _as_blocks(
    fields: Sequence[Field], rows: Sequence[Cells], style: Style, is_unicode: bool, *, first: bool
) -> str:
    ellipsis = "…" if is_unicode else ".."
    label = max(len(field.heading) for field in fields)
    room = style.width - GAP - label
    lines: list[str] = []
    for number, row in enumerate(rows):
        if number or not first:
            lines.append("")
        for field in fields:
            text = row[field.key]
            is_id = field.show is Show.ID
            if is_id and not style.wide:
                text = shortened(text, max(room, 9), ellipsis)
            # a name goes on beyond the edge, where the terminal breaks it and a copy is whole
            width = None if is_id or field.show is Show.NAME else style.width
            pair = (field.heading.ljust(label), text)
            lines += pair_lines([pair], width=width, colour=style.colour)
    return "\n".join(lines) + "\n"


def _short(text: str, field: Field, width: int, first_name: str, ellipsis: str) -> str:
    """A cell that may be shortened, set into its column."""
    if field.show is Show.ID:
        return shortened(text, width, ellipsis)
    if field.show is Show.NAME and field.key != first_name:
        return name_shortened(text, width, ellipsis)
    return text


def drawn(style: Style, out: Out) -> Callable[[Sequence[str], Sequence[Any], Sequence[bool]], str]:
    """The function that draws a small table that is known in full."""

    def draw(headings: Sequence[str], rows: Sequence[Sequence[str]], rights: Sequence[bool]) -> str:
        columns = zip(headings, *rows, strict=True)
        return drawn_grid(
            headings,
            rows,
            rights,
            [max(map(len, cells)) for cells in columns],
            colour=style.colour,
            is_unicode=out.is_unicode,
            heading=True,
        )

    return draw


def write_document(document: Document, style: Style, out: Out) -> None:
    """Write the sections as lines of label and value."""
    out.write("\n".join(document_lines(document, style, width=style.width)) + "\n")


def write_report(report: Report, style: Style, out: Out) -> None:
    """Write in words what was done."""
    out.write("\n".join(report_lines(report, style, draw=drawn(style, out))) + "\n")
