"""One message as a record: the fields of each listing, and how each record is made.

Every listing of messages has the keys of `Message` (the descriptor, `length_bytes`, and with
*detail* the headers and the body); the others add what they are about. The keys are a promise to
scripts (`tests/unit/model/test_json_promise.py`).

The body stands behind all headers. It is in `body` when it is text in its CCSID and in `body_hex`
when it is not; the other one is null, so that nothing is ever lost or written twice. `--hex` has
it in `body_hex` always, `--text` in `body` always, bytes that are no text written as ``\\xNN``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, TypeAlias

from mqtriage.messages.damage import damage_of_body
from mqtriage.messages.decoded import (
    body_text,
    decoded,
    descriptor_record,
    property_records,
)
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.model.units import count_text
from mqtriage.mq.ccsid import UTF_8, with_mark
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.message import Message

BodyForm: TypeAlias = Literal["auto", "hex", "text"]
"""How the body is told: text where it is text; always hex; always text."""

_DDH: Final = b"DDH "
_NOT_TEXT: Final = bytes((*range(9), 11, 12, *range(14, 32), 127))
"""Control characters other than tab and line ends: data with them is not shown as text."""

MESSAGE_FIELDS: Final = (
    Field("msg_id", "MSGID", Show.ID, 48),
    Field("correl_id", "CORRELID", Show.ID, 48, yields=7),
    Field("put_time", "PUT_TIME", Show.TIME, 22),
    Field("format", "FORMAT", Show.TEXT, 8, yields=2),
    Field("priority", "PRI", Show.NUMBER, 3, yields=5),
    Field("persistence", "PERSIST", Show.FLAG, 7, yields=6),
    Field("backout_count", "BACKOUT", Show.NUMBER, 7),
    Field("expiry_tenths", "EXPIRY", Show.TENTHS, 9, yields=3),
    Field("put_appl_name", "PUT_APPL", Show.TEXT, 12, yields=1),
    Field("length_bytes", "LENGTH", Show.BYTES, 7, yields=4),
)
_MORE: Final = (
    ("queue", Show.NAME),
    ("group_id", Show.ID),
    ("user_identifier", Show.TEXT),
    ("reply_to_q", Show.NAME),
    ("reply_to_q_mgr", Show.NAME),
    ("ccsid", Show.NUMBER),
    ("encoding", Show.NUMBER),
    ("persistence_name", Show.TEXT),
    ("msg_type", Show.NUMBER),
    ("msg_type_name", Show.TEXT),
    ("report", Show.NUMBER),
    ("report_options", Show.TEXT),
    ("feedback", Show.NUMBER),
    ("feedback_name", Show.TEXT),
    ("accounting_token", Show.ID),
    ("appl_identity_data", Show.TEXT),
    ("put_appl_type", Show.NUMBER),
    ("put_appl_type_name", Show.TEXT),
    ("appl_origin_data", Show.TEXT),
    ("msg_seq_number", Show.NUMBER),
    ("offset", Show.NUMBER),
    ("msg_flags", Show.NUMBER),
    ("original_length", Show.NUMBER),
    ("version", Show.NUMBER),
)
DETAIL_KEYS: Final = frozenset(
    {"properties", "headers", "headers_hex", "body", "body_hex", "damage", "damages", "pcf"}
)
"""Keys that need the message data; left out of a record that is made without detail."""

_DETAILS: Final = (
    "damage",
    "damages",
    "properties",
    "headers",
    "headers_hex",
    "body",
    "body_hex",
    "pcf",
)


WITHOUT_DATA: Final = "the archive was written without message data"
_WITHOUT_DATA: Final = dict.fromkeys(_DETAILS) | {"properties": [], "headers": []}


def with_rest(first: tuple[Field, ...]) -> tuple[Field, ...]:
    """*first*, then every other key of a message record for `--wide` and `--columns`.

    A heading that *first* has given to something else gets MQMD_ in front.
    """
    keys = {field.key for field in first}
    headings = {field.heading for field in first}
    rest = [(f.key, f.heading, f.show) for f in MESSAGE_FIELDS]
    rest += [(key, key.upper(), show) for key, show in _MORE]
    rest += [(key, key.upper(), Show.TEXT) for key in _DETAILS]
    return (
        *first,
        *(
            Field(key, f"MQMD_{heading}" if heading in headings else heading, show, wide=True)
            for key, heading, show in rest
            if key not in keys
        ),
    )


def message_record(
    message: Message,
    queue: str,
    *,
    form: BodyForm = "auto",
    detail: bool = True,
    body: bool = True,
) -> dict[str, Any]:
    """The record of one message; runs once a message of a long listing.

    Args:
        detail: with the keys of `DETAIL_KEYS`. `headers_hex` has the bytes of the headers, from
            which `msg load` makes the message again; null where there are none.
        body: False leaves `body` and `body_hex` null, of a message that was not read whole.
    """
    record = _record(message, queue, form, detail=detail, body=body)
    if message.untold:
        record.update(dict.fromkeys(message.untold & record.keys()))
    return record


def _record(
    message: Message, queue: str, form: BodyForm, *, detail: bool, body: bool
) -> dict[str, Any]:
    md = message.md
    record = descriptor_record(md)
    record["queue"] = queue
    record["length_bytes"] = message.length_bytes
    if not detail:
        return record
    data = message.body
    if body and not data and message.length_bytes:
        return record | _WITHOUT_DATA | {"damages": [WITHOUT_DATA]}
    whole = len(data) == message.length_bytes
    if md.format and md.format not in HEADER_FORMATS and data[:4] != _DDH:
        headers: list[Any] = []
        headers_hex: str | None = None
        properties = property_records(message) if message.properties else []
        command: Any = None
        damages: list[str] = []
        if body and not whole:
            damages.append(
                f"message data: {len(data)} of {count_text(message.length_bytes, 'byte')}"
            )
        coded = md.ccsid, md.encoding
        as_text = body_text(data, *coded) if whole or form != "hex" else None
        text = None if form == "hex" else _shown_text(as_text, data, md.ccsid, md.format)
        damage = damage_of_body(data, md, as_text) if whole else None
    else:
        parts = decoded(message)
        headers, damages, command = parts["chain"], parts["damages"], parts["pcf"]
        properties = parts["properties"]
        if not body:
            # one damage is that the body was not read; a header that was cut has one of its own
            damages, command = damages if len(damages) > 1 or whole else [], None
        behind, damage = parts["body"], parts["damage"]
        headers_hex = data[: behind["offset"]].hex().upper() or None
        data, text = data[behind["offset"] :], behind["text"]
        coded = behind["ccsid"], behind["encoding"]
    record["properties"] = properties
    record["headers"] = headers
    record["headers_hex"] = headers_hex
    if form == "hex" or not body:
        text = None
    elif form == "text" and text is None:
        text = data.decode("utf-8", "backslashreplace")
    elif form == "auto" and text is not None:
        text = with_mark(text, data, *coded)
    record["body"] = text
    record["body_hex"] = data.hex().upper() if text is None and body else None
    record["damage"] = damage
    record["damages"] = damages
    record["pcf"] = command
    return record


def _shown_text(text: str | None, body: bytes, ccsid: int, form: str) -> str | None:
    """The *text* of the body, or None; MQSTR says that it is text, else it must look like it."""
    if form != "MQSTR" and ccsid in (UTF_8, 819) and body.translate(None, _NOT_TEXT) != body:
        return None
    if text is None or form == "MQSTR" or ccsid in (UTF_8, 819):
        return text
    return None if any(ord(c) < 32 and c not in "\t\r\n" for c in text) else text


def counted(listing: Listing) -> Listing:
    """*listing* with `messages` in its summary: how many were read, known at its end."""

    def counting(items: Iterable[Record]) -> Iterator[Record]:
        number = 0
        for item in items:
            number += 1
            yield item
        listing.summary["message_count"] = number

    listing.items = counting(listing.items)
    return listing
