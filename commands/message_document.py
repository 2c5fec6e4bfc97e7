"""One message in full, as the verbs `show` print it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mqtriage.commands.records import BodyForm, message_record
from mqtriage.model.result import Document
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.message import Message


def message_document(
    message: Message,
    queue: str,
    *,
    form: BodyForm = "auto",
    kind: str = "Message",
    extra: dict[str, Any],
) -> Document:
    """A message in full: *extra* first, then descriptor, headers, body, damages."""
    from mqtriage.model.ids import printable_part

    record = message_record(message, queue, form=form)
    data: dict[str, Any] = {**extra}
    data.update((key, value) for key, value in record.items() if key not in data)
    data["msg_id_text"] = printable_part(message.md.msg_id) or None
    data["correl_id_text"] = printable_part(message.md.correl_id) or None
    data["notes"] = _notes(message, record)
    return Document(kind, data)


def _notes(message: Message, record: Mapping[str, Any]) -> list[str]:
    """What was found by looking; plain text under a plain Format needs no look."""
    form = message.md.format
    plain = form and form not in HEADER_FORMATS and form.isprintable()
    if plain and record["body"] is not None and not message.body.startswith(b"DDH "):
        return []
    from mqtriage.model.decoded import decoded

    return list(decoded(message)["notes"])


def in_body_form(document: Document, message: Message, body: str) -> None:
    """Tell the body of *message* in the form *body*, one of `body_forms.FORMS`."""
    from mqtriage.commands.body_forms import shown
    from mqtriage.model.decoded import chain_of

    chain = chain_of(message)
    data = message.body[chain.body_offset :]
    told = shown(data, chain.ccsid, chain.encoding, body)
    document.data |= {"body": told.text, "body_hex": told.hex}
    document.warnings += [told.warning] if told.warning else []
