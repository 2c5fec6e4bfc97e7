"""`-o plain`: columns without borders, for pipes, files and small terminals; laid out by tabulate.

The first records go through tabulate; the following ones are set into the columns it made. A
value that is longer than its column is printed in full and pushes the rest of its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqtriage.formatters.cells import display_function, is_right_aligned
from mqtriage.formatters.document import document_lines
from mqtriage.formatters.forms.rows import BLOCK, blocks
from mqtriage.formatters.out import Out
from mqtriage.formatters.report import report_lines
from mqtriage.formatters.style import Style
from mqtriage.model.result import Document, Field, Listing, Record, Report


def write_listing(
    listing: Listing, fields: Sequence[Field], records: Iterator[Record], style: Style, out: Out
) -> None:
    """Write the records in columns."""
    displays = [display_function(field.show, utc=style.utc, separator="T") for field in fields]
    keys = [field.key for field in fields]
    rights = [is_right_aligned(field.show) for field in fields]
    headings = [field.heading for field in fields]
    widths: list[int] | None = None
    for block in blocks(records):
        rows = [
            [show(record.get(key)) for show, key in zip(displays, keys, strict=True)]
            for record in block
        ]
        if widths is None:
            reserved = [0 if len(block) < BLOCK else field.width for field in fields]
            widths = _widths(headings if style.header else None, rows, reserved)
            out.write(_tabulated(headings if style.header else None, rows, rights, widths))
            continue
        for row in rows:
            cells = zip(row, widths, rights, strict=True)
            line = "  ".join(
                cell.rjust(width) if right else cell.ljust(width) for cell, width, right in cells
            )
            out.write(line.rstrip() + "\n")
    if widths is None and style.header:
        out.write(drawn(headings, [], rights))


def _widths(
    headings: Sequence[str] | None, rows: Sequence[Sequence[str]], reserved: Sequence[int]
) -> list[int]:
    from tabulate import MIN_PADDING

    least = [len(heading) + MIN_PADDING for heading in headings] if headings else reserved
    columns = zip(*rows, strict=True)
    return [
        max(low, held, *map(len, cells))
        for low, held, cells in zip(least, reserved, columns, strict=True)
    ]


def _tabulated(
    headings: Sequence[str] | None,
    rows: Sequence[Sequence[str]],
    rights: Sequence[bool],
    widths: Sequence[int],
) -> str:
    """The rows by tabulate; a row of full width, taken off again, holds the columns open."""
    ruler = ["x" * width for width in widths]
    text = drawn(headings or (), [*rows, ruler], rights).removesuffix("\n")
    return text[: text.rindex("\n") + 1]


def drawn(headings: Sequence[str], rows: Sequence[Sequence[str]], rights: Sequence[bool]) -> str:
    """A small table that is known in full."""
    from tabulate import tabulate

    sides = ["right" if right else "left" for right in rights]
    text = tabulate(rows, headers=headings, tablefmt="plain", disable_numparse=True, colalign=sides)
    return text + "\n"


def write_document(document: Document, style: Style, out: Out) -> None:
    """Write the sections as lines of label and value."""
    out.write("\n".join(document_lines(document, style, width=None, separator="T")) + "\n")


def write_report(report: Report, style: Style, out: Out) -> None:
    """Write in words what was done."""
    out.write("\n".join(report_lines(report, style, draw=drawn)) + "\n")
