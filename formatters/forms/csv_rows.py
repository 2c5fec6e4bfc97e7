"""`-o csv`: for spreadsheets and databases; values as in JSON, a heading line of JSON keys."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mqtriage.formatters.cells import visible
from mqtriage.formatters.document import chosen_data
from mqtriage.formatters.json_text import compact
from mqtriage.formatters.out import Out
from mqtriage.formatters.report import item_record
from mqtriage.formatters.style import Style
from mqtriage.model.result import DEFINITION_ACTIONS, Document, Field, Listing, Record, Report

CHANGE_KEYS: Final = ("attribute", "from", "to")
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")
ITEM_KEYS: Final = ("msg_id", "outcome", "reason", "new_msg_id")


def write_listing(
    listing: Listing, fields: Sequence[Field], records: Iterator[Record], style: Style, out: Out
) -> None:
    """Write a line a record, all fields of the listing unless columns are chosen."""
    shown = fields if style.columns else listing.fields
    _write(tuple(field.key for field in shown), records, style, out)


def write_document(document: Document, style: Style, out: Out) -> None:
    """Write one line of values under its keys."""
    data = chosen_data(document, style.columns)
    _write(tuple(data), [data], style, out)


def write_report(report: Report, style: Style, out: Out) -> None:
    """Write a line an item: what became of each message, or of each attribute."""
    if report.action in DEFINITION_ACTIONS:
        _write(CHANGE_KEYS, report.details.get("changes") or (), style, out)
    else:
        _write(ITEM_KEYS, map(item_record, report.items), style, out)


class _Echo:
    """Hands the text of a row back: csv quotes a lone CR only if CR ends its lines."""

    def write(self, text: str) -> str:
        return text.removesuffix("\r\n") + "\n"


def _write(
    keys: Sequence[str], records: Iterable[Mapping[str, Any]], style: Style, out: Out
) -> None:
    # writerow returns what write returned; typeshed can only say Any
    row_text = csv.writer(_Echo(), lineterminator="\r\n").writerow
    lead = str(row_text(keys)) if style.header else ""
    for record in records:
        # the heading waits for the first record: a command that fails at once prints nothing
        cells = [_value(record.get(key), raw=style.raw_csv) for key in keys]
        out.write(lead + str(row_text(cells)))
        lead = ""
    if lead:
        out.write(lead)


def _value(value: Any, *, raw: bool) -> Any:
    """One cell; a text that is not *raw* shows as text, in a spreadsheet and on a terminal.

    A spreadsheet evaluates a cell that begins with one of `_FORMULAS`; behind an apostrophe it does
    not. Numbers stay as they are.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        return compact(value)
    if raw:
        return value
    return visible(f"'{value}" if value.startswith(_FORMULAS) else value)
