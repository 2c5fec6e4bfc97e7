"""Columns that are no key of a record but a place in it: a property, a value inside the body."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from mqtriage.messages.body_path import INNER, check_path, json_reader, parse_json, xml_value
from mqtriage.model.result import Field, Record, Show

Reader: TypeAlias = Callable[[Record], Any]

PROPERTY, BODY = INNER
NEEDS: Final = {PROPERTY: "properties", BODY: "body"}
"""What a column begins with, and the key of the record that it looks into."""


def inner_field(name: str, fields: Sequence[Field]) -> Field | None:
    """The column ``prop.NAME`` or ``body.PATH``; None where records have nothing of that kind."""
    keys = {field.key for field in fields}
    for prefix, key in NEEDS.items():
        if name.startswith(prefix) and name != prefix and key in keys:
            reader_of(name)
            return Field(name, name, Show.TEXT)
    return None


def with_inner_values(records: Iterator[Record], fields: Sequence[Field]) -> Iterator[Record]:
    """The records with a key for each such column among *fields*; as they are without one.

    What a record has under that very key, as `msg count --by`, counts.
    """
    readers = {field.key: reader_of(field.key) for field in fields if is_inner(field.key)}
    if not readers:
        return records
    return (
        {**{name: read(record) for name, read in readers.items() if name not in record}, **record}
        for record in records
    )


def value_of(record: Record, name: str) -> Any:
    """The value of any column of a record, None where there is none."""
    inner = is_inner(name) and name not in record
    return reader_of(name)(record) if inner else record.get(name)


def is_inner(name: str) -> bool:
    """Whether a column is a place inside a record."""
    return name.startswith(tuple(NEEDS))


def reader_of(name: str) -> Reader:
    """What reads the column from a record; None where there is no such value."""
    if not name.startswith(PROPERTY):
        return _body(name.removeprefix(BODY).strip('"'))
    key = name.removeprefix(PROPERTY).strip('"')

    def read(record: Record) -> Any:
        properties = record.get("properties") or ()
        return next((it["value"] for it in properties if it["name"] == key), None)

    return read


def _body(path: str) -> Reader:
    if path.startswith("/"):
        check_path(path, what="--columns body.")
        return lambda record: xml_value(record.get("body") or "", path)
    whole = path if path.startswith("$") else f"${path}" if path[0] == "[" else f"$.{path}"
    check_path(whole, what="--columns body.")
    value_at = json_reader(whole)
    return lambda record: value_at(parse_json(record.get("body") or ""))
