"""Messages as records: the descriptor, the header chain and the body, ready for JSON.

Everything here takes what a queue manager handed over and never raises on it: what cannot be read
is a sentence in ``damages``. The decoders are imported by the first message that needs them: most
listings hold none.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mqtriage.messages.damage import damage_of
from mqtriage.model.units import count_text
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8, codec_of, decode_text, is_mismarked
from mqtriage.mq.code_names import name_of_feedback
from mqtriage.mq.descriptor import MQMD, NO_ID, NO_TOKEN
from mqtriage.mq.due_time import interpret_time
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.headers.layout import Damage, header_codec, order_of
from mqtriage.mq.message import Message
from mqtriage.mq.reports import requested
from mqtriage.mq.times import put_rfc3339
from mqtriage.records import NamedTuple

if TYPE_CHECKING:
    from mqtriage.mq.due_time import DueReading, TimeBasis
    from mqtriage.mq.headers import ddh, dlh
    from mqtriage.mq.headers.chain import Chain
    from mqtriage.mq.headers.mqext import SenderDelay
    from mqtriage.mq.headers.rfh2 import Folder


_NO_ID_HEX: Final = "0" * 48
_NO_TOKEN_HEX: Final = "0" * 64
_DDH: Final = b"DDH "
_DLH: Final = b"DLH "

_MSG_TYPES: Final = {
    1: "MQMT_REQUEST",
    2: "MQMT_REPLY",
    4: "MQMT_REPORT",
    8: "MQMT_DATAGRAM",
}
_PERSISTENCE: Final = {
    -1: "MQPER_PERSISTENCE_AS_PARENT",
    0: "MQPER_NOT_PERSISTENT",
    1: "MQPER_PERSISTENT",
    2: "MQPER_PERSISTENCE_AS_Q_DEF",
}
_APPL_TYPES: Final = {
    cmqc.MQAT_UNKNOWN: "MQAT_UNKNOWN", cmqc.MQAT_NO_CONTEXT: "MQAT_NO_CONTEXT",
    cmqc.MQAT_CICS: "MQAT_CICS", cmqc.MQAT_ZOS: "MQAT_ZOS",
    cmqc.MQAT_IMS: "MQAT_IMS", cmqc.MQAT_UNIX: "MQAT_UNIX",
    cmqc.MQAT_QMGR: "MQAT_QMGR", cmqc.MQAT_OS400: "MQAT_OS400",
    cmqc.MQAT_WINDOWS_NT: "MQAT_WINDOWS_NT", cmqc.MQAT_IMS_BRIDGE: "MQAT_IMS_BRIDGE",
    cmqc.MQAT_CICS_BRIDGE: "MQAT_CICS_BRIDGE", cmqc.MQAT_USER: "MQAT_USER",
    cmqc.MQAT_BROKER: "MQAT_BROKER", cmqc.MQAT_JAVA: "MQAT_JAVA",
    cmqc.MQAT_DQM: "MQAT_DQM", cmqc.MQAT_CHANNEL_INITIATOR: "MQAT_CHANNEL_INITIATOR",
    cmqc.MQAT_BATCH: "MQAT_BATCH", cmqc.MQAT_RRS_BATCH: "MQAT_RRS_BATCH",
    cmqc.MQAT_SIB: "MQAT_SIB",
}  # fmt: skip


class StagedFacts(NamedTuple):
    """Where a staged message goes and when.

    Attributes:
        target, target_queue_manager: None when the header does not show names; assumed unless
            *basis* is ``emulator``.
        due_time_us: microseconds since 1970 UTC; None when not known.
        ddh_time_us: the header's time as it stands.
        basis: where the due time comes from (`mq.due_time.interpret_time`).
        delay_ms: what the sender asked for, by our own header or its MQRFH2; None where neither
            says.
        sender: delay and due time by the sender's MQRFH2; not looked for in our own messages.
        header: the decoded header, with the original descriptor in its tail.
    """

    target: str | None
    target_queue_manager: str | None
    due_time_us: int | None
    ddh_time_us: int
    basis: TimeBasis
    delay_ms: int | None
    header: ddh.DDH
    sender: SenderDelay | None = None


def descriptor_record(md: MQMD) -> dict[str, Any]:
    """All fields of a descriptor under their JSON keys; called for every message of a queue.

    Ids are 48 hex digits in upper case. ``put_time`` is PutDate and PutTime as RFC 3339 UTC, None
    when they are blank. Numbers that have MQ names carry them in ``*_name``, None for a number
    without one; the bits of Report are named in ``report_options``.
    """
    (report, msg_type, expiry_tenths, feedback, encoding, ccsid, form, priority, persistence,
     msg_id, correl_id, backout_count, reply_to_q, reply_to_q_mgr, user_identifier, token,
     identity, appl_type, appl_name, put_date, put_time, origin, group_id, msg_seq_number,
     offset, msg_flags, original_length, version) = md  # fmt: skip
    return {
        "msg_id": msg_id.hex().upper(),
        "correl_id": _NO_ID_HEX if correl_id == NO_ID else correl_id.hex().upper(),
        "group_id": _NO_ID_HEX if group_id == NO_ID else group_id.hex().upper(),
        "put_time": put_rfc3339(put_date, put_time),
        "format": form,
        "ccsid": ccsid,
        "encoding": encoding,
        "priority": priority,
        "persistence": persistence,
        "persistence_name": _PERSISTENCE.get(persistence),
        "expiry_tenths": expiry_tenths,
        "backout_count": backout_count,
        "msg_type": msg_type,
        "msg_type_name": _MSG_TYPES.get(msg_type),
        "report": report,
        "report_options": list(requested(report)) if report else [],
        "feedback": feedback,
        "feedback_name": name_of_feedback(feedback) if feedback else "MQFB_NONE",
        "reply_to_q": reply_to_q,
        "reply_to_q_mgr": reply_to_q_mgr,
        "user_identifier": user_identifier,
        "accounting_token": _NO_TOKEN_HEX if token == NO_TOKEN else token.hex().upper(),
        "appl_identity_data": identity,
        "put_appl_type": appl_type,
        "put_appl_type_name": _APPL_TYPES.get(appl_type),
        "put_appl_name": appl_name,
        "appl_origin_data": origin,
        "msg_seq_number": msg_seq_number,
        "offset": offset,
        "msg_flags": msg_flags,
        "original_length": original_length,
        "version": version,
    }


def decoded(message: Message) -> dict[str, Any]:
    """The header chain and the body of a message, ready for JSON.

    Returns:
        ``chain``: list of headers (name, offset, length_bytes, found_by_looking, fields).
        ``properties``: list of name, type, value: of all MQRFH2s, or from the message handle.
        ``body``: format, encoding, ccsid, offset, length_bytes, name (what it is when it is no
        message text, else None) and either text or hex, the other None.
        ``pcf``: the body as a PCF message (`pcf_record`), None when it is none.
        ``damage``: what the condition `damage` sees, which also looks into the body.
        ``damages``: one sentence each, in the order they were met.
        ``notes``: what was found by looking or read differently from what was announced.
    """
    md = message.md
    chain = chain_of(message)
    damages = [damage.text for damage in chain.damages]
    if len(message.body) < message.length_bytes:
        damages.append(
            f"message data: {len(message.body)} of {count_text(message.length_bytes, 'byte')}"
        )
    text = body_text(chain.body(message.body), chain.ccsid, chain.encoding)
    body = _body_record(chain, message.body, text)
    notes = list(chain.notes)
    if body["text"] is None and chain.ccsid > 0 and codec_of(chain.ccsid) is None:
        notes.append(f"CCSID {chain.ccsid} is not known here: the body is shown as bytes")
    if not chain.body_name and is_mismarked(chain.body(message.body), chain.ccsid, chain.encoding):
        notes.append(f"the data is valid UTF-8, but is marked CCSID {chain.ccsid}")
    if md.format and not md.format.isprintable():
        notes.append(f"Format {md.format!r} has characters that cannot be shown")
    return {
        "chain": [
            {
                "name": header.name,
                "offset": header.offset,
                "length_bytes": header.length,
                "found_by_looking": header.found_by_looking,
                "fields": {name: _plain(value) for name, value in header.fields.items()},
            }
            for header in chain.headers
        ],
        "properties": property_records(message, chain),
        "body": body,
        "pcf": _pcf(message.body, chain),
        "damage": damage_of(message, chain, text),
        "damages": damages,
        "notes": notes,
    }


def property_records(message: Message, chain: Chain | None = None) -> list[dict[str, Any]]:
    """The properties of a message, ready for JSON: those in a handle, then those in *chain*."""
    if not message.properties and chain is None:
        return []
    from mqtriage.mq.headers.rfh2 import listed
    from mqtriage.mq.properties.message_properties import alike

    headers = chain.headers if chain is not None else ()
    every = (*message.properties, *listed(header.record for header in headers))
    return [
        {"name": property_.name, "type": property_.type, "value": _plain(property_.value)}
        for property_ in map(alike, every)
    ]


def _pcf(data: bytes, chain: Chain) -> dict[str, Any] | None:
    """The PCF message behind the headers; None where there is none."""
    if not chain.body_name.startswith("PCF"):
        return None
    from mqtriage.messages.pcf_record import pcf_record
    from mqtriage.mq.pcf import messages as pcf

    message = pcf.recognise(data, chain.body_offset, chain.ccsid)
    return None if message is None else pcf_record(message)


def chain_of(message: Message) -> Chain:
    """The header chain of a message; where its Format names no header nothing is decoded."""
    from mqtriage.mq.headers import chain

    md = message.md
    form = md.format
    if form and form not in HEADER_FORMATS and not message.body.startswith(_DDH):
        return chain.Chain((), 0, form, md.encoding, md.ccsid)
    return _last_chain(form, md.encoding, md.ccsid, message.body)


@lru_cache(maxsize=1)
def _last_chain(form: str, encoding: int, ccsid: int, body: bytes) -> Chain:
    """The chain that was decoded last: a filter asks for it first, then the record."""
    from mqtriage.mq.headers import chain

    return chain.decode(form, encoding, ccsid, body)


def body_text(body: bytes, ccsid: int, encoding: int = 0) -> str | None:
    """The text of *body*, None when it is none in that CCSID or the CCSID is not known here.

    CCSID 0 and the other special values name no code page: UTF-8 is tried, of which ASCII is part.
    """
    return decode_text(body, ccsid if ccsid > 0 else UTF_8, encoding)


def appl_type_name(value: int) -> str | None:
    """``MQAT_JAVA``; None for a value that has no name."""
    return _APPL_TYPES.get(value)


def target_and_due(message: Message, reading: DueReading) -> StagedFacts | None:
    """Where a message of the staging queue goes and when; None when it has no readable DDH.

    Looks at the start of the message data, and behind an MQDLH: a staged message that could not
    be delivered has been seen on a dead-letter queue.
    """
    body = message.body
    at = 0 if body.startswith(_DDH) else cmqc.MQDLH_CURRENT_LENGTH if body.startswith(_DLH) else -1
    if at < 0 or body[at : at + 4] != _DDH:
        return None
    from mqtriage.mq.headers import ddh, mqext

    order, _ = order_of(body, at, message.md.encoding, ddh.VERSIONS)
    header = ddh.decode(body, at, order)
    if isinstance(header, Damage) or header.version not in ddh.VERSIONS:
        return None
    trusted = header.tail if reading.from_emulator else None
    sender = None if trusted is not None else mqext.find_sender_delay(body, at + header.length)
    due, ddh_time, basis = interpret_time(header, message.md, reading, sender)
    delay_ms = sender.delay_ms if sender is not None else None
    return StagedFacts(
        header.target_q,
        header.target_q_mgr,
        due,
        ddh_time,
        basis,
        trusted.delay_ms if trusted is not None else delay_ms,
        header,
        sender,
    )


def sender_correl_id(body: bytes, header: ddh.DDH) -> bytes | None:
    """The CorrelId that the sender gave a staged message; None where it has none or none is known.

    It is in the descriptor behind the emulator's header (DD-55), or what the MQRFH2 of a JMS client
    repeats of it.
    """
    if header.tail is not None:
        ident = header.tail.original.correl_id
    else:
        from mqtriage.mq.headers import mqext

        ident = mqext.find_correl_id(body, header.length)
    return None if ident == NO_ID else ident


def dead_letter_header(message: Message) -> dlh.DLH | None:
    """The MQDLH of a message; None when it has none that can be read.

    A blank Format is looked behind; any other but MQDEAD means that there is no MQDLH.
    """
    md, body = message.md, message.body
    if md.format not in ("MQDEAD", ""):
        return None
    from mqtriage.mq.headers import dlh

    codec = header_codec(body[:4], dlh.LAYOUT.struc_id, md.ccsid)
    if codec is None:
        return None
    order, _ = order_of(body, 0, md.encoding, dlh.LAYOUT.versions)
    header = dlh.decode(body, 0, order, codec[0])
    if isinstance(header, Damage) or header.version not in dlh.LAYOUT.versions:
        return None
    return header


def _body_record(chain: Chain, data: bytes, text: str | None) -> dict[str, Any]:
    """What is known of the body, of which *text* is the text."""
    body = chain.body(data)
    is_text = chain.format == "MQSTR" or (text is not None and _reads_as_text(text))
    if chain.body_name or not is_text:
        text = None
    return {
        "format": chain.format,
        "encoding": chain.encoding,
        "ccsid": chain.ccsid,
        "offset": chain.body_offset,
        "length_bytes": len(body),
        "name": chain.body_name or None,
        "text": text,
        "hex": None if text is not None else body.hex().upper(),
    }


def _reads_as_text(text: str) -> bool:
    """Whether there are no control characters but tabs and line ends in it."""
    import re  # read only when a body is shown

    return re.search("[\0-\x08\x0b\x0c\x0e-\x1f\x7f]", text) is None


def _plain(value: object) -> Any:
    """A header field as JSON can carry it."""
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, MQMD):
        return descriptor_record(value)
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return str(value)
    if isinstance(value, tuple):
        from mqtriage.mq.headers.rfh2 import Folder

        return [_folder(item) if isinstance(item, Folder) else _plain(item) for item in value]
    return value


def _folder(folder: Folder) -> dict[str, Any]:
    return {
        "name": folder.name,
        "text": folder.text,
        "hex": None if folder.text or not folder.raw else folder.raw.hex().upper(),
        "properties": [
            {"name": item.name, "type": item.type, "value": _plain(item.value)}
            for item in folder.properties
        ],
    }
