"""`-o ndjson`: one compact object a line, each written as it comes, without a wrapper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqtriage.formatters.document import chosen_data
from mqtriage.formatters.forms.json_document import write_report_line
from mqtriage.formatters.json_text import line, pieces
from mqtriage.formatters.out import Out
from mqtriage.formatters.style import Style
from mqtriage.model.result import Document, Field, Listing, Record, Report


def write_listing(
    listing: Listing, fields: Sequence[Field], records: Iterator[Record], style: Style, out: Out
) -> None:
    """Write a line a record."""
    for record in records:
        out.write(line(record) + "\n")


def write_document(document: Document, style: Style, out: Out) -> None:
    """Write the content in one line."""
    for piece in pieces(chosen_data(document, style.columns)):
        out.write(piece)
    out.write("\n")


def write_report(report: Report, style: Style, out: Out) -> None:
    """Write the whole report in one line, as `-o json` has it."""
    write_report_line(report, style, out)
