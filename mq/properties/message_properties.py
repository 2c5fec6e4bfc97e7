"""Message properties outside an MQRFH2: their types, their values in a buffer, their names.

What MQINQMP returns becomes what the same property is in the folder of an MQRFH2, so that it is
shown and selected alike whichever way it was asked for.
Sources: IBM MQ documentation, "MQINQMP - Inquire message property", "Property name restrictions",
"Property folders and names in the MQRFH2 header".
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, error, pack
from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import UTF_8, decode_text
from mqtriage.mq.headers.folder_xml import Property

DT: Final[Mapping[int, str]] = {
    cmqc.MQTYPE_BOOLEAN: "boolean",
    cmqc.MQTYPE_BYTE_STRING: "bin.hex",
    cmqc.MQTYPE_INT8: "i1",
    cmqc.MQTYPE_INT16: "i2",
    cmqc.MQTYPE_INT32: "i4",
    cmqc.MQTYPE_INT64: "i8",
    cmqc.MQTYPE_FLOAT32: "r4",
    cmqc.MQTYPE_FLOAT64: "r8",
    cmqc.MQTYPE_STRING: "string",
}
"""MQTYPE_* to the ``dt`` attribute in an MQRFH2."""

TYPE_OF_DT: Final[Mapping[str, int]] = {dt: kind for kind, dt in DT.items()} | {
    "int": cmqc.MQTYPE_INT64
}

NUMBERS: Final[Mapping[int, Struct]] = {
    cmqc.MQTYPE_BOOLEAN: Struct("<i"),
    cmqc.MQTYPE_INT8: Struct("<b"),
    cmqc.MQTYPE_INT16: Struct("<h"),
    cmqc.MQTYPE_INT32: Struct("<i"),
    cmqc.MQTYPE_INT64: Struct("<q"),
    cmqc.MQTYPE_FLOAT32: Struct("<f"),
    cmqc.MQTYPE_FLOAT64: Struct("<d"),
}
"""Values of fixed length, as they stand in a buffer in MQENC_NATIVE of a little-endian machine."""

PROPERTY_FOLDERS: Final = frozenset(
    {"usr", "jms", "mcd", "mqext", "mqps", "mqpse", "mq", "mq_usr", "mq_svc"}
)
"""Folders of an MQRFH2 that hold message properties and nothing else."""

SYNONYMS: Final[Mapping[str, str]] = {
    "JMSCorrelationID": "jms.Cid",
    "JMSDeliveryMode": "jms.Dlv",
    "JMSDestination": "jms.Dst",
    "JMSExpiration": "jms.Exp",
    "JMSPriority": "jms.Pri",
    "JMSReplyTo": "jms.Rto",
    "JMSTimestamp": "jms.Tms",
    "JMSXGroupID": "jms.Gid",
    "JMSXGroupSeq": "jms.Seq",
    "MQTopicString": "mqps.Top",
    "MQSubUserData": "mqps.Sud",
    "MQIsRetained": "mqps.Ret",
    "MQPubOptions": "mqps.Pub",
    "MQPubLevel": "mqps.Pbl",
}
"""Names that MQINQMP gives to properties of the folders jms and mqps. JMSType has no one origin: it
is made of three properties of the folder mcd, and stays as it is."""

_WITHOUT_TYPES: Final = ("jms.", "mcd.")
"""Folders in which a JMS client writes no ``dt``: what stands there is text."""


def property_from(
    name: str, kind: int, data: bytes, *, ccsid: int = UTF_8, number_order: str = "<"
) -> Property:
    """A property as it would stand in an MQRFH2.

    Args:
        name: as MQINQMP returned it.
        kind: MQTYPE_*; one that is not known here is told as bytes.
        data: the value as it stands in the buffer.
        ccsid: of a text.
        number_order: byte order of a number: "<" or ">".
    """
    name = SYNONYMS.get(name, name).removeprefix("usr.")
    if kind == cmqc.MQTYPE_NULL:
        return Property(name, "string", None)
    value: str | int | float | bool | bytes = data
    if kind == cmqc.MQTYPE_STRING:
        text = decode_text(data, ccsid if ccsid > 0 else UTF_8)
        if text is None:
            return Property(name, "bin.hex", data)
        value = text
    elif kind in NUMBERS:
        try:
            (value,) = Struct(number_order + NUMBERS[kind].format[1:]).unpack(data)
        except error:
            return Property(name, "bin.hex", data)
        if kind == cmqc.MQTYPE_BOOLEAN:
            value = bool(value)
        elif kind == cmqc.MQTYPE_FLOAT32:
            value = shortest_float32(float(value))
    return _untyped(Property(name, DT.get(kind, "bin.hex"), value))


def _untyped(prop: Property) -> Property:
    """A number in a folder without types is the text that it is written as."""
    if prop.name.startswith(_WITHOUT_TYPES) and type(prop.value) is int:
        return prop._replace(type="string", value=str(prop.value))
    return prop


def shortest_float32(value: float) -> float:
    """The number with the fewest digits that is the same as a 4-byte float: 1.1, not 1.10000002."""
    try:
        packed = pack("<f", value)
        return next(
            short
            for short in (float(f"{value:.{digits}g}") for digits in range(6, 10))
            if pack("<f", short) == packed
        )
    except (OverflowError, StopIteration):  # too large for 4 bytes, or no number
        return value


def alike(prop: Property) -> Property:
    """The property with the type and value that are told of it, from an MQRFH2 or a handle.

    The type is one of `DT`, or "null" where there is no value; ``int`` is an i8.
    """
    if prop.value is None:
        return prop._replace(type="null")
    kind = TYPE_OF_DT.get(prop.type, cmqc.MQTYPE_STRING)
    if kind == cmqc.MQTYPE_FLOAT32 and isinstance(prop.value, float):
        return prop._replace(value=shortest_float32(prop.value))
    return _untyped(prop._replace(type=DT[kind]))
