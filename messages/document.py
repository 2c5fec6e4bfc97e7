"""One message in full, as the verbs `show` print it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mqtriage.messages.body_forms import shown
from mqtriage.messages.decoded import chain_of, decoded, property_records
from mqtriage.messages.records import BodyForm, message_record
from mqtriage.model.ids import printable_part
from mqtriage.model.result import Document
from mqtriage.mq.ccsid import is_ebcdic
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.message import Message

if TYPE_CHECKING:
    from mqtriage.mq.descriptor import MQMD
    from mqtriage.mq.headers.chain import Chain


def message_document(
    message: Message,
    queue: str,
    *,
    form: BodyForm = "auto",
    body: str | None = None,
    decode: bool = True,
    kind: str = "Message",
    extra: dict[str, Any],
) -> Document:
    """A message in full: *extra* first, then descriptor, headers, body, damages.

    Args:
        body: a form of `body_forms.shown`, over *form*.
        decode: take the headers apart; else all data is one body, as hex where headers are in it.
    """
    record = message_record(message, queue, form=form)
    data: dict[str, Any] = {**extra}
    data.update((key, value) for key, value in record.items() if key not in data)
    data["msg_id_text"] = printable_part(message.md.msg_id) or None
    data["correl_id_text"] = printable_part(message.md.correl_id) or None
    data["notes"] = _notes(message, record) if decode else []
    document = Document(kind, data)
    if not decode:
        properties = property_records(message)
        data |= {
            "properties": properties,
            "headers": [],
            "headers_hex": None,
            "damages": [],
            "pcf": None,
        }
        hidden = form == "hex" or message.md.format in HEADER_FORMATS
        _tell_body(document, message.body, message.md, body or ("hex" if hidden else "text"))
    elif body is not None:
        chain = chain_of(message)
        _tell_body(document, message.body[chain.body_offset :], chain, body)
    return document


def _tell_body(document: Document, data: bytes, of: MQMD | Chain, body: str) -> None:
    """Tell *data* in the form *body*; *of* says its CCSID and encoding."""
    lines = shown(data, of.ccsid, of.encoding, body)
    document.data |= {"body": lines.text, "body_hex": lines.hex}
    document.warnings += [lines.warning] if lines.warning else []


def _notes(message: Message, record: Mapping[str, Any]) -> list[str]:
    """What was found by looking; plain text under a plain Format needs no look, but for EBCDIC."""
    form = message.md.format
    if message.length_bytes and not message.body:
        return []
    plain = form and form not in HEADER_FORMATS and form.isprintable()
    plain = plain and not is_ebcdic(message.md.ccsid)
    if plain and record["body"] is not None and not message.body.startswith(b"DDH "):
        return []
    return list(decoded(message)["notes"])
