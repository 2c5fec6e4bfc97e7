"""From the name of a form to the module that writes it; only that one is imported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TextIO

from mqtriage.formatters.forms.rows import arranged, chosen_fields
from mqtriage.formatters.out import Out
from mqtriage.formatters.style import FORMS, Style, default_form
from mqtriage.model.result import Document, Field, Listing, Record, Report, Result
from mqtriage.mq.errors import UsageError

__all__ = ["FORMS", "Style", "default_form", "write"]


class Form(Protocol):
    """What each form's module offers."""

    def write_listing(
        self,
        listing: Listing,
        fields: Sequence[Field],
        records: Iterator[Record],
        style: Style,
        out: Out,
    ) -> int: ...

    def write_document(self, document: Document, style: Style, out: Out) -> int: ...

    def write_report(self, report: Report, style: Style, out: Out) -> int: ...


def write(result: Result, style: Style, stream: TextIO) -> int:
    """Write *result* to *stream* in the form that *style* names; return the number of records.

    Records are written as they are read. Columns and sort are checked before the first is read,
    since a browse has effects of its own. A report is about what is done already, so no option
    that does not fit it makes it fail.

    Raises:
        UsageError: If form, column or sort is unknown, or the form cannot show such a result.
        OSError: If the stream fails; BrokenPipeError if its reader has left.
    """
    form = form_module(style.form)
    if isinstance(result, Listing):
        fields = chosen_fields(result.fields, style.columns, wide=style.wide)
        records = arranged(result, sort=style.sort, descending=style.descending, limit=style.limit)
        with Out(stream, each_line=style.is_tty) as out:
            return form.write_listing(result, fields, records, style, out)
    with Out(stream) as out:
        if isinstance(result, Document):
            return form.write_document(result, style, out)
        return form.write_report(result, style, out)


def form_module(name: str) -> Form:
    """The module that writes the form *name*.

    Raises:
        UsageError: If there is no such form; the hint lists them.
    """
    match name:
        case "table":
            from mqtriage.formatters.forms import table

            return table
        case "plain":
            from mqtriage.formatters.forms import plain

            return plain
        case "json":
            from mqtriage.formatters.forms import json_document

            return json_document
        case "ndjson":
            from mqtriage.formatters.forms import json_lines

            return json_lines
        case "csv":
            from mqtriage.formatters.forms import csv_rows

            return csv_rows
        case "md":
            from mqtriage.formatters.forms import markdown

            return markdown
        case "ids":
            from mqtriage.formatters.forms import ids

            return ids
        case "mqsc":
            from mqtriage.formatters.forms import mqsc_text

            return mqsc_text
        case _:
            msg = f"-o {name}: no such output form"
            raise UsageError(msg, hint="forms: " + ", ".join(FORMS))
