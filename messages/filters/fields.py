"""The fields of a message that a filter can ask for: names, synonyms, units, and what they cost.

`FIELDS` is the table of the documentation, fields.tsv. Names are matched without regard to case and
underscores, so that ``BackoutCount``, ``backout_count`` and ``backout`` are one field.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from pkgutil import get_data
from typing import Final

from mqtriage.records import NamedTuple


class Kind(StrEnum):
    """What a field holds, and so which literals stand beside it."""

    ID = "24 bytes"
    TEXT = "text"
    NUMBER = "number"
    SIZE = "bytes"
    DURATION = "duration in ms"
    EXPIRY = "tenths of a second"
    TIME = "time"
    ANY = "text, number or boolean"
    BODY = "message data"


class Need(StrEnum):
    """What must be worked out before a field can be read, the costliest last."""

    MQMD = "mqmd"
    HEADERS = "headers"
    DUE = "due"
    BODY = "body"


class FieldSpec(NamedTuple):
    """One field.

    Attributes:
        attribute: where `mqtriage.messages.filters.subject.Subject` has it, as a dotted path.
        names: prefix of the MQI constants that its numbers have, for example ``MQRC_``.
        range: the least and the greatest number it can hold, None where there is no greatest one;
            for text, how many characters fit.
        values: the only texts it can hold; none where it can hold others.
        synonyms: other spellings, lower case without underscores.
    """

    name: str
    kind: Kind
    attribute: str
    about: str
    need: Need = Need.MQMD
    nullable: bool = False
    names: tuple[str, ...] = ()
    range: tuple[int, int | None] | None = None
    values: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()


def _range(text: str) -> tuple[int, int | None] | None:
    low, _, high = text.rpartition("..")
    return (int(low or 0), int(high) if high else None) if text else None


def _rows() -> Iterator[FieldSpec]:
    lines = (get_data(__package__, "fields.tsv") or b"").decode().splitlines()
    for line in lines[1:]:
        name, kind, need, null, attribute, names, ends, texts, synonyms, about = line.split("\t")
        yield FieldSpec(
            name,
            Kind[kind],
            attribute,
            about,
            Need(need),
            null == "null",
            tuple(names.split()),
            _range(ends),
            tuple(texts.split()),
            tuple(synonyms.split()),
        )


FIELDS: Final = tuple(_rows())
"""Every field with a name of its own; beside them stand prop.NAME and body.PATH."""

_BY_NAME: Final = {spec.name: spec for spec in FIELDS}
_PROP: Final = FieldSpec("prop", Kind.ANY, "", "a message property", Need.HEADERS, True)
_PATH: Final = FieldSpec("body", Kind.ANY, "", "a value inside the body", Need.BODY, True)


def spec_of(field: str) -> FieldSpec:
    """What is known of *field* as the tree names it."""
    if field.startswith("prop."):
        return _PROP
    if field.startswith("body."):
        return _PATH
    return _BY_NAME[field]


OF_HEADERS: Final = frozenset(
    spec.name
    for spec in FIELDS
    if spec.nullable
    and (spec.need in (Need.HEADERS, Need.DUE) or spec.name == "sender_correl_id")
    and spec.attribute != "headers.dlq_put_time_us"  # which the descriptor has too
)
"""Fields of headers that messages of other kinds of queues do not have."""
OF_DEAD_LETTERS: Final = {
    "put_appl": "dlq_put_appl",
    "put_time": "dlq_put_time",
    "age": "dlq_age",
    "format": "dlq_format",
    "target": "dest",
    "target_qmgr": "dest_qmgr",
}
"""What these fields are where messages are shown as dead letters: `dlq browse` and its siblings."""


_NO_FIELD: Final = "no condition can use this column"
QUEUE_MANAGER_COLUMN: Final = ("qmgr", "queue_manager")
_COLUMNS: Final = {
    "state": "use due_time, or the options --overdue and --due-before",
    "in_ms": "use due_time, or the options --due-after and --due-before",
    "ddh_time": "use due_time",
    "queue": "the queue is an argument; that of a staged message is target, of a dead letter dest",
    **dict.fromkeys(
        QUEUE_MANAGER_COLUMN,
        "-m chooses queue managers; those that messages name are target_qmgr, dest_qmgr,"
        " reply_to_qmgr",
    ),
    "expires_at": "use expiry, the lifetime that is left",
    "expiry_report": "use report",
    "report_options": "use report, all bits as one number",
    "origin": "mqtriage backout browse QUEUE --group origin counts messages by origin",
    "damages": "use damage",
    "age_ms": "use age, such as age > 2h",
    "body_hex": "use body contains X'00FF'",
    "properties": "use prop.NAME",
    **dict.fromkeys(
        ("backout_threshold", "backout_queue", "origin_sure", "origin_candidates",
         "origin_evidence", "cause", "version", "original_length", "accounting_token",
         "ddh_time_basis", "headers", "headers_hex", "pcf", "body_format", "body_ccsid",
         "body_encoding", "dlq_put_appl_type"),
        _NO_FIELD,
    ),
}  # fmt: skip
"""What people can write where they mean a column of a listing that is no field."""


def column_hint(word: str) -> str:
    """What to write for a column of a listing; "" for any other word."""
    name = word.lower()
    field = name.removesuffix("_name")
    if field != name and find_field(field) is not None:
        return f"use {field}, with the name or the number"
    return _COLUMNS.get(name, "")


@cache
def _spellings() -> dict[str, str]:
    spellings = {spec.name.replace("_", ""): spec.name for spec in FIELDS}
    for spec in FIELDS:
        spellings.update(dict.fromkeys(spec.synonyms, spec.name))
    return spellings


def find_field(word: str) -> str | None:
    """The field that *word* names in any spelling, or None."""
    return _spellings().get(word.replace("_", "").lower())


def close_fields(word: str) -> list[str]:
    """Up to three field names that look like *word*."""
    from difflib import get_close_matches

    near = get_close_matches(word.replace("_", "").lower()[:40], _spellings(), n=6, cutoff=0.6)
    return list(dict.fromkeys(_spellings()[spelling] for spelling in near))[:3]
