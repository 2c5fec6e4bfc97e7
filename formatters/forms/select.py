"""From the name of a form to the module that writes it; only that one is imported."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from types import ModuleType
from typing import Final, TextIO

from mqtriage.formatters.forms.rows import arranged, chosen_fields, named_field
from mqtriage.formatters.forms.values import value_of, with_inner_values
from mqtriage.formatters.out import Out
from mqtriage.formatters.style import Style
from mqtriage.model import output_forms
from mqtriage.model.result import Document, Field, Listing, Record, Result, Show
from mqtriage.mq.errors import UsageError

_MODULES: Final = {
    output_forms.TABLE: "table",
    output_forms.PLAIN: "plain",
    output_forms.JSON: "json_document",
    output_forms.NDJSON: "json_lines",
    output_forms.YAML: "yaml_document",
    output_forms.CSV: "csv_rows",
    output_forms.MD: "markdown",
    output_forms.IDS: "ids",
    output_forms.MQSC: "mqsc_text",
}


def write(result: Result, style: Style, stream: TextIO) -> int:
    """Write *result* to *stream* in the form that *style* names; return how many records it has.

    Records are written as they are read. Columns and sort are checked before the first is read,
    since a browse has effects of its own. A report is about what is done already, so no option
    that does not fit it makes it fail.

    Raises:
        UsageError: If form, column or sort is unknown, or the form cannot show such a result.
        OSError: If the stream fails; BrokenPipeError if its reader has left.
    """
    form, count = form_module(style.form), 0
    if isinstance(result, Listing):
        fields = chosen_fields(result.fields, style.columns, wide=style.wide, kind=result.kind)
        records = arranged(result, sort=style.sort, descending=style.descending, limit=style.limit)
        records = with_inner_values(records, fields)
        if style.columns and style.form in output_forms.FOR_SCRIPTS:
            keys = [field.key for field in fields]
            records = ({key: record.get(key) for key in keys} for record in records)

        def counted() -> Iterator[Record]:
            nonlocal count
            for record in records:
                count += 1
                yield record

        with Out(stream, each_line=style.is_tty) as out:
            form.write_listing(result, fields, counted(), style, out)
        return count
    if isinstance(result, Document) and style.columns:
        result, style = _with_columns(result, style)
    with Out(stream) as out:
        if isinstance(result, Document):
            form.write_document(result, style, out)
        else:
            form.write_report(result, style, out)
    return 1


def text_of(result: Result, style: Style) -> str:
    """What `write` writes, as text."""
    stream = StringIO()
    write(result, style, stream)
    return stream.getvalue()


def _with_columns(document: Document, style: Style) -> tuple[Document, Style]:
    """Columns by their keys, as a listing has them, and the document with what is inside a key."""
    fields = [Field(key, key, Show.TEXT) for key in document.data]
    keys = [named_field(fields, name, "--columns", "key").key for name in style.columns]
    inside = {key: value_of(document.data, key) for key in keys if key not in document.data}
    data = {**document.data, **inside}
    shown = Document(document.kind, data, (), document.warnings, document.mqsc, document.is_brief)
    return shown, style._replace(columns=tuple(keys))


def form_module(name: str) -> ModuleType:
    """The module that writes the form *name*: `write_listing`, `write_document`, `write_report`."""
    if name not in _MODULES:
        raise UsageError(f"-o {name}: no such output format", hint="forms: " + ", ".join(_MODULES))
    return import_module(f"mqtriage.formatters.forms.{_MODULES[name]}")
