"""Headers of IBM MQ in another code page and encoding, field by field, as structures.txt has them.

Source: IBM MQ documentation, "Processing conventions" (data conversion), and the pages of the
structures. What does not fit into its field in the new code page, as all names in UTF-16 do not,
raises `DoesNotFit`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from struct import Struct
from typing import Final, NamedTuple

from mqtriage.mq import cmqc
from mqtriage.mq.ccsid import IN_EITHER_ORDER, codec_of
from mqtriage.mq.descriptor import ByteOrder, integer
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.formats import DESCRIPTOR_OFFSET
from mqtriage.mq.headers.layout import Damage, byte_order
from mqtriage.mq.structures import Structure, StructureField, structure

_IDS: Final = cmqc.MQPMRF_MSG_ID | cmqc.MQPMRF_CORREL_ID | cmqc.MQPMRF_GROUP_ID
_INT: Final[Mapping[ByteOrder, Struct]] = {"<": Struct("<i"), ">": Struct(">i")}


class NotConverted(Exception):
    """Data stays as it is."""

    def __init__(self, reason: int) -> None:
        super().__init__(reason)
        self.reason = reason


class DoesNotFit(Exception):
    """A name is longer than its field once it is converted."""


class NotThisStructure(Exception):
    """The data is not the structure that the Format in front of it announces."""


class Representation(NamedTuple):
    """How data is written."""

    ccsid: int
    encoding: int


class Recoding(NamedTuple):
    """From which byte order and codec to which."""

    order: ByteOrder
    codec: str
    target_order: ByteOrder
    target_codec: str

    def number(self, raw: bytes) -> bytes:
        """A number of any length."""
        return raw if self.order == self.target_order else raw[::-1]

    def text(self, raw: bytes) -> bytes:
        """Characters, as many bytes as they need.

        Raises:
            UnicodeDecodeError: They are none.
        """
        if self.codec == self.target_codec:
            return raw
        return raw.decode(self.codec).encode(self.target_codec, "replace")

    def field(self, raw: bytes) -> bytes:
        """Characters in a field of fixed length.

        Raises:
            DoesNotFit, UnicodeDecodeError.
        """
        text = self.text(raw)
        if len(text) > len(raw):
            text = raw.decode(self.codec).rstrip(" \0").encode(self.target_codec, "replace")
        blank = " ".encode(self.target_codec)
        if len(text) > len(raw) or len(blank) > 1:
            raise DoesNotFit
        return text.ljust(len(raw), blank)


_WITHOUT_TABLE: Final = frozenset({(1208, 862)})
"""Code pages that are known each by itself, and that queue managers have no table between: 2119."""


def codecs(now: Representation, target: Representation) -> tuple[str, str]:
    """Those of two representations."""
    codec, target_codec = codec_of(now.ccsid, now.encoding), codec_of(target.ccsid, target.encoding)
    if codec is None:
        raise NotConverted(cmqc.MQRC_SOURCE_CCSID_ERROR)
    if target_codec is None:
        raise NotConverted(cmqc.MQRC_TARGET_CCSID_ERROR)
    if (now.ccsid, target.ccsid) in _WITHOUT_TABLE:
        raise NotConverted(cmqc.MQRC_NOT_CONVERTED)
    return codec, target_codec


def recoding_between(now: Representation, target: Representation) -> Recoding:
    """The recoding from one representation to another."""
    codec, target_codec = codecs(now, target)
    order, target_order = byte_order(now.encoding), byte_order(target.encoding)
    if order is None:
        raise NotConverted(cmqc.MQRC_SOURCE_INTEGER_ENC_ERROR)
    if target_order is None:
        raise NotConverted(cmqc.MQRC_TARGET_INTEGER_ENC_ERROR)
    return Recoding(order, codec, target_order, target_codec)


class ConvertedHeader(NamedTuple):
    """A header that was converted, and what it says of the data behind it.

    Attributes:
        data: the header, still with the Encoding and CodedCharSetId that it had.
        length: what it took of the message, in bytes.
        described: how that is written; None where the header does not say, since it is written as
            the header itself is.
        place: where Encoding and CodedCharSetId stand in `data`.
    """

    data: bytes
    length: int
    format: str
    described: Representation | None
    place: tuple[int, ...]


Convert = Callable[[bytes, Recoding], ConvertedHeader]


def with_following(header: ConvertedHeader, rest: Representation, order: ByteOrder) -> bytes:
    """The bytes of a header that tells how what is behind it is written now."""
    if header.described is None:
        return header.data
    data = bytearray(header.data)
    for at, value in zip(header.place, (rest.encoding, rest.ccsid), strict=True):
        data[at : at + 4] = _INT[order].pack(value)
    return bytes(data)


# -- one structure --------------------------------------------------------------------------------


def _fields(described: Structure, data: bytes, recoding: Recoding) -> tuple[bytes, int]:
    """A structure without what is of variable length, and its version."""
    if data[:4] != described.ident.ljust(4).encode(recoding.codec):
        raise NotThisStructure
    version = integer(data[4:8], recoding.order)
    end = described.ends.get(version)
    if end is None or len(data) < end:
        raise NotThisStructure
    pieces = [recoding.field(data[:4]), recoding.number(data[4:8])]
    pieces += [_field(one, data, recoding) for one in described.fields if one.version <= version]
    return b"".join(pieces), version


def _field(field: StructureField, data: bytes, recoding: Recoding) -> bytes:
    raw = data[field.offset : field.offset + field.length]
    if field.kind == "i":
        return recoding.number(raw)
    return recoding.field(raw) if field.kind in "cB" else raw


def _whole(described: Structure, data: bytes, recoding: Recoding) -> tuple[bytes, int, int]:
    """A structure without what is of variable length, where that begins, and StrucLength."""
    fields, version = _fields(described, data, recoding)
    begin = described.ends[version]
    length = _number(described, "StrucLength", data, recoding.order)
    if not begin <= length <= len(data):
        raise NotThisStructure
    return fields, begin, length


def _number(described: Structure, name: str, data: bytes, order: ByteOrder) -> int:
    at = described.field(name).offset
    return integer(data[at : at + 4], order)


def _converted_header(
    described: Structure, converted: bytes, source: bytes, length: int, recoding: Recoding
) -> ConvertedHeader:
    """The header with what Encoding, CodedCharSetId and Format say."""
    at = described.field("Format").offset
    form = source[at : at + 8].decode(recoding.codec).partition("\0")[0].rstrip(" ")
    places = described.field("Encoding").offset, described.field("CodedCharSetId").offset
    encoding, ccsid = (integer(source[place : place + 4], recoding.order) for place in places)
    return ConvertedHeader(converted, length, form, Representation(ccsid, encoding), places)


# -- the headers ----------------------------------------------------------------------------------


def _plain(name: str) -> Convert:
    """A header of fixed length that says how the data behind it is written."""

    def convert(data: bytes, recoding: Recoding) -> ConvertedHeader:
        described = structure(name)
        fields, version = _fields(described, data, recoding)
        return _converted_header(described, fields, data, described.ends[version], recoding)

    return convert


def _bridge(name: str) -> Convert:
    """MQCIH and MQIIH: their Encoding and CodedCharSetId say nothing of the data behind them."""
    plain = _plain(name)
    return lambda data, recoding: plain(data, recoding)._replace(described=None)


def _name_values(data: bytes, recoding: Recoding) -> ConvertedHeader:
    """MQRFH: its string may become longer, and StrucLength with it."""
    described = structure("MQRFH")
    fields, begin, length = _whole(described, data, recoding)
    text = recoding.text(data[begin:length])
    blank = " ".encode(recoding.target_codec)
    room = length - begin
    if len(text) > room:
        room = len(text) + -len(text) % 4
    text += blank * ((room - len(text)) // len(blank))
    at = described.field("StrucLength").offset
    new_length = _INT[recoding.target_order].pack(len(fields) + len(text))
    fields = fields[:at] + new_length + fields[at + 4 :] + text
    return _converted_header(described, fields, data, length, recoding)


def _reference(data: bytes, recoding: Recoding) -> ConvertedHeader:
    """MQRMH: names and environments behind it stay where its offsets say."""
    described = structure("MQRMH")
    fields, begin, length = _whole(described, data, recoding)
    return _converted_header(
        described, fields + recoding.field(data[begin:length]), data, length, recoding
    )


def _distribution(data: bytes, recoding: Recoding) -> ConvertedHeader:
    """MQDH: with the MQORs and MQPMRs behind it."""
    described = structure("MQDH")
    fields, begin, length = _whole(described, data, recoding)
    whole = bytearray(fields + data[begin:length])
    count, present, objects, records = (
        _number(described, name, data, recoding.order)
        for name in ("RecsPresent", "PutMsgRecFields", "ObjectRecOffset", "PutMsgRecOffset")
    )
    end = objects + count * 2 * cmqc.MQ_OBJECT_NAME_LENGTH
    if count < 0 or (objects and not begin <= objects <= end <= length):
        raise NotThisStructure
    if objects:
        for at in range(objects, end, cmqc.MQ_OBJECT_NAME_LENGTH):
            name = slice(at, at + cmqc.MQ_OBJECT_NAME_LENGTH)
            whole[name] = recoding.field(data[name])
    if records and present & cmqc.MQPMRF_FEEDBACK:
        before = 24 * (present & _IDS).bit_count()
        one = before + 4 + (32 if present & cmqc.MQPMRF_ACCOUNTING_TOKEN else 0)
        if not begin <= records <= records + count * one <= length:
            raise NotThisStructure
        for at in range(records + before, records + count * one, one):
            whole[at : at + 4] = recoding.number(data[at : at + 4])
    return _converted_header(described, bytes(whole), data, length, recoding)


def _transmission(data: bytes, recoding: Recoding) -> ConvertedHeader:
    """MQXQH: the MQMD inside it says how the data behind it is written."""
    struc_id = "XQH ".encode(recoding.codec)
    end = DESCRIPTOR_OFFSET + cmqc.MQMD_LENGTH_1
    if data[:4] != struc_id or len(data) < end:
        raise NotThisStructure
    descriptor = structure("MQMD")
    inner = data[DESCRIPTOR_OFFSET:end]
    described, _ = _fields(descriptor, inner, recoding)
    names = data[8:DESCRIPTOR_OFFSET]
    head = recoding.field(data[:4]) + recoding.number(data[4:8]) + recoding.field(names[:48])
    inner_header = _converted_header(descriptor, described, inner, len(inner), recoding)
    return inner_header._replace(
        data=head + recoding.field(names[48:]) + described,
        length=end,
        place=tuple(DESCRIPTOR_OFFSET + at for at in inner_header.place),
    )


def _folders(data: bytes, recoding: Recoding) -> ConvertedHeader:
    """MQRFH2: its folders stay in their own code page, and take the byte order where it counts."""
    header = rfh2.decode(data, 0, recoding.order, recoding.codec)
    if isinstance(header, Damage):
        raise NotThisStructure
    described = structure("MQRFH2")
    pieces = [_fields(described, data, recoding)[0]]
    for folder in header.folders:
        swaps = (
            header.name_value_ccsid in IN_EITHER_ORDER and recoding.order != recoding.target_order
        )
        pieces += (
            _INT[recoding.target_order].pack(len(folder.raw)),
            _swapped(folder.raw) if swaps else folder.raw,
        )
    pieces.append(header.tail)
    return _converted_header(described, b"".join(pieces), data, header.length, recoding)


def _swapped(text: bytes) -> bytes:
    return b"".join(text[at : at + 2][::-1] for at in range(0, len(text), 2))


def _trigger(data: bytes, recoding: Recoding) -> ConvertedHeader:
    """MQTM: there is nothing behind it."""
    fields, version = _fields(structure("MQTM"), data, recoding)
    return ConvertedHeader(fields, structure("MQTM").ends[version], "", None, (0, 0))


HEADERS: Final[Mapping[str, Convert]] = {
    "MQCICS": _bridge("MQCIH"),
    "MQDEAD": _plain("MQDLH"),
    "MQHDIST": _distribution,
    "MQHMDE": _plain("MQMDE"),
    "MQHREF": _reference,
    "MQHRF": _name_values,
    "MQHRF2": _folders,
    "MQHWIH": _plain("MQWIH"),
    "MQIMS": _bridge("MQIIH"),
    "MQTRIG": _trigger,
    "MQXMIT": _transmission,
}
"""What converts the header of each Format. IBM MQ has MQCICS and MQHWIH on z/OS alone; here they
are converted everywhere, since a program that asks for it can only want that.

Each raises `NotThisStructure`, `DoesNotFit` or UnicodeDecodeError.
"""
