"""Message handles and the properties in them; how properties travel as an MQRFH2 in a message.

Folders that hold properties: a name without a dot stands in ``usr``; ``jms.Dst`` in ``jms`` and so
on. Source: IBM MQ documentation, "Message properties", "Property folders and names in the MQRFH2".
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from struct import error
from typing import Final, NamedTuple

from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8
from mqtriage.mq.descriptor import MQMD, ByteOrder, integer
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.formats import RFH2_FORMAT
from mqtriage.mq.headers.layout import Damage, byte_order
from mqtriage.mq.message import Message
from mqtriage.mq.properties.message_properties import (
    DT,
    NUMBERS,
    PROPERTY_FOLDERS,
    SYNONYMS,
    TYPE_OF_DT,
    property_from,
)
from mqtriage.mq.properties.property_descriptor import Descriptor, attributes_of, descriptor_from

_WHOLE: Final = (cmqc.MQTYPE_INT8, cmqc.MQTYPE_INT16, cmqc.MQTYPE_INT32, cmqc.MQTYPE_INT64)
_KEEP_DATA: Final = (b"<mcd", b"<jms", b"<usr", b"<mqext")
"""Folders for whose sake PROPCTL(COMPAT) leaves all properties in the data."""


class HandleProperty(NamedTuple):
    """One property.

    Attributes:
        data: the value as it stands in a program's buffer; text is UTF-8.
    """

    name: str
    type: int
    data: bytes
    descriptor: Descriptor = Descriptor()


@dataclass(slots=True)
class MessageHandle:
    """What an MQHMSG stands for.

    Attributes:
        owner: the session whose end ends it; None where it belongs to no connection.
        cursor: index of the property that was inquired last, -1 before the first.
        inquired: the name or wildcard that led to it; None where nobody knows any more.
    """

    owner: object
    properties: list[HandleProperty] = field(default_factory=list)
    cursor: int = -1
    inquired: bytes | None = None

    def index(self, name: str) -> int:
        """Where a property stands; -1 when it does not. ``usr.x`` and ``x`` are the same.

        So are MQTopicString and ``mqps.Top``, and the other synonyms.
        """
        full_name = SYNONYMS.get(name, name).removeprefix("usr.")
        return next((at for at, prop in enumerate(self.properties) if prop.name == full_name), -1)

    def matching(self, raw_name: bytes, doing: str) -> list[HandleProperty]:
        """The properties that a name matches; "%" at its end stands for anything."""
        name = raw_name.decode("utf-8", "replace").rstrip(" \0") or "%"
        if not name.endswith("%"):
            at = self.index(checked_name(raw_name, doing))
            return self.properties[at : at + 1] if at >= 0 else []
        return [prop for prop in self.properties if _full_name(prop.name).startswith(name[:-1])
                or prop.name.startswith(name[:-1])]  # fmt: skip

    def set(self, prop: HandleProperty) -> None:
        """Set a property: in place of the first one of that name, or as the last."""
        at = self.index(prop.name)
        if at < 0:
            self.properties.append(prop)
        else:
            self.properties[at] = prop


def _full_name(name: str) -> str:
    """A name with its folder: ``usr.`` in front of one that has none."""
    return name if name.partition(".")[0] in PROPERTY_FOLDERS and "." in name else f"usr.{name}"


def checked_name(raw: bytes, doing: str) -> str:
    """A property's name."""
    try:
        name = raw.decode("utf-8").rstrip(" \0")
    except UnicodeDecodeError:
        raise mqi_error(cmqc.MQRC_PROPERTY_NAME_ERROR, doing, detail="not UTF-8") from None
    if not 0 < len(name) <= cmqc.MQ_MAX_PROPERTY_NAME_LENGTH:
        detail = f"a name of {len(name)} characters"
        raise mqi_error(cmqc.MQRC_PROPERTY_NAME_LENGTH_ERR, doing, detail=detail)
    parts = name.split(".")
    reserved = name.upper() in ("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE",
                                "IN", "IS", "ESCAPE")  # fmt: skip
    if reserved or not all(part.replace("$", "_").isidentifier() for part in parts):
        raise mqi_error(cmqc.MQRC_PROPERTY_NAME_ERROR, doing, detail=repr(name[:48]))
    return name


def checked_value(kind: int, length: int, value: bytes, doing: str) -> bytes:
    """A property's value as MQSETMP takes it."""
    if kind in NUMBERS:
        if length != NUMBERS[kind].size or len(value) != length:
            raise mqi_error(cmqc.MQRC_BUFFER_LENGTH_ERROR, doing, detail=f"{length} bytes")
        if kind == cmqc.MQTYPE_BOOLEAN and value.strip(b"\0") not in (b"", b"\x01"):
            raise mqi_error(cmqc.MQRC_BUFFER_LENGTH_ERROR, doing)
        return value
    if kind == cmqc.MQTYPE_NULL:
        return b""
    if kind not in (cmqc.MQTYPE_STRING, cmqc.MQTYPE_BYTE_STRING):
        raise mqi_error(cmqc.MQRC_PROPERTY_TYPE_ERROR, doing, detail=f"type {kind}")
    return value


def converted(prop: HandleProperty, kind: int, doing: str) -> HandleProperty:
    """The property as another type.

    Raises:
        MQIError: 2473 no type, 2470 not possible at all, 2472 not with this value.
    """
    if kind in (cmqc.MQTYPE_AS_SET, prop.type):
        return prop
    if kind not in DT:
        raise mqi_error(cmqc.MQRC_PROPERTY_TYPE_ERROR, doing, detail=f"type {kind}")
    value = _value(prop)
    try:
        if kind == cmqc.MQTYPE_STRING:
            return HandleProperty(prop.name, kind, _as_text(value).encode())
        if kind in _WHOLE and not isinstance(value, bytes):
            return HandleProperty(prop.name, kind, NUMBERS[kind].pack(int(value or 0)))
        if kind in (cmqc.MQTYPE_FLOAT32, cmqc.MQTYPE_FLOAT64) and isinstance(
            value, (str, int, float)
        ):
            return HandleProperty(prop.name, kind, NUMBERS[kind].pack(float(value)))
        if kind == cmqc.MQTYPE_BOOLEAN and isinstance(value, (str, int)):
            truth = {"TRUE": 1, "1": 1, "FALSE": 0, "0": 0}[str(value).upper()]
            return HandleProperty(prop.name, kind, NUMBERS[kind].pack(truth))
        if kind == cmqc.MQTYPE_BYTE_STRING and isinstance(value, str):
            return HandleProperty(prop.name, kind, bytes.fromhex(value))
    except (ValueError, KeyError, OverflowError, error):
        raise mqi_error(cmqc.MQRC_PROP_NUMBER_FORMAT_ERROR, doing, detail=prop.name) from None
    raise mqi_error(cmqc.MQRC_PROP_CONV_NOT_SUPPORTED, doing, detail=prop.name)


def _value(prop: HandleProperty) -> str | int | float | bool | bytes | None:
    if prop.type == cmqc.MQTYPE_NULL:
        return None
    if prop.type == cmqc.MQTYPE_STRING:
        return prop.data.decode("utf-8", "replace")
    if prop.type == cmqc.MQTYPE_BYTE_STRING:
        return prop.data
    number: int | float = NUMBERS[prop.type].unpack(prop.data)[0]
    return bool(number) if prop.type == cmqc.MQTYPE_BOOLEAN else number


def _as_text(value: str | int | float | bool | bytes | None) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, bytes):
        return value.hex().upper()
    return "" if value is None else str(value)


# -- in messages ----------------------------------------------------------------------------------


def with_properties(md: MQMD, body: bytes, properties: list[HandleProperty]) -> tuple[MQMD, bytes]:
    """Descriptor and data of a message that carries *properties* in an MQRFH2 in front."""
    if not properties:
        return md, body
    folders: dict[str, list[str]] = {}
    for prop in properties:
        folder, _, name = prop.name.rpartition(".")
        top, _, inner = folder.partition(".")
        if top not in PROPERTY_FOLDERS:
            top, inner = "usr", folder
        path = f"{inner}.{name}" if inner else name
        folders.setdefault(top, []).append(_element(path, prop))
    carriers = []
    for name, elements in folders.items():
        text = f"<{name}>{''.join(elements)}</{name}>"
        raw = text.encode()
        carriers.append(rfh2.Folder(name, raw + b" " * (-len(raw) % 4), text, ()))
    header = rfh2.RFH2(md.encoding, md.ccsid, md.format, folders=tuple(carriers), order="<")
    full = md._replace(format=RFH2_FORMAT, encoding=cmqc.MQENC_NATIVE, ccsid=UTF_8)
    return full, rfh2.encode(header) + body


def _element(path: str, prop: HandleProperty) -> str:
    value = _value(prop)
    *groups, name = path.split(".")
    text = "1" if value is True else "0" if value is False else _as_text(value)
    text = html.escape(text, quote=False)
    kind = DT.get(prop.type, "")
    attribute = " xsi:nil='true'" if value is None else f' dt="{kind}"' if kind != "string" else ""
    for word, setting in attributes_of(prop.descriptor, prop.name).items():
        attribute += f' {word}="{setting}"'
    element = f"<{name}{attribute}>{text}</{name}>"
    for group in reversed(groups):
        element = f"<{group}>{element}</{group}>"
    return element


def without_properties(md: MQMD, body: bytes) -> tuple[MQMD, bytes, list[HandleProperty]]:
    """Descriptor and data without the MQRFH2s in front that hold properties, and those."""
    properties: list[HandleProperty] = []
    while md.format == RFH2_FORMAT:
        header = rfh2.decode(body, 0, order_of(md))
        if isinstance(header, Damage) or not header.folders:
            break
        if any(folder.name not in PROPERTY_FOLDERS for folder in header.folders):
            break
        for folder in header.folders:
            for element in folder.properties:
                name = element.name if folder.name == "usr" else f"{folder.name}.{element.name}"
                prop = _from_message(name, element.type, element.value)
                if element.described:
                    prop = prop._replace(descriptor=descriptor_from(dict(element.described), name))
                properties.append(prop)
        body = body[header.length :]
        ccsid = md.ccsid if header.ccsid == -2 else header.ccsid
        md = md._replace(format=header.format, encoding=header.encoding, ccsid=ccsid)
    return md, body, properties


def is_damaged(md: MQMD, body: bytes) -> bool:
    """Whether what *md* calls an MQRFH2 is none."""
    return isinstance(rfh2.decode(body, 0, order_of(md)), Damage)


def order_of(md: MQMD) -> ByteOrder:
    return byte_order(md.encoding) or ">"


def header_length(md: MQMD, body: bytes) -> int:
    """StrucLength of the MQRFH2 in front."""
    return integer(body[8:12], order_of(md))


def inquired_name(name: str) -> str:
    """What MQINQMP calls a property: those of publications by their synonyms (MQTopicString)."""
    return _INQUIRED_NAMES.get(name, name)


_INQUIRED_NAMES: Final = {name: key for key, name in SYNONYMS.items() if name.startswith("mqps.")}


def leaves_data(control: str, md: MQMD, body: bytes, *, has_handle: bool) -> bool:
    """Whether PROPCTL takes properties out of the data of a get that leaves the choice to it.

    COMPAT does where all are of folders that older programs do not know, as what a queue manager
    adds to publications (IBM MQ documentation, "PropertyControl").
    """
    if control == "NONE" or (has_handle and control != "FORCE"):
        return True
    return control in ("COMPAT", "V6COMPAT") and leaves_when_compatible(md, body)


def leaves_when_compatible(md: MQMD, body: bytes) -> bool:
    """Whether MQGMO_PROPERTIES_COMPATIBILITY takes the properties out of the data."""
    header = body[: header_length(md, body)]
    if any(tag in header for tag in _KEEP_DATA):  # most are so, and need not be read
        return False
    properties = without_properties(md, body)[2]
    return bool(properties) and all(prop.name.startswith("mq") for prop in properties)


def delivered(message: Message, control: str, *, in_handle: bool) -> Message:
    """The message as a get in this process has it, with its properties beside the data.

    Args:
        control: PROPCTL of the queue, by which properties go where they are not asked for
            *in_handle*.
    """
    if message.md.format != RFH2_FORMAT:
        return message
    if not in_handle and not leaves_data(control, message.md, message.body, has_handle=False):
        return message
    md, body, properties = without_properties(message.md, message.body)
    beside = (
        tuple(property_from(prop.name, prop.type, prop.data) for prop in properties)
        if in_handle
        else ()
    )
    return message._replace(md=md, body=body, length_bytes=len(body), properties=beside)


def _from_message(
    name: str, dt: str, value: str | int | float | bool | bytes | None
) -> HandleProperty:
    kind = TYPE_OF_DT.get(dt, cmqc.MQTYPE_STRING)
    if value is None:
        return HandleProperty(name, cmqc.MQTYPE_NULL, b"")
    if isinstance(value, bytes):
        return HandleProperty(name, cmqc.MQTYPE_BYTE_STRING, value)
    if kind in NUMBERS and not isinstance(value, str):
        try:
            return HandleProperty(name, kind, NUMBERS[kind].pack(value))
        except error:
            pass
    return HandleProperty(name, cmqc.MQTYPE_STRING, str(value).encode())
