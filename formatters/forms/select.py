"""From the name of a form to the module that writes it; only that one is imported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Final, Protocol, TextIO, cast

from mqtriage.formatters.forms.rows import arranged, chosen_fields
from mqtriage.formatters.forms.values import with_inner_values
from mqtriage.formatters.out import Out
from mqtriage.formatters.style import Style
from mqtriage.model.output_forms import CSV, FORMS, IDS, JSON, MD, MQSC, NDJSON, PLAIN, TABLE, YAML
from mqtriage.model.result import Document, Field, Listing, Record, Report, Result
from mqtriage.mq.errors import UsageError

_MODULES: Final = {
    TABLE: "table",
    PLAIN: "plain",
    JSON: "json_document",
    NDJSON: "json_lines",
    YAML: "yaml_document",
    CSV: "csv_rows",
    MD: "markdown",
    IDS: "ids",
    MQSC: "mqsc_text",
}


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
        records = with_inner_values(records, fields)
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
    if name not in _MODULES:
        raise UsageError(f"-o {name}: no such output form", hint="forms: " + ", ".join(FORMS))
    return cast(Form, import_module(f"mqtriage.formatters.forms.{_MODULES[name]}"))
