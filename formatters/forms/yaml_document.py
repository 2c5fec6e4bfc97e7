"""`-o yaml`: the document of `-o json` as YAML 1.2; the items of a list are written as they come.

Each document begins with ``---``, so that several, one after the other, are one stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mqtriage.formatters.document import chosen_data
from mqtriage.formatters.forms.json_document import wrapper
from mqtriage.formatters.out import Out
from mqtriage.formatters.report import report_record
from mqtriage.formatters.style import Style
from mqtriage.formatters.yaml_text import mapping, sequence
from mqtriage.model.result import Document, Field, Listing, Record, Report

START: Final = "---\n"
_CUT_SHORT: Final = "]  # cut short\n"
"""What makes a list unreadable that ended early: it must not pass for a whole one."""


def write_listing(
    listing: Listing, fields: Sequence[Field], records: Iterator[Record], style: Style, out: Out
) -> None:
    """Write wrapper, the items, then summary and warnings.

    Nothing is written before the first record is there.
    """
    head = START + "".join(mapping(wrapper(listing.kind, style))) + "items:"
    lead, end = f"{head}\n", f"{head} []\n"
    try:
        for record in records:
            out.write("".join(sequence([record], first=lead)))
            lead = end = ""
    except Exception:
        if not lead:
            out.write(_CUT_SHORT)
        raise
    tail = {"summary": listing.summary, "warnings": listing.warnings}
    out.write(end + "".join(mapping(tail)))


def write_document(document: Document, style: Style, out: Out) -> None:
    """Write wrapper, the content as `item`, and warnings."""
    head, data = wrapper(document.kind, style), chosen_data(document, style.columns)
    out.write(START + "".join(mapping(head)) + ("item:\n" if data else "item: {}\n"))
    for piece in mapping(data, 2):
        out.write(piece)
    out.write("".join(mapping({"warnings": document.warnings})))


def write_report(report: Report, style: Style, out: Out) -> None:
    """Write wrapper and the whole report."""
    out.write(START)
    for piece in mapping({**wrapper(report.kind, style), **report_record(report)}):
        out.write(piece)
