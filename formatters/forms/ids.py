"""`-o ids`: one identifier a line, for `--ids-from -` of the next command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqtriage.formatters.cells import visible
from mqtriage.formatters.out import Out
from mqtriage.formatters.style import Style, unfit
from mqtriage.model.result import Document, Field, Listing, Outcome, Record, Report


def write_listing(
    listing: Listing, fields: Sequence[Field], records: Iterator[Record], style: Style, out: Out
) -> None:
    """Write the value of `id_key` of each record that has one."""
    for record in records:
        value = record.get(listing.id_key)
        if value is not None and value != "":
            out.write(visible(str(value)) + "\n")


def write_document(document: Document, style: Style, out: Out) -> None:
    """Write the document's MsgId."""
    value = document.data.get("msg_id")
    if not value:
        raise unfit("ids")
    out.write(visible(str(value)) + "\n")


def write_report(report: Report, style: Style, out: Out) -> None:
    """Write the id under which each message that was done is found now."""
    for item in report.items:
        if item.outcome is Outcome.DONE and (item.new_msg_id or item.msg_id):
            out.write((item.new_msg_id or item.msg_id) + "\n")
