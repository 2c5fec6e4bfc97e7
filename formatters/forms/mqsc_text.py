"""`-o mqsc`: definitions as MQSC text that runmqsc accepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqtriage.formatters.out import Out
from mqtriage.formatters.style import Style, unfit
from mqtriage.model.result import Document, Field, Listing, Record, Report


def write_listing(
    listing: Listing, fields: Sequence[Field], records: Iterator[Record], style: Style, out: Out
) -> None:
    """Write the MQSC of each record."""
    if listing.mqsc is None:
        raise unfit("mqsc")
    for record in records:
        out.write(listing.mqsc(record).rstrip("\n") + "\n")


def write_document(document: Document, style: Style, out: Out) -> None:
    """Write the document's MQSC, nothing where it is a plan that changes nothing."""
    if document.mqsc is None:
        raise unfit("mqsc")
    if document.mqsc:
        out.write(document.mqsc.rstrip("\n") + "\n")


def write_report(report: Report, style: Style, out: Out) -> None:
    """Write the MQSC that was run, nothing where none was: what is done must not fail now."""
    mqsc = report.details.get("mqsc") or ()
    for command in [mqsc] if isinstance(mqsc, str) else mqsc:
        out.write(command.rstrip("\n") + "\n")
