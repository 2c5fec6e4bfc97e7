"""Messages of the messaging REST API: headers of a request or answer, and what an MQMD holds.

Without properties and an identifier of the application's own a text is MQSTR; with them it is a
JMS TextMessage, whose MQRFH2 holds them.
Source: IBM MQ documentation, "POST", "GET", "DELETE" of
/messaging/qmgr/{qmgrName}/queue/{queueName}/message, for headers and their values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from struct import error as StructError
from typing import Final, NamedTuple

from mqtriage.emulator.mqi.message_handles import (
    HandleProperty,
    with_properties,
    without_properties,
)
from mqtriage.emulator.web.exchange import TEXT_TYPE, RestError, check_media, printable
from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8, decode_text
from mqtriage.mq.descriptor import MQMD, NO_ID
from mqtriage.mq.headers.rfh2 import jms_correl_id_of_text
from mqtriage.mq.message import Message
from mqtriage.mq.names import NAME_CHARACTERS
from mqtriage.mq.properties.message_properties import NUMBERS

_STRING: Final = cmqc.MQFMT_STRING.rstrip()
_PREFIX: Final = "ibm-mq-md-"
_PROPERTIES: Final = "ibm-mq-usr"
_TYPES: Final[Mapping[str, int]] = {
    "boolean": cmqc.MQTYPE_BOOLEAN, "byte": cmqc.MQTYPE_INT8, "short": cmqc.MQTYPE_INT16,
    "integer": cmqc.MQTYPE_INT32, "long": cmqc.MQTYPE_INT64, "float": cmqc.MQTYPE_FLOAT32,
    "double": cmqc.MQTYPE_FLOAT64, "string": cmqc.MQTYPE_STRING,
}  # fmt: skip
_NAMES: Final = {number: name for name, number in _TYPES.items()}
_TEXT_CLASS: Final = "jms_text"
_HEX: Final = re.compile(r"[0-9A-Fa-f]{48}")
_MOST_EXPIRY_MS: Final = 99_999_999_900
_MEDIA: Final = (
    "text/plain", "text/html", "text/xml", "application/json", "application/xml",
)  # fmt: skip
_PROPERTY: Final = re.compile(
    r"""\s*(?P<name>[^\s;,"]+)\s*;\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^;,"]*?))\s*"""
    r""";\s*(?P<type>[a-z]+)\s*(?P<end>,|$)"""
)


class TextMessage(NamedTuple):
    """A text with what a request or an answer says of it.

    Attributes:
        correlation_id: of the application's own; "" where MQMD.CorrelId says it all.
        properties: in their order, without those of JMS itself.
    """

    md: MQMD
    text: str
    correlation_id: str = ""
    properties: tuple[HandleProperty, ...] = ()


def wrong_header(name: str, value: str) -> RestError:
    return RestError("MQWB0302E", name, printable(value))


# -- requests -------------------------------------------------------------------------------------


def message_of(headers: Mapping[str, str], body: bytes, version: int) -> TextMessage:
    """What a POST puts."""
    check_media(headers, _MEDIA)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RestError("MQWB0301E") from error
    given = headers.get(_PREFIX + "correlationid", "")
    correl_id, own = identifier(given, version, _PREFIX + "correlationId") if given else (NO_ID, "")
    queue, manager = _reply_to(headers.get(_PREFIX + "replyto", ""))
    md = MQMD(
        msg_type=cmqc.MQMT_REQUEST if queue else cmqc.MQMT_DATAGRAM,
        format=_STRING,
        ccsid=UTF_8,
        expiry_tenths=_expiry_tenths(headers.get(_PREFIX + "expiry", "unlimited")),
        persistence=_persistence(headers.get(_PREFIX + "persistence", "nonPersistent")),
        priority=_priority(headers.get(_PREFIX + "priority", "asDestination"), version),
        correl_id=correl_id,
        reply_to_q=queue,
        reply_to_q_mgr=manager,
    )
    listed = headers.get(_PROPERTIES, "") if version >= 3 else ""
    return TextMessage(md, text, own, tuple(_properties(listed)) if listed.strip() else ())


def encoded(message: TextMessage, destination: str, now_ms: int) -> tuple[MQMD, bytes]:
    """Descriptor and data as they are put.

    Args:
        destination: ``queue:///ORDERS.IN``, for the folder jms.
    """
    body = message.text.encode()
    if not message.correlation_id and not message.properties:
        return message.md, body
    jms = {"mcd.Msd": _TEXT_CLASS, "jms.Dst": destination, "jms.Tms": str(now_ms)}
    if message.correlation_id:
        jms["jms.Cid"] = message.correlation_id
    is_persistent = message.md.persistence == cmqc.MQPER_PERSISTENT
    jms["jms.Dlv"] = "2" if is_persistent else "1"
    all_ = [HandleProperty(name, cmqc.MQTYPE_STRING, text.encode()) for name, text in jms.items()]
    return with_properties(message.md, body, [*all_, *message.properties])


def identifier(text: str, version: int, name: str) -> tuple[bytes, str]:
    """The 24 bytes of an identifier, and its text where it is the application's own."""
    digits = text
    if version >= 3:
        if not text.startswith("ID:"):
            return jms_correl_id_of_text(text), text
        digits = text[3:]
    if _HEX.fullmatch(digits) is None:
        raise wrong_header(name, text)
    return bytes.fromhex(digits), ""


def _reply_to(text: str) -> tuple[str, str]:
    queue, _, manager = text.partition("@")
    if len(queue) > 48 or len(manager) > 48 or not NAME_CHARACTERS.issuperset(queue + manager):
        raise wrong_header(_PREFIX + "replyTo", text)
    if manager and not queue:
        raise wrong_header(_PREFIX + "replyTo", text)
    return queue, manager


def _expiry_tenths(text: str) -> int:
    if text == "unlimited":
        return cmqc.MQEI_UNLIMITED
    if not (text.isascii() and text.isdecimal() and int(text[:20]) <= _MOST_EXPIRY_MS):
        raise wrong_header(_PREFIX + "expiry", text)
    return -(-int(text) // 100) or cmqc.MQEI_UNLIMITED


def _persistence(text: str) -> int:
    known = {"nonPersistent": cmqc.MQPER_NOT_PERSISTENT, "persistent": cmqc.MQPER_PERSISTENT}
    if text not in known:
        raise wrong_header(_PREFIX + "persistence", text)
    return known[text]


def _priority(text: str, version: int) -> int:
    if version < 3:
        return 4
    if text == "asDestination":
        return cmqc.MQPRI_PRIORITY_AS_Q_DEF
    if not (len(text) == 1 and text in "0123456789"):
        raise wrong_header(_PREFIX + "priority", text)
    return int(text)


def _properties(text: str) -> Iterator[HandleProperty]:
    """``colour;"red";string, items;3;integer``."""
    at = 0
    while at < len(text):
        match = _PROPERTY.match(text, at)
        if match is None or match["type"] not in _TYPES or "." in match["name"]:
            raise wrong_header(_PROPERTIES, text)
        kind = _TYPES[match["type"]]
        is_quoted = match["quoted"] is not None
        if is_quoted != (kind == cmqc.MQTYPE_STRING):
            raise wrong_header(_PROPERTIES, text)
        value = re.sub(r"\\(.)", r"\1", match["quoted"]) if is_quoted else match["bare"].strip()
        try:
            yield HandleProperty(match["name"], kind, _packed(kind, value))
        except (ValueError, StructError, OverflowError) as error:
            raise wrong_header(_PROPERTIES, text) from error
        at = match.end()
        if match["end"] == "" and at < len(text):
            raise wrong_header(_PROPERTIES, text)


def _packed(kind: int, value: str) -> bytes:
    if kind == cmqc.MQTYPE_STRING:
        return value.encode()
    if kind == cmqc.MQTYPE_BOOLEAN:
        if value.lower() not in ("true", "false"):
            raise ValueError(value)
        return NUMBERS[kind].pack(value.lower() == "true")
    is_float = kind in (cmqc.MQTYPE_FLOAT32, cmqc.MQTYPE_FLOAT64)
    return NUMBERS[kind].pack(float(value) if is_float else int(value))


# -- answers --------------------------------------------------------------------------------------


def read(message: Message) -> TextMessage | None:
    """A message of a queue as text; None where it is none."""
    md, body, properties = without_properties(message.md, message.body)
    jms = {p.name: p.data.decode("utf-8", "replace") for p in properties if "." in p.name}
    if md.format != _STRING or jms.get("mcd.Msd", _TEXT_CLASS) != _TEXT_CLASS:
        return None
    text = decode_text(body, md.ccsid, md.encoding)
    if text is None:
        return None
    own = jms.get("jms.Cid", "")
    users = tuple(p for p in properties if "." not in p.name)
    return TextMessage(message.md, text, "" if own.startswith("ID:") else own, users)


def shown_id(identifier: bytes, version: int) -> str:
    return f"ID:{identifier.hex()}" if version >= 3 else identifier.hex()


def headers_of(message: TextMessage, version: int) -> tuple[tuple[str, str], ...]:
    """The headers of an answer with that message."""
    md = message.md
    tenths = md.expiry_tenths
    values = {
        "correlationId": correlation_id(md, message.correlation_id, version),
        "expiry": "unlimited" if tenths < 0 else str(tenths * 100),
        "messageId": shown_id(md.msg_id, version),
        "persistence": "persistent" if md.persistence else "nonPersistent",
        "priority": str(md.priority) if version >= 3 else "",
        "replyTo": f"{md.reply_to_q}@{md.reply_to_q_mgr}".strip("@") if md.reply_to_q else "",
    }
    shown = [(_PREFIX + name, value) for name, value in values.items() if value]
    if version >= 3 and message.properties:
        shown.append((_PROPERTIES, ", ".join(map(_shown, message.properties))))
    for name, value in shown:
        if any(character < " " or character == "\x7f" for character in value):
            raise RestError("MQWB0304E", name)
    return (("Content-Type", TEXT_TYPE), *shown)


def correlation_id(md: MQMD, own: str, version: int) -> str:
    """As an answer tells it; "" for none."""
    if version >= 3 and own:
        return own
    return "" if md.correl_id == NO_ID else shown_id(md.correl_id, version)


def _shown(prop: HandleProperty) -> str:
    kind = _NAMES.get(prop.type, "string")
    if prop.type not in NUMBERS:
        text = prop.data.decode("utf-8", "replace")
        quoted = re.sub(r'(["\\])', r"\\\1", text)
        return f'{prop.name};"{quoted}";string'
    (value,) = NUMBERS[prop.type].unpack(prop.data)
    if prop.type == cmqc.MQTYPE_BOOLEAN:
        value = "true" if value else "false"
    return f"{prop.name};{value};{kind}"
