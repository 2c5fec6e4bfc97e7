"""`-o json`: one JSON value; the items of a list are written as they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mqtriage.formatters.document import chosen_data
from mqtriage.formatters.json_text import compact, encoded, pieces
from mqtriage.formatters.out import Out
from mqtriage.formatters.report import item_record, report_head, report_record, report_tail
from mqtriage.formatters.style import Style
from mqtriage.model.result import SCHEMA, Document, Field, Listing, Record, Report, whole
from mqtriage.mq.times import rfc3339


def write_listing(
    listing: Listing, fields: Sequence[Field], records: Iterator[Record], style: Style, out: Out
) -> int:
    """Write wrapper, one item a line, then summary and warnings; return how many items.

    Nothing is written before the first record is there, so a command that fails at once prints
    no half of a document. One that fails later leaves it unfinished: it must not parse.
    """
    keys = [field.key for field in fields] if style.columns else None
    count = 0
    for record in records:
        item = {key: record.get(key) for key in keys} if keys else record
        lead = ",\n" if count else _head(listing, style)
        out.write(lead + compact(item))
        count += 1
    tail = {"summary": listing.summary, "warnings": listing.warnings}
    lead = "\n]," if count else _head(listing, style).rstrip("\n") + "],"
    out.write(lead + compact(tail).removeprefix("{") + "\n")
    return count


def wrapper(kind: str, style: Style) -> dict[str, Any]:
    """What every JSON result begins with: schema, kind, and where and when it was read."""
    return {
        "schema": SCHEMA,
        "kind": kind,
        "context": style.context,
        "queue_manager": style.queue_manager,
        "at": rfc3339(style.at_us),
    }


def _head(listing: Listing, style: Style) -> str:
    return compact(wrapper(listing.kind, style)).removesuffix("}") + ',"items":[\n'


def write_document(document: Document, style: Style, out: Out) -> int:
    """Write wrapper, the content as `item`, and warnings."""
    head, data = wrapper(document.kind, style), chosen_data(document, style.columns)
    if style.is_tty:
        content = {**head, "item": whole(data), "warnings": document.warnings}
        out.write(encoded(content, is_tty=True) + "\n")
        return 1
    out.write(compact(head).removesuffix("}") + ',"item":')
    for piece in pieces(data):
        out.write(piece)
    out.write("," + compact({"warnings": document.warnings}).removeprefix("{") + "\n")
    return 1


def write_report(report: Report, style: Style, out: Out) -> int:
    """Write wrapper and the whole report."""
    if style.is_tty:
        content = {**wrapper(report.kind, style), **report_record(report)}
        out.write(encoded(content, is_tty=True) + "\n")
    else:
        write_report_line(report, style, out)
    return 1


def write_report_line(report: Report, style: Style, out: Out) -> None:
    """Write the report in one line, its items as they are read: there can be a million."""
    head = compact({**wrapper(report.kind, style), **report_head(report)})
    out.write(head.removesuffix("}") + ',"items":[')
    lead = ""
    for item in report.items:
        out.write(lead + compact(item_record(item)))
        lead = ","
    out.write("]," + compact(report_tail(report)).removeprefix("{") + "\n")
