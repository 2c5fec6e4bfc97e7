"""`-o json`: one JSON value; the items of a list are written as they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mqtriage.formatters.document import chosen_data
from mqtriage.formatters.json_text import compact, indented, line, pieces
from mqtriage.formatters.out import Out
from mqtriage.formatters.report import report_record
from mqtriage.formatters.style import Style
from mqtriage.model.result import SCHEMA, Document, Field, Listing, Record, Report, whole
from mqtriage.mq.times import rfc3339


def write_listing(
    listing: Listing, fields: Sequence[Field], records: Iterator[Record], style: Style, out: Out
) -> None:
    """Write wrapper, one item a line, then summary and warnings.

    Nothing is written before the first record is there, so a command that fails at once prints
    no half of a document. One that fails later leaves it unfinished: it must not parse.
    """
    head = compact(wrapper(listing.kind, style)).removesuffix("}") + ',"items":['
    lead, end = f"{head}\n", f"{head}],"
    for record in records:
        out.write(lead + line(record))
        lead, end = ",\n", "\n],"
    tail = {"summary": listing.summary, "warnings": listing.warnings}
    out.write(end + compact(tail).removeprefix("{") + "\n")


def wrapper(kind: str, style: Style) -> dict[str, Any]:
    """What every JSON result begins with: schema, kind, and where and when it was read."""
    return {
        "schema": SCHEMA,
        "kind": kind,
        "context": style.context,
        "queue_manager": style.queue_manager,
        "at": rfc3339(style.at_us),
    }


def write_document(document: Document, style: Style, out: Out) -> None:
    """Write wrapper, the content as `item`, and warnings."""
    head, data = wrapper(document.kind, style), chosen_data(document, style.columns)
    if style.is_tty:
        content = {**head, "item": whole(data), "warnings": document.warnings}
        out.write(indented(content) + "\n")
        return
    out.write(compact(head).removesuffix("}") + ',"item":')
    for piece in pieces(data):
        out.write(piece)
    out.write("," + compact({"warnings": document.warnings}).removeprefix("{") + "\n")


def write_report(report: Report, style: Style, out: Out) -> None:
    """Write wrapper and the whole report."""
    if style.is_tty:
        content = {**wrapper(report.kind, style), **whole(report_record(report))}
        out.write(indented(content) + "\n")
    else:
        write_report_line(report, style, out)


def write_report_line(report: Report, style: Style, out: Out) -> None:
    """Write the report in one line."""
    for piece in pieces({**wrapper(report.kind, style), **report_record(report)}):
        out.write(piece)
    out.write("\n")
