"""`-o yaml`: the document of `-o json` as YAML 1.2; the items of a list are written as they come.

Each document begins with ``---``, so that several, one after the other, are one stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from mqtriage.formatters.document import chosen_data
from mqtriage.formatters.forms.json_document import wrapper
from mqtriage.formatters.out import Out
from mqtriage.formatters.report import item_record, report_head, report_tail
from mqtriage.formatters.style import Style
from mqtriage.formatters.yaml_text import mapping, sequence
from mqtriage.model.result import Document, Field, Listing, Record, Report, Rows

START: Final = "---\n"
_CUT_SHORT: Final = "]  # cut short\n"
"""What makes a list unreadable that ended early: it must not pass for a whole one."""


def write_listing(
    listing: Listing, fields: Sequence[Field], records: Iterator[Record], style: Style, out: Out
) -> int:
    """Write wrapper, the items, then summary and warnings; return how many items.

    Nothing is written before the first record is there.
    """
    keys = [field.key for field in fields] if style.columns else None
    lead = START + "".join(mapping(wrapper(listing.kind, style))) + "items:"
    count = 0
    try:
        for record in records:
            item = {key: record.get(key) for key in keys} if keys else record
            out.write("".join(sequence([item], first="" if count else f"{lead}\n")))
            count += 1
    except Exception:
        if count:
            out.write(_CUT_SHORT)
        raise
    tail = {"summary": listing.summary, "warnings": listing.warnings}
    out.write(("" if count else f"{lead} []\n") + "".join(mapping(tail)))
    return count


def write_document(document: Document, style: Style, out: Out) -> int:
    """Write wrapper, the content as `item`, and warnings."""
    head, data = wrapper(document.kind, style), chosen_data(document, style.columns)
    out.write(START + "".join(mapping(head)) + ("item:\n" if data else "item: {}\n"))
    for piece in mapping(data, 2):
        out.write(piece)
    out.write("".join(mapping({"warnings": document.warnings})))
    return 1


def write_report(report: Report, style: Style, out: Out) -> int:
    """Write wrapper and the whole report; its items are read one by one: there can be a million."""
    content: dict[str, Any] = {**wrapper(report.kind, style), **report_head(report)}
    content |= {"items": Rows(report.items, item_record), **report_tail(report)}
    out.write(START)
    for piece in mapping(content):
        out.write(piece)
    return 1
